import LiveStore
import TestSupport
import Testing

/// What a commit makes the live queries do, counted: which results are brought up to date and which rows
/// are tested, in place of measured times.
@Suite struct RoutingTests {
  private func filled() async throws -> Store {
    let store = try Store(Item.self)
    try await store.write { tx in
      try tx.insert(
        contentsOf: (0..<1_000).map { Item($0, name: "n\($0)", rank: $0, group: $0 % 100, score: Double($0)) }
      )
    }
    return store
  }

  /// Begins to observe all queries.
  private func observe(_ store: Store, _ queries: [Query<Item>]) async throws -> [NotificationToken] {
    let tokens = queries.map { store.observe($0) { _ in } }
    try await store.settled()
    return tokens
  }

  @Test func `a commit updates, of a thousand queries by equality, those of its old and new value`()
    async throws
  {
    let store = try await filled()
    let tokens = try await observe(store, (0..<1_000).map { group in Item.where { $0.group == group } })
    let start = store.metrics
    #expect(start.liveQueries == 1_000)
    #expect(start.unroutedQueries == 0)
    try await store.write { tx in try tx.update(Item.self, 5) { $0.name = "new" } }
    try await store.settled()
    #expect(store.metrics.updates - start.updates == 1)
    try await store.write { tx in try tx.update(Item.self, 5) { $0.group = 6 } }
    try await store.settled()
    #expect(store.metrics.updates - start.updates == 3)
    #expect(store.metrics.unroutedTests == start.unroutedTests)
    tokens.forEach { $0.invalidate() }
  }

  @Test func `a query that is removed leaves the others of its value where they are found`() async throws {
    let store = try await filled()
    let tokens = try await observe(
      store,
      [
        Item.where { $0.group == 5 }.sorted(by: \.rank), Item.where { $0.group == 5 }.sorted(by: \.name),
        Item.where { $0.rank.in(0...9) }.sorted(by: \.name),
        Item.where { $0.rank.in(0...9) }.sorted(by: \.score),
      ])
    tokens[0].invalidate()
    tokens[2].invalidate()
    try await store.settled()
    let start = store.metrics
    #expect(start.liveQueries == 2)
    try await store.write { tx in try tx.update(Item.self, 5) { $0.name = "new" } }
    try await store.settled()
    #expect(store.metrics.updates - start.updates == 2)
    tokens.forEach { $0.invalidate() }
  }

  @Test func `alternatives of which one cannot be routed are asked about every change`() async throws {
    let store = try await filled()
    let tokens = try await observe(
      store,
      [
        Item.where { $0.group == 5 || $0.name.contains("x") },
        Item.where { $0.rank.in(0...9) || $0.name.contains("x") },
        Item.where { $0.group == 5 || $0.rank == 500 },
        Item.where { $0.rank.in(0...9) || $0.score > 5_000 },
      ])
    let start = store.metrics
    #expect(start.unroutedQueries == 4)
    try await store.write { tx in
      try tx.update(Item.self, 500) { item in
        item.name = "x"
        item.score = 6_000
      }
    }
    try await store.settled()
    #expect(store.metrics.updates - start.updates == 4)
    tokens.forEach { $0.invalidate() }
  }

  @Test func `a commit updates, of a hundred queries by range, those that hold its old or new value`()
    async throws
  {
    let store = try await filled()
    let tokens = try await observe(
      store, (0..<100).map { number in Item.where { $0.rank.in((number * 10)..<(number * 10 + 10)) } })
    let start = store.metrics
    #expect(start.unroutedQueries == 0)
    try await store.write { tx in try tx.update(Item.self, 15) { $0.name = "new" } }
    try await store.settled()
    #expect(store.metrics.updates - start.updates == 1)
    try await store.write { tx in try tx.update(Item.self, 15) { $0.rank = 995 } }
    try await store.settled()
    #expect(store.metrics.updates - start.updates == 3)
    try await store.write { tx in try tx.update(Item.self, 15) { $0.rank = 5_000 } }
    try await store.settled()
    #expect(store.metrics.updates - start.updates == 4)
    tokens.forEach { $0.invalidate() }
  }

  @Test func `a query with an equality and more is routed by the equality`() async throws {
    let store = try await filled()
    let tokens = try await observe(
      store, (0..<50).map { group in Item.where { $0.group == group && $0.name.contains("1") && !$0.isDone } }
    )
    let start = store.metrics
    #expect(start.unroutedQueries == 0)
    try await store.write { tx in try tx.update(Item.self, 70) { $0.isDone = true } }
    try await store.settled()
    #expect(store.metrics.updates == start.updates)
    try await store.write { tx in try tx.update(Item.self, 10) { $0.isDone = true } }
    try await store.settled()
    #expect(store.metrics.updates - start.updates == 1)
    tokens.forEach { $0.invalidate() }
  }

