import PostgreSQLTestSupport
import Testing

@Suite(.timeLimit(.minutes(60)), .serialized) struct `Replicas beside the tables that they follow` {
  @Test func `a store holds what the tables hold, and each commit is one transaction, in commit order`()
    async throws
  {
    let seeds = Seeds.forSuite(25, thorough: 1_000)
    let server = try await TestServer.shared()
    let (commits, transactions) = (Shared(0), Shared(0))
    let start = ContinuousClock.now
    try await runHistories(seeds, workers: 3, in: { try await ReplicaHistory.Place(server) }) {
      seed, place, log in
      var history = try await ReplicaHistory(seed, in: place)
      defer { log = history.log }
      try await history.run()
      commits.add(history.commits)
      transactions.add(history.transactions)
    } finally: {
      try await $0.database.drop()
    }
    print(
      "oracle: \(seeds.count) histories, \(transactions.value) transactions, \(commits.value) commits in",
      start.duration(to: .now))
  }

  @Test func `after optimistic writes, kept or given up, a store holds what the tables hold`() async throws {
    let seeds = Seeds.forSuite(10, thorough: 200, from: 10_001)
    let server = try await TestServer.shared()
    let writes = Shared(0)
    try await runHistories(seeds, workers: 2, in: { try await ReplicaHistory.Place(server) }) {
      seed, place, log in
      var history = try await OptimisticHistory(seed, in: place)
      defer { log = history.log }
      try await history.run()
      writes.add(history.writes)
    } finally: {
      try await $0.database.drop()
    }
    print("optimistic: \(seeds.count) histories, \(writes.value) writes")
  }

  @Test func `a store gets to what a partitioned table has whose definition is altered meanwhile`()
    async throws
  {
    let seeds = Seeds.forSuite(15, thorough: 200)
    let server = try await TestServer.shared()
    let copies = Shared(0)
    try await runHistories(seeds, workers: 2, in: { try await server.createDatabase() }) {
      seed, database, log in
      var history = try await DefinitionHistory(seed, in: database)
      defer { log = history.log }
      try await history.run()
      copies.add(history.copies)
    } finally: {
      try await $0.drop()
    }
    print("definitions: \(seeds.count) histories, \(copies.value) copies")
  }
}
