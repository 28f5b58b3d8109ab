import Foundation
import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

/// Run with `LIVESTORE_THOROUGH=1` for the full load, and with `LIVESTORE_LAG_LIMIT=50` to fail if the lag of 99 in 100
/// commits is more than so many milliseconds.
@Suite(.timeLimit(.minutes(60)), .serialized) struct `Replicas under load` {
  private static let rowCount = 1_000

  private func withTicks(
    replicas: Int = 1, _ body: (TestDatabase, SQLClient, PostgresReplica) async throws -> Void
  ) async throws {
    // Clients wait for their commits, as usual: the server sends what is in its log, and without that clients wait for
    // nothing, and it writes its log five times a second.
    let server = try await TestServer.own(["logical_decoding_work_mem": "64MB"])
    let database = try await server.createDatabase()
    let client = try await database.connect()
    try await client.execute(
      "\(Tick.table); \(Tick.publication); INSERT INTO ticks SELECT n, 0, 0 FROM generate_series(1, \(Self.rowCount)) n"
    )
    let replica = try await start(database)
    var others: [PostgresReplica] = []
    for _ in 1..<replicas { others.append(try await start(database)) }
    try await body(database, client, replica)
    for other in others {
      try await synced(other, client)
      #expect(other.status.copies == 1)
      await other.close()
    }
    await replica.close()
    try await server.stop()
  }

  private func start(_ database: TestDatabase) async throws -> PostgresReplica {
    try await PostgresReplica.start(database.connectionString, publication: "ticks") {
      Replicated("ticks", Tick.self)
    }
  }

  private func synced(_ replica: PostgresReplica, _ client: SQLClient) async throws {
    // All that was committed is in the log when one commit that waits for it is.
    try await client.execute("SET synchronous_commit = on; UPDATE ticks SET at = at WHERE id = 1")
    let position = try await client.position()
    let lsn = try #require(LogSequenceNumber(position))
    try await replica.synced(to: lsn)
  }

  @Test func `small transactions of many clients are followed one by one, and their lag is measured`()
    async throws
  {
    let rate = 5_000
    let seconds = Environment.size(2, thorough: 30)
    try await withTicks { database, client, replica in
      let store = replica.store
      let load = Load(database, rate: rate, seconds: seconds, rows: Self.rowCount)
      let version = store.version
      let start = ContinuousClock.now
      let observer = Task { try await LagMeter.follow(store, from: version, to: rate * seconds) }
      let count = try await load.run()
      let time = start.duration(to: .now)
      try await synced(replica, client)
      let counted = try await client.value("SELECT sum(count) FROM ticks")
      let sum = store.fetch(Tick.all).reduce(0) { $0 + $1.count }
      #expect(counted == "\(sum)")
      #expect(sum == count)
      let meter = try await observer.value
      let (middle, most) = (meter.percentile(0.5), meter.percentile(0.99))
      print(
        "load: \(count) transactions in \(time), \(Int(Double(count) / (time / .seconds(1)))) a second;",
        "lag: median \(middle) ms, p99 \(most) ms, longest \(meter.percentile(1)) ms;",
        "\(meter.missed) not seen one by one")
      let limit = Environment.value("LIVESTORE_LAG_LIMIT", "a number of milliseconds") { Double($0) }
      if let limit {
        #expect(most <= limit && meter.missed == 0)
      }
    }
  }

  #if os(Linux)
    @Test(.enabled(if: Environment.isThorough), arguments: [1, 4, 8])
    func `what each replica costs the server is printed`(replicas: Int) async throws {
      let (rate, seconds) = (1_000, 10)
      try await withTicks(replicas: replicas) { database, client, replica in
        let senders = try await client.execute("SELECT pid FROM pg_stat_replication").rows.compactMap {
          $0[0]
        }
        #expect(senders.count == replicas)
        let before = senders.map(processorTime)
        let count = try await Load(database, rate: rate, seconds: seconds, rows: Self.rowCount).run()
        try await synced(replica, client)
        let each = zip(senders.map(processorTime), before).map {
          ($0 - $1) / .microseconds(1) / Double(count)
        }
        print(
          "fan-out: \(replicas) replicas, \(rate) transactions a second;",
          "each sender's processor time for one: \(each.map { Int($0.rounded()) }) µs")
      }
    }
  #endif

  @Test(.enabled(if: Environment.isThorough))
  func `a million updates leave the memory as it was`() async throws {
    try await withTicks { _, client, replica in
      var before = 0
      // Of the first tenth the allocator keeps what it needs.
      for part in 1...1_000 {
        try await client.execute("UPDATE ticks SET count = count + 1, at = \(Tick.now)")
        if part % 100 == 0 { try await synced(replica, client) }
        if part == 100 { before = residentMemory() }
      }
      let after = residentMemory()
      print("memory: \(before >> 20) MB after 100,000 updates, \(after >> 20) MB after 1,000,000")
      #expect(replica.store.fetch(Tick.all).allSatisfy { $0.count == 1_000 })
      #expect(after - before < 32 << 20)
    }
  }
}
