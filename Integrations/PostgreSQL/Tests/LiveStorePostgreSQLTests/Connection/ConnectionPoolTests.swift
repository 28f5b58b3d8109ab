import Foundation
import LiveStore
import Synchronization
import PostgreSQLTestSupport
import Testing

import LiveStorePostgreSQL

@Suite(.timeLimit(.minutes(5))) struct `Pools of connections` {
  private func withPool<Value>(
    size: Int = 4, _ body: (ConnectionPool, TestDatabase) async throws -> Value
  ) async throws -> Value {
    try await TestServer.shared().withDatabase { database in
      let pool = ConnectionPool(database.connectionString, size: size)
      defer { pool.close() }
      _ = try await pool.withConnection {
        try await $0.execute("CREATE TABLE t (id int PRIMARY KEY, text text)")
      }
      return try await body(pool, database)
    }
  }

  /// How many are within a section at once.
  private final class Gauge: Sendable {
    private let counts = Mutex((now: 0, most: 0))
    var most: Int { counts.withLock { $0.most } }

    func enter() { counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
    func leave() { counts.withLock { $0.now -= 1 } }
  }

  private func rowCount(_ pool: ConnectionPool) async throws -> Int {
    try await pool.withTransaction { try await $0.query("SELECT FROM t").count }.result
  }

  @Test func `a transaction is committed, with its number and a position after it`() async throws {
    try await withPool { pool, _ in
      let (count, commit) = try await pool.withTransaction { sql in
        let texts = ["a", nil, "c"]
        for (index, text) in texts.enumerated() {
          try await sql.execute("INSERT INTO t VALUES (\(index), \(text))")
        }
        return try await sql.execute("UPDATE t SET text = upper(text) WHERE id = ANY (\([0, 1]))")
      }
      #expect(count == 2)
      #expect(try #require(commit.xid) > 0 && commit.lsn.rawValue > 0)
      let (rows, reading) = try await pool.withTransaction {
        try await $0.query("SELECT * FROM t ORDER BY id")
      }
      #expect(rows.map { $0["text"] } == ["A", nil, "c"])
      #expect(try rows[0].decode("id", as: Int.self) == 0)
      #expect(try rows[1].decode("text", as: String?.self) == nil)
      #expect(throws: PostgresError.self) { try rows[1].decode("text", as: String.self) }
      #expect(throws: PostgresError.self) { try rows[1].decode("missing", as: Int.self) }
      #expect(reading.xid == nil && reading.lsn >= commit.lsn)
    }
  }

  @Test func `a transaction whose closure throws is rolled back`() async throws {
    struct Refusal: Error {}
    try await withPool { pool, _ in
      await #expect(throws: Refusal.self) {
        try await pool.withTransaction { sql in
          try await sql.execute("INSERT INTO t VALUES (1)")
          throw Refusal()
        }
      }
      let count = try await rowCount(pool)
      #expect(count == 0)
      #expect(pool.idleCount == 1)
    }
  }

  @Test func `an error that the closure catches does not become a commit of nothing`() async throws {
    try await withPool { pool, _ in
      let error = await #expect(throws: PostgresError.self) {
        try await pool.withTransaction { sql in
          try await sql.execute("INSERT INTO t VALUES (1)")
          _ = try? await sql.execute("INSERT INTO t VALUES (1)")
        }
      }
      #expect(error?.sqlState == "23505")
      // After a return to a savepoint, the commit is one.
      _ = try await pool.withTransaction { sql in
        try await sql.execute("SAVEPOINT s")
        _ = try? await sql.execute("SELECT 1 / 0")
        try await sql.execute("ROLLBACK TO s")
        try await sql.execute("INSERT INTO t VALUES (1)")
      }
      let count = try await rowCount(pool)
      #expect(count == 1)
    }
  }

  @Test func `a statement cannot end its transaction, nor be run after it`() async throws {
    try await withPool { pool, _ in
      for statement in ["COMMIT", "ROLLBACK"] as [SQL] {
        await #expect(throws: PostgresError.self) {
          try await pool.withTransaction { try await $0.execute(statement) }
        }
      }
      let kept = try await pool.withTransaction { $0 }.result
      let error = await #expect(throws: PostgresError.self) { try await kept.execute("SELECT 1") }
      #expect(error?.code == PostgresError.closed)
    }
  }

  @Test
  func `a constraint that is checked at the commit, and a serialization failure, are errors of the server`()
    async throws
  {
    try await withPool { pool, database in
      _ = try await pool.withConnection {
        try await $0.execute(
          "CREATE TABLE d (id int REFERENCES t DEFERRABLE INITIALLY DEFERRED); INSERT INTO t VALUES (1)")
      }
      var error = await #expect(throws: PostgresError.self) {
        try await pool.withTransaction { try await $0.execute("INSERT INTO d VALUES (5)") }
      }
      #expect(error?.code == PostgresError.serverError && error?.sqlState == "23503")
      error = await #expect(throws: PostgresError.self) {
        try await pool.withTransaction { sql in
          try await sql.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
          _ = try await sql.query("SELECT * FROM t")
          _ = try await pool.withTransaction { try await $0.execute("UPDATE t SET text = 'x'") }
          try await sql.execute("UPDATE t SET text = 'y'")
        }
      }
      #expect(error?.code == PostgresError.serverError && error?.sqlState == "40001")
      #expect(pool.idleCount == 2)
    }
  }

  @Test func `a cancelled transaction is rolled back, and its connection used further`() async throws {
    try await withPool(size: 2) { pool, _ in
      let task = Task {
        try await pool.withTransaction { sql in
          try await sql.execute("INSERT INTO t VALUES (1)")
          try await sql.execute("SELECT pg_sleep(600)")
        }
      }
      try await pool.withConnection {
        try await `Statements over a connection`.waitUntil(
          $0,
          """
          SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND state = 'active' AND query = 'SELECT pg_sleep(600)'
          """)
      }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(pool.idleCount == 2)
      let count = try await rowCount(pool)
      #expect(count == 0)
    }
  }

  @Test func `fifty users share four connections without loss`() async throws {
    try await withPool { pool, database in
      let (users, rounds) = (50, 10)
      let gauge = Gauge()
      _ = try await pool.withTransaction { try await $0.execute("INSERT INTO t SELECT 0, ''") }
      try await withThrowingTaskGroup { group in
        for user in 0..<users {
          group.addTask {
            for round in 0..<rounds {
              do {
                _ = try await pool.withTransaction { sql in
                  gauge.enter()
                  defer { gauge.leave() }
                  try await sql.execute("INSERT INTO t VALUES (\(1 + user * rounds + round))")
                  // Some fail, some lose their connection.
                  if (user + round) % 5 == 0 { try await sql.execute("SELECT 1 / 0") }
                  if (user + round) % 7 == 0 {
                    try await sql.execute("SELECT pg_terminate_backend(pg_backend_pid())")
                  }
                }
                #expect((user + round) % 5 != 0 && (user + round) % 7 != 0)
              } catch is PostgresError {
                #expect((user + round) % 5 == 0 || (user + round) % 7 == 0)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let expected = (0..<users).map { user in
        (0..<rounds).count { (user + $0) % 5 != 0 && (user + $0) % 7 != 0 }
      }.reduce(1, +)
      let count = try await rowCount(pool)
      #expect(count == expected)
      #expect(gauge.most <= 4)
      #expect(pool.idleCount <= 2)
    }
  }

  @Test func `a user that waits for a connection is cancelled, and loses no connection`() async throws {
    try await withPool(size: 1) { pool, _ in
      try await pool.withConnection { connection in
        let tasks = (0..<10).map { _ in
          Task { try await pool.withTransaction { try await $0.query("SELECT 1").count } }
        }
        for task in tasks.prefix(9) { task.cancel() }
        for task in tasks.prefix(9) {
          await #expect(throws: CancellationError.self) { try await task.value }
        }
        _ = try await connection.execute("SELECT 1")
      }
      #expect(try await pool.withTransaction { try await $0.query("SELECT 1").count }.result == 1)
    }
  }

  @Test func `a connection that was lost while idle is replaced`() async throws {
    try await withPool { pool, database in
      let killer = try await PostgresConnection.connect(database.connectionString)
      for _ in 0..<3 {
        let pid = try await pool.withConnection { try await $0.execute("SELECT pg_backend_pid()")[0][0, 0] }
        _ = try await killer.query("SELECT pg_terminate_backend($1::int, 10000)", [pid])
        #expect(pool.idleCount == 1)
        _ = try await pool.withTransaction { try await $0.query("SELECT 1") }
      }
    }
  }

  /// Bug: what a transaction had set for the session was there for the next one, of another user: a role, a search path, how
  /// numbers and dates are written, locks.
  @Test func `a session is as new for each transaction`() async throws {
    try await withPool(size: 1) { pool, _ in
      let asked: SQL = """
        SELECT pg_backend_pid(), current_user::text AS role, current_setting('search_path') AS path,
          '2020-02-03'::date::text AS date, (1 / 3.0::float8)::text AS number,
          (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks,
          (SELECT count(*) FROM pg_listening_channels()) AS channels, to_regclass('pg_temp.mine')::text AS temporary,
          (SELECT count(*) FROM pg_prepared_statements) AS prepared, (SELECT count(*) FROM pg_cursors) AS cursors
        """
      func session() async throws -> [String?] {
        let row = try await pool.withTransaction { sql in
          // Nothing has been asked in it yet.
          try await sql.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
          return try await sql.query(asked)[0]
        }.result
        return row.columns.map { row[$0] }
      }
      let before = try await session()
      for statement in [
        "SET ROLE pg_monitor", "SET SESSION AUTHORIZATION pg_monitor", "SET search_path = pg_temp",
        "SELECT set_config('search_path', 'x', false)", "SET DateStyle = 'German'",
        "SET extra_float_digits = -9",
        "LISTEN news", "SELECT pg_advisory_lock(1)", "CREATE TEMPORARY TABLE mine (id int)",
        "PREPARE mine AS SELECT 1", "DECLARE mine CURSOR WITH HOLD FOR SELECT 1",
      ] as [SQL] {
        _ = try await pool.withTransaction { try await $0.execute(statement) }
        _ = try? await pool.withTransaction { sql in
          try await sql.execute("SET ROLE pg_monitor")
          try await sql.execute("SELECT 1 / 0")
        }
        #expect(try await session() == before, "\(statement)")
      }
    }
  }

  @Test func `a closed pool refuses users, also those that wait`() async throws {
    try await withPool(size: 1) { pool, _ in
      try await pool.withConnection { connection in
        let waiting = Task { try await pool.withConnection { _ in } }
        await Task.yield()
        pool.close()
        let error = await #expect(throws: PostgresError.self) { try await waiting.value }
        #expect(error?.code == PostgresError.closed)
        let result = try await connection.execute("SELECT 1")[0]
        #expect(result[0, 0] == "1")
      }
      #expect(pool.idleCount == 0)
      await #expect(throws: PostgresError.self) { try await pool.withConnection { _ in } }
    }
  }

  @Test func `a commit whose connection is lost says that its outcome is not known`() async throws {
    try await withPool { _, database in
      let proxy = try FaultyProxy(to: database.server.port)
      defer { proxy.shutDown() }
      let pool = ConnectionPool(database.connectionString(port: proxy.port))
      defer { pool.close() }
      let error = await #expect(throws: PostgresError.self) {
        try await pool.withTransaction { sql in
          try await sql.execute("INSERT INTO t VALUES (1)")
          proxy.cut(after: 1, .toClient, .reset)
        }
      }
      #expect(
        error?.isTransient == true && error?.message.contains("not known") == true,
        "\(String(describing: error))")
    }
  }
}
