import LiveStore
import Testing

/// An id whose hash all others have, too.
private struct Key: Hashable, Comparable, Sendable {
  var number: Int
  func hash(into hasher: inout Hasher) {}
  static func < (lhs: Key, rhs: Key) -> Bool { lhs.number < rhs.number }
}

private struct Waypoint: Entity {
  let id: Key
  var next: Ref<Waypoint>?
  static let schema = Schema<Waypoint> { Relation(\.next) }
}

/// Links to objects that come later in a transaction are listed under the hashes of their ids. Where no two ids had one
/// hash, whatever was listed under an object's hash was taken for a link to it.
@Suite struct `Links that lead nowhere yet` {
  private let seven = Key(number: 7)
  private let nine = Key(number: 9)

  @Test func `a link to an id that is not there yet is no link to another with its hash`() throws {
    let store = try Store(Waypoint.self)
    let unlinked = Waypoint.where { $0.linking(\Waypoint.next).isEmpty }
    let linkedOnce = Waypoint.where { $0.linking(\Waypoint.next).count == 1 }
    let (seven, nine) = (seven, nine)
    let linkedBySeven = Waypoint.where { $0.linking(\Waypoint.next).contains { $0.id == seven } }
    try store.write { tx in
      try tx.insert(Waypoint(id: seven, next: Ref(nine)))
      #expect(tx.fetch(unlinked).map(\.id) == [seven])
      #expect(tx.count(unlinked) == 1)
      #expect(tx.fetch(linkedOnce).isEmpty && tx.fetch(linkedBySeven).isEmpty)
      try tx.insert(Waypoint(id: nine))
      #expect(tx.fetch(unlinked).map(\.id) == [seven])
      #expect(tx.fetch(linkedOnce).map(\.id) == [nine] && tx.count(linkedOnce) == 1)
      #expect(tx.fetch(linkedBySeven).map(\.id) == [nine])
    }
    #expect(store.snapshot().fetch(linkedBySeven).map(\.id) == [nine])
  }
}
