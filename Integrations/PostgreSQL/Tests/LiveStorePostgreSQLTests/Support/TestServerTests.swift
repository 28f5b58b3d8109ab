import Foundation
import PostgreSQLTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Test servers` {
  @Test func `a database is made, and a client reads what another wrote`() async throws {
    let server = try await TestServer.shared()
    try await server.withDatabase { database in
      let (first, second) = (try await database.connect(), try await database.connect())
      try await first.execute("CREATE TABLE notes (id int PRIMARY KEY, text text)")
      let insertion = try await first.query("INSERT INTO notes VALUES ($1, $2), (2, NULL)", ["1", "it's é"])
      #expect(insertion.count == 2)
      let result = try await second.execute("SELECT * FROM notes ORDER BY id")
      #expect(result.columns == ["id", "text"])
      #expect(result.rows == [["1", "it's é"], ["2", nil]])
    }
  }

  @Test func `an error gives its SQLSTATE and leaves the connection usable`() async throws {
    let server = try await TestServer.shared()
    let client = try await SQLClient(server.connectionString(to: "postgres"))
    let error = await #expect(throws: SQLError.self) { try await client.execute("SELECT 1 / 0") }
    #expect(error?.state == "22012")
    #expect(try await client.value("SELECT 1") == "1")
  }

  @Test func `the log is decoded in parts of 64 kB`() async throws {
    let server = try await TestServer.shared()
    let client = try await SQLClient(server.connectionString(to: "postgres"))
    #expect(try await client.value("SHOW wal_level") == "logical")
    #expect(try await client.value("SHOW logical_decoding_work_mem") == "64kB")
  }

  @Test func `a database with an active slot is dropped`() async throws {
    let server = try await TestServer.shared()
    let database = try await server.createDatabase()
    let client = try await SQLClient(database.connectionString + " replication=database")
    try await client.execute("CREATE_REPLICATION_SLOT held TEMPORARY LOGICAL pgoutput")
    try await database.drop()
    await #expect(throws: SQLError.self) { try await database.connect() }
  }

  @Test func `settings of a database are those of its sessions`() async throws {
    let server = try await TestServer.shared()
    try await server.withDatabase(["datestyle": "German", "timezone": "Asia/Kolkata"]) { database in
      let client = try await database.connect()
      #expect(try await client.value("SELECT '2020-02-03'::date") == "03.02.2020")
    }
  }

  /// Bug: what the script printed was kept beside its folder, in a file whose name another user could take first.
  @Test func `the script that starts a server makes nothing outside of its folder`() throws {
    var script = URL(fileURLWithPath: #filePath)
    for _ in 0..<6 { script.deleteLastPathComponent() }
    script.appendPathComponent("Scripts/with-postgresql.sh")
    let files = FileManager.default
    let folder = files.temporaryDirectory.appendingPathComponent("script-\(UUID())")
    let (temporary, programs) = (
      folder.appendingPathComponent("temporary"), folder.appendingPathComponent("programs")
    )
    // The server's user reads them.
    for url in [temporary, programs] {
      try files.createDirectory(
        at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }
    defer { try? files.removeItem(at: folder) }
    let initdb = programs.appendingPathComponent("initdb")
    // By a process of its own: one that another test forks meanwhile would have the file open for writing, and it could not
    // be run.
    let text = "#!/bin/sh\necho found $(ls \"$TMPDIR\")\nexit 1\n"
    let made = try ChildProcess.run(
      "sh", ["-c", #"printf %s "$1" > "$0" && chmod 755 "$0""#, initdb.path, text])
    #expect(made.0 == .status(0))
    let (end, output) = try ChildProcess.run(
      "env",
      [
        "TMPDIR=\(temporary.path)", "LIVESTORE_POSTGRESQL_BIN=\(programs.path)", script.path, "true",
      ])
    #expect(end == .status(1))
    let found = output.split(separator: "\n").first { $0.hasPrefix("found ") }
    #expect(found?.split(separator: " ").count == 2, "\(output)")
    #expect(try files.contentsOfDirectory(atPath: temporary.path) == [])
  }

  @Test func `a server that was killed comes back with what was committed`() async throws {
    let server = try await TestServer.own(["wal_sender_timeout": "5s"])
    let first = try await SQLClient(server.connectionString(to: "postgres"))
    #expect(try await first.value("SHOW wal_sender_timeout") == "5s")
    try await first.execute("CREATE TABLE numbers (n int)")
    for number in 1...5 {
      let client = try await SQLClient(server.connectionString(to: "postgres"))
      try await client.execute("INSERT INTO numbers VALUES (\(number))")
      let open = try await SQLClient(server.connectionString(to: "postgres"))
      try await open.execute("BEGIN; INSERT INTO numbers VALUES (99)")
      try await server.kill()
      #expect(!server.isRunning)
      await #expect(throws: SQLError.self) { try await client.execute("SELECT 1") }
      await #expect(throws: SQLError.self) { try await SQLClient(server.connectionString(to: "postgres")) }
      try await server.restart()
      let after = try await SQLClient(server.connectionString(to: "postgres"))
      #expect(try await after.value("SELECT string_agg(n::text, ',') FROM numbers")?.count == 2 * number - 1)
    }
    try await server.shutDown()
    try await server.restart()
    try await server.stop()
    #expect(!FileManager.default.fileExists(atPath: server.folder))
  }
}
