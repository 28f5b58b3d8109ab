import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

private struct Row: Entity, Codable {
  let id: Int
  static let schema = Schema<Row> {}
}

/// What the server knows of a replica.
@Suite(.timeLimit(.minutes(5))) struct `Status updates` {
  private func withReplica(
    interval: Duration, parameters: String = "",
    _ body: (PostgresReplica, SQLClient) async throws -> Void
  ) async throws {
    try await TestServer.shared().withDatabase { database in
      let client = try await database.connect()
      try await client.execute("CREATE TABLE t (id int PRIMARY KEY); CREATE PUBLICATION app FOR TABLE t")
      var options = PostgresReplica.Options()
      options.applicationName = "status \(database.name)"
      options.statusInterval = interval
      let replica = try await PostgresReplica.start(
        database.connectionString + parameters, publication: "app", options: options
      ) { Replicated("t", Row.self) }
      try await body(replica, client)
      await replica.close()
    }
  }

  @Test func `a transaction is confirmed when it is in the store, and not at the next interval`() async throws
  {
    try await withReplica(interval: .seconds(600)) { replica, client in
      for id in 1...3 {
        let before = try await client.value("SELECT pg_current_wal_insert_lsn()") ?? ""
        try await client.execute("INSERT INTO t VALUES (\(id))")
        let confirmed = """
          SELECT bool_or(r.flush_lsn > '\(before)') FROM pg_stat_replication r
          JOIN pg_replication_slots s ON s.active_pid = r.pid WHERE s.database = current_database()
          """
        // The server asks for a word after half a minute.
        let end = ContinuousClock.now + .seconds(15)
        while try await client.value(confirmed) != "t", .now < end {}
        #expect(try await client.value(confirmed) == "t")
        #expect(replica.store.count(Row.all) == id)
      }
    }
  }

  @Test
  func
    `a transaction that is applied for longer than the server waits for a word does not end the connection`()
    async throws
  {
    let parameters = " options='-c wal_sender_timeout=3000'"
    try await withReplica(interval: .milliseconds(200), parameters: parameters) { replica, client in
      try await client.execute("INSERT INTO t SELECT generate_series(1, 150000)")
      #expect(await isReached { replica.store.count(Row.all) == 150_000 })
      try await client.execute("INSERT INTO t VALUES (0)")
      #expect(await isReached { replica.store.count(Row.all) == 150_001 })
      #expect(replica.status.reconnections == 0 && replica.status.copies == 1)
    }
  }
}
