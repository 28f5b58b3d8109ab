import LiveStore
import TestSupport
import Testing

@Suite struct `Live queries of a whole table` {
  /// Bug: of several queries that are the table itself, commits were delivered to the last one.
  @Test(arguments: [[nil, 1_000], [1_000, nil], [1_000, 2_000, nil]] as [[Int?]])
  func `those with limits of their own are each kept up to date, also when others end`(limits: [Int?])
    async throws
  {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(Item(0)) }
    let queries = limits.map { limit in limit.map { Item.all.visiting(atMost: $0) } ?? Item.all }
    var iterators = queries.map { store.changes(of: $0).makeAsyncIterator() }
    for index in iterators.indices { #expect(await iterators[index].next()?.results?.count == 1) }
    for count in 2...3 {
      try await store.write { tx in try tx.insert(Item(count)) }
      for index in iterators.indices { #expect(await iterators[index].next()?.results?.count == count) }
    }
    // What comes when one has ended is delivered to those that are left.
    while iterators.count > 1 {
      iterators.removeLast()
      let count = store.count(Item.all) + 1
      try await store.write { tx in try tx.insert(Item(count)) }
      for index in iterators.indices { #expect(await iterators[index].next()?.results?.count == count) }
    }
  }
}
