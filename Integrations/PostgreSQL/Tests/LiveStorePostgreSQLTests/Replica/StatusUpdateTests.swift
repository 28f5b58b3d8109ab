import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Synchronization
import Testing

private struct Row: Entity, Codable {
  let id: Int
  static let schema = Schema<Row> {}
}

/// What the server knows of a replica.
@Suite(.timeLimit(.minutes(5))) struct `Status updates` {
  private func withReplica(
    interval: Duration,
    _ body: (PostgresReplica, SQLClient) async throws -> Void
  ) async throws {
    try await TestServer.shared().withDatabase { database in
      let client = try await database.connect()
      try await client.execute("CREATE TABLE t (id int PRIMARY KEY); CREATE PUBLICATION app FOR TABLE t")
      var options = PostgresReplica.Options()
      options.applicationName = "status \(database.name)"
      options.statusInterval = interval
      let replica = try await PostgresReplica.start(
        database.connectionString, publication: "app", options: options
      ) { Replicated("t", Row.self) }
      try await body(replica, client)
      await replica.close()
    }
  }

  @Test func `a transaction is confirmed when it is in the store, and not at the next interval`() async throws
  {
    try await withReplica(interval: .seconds(600)) { replica, client in
      for id in 1...3 {
        try await client.execute("INSERT INTO t VALUES (\(id))")
        let position = try await client.position()
        let confirmed = """
          SELECT bool_or(r.flush_lsn >= '\(position)') FROM pg_stat_replication r
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

  /// Looks at the server's word of a replica while that applies rows.
  private final class Witness: Sendable {
    private let server: String
    private let state = Mutex((rows: 0, first: String?.none, isHeard: false))

    init(_ server: String) { self.server = server }

    /// Whether the server has heard of the replica since the first row.
    var isHeard: Bool { state.withLock { $0.isHeard } }

    /// A row is applied, of so many.
    func see(of count: Int) throws {
      let row = state.withLock { state in
        state.rows += 1
        return state.rows
      }
      if row == 1 {
        let time = try replyTime()
        state.withLock { $0.first = time }
      }
      // The last row waits for what the server has been sent before.
      let end = ContinuousClock.now + .seconds(10)
      while row == count, !isHeard, .now < end {
        let time = try replyTime()
        state.withLock { $0.isHeard = time != $0.first }
      }
    }

    private func replyTime() throws -> String? {
      let rows = try SQLConnection(server).execute(
        """
        SELECT r.reply_time FROM pg_stat_replication r JOIN pg_replication_slots s ON s.active_pid = r.pid
        WHERE s.database = current_database()
        """
      ).rows
      return rows.first?.first ?? nil
    }
  }

  @Test func `the server has a word from a replica while that applies a long transaction`() async throws {
    try await TestServer.shared().withDatabase { database in
      let client = try await database.connect()
      try await client.execute("CREATE TABLE t (id int PRIMARY KEY); CREATE PUBLICATION app FOR TABLE t")
      var options = PostgresReplica.Options()
      options.statusInterval = .milliseconds(1)
      let witness = Witness(database.connectionString)
      let replica = try await PostgresReplica.start(
        database.connectionString, publication: "app", options: options
      ) {
        Replicated("t", Row.self) { row in
          try witness.see(of: 500)
          return Row(id: try row.decode("id"))
        }
      }
      try await client.execute("INSERT INTO t SELECT generate_series(1, 500)")
      #expect(await isReached { replica.store.count(Row.all) == 500 })
      #expect(witness.isHeard)
      await replica.close()
    }
  }
}