  @Test func `queries with an equality in common are routed by the one of their own`() async throws {
    let store = try await filled()
    let shared = { (group: Int) in Item.where { $0.isDone == false && $0.group == group } }
    var tokens = try await observe(store, (0..<100).map(shared))
    let start = store.metrics
    try await store.write { tx in try tx.update(Item.self, 5) { $0.name = "new" } }
    try await store.settled()
    // The first of them could not know of the others.
    #expect((1...2).contains(store.metrics.updates - start.updates))
    // They are found and taken out by the same route.
    tokens.forEach { $0.invalidate() }
    tokens = try await observe(store, [shared(5), shared(6)])
    let again = store.metrics
    #expect(again.liveQueries == 2)
    try await store.write { tx in try tx.update(Item.self, 5) { $0.isDone = true } }
    try await store.settled()
    #expect((1...2).contains(store.metrics.updates - again.updates))
    tokens.forEach { $0.invalidate() }
  }

  @Test func `observed objects are routed by their ids`() async throws {
    let store = try await filled()
    let tokens = (0..<200).map { store.observe(Item.self, $0) { _ in } }
    try await store.settled()
    let start = store.metrics
    #expect(start.unroutedQueries == 0)
    try await store.write { tx in
      try tx.update(Item.self, 7) { $0.rank = 0 }
      try tx.update(Item.self, 700) { $0.rank = 0 }
    }
    try await store.settled()
    #expect(store.metrics.updates - start.updates == 1)
    tokens.forEach { $0.invalidate() }
  }

  @Test func `closures and contains are asked about every changed row, and counted`() async throws {
    let store = try await filled()
    let tokens = try await observe(
      store,
      [
        Item.filter { $0.rank % 2 == 0 }, Item.filter { $0.rank % 3 == 0 },
        Item.where { $0.name.contains("7") },
        Item.where { $0.group == 3 },
      ])
    let start = store.metrics
    #expect(start.unroutedQueries == 3)
    try await store.write { tx in for id in 0..<10 { try tx.update(Item.self, id) { $0.score = -1 } } }
    try await store.settled()
    let tests = store.metrics.unroutedTests - start.unroutedTests
    #expect(tests >= 30 && tests <= 60, "\(tests): three queries, ten rows, before and after")
    tokens.forEach { $0.invalidate() }
  }

  @Test func `equal queries share one result, and so do windows and counts of one query`() async throws {
    let store = try await filled()
    func query() -> Query<Item> {
      Item.where { $0.group == 1 && $0.rank > 10 }.sorted(by: \.name, .descending)
    }
    var tokens = try await observe(store, (0..<50).map { _ in query() })
    #expect(store.metrics.liveQueries == 1)
    tokens += try await observe(
      store, (1..<20).map { query().limit($0) } + (1..<20).map { query().offset($0).limit(3) })
    tokens.append(store.observe(query().count) { _ in })
    try await store.settled()
    #expect(store.metrics.liveQueries == 1)
    #expect(store.metrics.observers == 89)
    let start = store.metrics
    try await store.write { tx in try tx.update(Item.self, 101) { $0.isDone = true } }
    try await store.settled()
    #expect(store.metrics.updates - start.updates == 1)
    tokens.append(store.observe(query().sorted(by: \.rank)) { _ in })
    try await store.settled()
    #expect(store.metrics.liveQueries == 2)
    tokens.forEach { $0.invalidate() }
    tokens = []
    try await store.settled()
    #expect(store.metrics.observers == 0)
    #expect(store.metrics.liveQueries == 0)
  }

  @Test
  func `an observer of every commit that falls behind the history receives the error, and nothing after it`()
    async throws
  {
    var configuration = Store.Configuration()
    configuration.historyCommits = 3
    let store = try Store(Item.self, configuration: configuration)
    var changes = store.changes(of: Item.all, mode: .everyCommit).makeAsyncIterator()
    var commits = store.commits(after: store.version).makeAsyncIterator()
    var merged = store.changes(of: Item.all).makeAsyncIterator()
    guard case .initial? = await changes.next(), case .initial? = await merged.next() else {
      throw Mismatch("no .initial")
    }
    for id in 0..<10 { try await store.write { tx in try tx.insert(Item(id)) } }
    try await store.settled()
    guard case .error(let error)? = await changes.next() else { throw Mismatch("no error") }
    #expect(error.code == StoreError.historyTruncated)
    let oldest = try #require(error.oldest)
    #expect(await changes.next() == nil)
    await #expect(throws: StoreError.self) { try await commits.next() }
    #expect(try await commits.next() == nil)
    guard case .update(_, let all)? = await merged.next() else { throw Mismatch("no .update") }
    #expect(all.insertions == Array(0..<10))
    var later = store.commits(after: oldest).makeAsyncIterator()
    let next = try #require(try await later.next())
    #expect(next.version.number == oldest.number + 1)
  }
}
