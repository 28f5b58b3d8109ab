import LiveStore
import TestSupport
import Testing

@Suite struct SmokeTests {
  @Test func `a commit becomes a change set`() async throws {
    let store = try Store(Item.self)
    try await store.write { tx in
      try tx.insert(contentsOf: (0..<100).map { Item($0, name: "n\($0)", rank: $0 % 10) })
    }
    let query = Item.where { $0.rank >= 5 }.sorted(by: \.rank, .descending)
    #expect(store.snapshot().fetch(query).count == 50)
    #expect(store.snapshot().fetch(query).map(\.rank) == store.snapshot().fetch(query).map(\.rank).sorted(by: >))
    var iterator = store.changes(of: query).makeAsyncIterator()
    guard case .initial(let first)? = await iterator.next() else { Issue.record("no initial"); return }
    #expect(first.count == 50)
    try await store.write { tx in
      try tx.update(Item.self, 5) { $0.rank = 9 }
      try tx.delete(Item.self, 9)
      try tx.insert(Item(200, rank: 7))
      try tx.update(Item.self, 6) { $0.rank = 1 }
    }
    guard case .update(let now, let changes)? = await iterator.next() else { Issue.record("no update"); return }
    #expect(now.count == 49)
    print(changes)
    print(query.explain(in: store.snapshot()), Item.where { $0.id == 4 }.explain(in: store.snapshot()))
    let token = store.observe(query.count) { print("count", $0) }
    try await store.settled()
    try await store.write { tx in try tx.deleteAll(Item.self) }
    try await store.settled()
    print(store.metrics)
    token.invalidate()
  }
}
