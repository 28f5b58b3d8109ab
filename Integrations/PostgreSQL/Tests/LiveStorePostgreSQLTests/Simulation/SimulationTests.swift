import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Replicas of a simulated server` {
  @Test func `a store has what the tables had at each position of the stream, which breaks at any byte`()
    async throws
  {
    let seeds = Seeds.forSuite(300, thorough: 2_000)
    let (transactions, connections) = (Shared(0), Shared(0))
    let start = ContinuousClock.now
    try await runHistories(seeds, workers: 2, in: {}) { seed, _, _ in
      var simulation = try Simulation(seed)
      try await simulation.run()
      transactions.add(simulation.transactions)
      connections.add(simulation.connections)
    } finally: { _ in
    }
    print(
      "simulation: \(seeds.count) histories, \(transactions.value) transactions, \(connections.value) connections in",
      start.duration(to: .now))
  }
}

/// The histories of the simulation at a real server.
@Suite(.timeLimit(.minutes(60)), .serialized) struct `Simulated histories at a server` {
  /// A database and the clients of its histories.
  private struct Place: Sendable {
    let database: TestDatabase
    let clients: [SQLClient]

    init(_ server: TestServer) async throws {
      database = try await server.createDatabase()
      var clients: [SQLClient] = []
      for _ in 0..<4 { clients.append(try await database.connect()) }
      self.clients = clients
    }
  }

  private func run(
    _ seeds: [UInt64],
    _ body: @escaping @Sendable (UInt64, Place, inout [String]) async throws -> Void
  ) async throws {
    let server = try await TestServer.own(["max_prepared_transactions": "10"])
    try await runHistories(seeds, workers: 2, in: { try await Place(server) }) { seed, place, log in
      for client in place.clients { try await client.execute("ROLLBACK") }
      try await body(seed, place, &log)
    } finally: {
      try await $0.database.drop()
    }
    try await server.stop()
  }

  /// Runs the statements of a history, and reads what the server sends of it.
  private static func read<Messages>(
    _ history: SimulatedHistory, _ place: Place, _ log: inout [String],
    _ read: (_ slot: String, SQLClient) async throws -> Messages
  ) async throws -> Messages {
    log = history.steps.map { "\($0.client) \($0.sql.prefix(200))" }
    try await history.create(in: place.database)
    let (slot, client) = ("slot_\(place.database.name)", place.clients[3])
    try await client.execute("SELECT pg_create_logical_replication_slot('\(slot)', 'pgoutput')")
    for step in history.steps { try await place.clients[step.client].execute(step.sql) }
    let messages = try await read(slot, client)
    try await client.execute("SELECT pg_drop_replication_slot('\(slot)')")
    return messages
  }

  @Test func `a server sends the messages that the simulation sends`() async throws {
    let count = Shared(0)
    try await run(Seeds.forSuite(30, thorough: 200)) { seed, place, log in
      let history = SimulatedHistory(seed, large: 2_500)
      let (server, simulated) = try await Self.read(history, place, &log, history.messages)
      for (index, (real, other)) in zip(server, simulated).enumerated() {
        try require(
          real == other, "message \(index) is \(real.prefix(900))\nand simulated \(other.prefix(900))")
      }
      try require(
        server.count == simulated.count, "\(server.count) messages, and \(simulated.count) simulated")
      count.add(server.count)
    }
    print("simulation: \(count.value) messages of a server")
  }

  @Test func `a server streams of a large transaction what the simulation streams`() async throws {
    let count = Shared(0)
    try await run(Seeds.forSuite(15, thorough: 200)) { seed, place, log in
      // Three large values are more than the server decodes at once.
      let history = SimulatedHistory(seed, large: 30_000)
      let (server, simulated) = try await Self.read(history, place, &log, history.streams)
      try require(
        server.count == simulated.count, "\(server.count) transactions, and \(simulated.count) simulated")
      for (number, (real, other)) in zip(server, simulated).enumerated() {
        guard let real else { continue }
        count.add(1)
        let index = zip(real, other ?? []).enumerated().first { $1.0 != $1.1 }?.offset
        try require(
          real == other,
          "of transaction \(number) the server sends \(real.count) changes, and the simulation \(other?.count ?? -1); \(index ?? -1) differs"
        )
      }
    }
    #expect(count.value > 0)
    print("simulation: \(count.value) streamed transactions of a server")
  }

  @Test func `a store goes from commit to commit of a history, over lost connections`() async throws {
    let commits = Shared(0)
    try await run(Seeds.forSuite(30, thorough: 200)) { seed, place, log in
      // Three large values are more than the server decodes at once.
      let history = SimulatedHistory(seed, large: 30_000, tokensHaveIndex: false)
      log = history.steps.map { "\($0.client) \($0.sql.prefix(200))" }
      try await history.create(in: place.database)
      var random = SplitMix64(seed: seed)
      let model = SimulatedPolicies(&random)
      var options = PostgresReplica.Options()
      (options.minimumBackoff, options.maximumBackoff) = (.milliseconds(1), .milliseconds(20))
      options.transactionMemory = random.pick([0, 4 << 20])
      let replica = try await PostgresReplica.start(
        place.database.connectionString, publication: "app",
        slot: random.chance(1, in: 2) ? .durable(name: "slot_\(place.database.name)") : .temporary,
        options: options
      ) {
        Replicated("numbers", NumberedRow.self, unreadable: model.policies[0])
        Replicated("words", NamedRow.self, unreadable: model.policies[1])
        Replicated("tokens", TokenRow.self, unreadable: model.policies[2])
      }
      do {
        commits.add(try await Self.follow(history, model, replica, place, &random))
        try await replica.dropSlot()
      } catch {
        await replica.close()
        throw error
      }
    }
    print("simulation: \(commits.value) commits of a server")
  }

  /// Runs the statements of a history, and compares the store's commits with its, if no table may be stopped.
  ///
  /// - Returns: how many commits the store has.
  private static func follow(
    _ history: SimulatedHistory, _ model: SimulatedPolicies, _ replica: PostgresReplica, _ place: Place,
    _ random: inout SplitMix64
  ) async throws -> Int {
    let start = replica.store.version
    let client = place.clients[3]
    for step in history.steps {
      try await place.clients[step.client].execute(step.sql)
      if random.chance(1, in: 20) {
        try await client.execute(
          "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = current_database()"
        )
      }
      // A copy waits for the transactions that are open.
      guard step.isQuiet, let contents = step.contents else { continue }
      guard let position = LogSequenceNumber(try await client.position()) else { continue }
      try await replica.synced(to: position)
      let found = { SimulatedContents(of: replica.store.snapshot()) }
      // A copy that ends a stop may be under way.
      var expected = model
      expected.copy(contents)
      let isExpected = await isReached { [expected] in
        Set(replica.status.stoppedTables.keys) == expected.stoppedTables
          && expected.isExpected(found(), history)
      }
      try require(
        isExpected,
        "the store has\n\(found())\nand the tables\n\(contents)\n\(expected.stoppedTables) should be stopped: \(replica.status)"
      )
    }
    var contents = SimulatedContents()
    var last = 0
    let commits = try await CommitReader.commits(of: replica.store, after: start)
    if history.commits.contains(where: { model.mayStop(for: $0.refusing) }) { return commits.count }
    for commit in commits {
      contents.apply(commit)
      let next = history.commits[(last + 1)...].firstIndex { $0.contents.readable == contents }
      guard let next else {
        throw Mismatch("\(commit) leaves what the tables have not had since: \(contents)")
      }
      last = next
    }
    return commits.count
  }
}
