import LiveStore
import Synchronization
import TestSupport
import Testing

/// An id that counts how often it is hashed, which each lookup does.
private struct CountedID: Hashable, Sendable {
  static let hashes = Atomic(0)
  let number: Int

  func hash(into hasher: inout Hasher) {
    Self.hashes.add(1, ordering: .relaxed)
    hasher.combine(number)
  }
}

private struct Stamp: Entity, Hashable {
  let id: CountedID
  static let schema = Schema<Stamp> {}
}

@Suite struct `Lookups of links` {
  @Test func `each of the linked objects is looked up once, however many are missing`() throws {
    let store = try Store(Stamp.self)
    try store.write { tx in try tx.insert(contentsOf: (900..<903).map { Stamp(id: CountedID(number: $0)) }) }
    let list = RefList<Stamp>(ids: (0..<1_000).map { CountedID(number: $0) })
    let snapshot = store.snapshot()
    let before = CountedID.hashes.load(ordering: .relaxed)
    let objects = snapshot[list]
    for _ in 0..<100 { #expect(objects.first?.id.number == 900 && objects.count == 3) }
    #expect(CountedID.hashes.load(ordering: .relaxed) == before + 1_000)
    #expect(objects.map(\.id.number) == [900, 901, 902])
    #expect(list.lazy.compactMap { snapshot[$0] }.reversed().map(\.id.number) == [902, 901, 900])
    #expect(store[RefList<Stamp>(ids: [CountedID(number: 1)])].isEmpty)
  }

  /// The number of a link is that of its schema, and the number of its table that of the store.
  @Test func `one query over backlinks serves stores that number their entities differently`() throws {
    let stores = [
      try Store(Writer.self, Topic.self, Article.self, Reply.self),
      try Store(Reply.self, Article.self, Topic.self, Writer.self),
    ]
    for (number, store) in stores.enumerated() {
      try store.write { tx in
        try tx.insert(contentsOf: [Writer(id: 1, name: "Ann"), Writer(id: 2, name: "Bob")])
        for id in 0..<4 {
          try tx.insert(Article(id: id, title: "", author: Ref(id == 0 ? 1 + number : 2 - number)))
        }
      }
    }
    let busy = Writer.where { $0.linking(\Article.author).count >= 3 }
    let some = Writer.where { $0.linking(\Article.author).contains { $0.id == 0 } }
    for _ in 0..<3 {
      #expect(stores.map { $0.fetch(busy).map(\.id) } == [[2], [1]])
      #expect(stores.map { $0.fetch(some).map(\.id) } == [[1], [2]])
    }
  }
}
