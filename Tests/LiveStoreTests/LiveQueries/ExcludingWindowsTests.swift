import LiveStore
import TestSupport
import Testing

/// Observers of windows and of what is distinct that leave out the commits of an origin: "ui" in all of these.
///
/// What they have is queryCase by the rows of the result, not by those of the table: of others' changes a row is held back
/// that was or is in the window, and nothing else.
@Suite struct ExcludingWindowsTests {
  private func store(_ items: [Item]) async throws -> Store {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(contentsOf: items) }
    return store
  }

  private func iterator(
    _ store: Store, _ query: Query<Item>, _ mode: DeliveryMode = .latest
  ) async throws -> LiveChanges<CollectionChange<Item>>.Iterator {
    var iterator = store.changes(of: query, excluding: ["ui"], mode: mode).makeAsyncIterator()
    _ = try #require(await iterator.next())
    return iterator
  }

  /// Bug: `previous` had row 1, which no result ever had.
  ///
  /// Cause: the baseline took over the row of the table, and the window was evaluated in it.
  @Test func `a row that an excluded commit inserts behind the window is not in previous`() async throws {
    let store = try await store([])
    var iterator = try await iterator(store, Item.all.limit(1))
    try await store.write(origin: "sync") { tx in try tx.insert(Item(3)) }
    try await store.write(origin: "ui") { tx in try tx.insert(Item(1)) }
    let changes = try #require(await iterator.next()?.changes)
    #expect(changes.previous.isEmpty && changes.current.map(\.id) == [3])
    #expect(changes.insertions == [0])
  }

  @Test func `a row that an excluded deletion brings into the window is in previous`() async throws {
    let store = try await store((1...4).map { Item($0, rank: $0) })
    var iterator = try await iterator(store, Item.sorted(by: \.rank).limit(2))
    try await store.write(origin: "sync") { tx in
      try tx.update(Item.self, 2) { $0.name = "theirs" }
      try tx.update(Item.self, 4) { $0.name = "behind the window" }
    }
    try await store.write(origin: "ui") { tx in try tx.delete(Item.self, 1) }
    let changes = try #require(await iterator.next()?.changes)
    #expect(changes.previous.map(\.id) == [2, 3] && changes.previous.map(\.name) == ["", ""])
    #expect(changes.modifications.map(\.id) == [2])
    #expect(changes.deletions == [] && changes.insertions == [] && changes.moves == [])
    #expect(changes.current.snapshot[Item.self, 1] == nil)
  }

  @Test func `a deletion by others is reported whatever an excluded commit puts in the row's place`()
    async throws
  {
    let store = try await store([Item(1, rank: 1), Item(2, rank: 2)])
    var iterator = try await iterator(store, Item.sorted(by: \.rank).limit(1))
    try await store.write(origin: "sync") { tx in try tx.delete(Item.self, 1) }
    try await store.write(origin: "ui") { tx in try tx.insert(Item(9, rank: 0)) }
    let changes = try #require(await iterator.next()?.changes)
    // Two rows in place of one: what the observer was given, and what its own side has put before it.
    #expect(changes.previous.map(\.id) == [9, 1])
    #expect(changes.deletions == [1] && changes.insertions == [] && changes.modifications.isEmpty)
    #expect(changes.current.map(\.id) == [9])
  }

  @Test func `the first row of a value that an excluded commit makes it is in previous`() async throws {
    let store = try await store([Item(1), Item(2), Item(3, group: 1)])
    var iterator = try await iterator(store, Item.all.distinct(by: \.group))
    try await store.write(origin: "sync") { tx in try tx.update(Item.self, 3) { $0.name = "theirs" } }
    try await store.write(origin: "ui") { tx in try tx.delete(Item.self, 1) }
    let changes = try #require(await iterator.next()?.changes)
    #expect(changes.previous.map(\.id) == [2, 3])
    #expect(changes.modifications.map(\.id) == [3])
    #expect(changes.deletions == [] && changes.insertions == [])
  }

  /// Rows come to the window, leave it and are deleted, all by the origin that is left out, while something waits.
  @Test func `pending updates do not grow with excluded commits`() async throws {
    let store = try await store([Item(0, rank: -1)])
    var iterator = try await iterator(store, Item.sorted(by: \.rank).limit(3))
    try await store.write(origin: "sync") { tx in try tx.update(Item.self, 0) { $0.name = "theirs" } }
    for id in 1...300 {
      try await store.write(origin: "ui") { tx in
        try tx.insert(Item(id, rank: -id))
        if id > 2 { try tx.delete(Item.self, id - 2) }
      }
    }
    let changes = try #require(await iterator.next()?.changes)
    #expect(changes.previous.map(\.id) == [300, 299, 0])
    #expect(changes.modifications.map(\.id) == [0])
    #expect(changes.previous.snapshot.count(Item.all) == 3)
  }

  @Test func `an observer of every commit has the window that it was given`() async throws {
    let store = try await store([Item(1, rank: 1), Item(2, rank: 2)])
    var iterator = store.changes(
      of: Item.sorted(by: \.rank).limit(1), properties: [\.rank], excluding: ["ui"], mode: .everyCommit
    ).makeAsyncIterator()
    _ = await iterator.next()
    // Not delivered, so that it waits.
    try await store.write(origin: "sync") { tx in try tx.update(Item.self, 1) { $0.name = "theirs" } }
    try await store.write(origin: "ui") { tx in
      try tx.insert(Item(3, rank: 0))
      try tx.insert(Item(4, rank: 9))
    }
    try await store.write(origin: "sync") { tx in try tx.update(Item.self, 3) { $0.rank = -1 } }
    let changes = try #require(await iterator.next()?.changes)
    #expect(changes.previous.map(\.id) == [3, 1])
    #expect(changes.current.map(\.id) == [3] && changes.deletions == [1])
  }
}
