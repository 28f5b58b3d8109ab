import PostgreSQLTestSupport
import Testing

import LiveStorePostgreSQL

@Suite(.timeLimit(.minutes(5))) struct `Statements over a connection` {
  private func connect() async throws -> sending PostgresConnection {
    try await PostgresConnection.connect(try await TestServer.shared().connectionString(to: "postgres"))
  }

  @Test func `several statements have a result each`() async throws {
    let connection = try await connect()
    let results = try await connection.execute(
      "CREATE TEMPORARY TABLE t (id int, text text); INSERT INTO t VALUES (1, 'é'), (2, NULL), (3, ''); SELECT * FROM t; ;"
    )
    #expect(results.map(\.commandTag) == ["CREATE TABLE", "INSERT 0 3", "SELECT 3"])
    #expect(results[1].affectedRows == 3)
    #expect(results[2].columnNames == ["id", "text"])
    #expect((0..<3).map { results[2][$0, "text"] } == ["é", nil, ""])
    #expect(results[2][0, "missing"] == nil && results[2][3, "id"] == nil)
    #expect(try await connection.execute("").first?.rowCount == 0)
  }

  @Test func `parameters of each type arrive as they are`() async throws {
    let connection = try await connect()
    let result = try await connection.query(
      "SELECT $1::int8 + 1, $2::text, $3::bool, $4::int[], $5::bytea, $6::timestamptz",
      [
        "9007199254740993", "it's \\ \u{1F600}", nil, #"{"1",NULL}"#, #"\x00ff"#,
        "2020-01-01 00:00:00.000001+00",
      ])
    #expect(
      (0..<5).map { result[0, $0] } == ["9007199254740994", "it's \\ \u{1F600}", nil, "{1,NULL}", "\\x00ff"])
    #expect(result[0, 5] != nil)
  }

  @Test func `an error of the server has its state and its details, and the connection can be used further`()
    async throws
  {
    let connection = try await connect()
    _ = try await connection.execute("CREATE TEMPORARY TABLE u (id int PRIMARY KEY)")
    let error = await #expect(throws: PostgresError.self) {
      try await connection.query("INSERT INTO u VALUES (1), (1)")
    }
    #expect(error?.code == PostgresError.serverError && error?.sqlState == "23505")
    #expect(error?.message.contains("Key (id)=(1) already exists.") == true)
    #expect(error?.table?.hasSuffix(".u") == true)
    await #expect(throws: PostgresError.self) {
      try await connection.execute("SELECT 1; SELECT 1 / 0; SELECT 2")
    }
    #expect(try await connection.execute("SELECT 3")[0][0, 0] == "3")
    #expect(connection.isReusable)
  }

  /// Bug: the name was in the message alone.
  @Test(arguments: [
    ("INSERT INTO child VALUES (1, 7, 1)", "child_parent", nil, "child"),
    ("INSERT INTO child VALUES (1, NULL, -1)", "positive", nil, "child"),
    ("INSERT INTO child VALUES (1, NULL, NULL)", nil, "size", "child"),
    ("INSERT INTO parent VALUES (1), (1)", "parent_pkey", nil, "parent"),
    ("SELECT 1 / 0", nil, nil, nil),
  ])
  func `an error of a constraint has its name, the table and the column`(
    statement: String, constraint: String?, column: String?, table: String?
  ) async throws {
    let connection = try await connect()
    _ = try await connection.execute(
      """
      CREATE TEMPORARY TABLE parent (id int PRIMARY KEY);
      CREATE TEMPORARY TABLE child (id int, parent int CONSTRAINT child_parent REFERENCES parent,
        size int NOT NULL CONSTRAINT positive CHECK (size > 0))
      """)
    let error = await #expect(throws: PostgresError.self) { try await connection.execute(statement) }
    #expect(error?.constraint == constraint && error?.column == column)
    #expect(error?.table.map { $0.hasSuffix(".\(table ?? "")") } == table.map { _ in true })
  }

  @Test func `a text with a zero byte is refused, not cut`() async throws {
    let connection = try await connect()
    await #expect(throws: PostgresError.self) { try await connection.execute("SELECT 1\0; DROP") }
    await #expect(throws: PostgresError.self) { try await connection.query("SELECT $1", ["a\0b"]) }
    #expect(connection.isReusable)
  }

  @Test func `notices and COPY as a statement do no harm`() async throws {
    let connection = try await connect()
    _ = try await connection.execute(
      "DO $$ BEGIN FOR i IN 1..1000 LOOP RAISE WARNING 'number %', i; END LOOP; END $$; DROP TABLE IF EXISTS missing"
    )
    #expect(try await connection.execute("SELECT 1")[0][0, 0] == "1")
    for statement in ["COPY (SELECT 1) TO STDOUT", "CREATE TEMPORARY TABLE c (id int); COPY c FROM STDIN"] {
      let connection = try await connect()
      await #expect(throws: PostgresError.self) { try await connection.execute(statement) }
      #expect(!connection.isAlive)
    }
  }

  @Test func `a result and a parameter of many megabytes pass`() async throws {
    let connection = try await connect()
    let text = String(repeating: "0123456789abcdef", count: 1 << 20)
    let result = try await connection.query("SELECT $1::text, length($1)", [text])
    #expect(result[0, 0] == text && result[0, 1] == "\(1 << 24)")
    let rows = try await connection.execute("SELECT i, repeat('x', 100) FROM generate_series(1, 100000) i")
    #expect(rows[0].rowCount == 100_000 && rows[0][99_999, 0] == "100000")
  }

  @Test func `a backend that is terminated in a statement is a transient error with its state`() async throws
  {
    let (connection, other) = (try await connect(), try await connect())
    let pid = try #require(try await connection.execute("SELECT pg_backend_pid()")[0][0, 0])
    async let killed: Void = Self.terminate(pid, over: other, whenRunning: "pg_sleep")
    let error = await #expect(throws: PostgresError.self) {
      try await connection.execute("SELECT pg_sleep(600)")
    }
    #expect(error?.sqlState == "57P01" && error?.isTransient == true)
    #expect(!connection.isAlive)
    try await killed
  }

  @Test func `a backend that was terminated while the connection was idle is noticed`() async throws {
    let (connection, other) = (try await connect(), try await connect())
    let pid = try #require(try await connection.execute("SELECT pg_backend_pid()")[0][0, 0])
    _ = try await other.query("SELECT pg_terminate_backend($1::int, 10000)", [pid])
    let error = await #expect(throws: PostgresError.self) { try await connection.query("SELECT 1") }
    #expect(error?.isTransient == true)
    #expect(!connection.isAlive && !connection.isReusable)
  }

  @Test func `a cancelled task cancels its statement, and the connection can be used further`() async throws {
    let string = try await TestServer.shared().connectionString(to: "postgres")
    let other = try await connect()
    for number in 0..<5 {
      let marker = "cancelled \(number)"
      let task = Task {
        let connection = try await PostgresConnection.connect(string)
        await #expect(throws: CancellationError.self) {
          try await connection.execute("SELECT pg_sleep(600) /* \(marker) */")
        }
        #expect(connection.isReusable)
        // The task is cancelled; that does not hinder what must be done in the end.
        #expect(
          try await connection.execute("SELECT 1", graceAfterCancellation: .seconds(60))[0][0, 0] == "1")
        await #expect(throws: CancellationError.self) { try await connection.execute("SELECT 2") }
      }
      try await Self.waitUntil(
        other,
        "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%\(marker)%' AND pid <> pg_backend_pid()"
      )
      task.cancel()
      try await task.value
    }
  }

  @Test func `a server that does not answer does not hold up a cancelled task`() async throws {
    let server = try await TestServer.shared()
    let proxy = try FaultyProxy(to: server.port)
    defer { proxy.shutDown() }
    let string = "host=127.0.0.1 port=\(proxy.port) user=postgres dbname=postgres"
    let task = Task {
      let connection = try await PostgresConnection.connect(string)
      proxy.isFrozen = true
      defer { #expect(!connection.isAlive) }
      _ = try await connection.execute("SELECT 1")
    }
    while !proxy.isFrozen { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a deadline closes the connection`() async throws {
    let connection = try await connect()
    let error = await #expect(throws: PostgresError.self) {
      try await connection.execute("SELECT pg_sleep(600)", until: .now + .milliseconds(50))
    }
    #expect(error?.code == PostgresError.timedOut)
    #expect(!connection.isAlive)
  }

  @Test func `a connection that is cut at any byte gives a transient error`() async throws {
    let server = try await TestServer.shared()
    let proxy = try FaultyProxy(to: server.port)
    defer { proxy.shutDown() }
    let string =
      "host=127.0.0.1 port=\(proxy.port) user=postgres dbname=postgres sslmode=disable gssencmode=disable"
    for ending in FaultyProxy.Ending.allCases {
      for byte in stride(from: 1, to: 1500, by: Environment.size(97, thorough: 7)) {
        proxy.cut(after: byte, .toClient, ending)
        do {
          let connection = try await PostgresConnection.connect(string)
          while true {
            _ = try await connection.query("SELECT i FROM generate_series(1, 20) i WHERE i > $1", ["3"])
          }
        } catch let error as PostgresError {
          #expect(error.isTransient, "\(error)")
        }
        proxy.heal()
      }
    }
  }

  static func terminate(_ pid: String, over connection: PostgresConnection, whenRunning query: String)
    async throws
  {
    try await waitUntil(
      connection,
      "SELECT FROM pg_stat_activity WHERE pid = \(pid) AND state = 'active' AND query LIKE '%\(query)%'")
    _ = try await connection.query("SELECT pg_terminate_backend($1::int)", [pid])
  }

  /// Asks until the statement returns a row.
  static func waitUntil(_ connection: PostgresConnection, _ sql: String) async throws {
    while try await connection.execute(sql)[0].rowCount == 0 {}
  }
}
