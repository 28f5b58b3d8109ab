import LiveStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Store metrics` {
  private let store: Store

  init() async throws {
    var configuration = Store.Configuration()
    configuration.historyCommits = 0
    store = try Store(Item.self, configuration: configuration)
    try await store.write { tx in try tx.insert(contentsOf: (0..<10).map { Item($0, rank: $0) }) }
  }

  private func touch(_ times: Int = 1) async throws {
    for _ in 0..<times { try await store.write { tx in try tx.update(Item.self, 9) { $0.rank += 1 } } }
  }

  @Test func `metrics count observers, and equal queries once`() async throws {
    #expect(store.metrics.observers == 0 && store.metrics.liveQueries == 0)
    let tokens = (0..<5).map { number in store.observe(Item.where { $0.rank >= number % 2 }) { _ in } }
    try await store.settled()
    #expect(store.metrics.observers == 5)
    #expect(store.metrics.liveQueries == 2)
    for token in tokens { token.invalidate() }
    // A delivery that has called its handler looks for more, and keeps what it observes until it has looked.
    #expect(await isReached { store.metrics.observers == 0 })
    try await touch()
    try await store.settled()
    #expect(store.metrics.liveQueries == 0)
  }

  @Test func `metrics report how far each observer is behind, the farthest first`() async throws {
    let paused = store.observe(Item.all) { _ in }
    let token = store.observe(Item.all) { _ in }
    var events = store.changes(of: Item.all).makeAsyncIterator()
    _ = await events.next()
    try await store.settled()
    #expect(store.metrics.lags == [0, 0, 0])
    paused.pause()
    try await touch(3)
    _ = await events.next()
    try await touch(2)
    try await store.settled()
    #expect(store.metrics.lags == [5, 2, 0])
    paused.resume()
    try await store.settled()
    #expect(store.metrics.lags == [2, 0, 0])
    token.invalidate()
    paused.invalidate()
    _ = await events.next()
  }

  @Test func `metrics report which versions observers hold`() async throws {
    let token = store.observe(Item.all) { _ in }
    try await store.settled()
    token.pause()
    try await touch(20)
    #expect(store.metrics.oldestPinned == .number(1))
    // Upkeep is behind for a moment, and frees what it has replaced after its observers are woken.
    #expect(await isReached { store.metrics.versionsPinned <= 5 })
    token.resume()
    try await store.settled()
    #expect(
      await isReached { store.metrics.oldestPinned == store.version && store.metrics.versionsPinned == 1 })
    token.invalidate()
  }

  @Test func `metrics count commits and rows, and no commit that changes nothing`() async throws {
    try await touch(4)
    try await store.write { tx in
      try tx.insert(Item(50)); try tx.delete(Item.self, 50)
    }
    try? await store.write { tx in
      try tx.insert(Item(51))
      throw CancellationError()
    }
    #expect(store.metrics.version == .number(5))
    #expect(store.metrics.commits == 5)
    #expect(store.metrics.rowsWritten == 14)
  }

  @Test func `metrics count updates of the queries that a commit concerns, and of no others`() async throws {
    let tokens = (0..<10).map { number in store.observe(Item.where { $0.rank == number }) { _ in } }
    try await store.settled()
    let before = store.metrics.updates
    try await store.write { tx in _ = try tx.update(Item.self, 3) { $0.name = "x" } }
    try await store.settled()
    #expect(store.metrics.updates == before + 1)
    #expect(store.metrics.unroutedQueries == 0)
    let closure = store.observe(Item.filter { $0.rank == 3 }) { _ in }
    try await store.settled()
    #expect(store.metrics.unroutedQueries == 1)
    for token in tokens + [closure] { token.invalidate() }
  }
}
