import LiveStore
import TestSupport
import Testing

/// Queries that go on after a window.
@Suite struct StagesTests {
  /// Bug: the first insertion corrupted memory.
  ///
  /// Cause: a first stage without filter and sort is the table's own tree, and it was edited as if it
  /// were a tree of row numbers.
  @Test func `a filter after a window of the whole table is kept up to date`() async throws {
    let queries: [Query<Item>] = [
      Item.all.limit(3).where { $0.rank > 0 }, Item.all.offset(1).filter { $0.rank > 0 },
      Item.all.limit(3).sorted(by: \.rank, .descending), Item.all.limit(5).sorted(by: \.rank).limit(2),
    ]
    for query in queries {
      let store = try Store(Item.self)
      try await store.write { tx in try tx.insert(contentsOf: (0..<3).map { Item($0, rank: $0) }) }
      let inbox = Inbox<CollectionChange<Item>>()
      let token = store.observe(query) { inbox.put($0) }
      try await store.settled()
      for round in 0..<50 {
        try await store.write { tx in
          try tx.insert(Item(10 + round, name: "a name that is not stored inline", rank: round))
          try tx.delete(Item.self, round)
          if round > 0 { try tx.update(Item.self, 9 + round) { $0.rank += 100 } }
        }
        try await store.settled()
        if let results = inbox.drain().last?.results {
          #expect(Array(results) == Array(store.snapshot().fetch(query)), "\(query), round \(round)")
        }
      }
      token.invalidate()
    }
  }
}
