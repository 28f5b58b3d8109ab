import LiveStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Inspected versions` {
  private func store(history: Int) throws -> Store {
    var configuration = Store.Configuration()
    configuration.historyCommits = history
    let store = try Store(Item.self, configuration: configuration)
    try store.write { tx in try tx.insert(contentsOf: (0..<10).map { Item($0) }) }
    return store
  }

  private func touch(_ store: Store, _ times: Int) throws {
    for _ in 0..<times { try store.write { tx in try tx.update(Item.self, 9) { $0.rank += 1 } } }
  }

  private func texts(_ store: Store) -> [String] {
    store.inspection.pins.map { pin in
      let holders = pin.holders.map { "\($0.kind)" + ($0.query == nil ? "" : " of a query") }
      return "\(pin.first)…\(pin.last) (\(pin.count)) \(holders.joined(separator: ", "))"
    }
  }

  @Test func `the newest version, the history and snapshots hold versions`() throws {
    let store = try store(history: 3)
    let snapshots = [store.snapshot()]
    try touch(store, 1)
    #expect(texts(store) == ["0…1 (2) history", "2…2 (1) newest, history"])
    try touch(store, 6)
    #expect(texts(store) == ["1…1 (1) app", "5…7 (3) history", "8…8 (1) newest, history"])
    #expect(store.inspection.pins.reduce(0) { $0 + $1.count } == store.metrics.versionsPinned)
    withExtendedLifetime(snapshots) {}
  }

  @Test func `a paused observer holds the version of its last event`() async throws {
    let store = try store(history: 0)
    let token = store.observe(Item.where { $0.rank >= 0 }) { _ in }
    try await store.settled()
    token.pause()
    try touch(store, 5)
    try await store.settled()
    #expect(await isReached { texts(store) == ["1…1 (1) observer of a query", "6…6 (1) newest"] })
    let query = try #require(store.inspection.queries.first)
    let holder = try #require(store.inspection.pins.first?.holders.first)
    #expect(holder.query == query.number && holder.observer == query.observers.first?.number)
    token.resume()
    try await store.settled()
    #expect(await isReached { texts(store) == ["6…6 (1) newest"] })
    token.invalidate()
  }

  @Test func `a query that is behind holds the version from which it is to be brought up to date`()
    async throws
  {
    let store = try store(history: 0)
    let filter = HeldFilter(isHeld: false)
    let token = store.observe(Item.filter { _ in filter.test() }) { _ in }
    try await store.settled()
    filter.hold()
    try touch(store, 1)
    // The first step is being run; those after it wait.
    let found = try await filter.whileHeld {
      try? touch(store, 2)
      return (texts(store), store.inspection.queries.first?.pendingSteps ?? 0)
    }
    #expect(found.1 > 0 && found.0.contains { $0.hasSuffix("upkeep of a query") }, "\(found)")
    try await store.settled()
    #expect(await isReached { texts(store) == ["4…4 (1) newest"] })
    token.invalidate()
  }
}
