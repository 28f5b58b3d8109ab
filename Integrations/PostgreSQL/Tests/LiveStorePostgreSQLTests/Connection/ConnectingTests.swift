import Foundation
import PostgreSQLTestSupport
import Testing

import LiveStorePostgreSQL

@Suite(.timeLimit(.minutes(5))) struct `Connecting to a server` {
  @Test func `a connection knows its server`() async throws {
    let server = try await TestServer.shared()
    let connection = try await PostgresConnection.connect(
      server.connectionString(to: "postgres"), [("application_name", "my app")])
    #expect(connection.isAlive && connection.serverVersion >= 140_000)
    #expect(connection.parameterStatus("client_encoding") == "UTF8")
    #expect(connection.parameterStatus("application_name") == "my app")
    connection.finish()
    #expect(!connection.isAlive)
    await #expect(throws: PostgresError.self) { try await connection.execute("SELECT 1") }
  }

  @Test func `texts of values do not depend on the settings of the database`() async throws {
    let server = try await TestServer.shared()
    let settings = [
      "datestyle": "German", "intervalstyle": "iso_8601", "extra_float_digits": "-5",
      "bytea_output": "escape", "timezone": "Asia/Kolkata",
    ]
    try await server.withDatabase(settings) { database in
      let connection = try await PostgresConnection.connect(database.connectionString)
      let result = try await connection.query(
        """
        SELECT '2020-02-03'::date, '1 day 2 hours'::interval, 0.1::float8 + 0.2, '\\x01ff'::bytea,
          tstzrange('2020-02-03 00:00+00', NULL)
        """)
      #expect(
        (0..<5).map { result[0, $0] } == [
          "2020-02-03", "1 day 02:00:00", "0.30000000000000004", "\\x01ff", #"["2020-02-03 00:00:00+00",)"#,
        ])
    }
  }

  @Test func `a wrong or missing password is an error of authentication that does not show it`() async throws
  {
    let server = try await TestServer.own()
    let admin = try await PostgresConnection.connect(server.connectionString(to: "postgres"))
    _ = try await admin.execute(
      "SET password_encryption = 'scram-sha-256'; CREATE ROLE ann LOGIN PASSWORD 'right'")
    let rules = "\(server.folder)/data/pg_hba.conf"
    let text = try String(contentsOfFile: rules, encoding: .utf8)
    try "host all ann 127.0.0.1/32 scram-sha-256\nhost all bob 127.0.0.1/32 reject\n\(text)"
      .write(toFile: rules, atomically: false, encoding: .utf8)
    _ = try await admin.execute("SELECT pg_reload_conf()")
    let options = "host=127.0.0.1 port=\(server.port) dbname=postgres"
    // The postmaster takes the rules over some time after it was told to.
    var error: PostgresError?
    repeat {
      do {
        try await PostgresConnection.connect("\(options) user=ann password=mistaken").finish()
      } catch let thrown as PostgresError { error = thrown }
    } while error == nil
    #expect(error?.code == PostgresError.authenticationFailed && error?.sqlState == "28P01")
    #expect(error?.isTransient == false)
    #expect(error?.message.contains("mistaken") == false && error?.message.contains("LOCATION") == false)
    #expect(error?.message.contains("auth.c") == false, "\(error?.message ?? "")")
    error = await #expect(throws: PostgresError.self) {
      try await PostgresConnection.connect("\(options) user=ann passfile=/nonexistent").finish()
    }
    #expect(error?.code == PostgresError.authenticationFailed)
    error = await #expect(throws: PostgresError.self) {
      try await PostgresConnection.connect("\(options) user=bob").finish()
    }
    #expect(error?.code == PostgresError.authenticationFailed && error?.sqlState == "28000")
    try await PostgresConnection.connect("postgresql://ann:right@127.0.0.1:\(server.port)/postgres").finish()
    try await server.stop()
  }

  @Test func `errors before the connection are told apart`() async throws {
    let server = try await TestServer.shared()
    let string = server.connectionString(to: "postgres")
    var error = await #expect(throws: PostgresError.self) {
      try await PostgresConnection.connect(string, [("dbname", "nowhere")]).finish()
    }
    #expect(error?.code == PostgresError.serverError && error?.sqlState == "3D000")
    error = await #expect(throws: PostgresError.self) {
      try await PostgresConnection.connect(
        "host=127.0.0.1 port=\(server.port) user=postgres dbname=postgres sslmode=require"
      ).finish()
    }
    #expect(error?.code == PostgresError.encryptionFailed && error?.isTransient == false)
    error = await #expect(throws: PostgresError.self) {
      try await PostgresConnection.connect("host=127.0.0.1 port=1 user=postgres dbname=postgres").finish()
    }
    #expect(error?.code == PostgresError.connectionFailed && error?.isTransient == true)
    error = await #expect(throws: PostgresError.self) {
      try await PostgresConnection.connect("host=no-such-host.invalid user=postgres dbname=postgres").finish()
    }
    #expect(error?.code == PostgresError.connectionFailed && error?.isTransient == true)
  }

  @Test func `the first host that accepts is taken, whether the others refuse or are silent`() async throws {
    let server = try await TestServer.shared()
    let silent = try FaultyProxy(to: server.port)
    silent.isFrozen = true
    defer { silent.shutDown() }
    let connection = try await PostgresConnection.connect(
      """
      host=/nonexistent,127.0.0.1,127.0.0.1,127.0.0.1 port=1,1,\(silent.port),\(server.port)
      user=postgres dbname=postgres
      """, timeout: .seconds(20))
    #expect(try await connection.execute("SELECT 1")[0][0, 0] == "1")
    let error = await #expect(throws: PostgresError.self) {
      try await PostgresConnection.connect(
        "postgresql://postgres@127.0.0.1:1,127.0.0.1:\(server.port)/postgres?target_session_attrs=standby"
      ).finish()
    }
    #expect(
      error?.isTransient == true && error?.message.contains("standby") == true, "\(error?.message ?? "")")
  }

  @Test func `a silent server ends the attempt at the deadline`() async throws {
    let server = try await TestServer.shared()
    let silent = try FaultyProxy(to: server.port)
    silent.isFrozen = true
    defer { silent.shutDown() }
    let start = ContinuousClock.now
    let error = await #expect(throws: PostgresError.self) {
      try await PostgresConnection.connect(
        "host=127.0.0.1,127.0.0.1 port=\(silent.port),\(silent.port) user=postgres dbname=postgres",
        timeout: .milliseconds(400)
      ).finish()
    }
    #expect(error?.code == PostgresError.timedOut && error?.isTransient == true)
    #expect(ContinuousClock.now - start >= .milliseconds(400))
  }

  @Test func `a cancelled task stops connecting`() async throws {
    let server = try await TestServer.shared()
    let silent = try FaultyProxy(to: server.port)
    silent.isFrozen = true
    defer { silent.shutDown() }
    let string = "host=127.0.0.1 port=\(silent.port) user=postgres dbname=postgres"
    let task = Task { try await PostgresConnection.connect(string, timeout: .seconds(600)).finish() }
    while silent.connectionCount == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `connections that were made, cancelled or refused leave no descriptor open`() async throws {
    let server = try await TestServer.shared()
    let string = server.connectionString(to: "postgres")
    try await PostgresConnection.connect(string).finish()
    let count = Environment.size(150, thorough: 1000)
    let before = try Self.descriptors()
    for number in 0..<count {
      let port = number % 3 == 1 ? "1" : "\(server.port)"
      let task = Task { try await PostgresConnection.connect(string, [("port", port)]).finish() }
      if number % 3 == 2 { task.cancel() }
      _ = await task.result
    }
    // Other tests open descriptors at the same time, and close them.
    #expect(await isReached { (try? Self.descriptors()).map { $0 - before < count / 3 } ?? false })
  }

  private static func descriptors() throws -> Int {
    #if os(Linux)
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    #else
      0
    #endif
  }
}
