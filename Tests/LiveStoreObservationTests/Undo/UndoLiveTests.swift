import LiveStore
import LiveStoreObservation
import TestSupport
import Testing

/// Deleted rows that come back, as everything sees them that follows a store.
@Suite struct `Rows that undo restores` {
  private let store: Store
  private let stack: UndoStack

  init() throws {
    store = try Store(Item.self)
    try store.write { tx in
      try tx.insert(contentsOf: (1...6).map { Item($0, name: "item \($0)", rank: $0 % 3) })
    }
    stack = UndoStack(store, merging: .zero)
  }

  private func delete(_ ids: Int...) async throws {
    try await store.write(origin: "ui") { tx in for id in ids { try tx.delete(Item.self, id) } }
  }

  @Test func `rows that undo restores are insertions at their former places`() async throws {
    let observer = CheckedObserver<Item>()
    let changes = Recorder<ChangeSet<Item>>()
    let token = store.observe(Item.all) { change in
      observer.receive(change)
      if let change = change.changes { changes.append(change) }
    }
    try await store.settled()
    try await delete(2, 5)
    try await store.settled()
    try await stack.undo()
    try await store.settled()
    #expect(changes.last?.insertions == [1, 4])
    #expect(changes.last?.deletions == [])
    #expect(observer.rows?.map(\.id) == [1, 2, 3, 4, 5, 6])
    #expect(observer.breaches == [])
    token.invalidate()
  }

  @Test func `a deletion and its undo within a pause deliver no event`() async throws {
    let events = Recorder<Int>()
    let tokens = [Item.all, Item.sorted(by: \.rank), Item.where { $0.rank > 0 }].map { query in
      store.observe(query) { events.append($0.results?.count ?? -1) }
    }
    try await store.settled()
    for token in tokens { token.pause() }
    try await delete(2, 5)
    try await stack.undo()
    for token in tokens { token.resume() }
    try await store.settled()
    #expect(events.count == 3)
    for token in tokens { token.invalidate() }
  }

  @Test func `an undo is delivered to an observer that excludes the origin of the undone commit`()
    async throws
  {
    let observer = CheckedObserver<Item>(receivesAll: false)
    let token = store.observe(Item.sorted(by: \.rank), excluding: ["ui"]) { observer.receive($0) }
    try await store.settled()
    try await delete(2)
    try await store.settled()
    #expect(observer.eventCount == 1)
    try await stack.undo()
    try await store.settled()
    #expect(observer.eventCount == 2)
    #expect(observer.rows?.map(\.id) == [3, 6, 1, 4, 2, 5])
    #expect(observer.breaches == [])
    token.invalidate()
  }

  @Test func `an undo is not delivered to an observer that excludes its origin, nor is the restored row`()
    async throws
  {
    let changes = Recorder<ChangeSet<Item>>()
    let token = store.observe(Item.all, excluding: ["ui.undo"]) { change in
      if let change = change.changes { changes.append(change) }
    }
    try await delete(3)
    try await store.write(origin: "ui") { tx in
      try tx.delete(Item.self, 1)
      try tx.insert(Item(1, name: "again"))
    }
    try await store.settled()
    let received = changes.count
    // A change of another writer that is not delivered yet, so that the baseline is not the newest result.
    token.pause()
    try await store.write(origin: "sync") { tx in try tx.update(Item.self, 4) { $0.name = "theirs" } }
    try await stack.undo()
    try await stack.undo()
    token.resume()
    try await store.settled()
    #expect(changes.count == received + 1)
    #expect(
      changes.last?.insertions == [] && changes.last?.deletions == [] && changes.last?.moves.isEmpty == true)
    #expect(changes.last?.modifications.map(\.id) == [4])
    #expect(changes.last?.previous.map(\.id) == [1, 2, 3, 4, 5, 6])
    token.invalidate()
  }

  @Test func `rows that undo restores are insertions in the history, in insertion order`() async throws {
    try await store.write(origin: "ui") { tx in
      try tx.delete(Item.self, 4)
      try tx.delete(Item.self, 2)
      try tx.update(Item.self, 3) { $0.name = "three" }
      try tx.insert(Item(9))
    }
    let version = store.version
    try await stack.undo()
    var commits = store.commits(after: version).makeAsyncIterator()
    let commit = try #require(await commits.next())
    let changes = commit.changes(of: Item.self)
    #expect(changes.map { $0.old?.id } == [nil, 3, nil, 9])
    #expect(changes.map { $0.new?.id } == [2, 3, 4, nil])
    #expect(commit.changeCount == 4)
  }

  @Test func `an observer of every commit receives each undo and redo`() async throws {
    let observer = CheckedObserver<Item>()
    let token = store.observe(Item.sorted(by: \.rank), mode: .everyCommit) { observer.receive($0) }
    try await delete(1, 2)
    try await stack.undo()
    try await stack.redo()
    try await stack.undo()
    try await store.settled()
    #expect(observer.eventCount == 5)
    #expect(observer.rows == Array(store.snapshot().fetch(Item.sorted(by: \.rank))))
    #expect(observer.breaches == [])
    token.invalidate()
  }

  @Test func `undo changes no snapshot`() async throws {
    let full = store.snapshot()
    try await delete(1, 2, 3)
    let left = store.snapshot()
    try await stack.undo()
    #expect(left.fetch(Item.all).map(\.id) == [4, 5, 6])
    #expect(full.fetch(Item.all).map(\.id) == [1, 2, 3, 4, 5, 6])
    #expect(full.fetch(Item.all).changes(to: store.snapshot().fetch(Item.all)).isEmpty)
  }
}
