import LiveStore
import TestSupport
import Testing

/// A key without an order whose values all have the same hash.
private struct Clash: Hashable, Sendable {
  var number: Int
  func hash(into hasher: inout Hasher) {}
}

extension Item {
  fileprivate var clash: Clash { Clash(number: group) }
}

@Suite(.timeLimit(.minutes(10))) struct `Groups along several lines of versions` {
  /// G3: in the baseline and in the newest result another group is the next one made.
  @Test func `groups are kept apart for an observer that excludes an origin`() async throws {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(Item(1, name: "m")) }
    let recorder = TestSupport.Recorder<CollectionChange<ResultGroup<String, Int>>>()
    let token = store.observe(Item.all.grouped(by: \.name).count, excluding: ["a"]) { recorder.append($0) }
    try await store.settled()
    token.pause()
    try await store.write { tx in try tx.insert(Item(2, name: "z")) }
    try await store.write(origin: "a") { tx in try tx.insert(Item(3, name: "b")) }
    token.resume()
    try await store.settled()
    let changes = recorder.last?.changes
    #expect(changes?.previous.map(\.key) == ["b", "m"])
    #expect(changes?.current.map(\.key) == ["b", "m", "z"])
    #expect(changes?.insertions == [2])
    #expect(changes?.deletions == [] && changes?.modifications.isEmpty == true && changes?.moves == [])
    token.invalidate()
  }

  /// G4: rows of the other keys lie between.
  @Test func `groups of keys with equal hashes have their own extremes and places`() async throws {
    let store = try Store(Item.self)
    var values = store.values(of: Item.all.grouped(by: \.clash).min(\.rank)).makeAsyncIterator()
    _ = try await values.next()
    try await store.write { tx in
      try tx.insert(contentsOf: [
        Item(1, rank: 1, group: 8), Item(2, rank: 5, group: 3), Item(3, rank: 2, group: 8),
        Item(4, rank: 4, group: 3),
      ])
    }
    var groups = try await values.next()
    #expect(groups?.map(\.key.number) == [8, 3])
    #expect(groups?.map(\.value) == [1, 4])
    let greatest = store.snapshot().value(of: Item.all.grouped(by: \.clash).max(\.rank))
    #expect(greatest.map(\.value) == [2, 5])
    #expect(greatest[id: Clash(number: 3)]?.value == 5)
    try await store.write { tx in try tx.delete(Item.self, 1) }
    groups = try await values.next()
    #expect(groups?.map(\.key.number) == [3, 8])
    #expect(groups?.map(\.value) == [4, 2])
  }
}
