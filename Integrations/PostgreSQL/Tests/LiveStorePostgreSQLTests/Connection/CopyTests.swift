import PostgreSQLTestSupport
import Testing

import LiveStorePostgreSQL

@Suite(.timeLimit(.minutes(5))) struct `Copies and streams over a connection` {
  private func connect(_ overrides: [(String, String)] = []) async throws -> sending PostgresConnection {
    try await PostgresConnection.connect(
      try await TestServer.shared().connectionString(to: "postgres"), overrides)
  }

  private func text(_ message: MessageBytes) -> String {
    message.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `a copy returns each row once, in order, and leaves the connection usable`() async throws {
    let connection = try await connect()
    for count in [0, 1, 100_000] {
      try await connection.copyOut("COPY (SELECT i FROM generate_series(1, \(count)) i) TO STDOUT")
      var next = 1
      while let chunk = try await connection.copyChunk() {
        #expect(!chunk.isEmpty)
        for message in chunk {
          guard text(message) == "\(next)\n" else {
            Issue.record("\(text(message)) is not \(next)")
            return
          }
          next += 1
        }
      }
      #expect(next == count + 1)
      #expect(connection.isReusable)
    }
  }

  @Test func `rows larger than a chunk arrive whole`() async throws {
    let connection = try await connect()
    try await connection.copyOut("COPY (SELECT repeat('x', 3000000) FROM generate_series(1, 4)) TO STDOUT")
    var sizes: [Int] = []
    while let chunk = try await connection.copyChunk() { sizes += chunk.map(\.count) }
    #expect(sizes == [Int](repeating: 3_000_001, count: 4))
  }

  @Test func `errors at the start and in the midst of a copy are thrown`() async throws {
    let connection = try await connect()
    var error = await #expect(throws: PostgresError.self) {
      try await connection.copyOut("COPY missing TO STDOUT")
    }
    #expect(error?.sqlState == "42P01")
    await #expect(throws: PostgresError.self) { try await connection.copyChunk() }
    try await connection.copyOut("COPY (SELECT 1 / (2000 - i) FROM generate_series(1, 3000) i) TO STDOUT")
    var count = 0
    error = await #expect(throws: PostgresError.self) {
      while let chunk = try await connection.copyChunk() { count += chunk.count }
    }
    #expect(error?.sqlState == "22012" && count == 1999)
    #expect(connection.isReusable)
    let other = try await connect()
    await #expect(throws: PostgresError.self) { try await other.copyOut("SELECT 1") }
    #expect(!other.isAlive)
  }

  @Test func `a backend that is terminated in a copy is a transient error`() async throws {
    let (connection, other) = (try await connect(), try await connect())
    let pid = try #require(try await connection.execute("SELECT pg_backend_pid()")[0][0, 0])
    try await connection.copyOut("COPY (SELECT generate_series(1, 1000000000)) TO STDOUT")
    _ = try await connection.copyChunk()
    _ = try await other.query("SELECT pg_terminate_backend($1::int)", [pid])
    let error = await #expect(throws: PostgresError.self) {
      while try await connection.copyChunk() != nil {}
    }
    #expect(error?.isTransient == true, "\(String(describing: error))")
    #expect(!connection.isAlive)
  }

  @Test func `a cancelled task cancels its copy, and the connection can be used further`() async throws {
    let string = try await TestServer.shared().connectionString(to: "postgres")
    // The first is cancelled while data comes, the second while none does.
    for query in [
      "SELECT generate_series(1, 1000000000)",
      "SELECT repeat('x', 100000) UNION ALL SELECT pg_sleep(600)::text",
    ] {
      let (started, start) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        let connection = try await PostgresConnection.connect(string)
        try await connection.copyOut("COPY (\(query)) TO STDOUT")
        start.yield()
        await #expect(throws: CancellationError.self) {
          while try await connection.copyChunk() != nil {}
        }
        #expect(connection.isReusable)
        #expect(
          try await connection.execute("SELECT 1", graceAfterCancellation: .seconds(60))[0][0, 0] == "1")
      }
      for await _ in started { break }
      task.cancel()
      try await task.value
    }
  }

  @Test func `a stream is read and written, and ends with the server's error`() async throws {
    let server = try await TestServer.shared()
    try await server.withDatabase { database in
      let writer = try await PostgresConnection.connect(database.connectionString)
      _ = try await writer.execute("CREATE TABLE t (id int PRIMARY KEY); CREATE PUBLICATION p FOR TABLE t")
      let stream = try await PostgresConnection.connect(
        database.connectionString, [("replication", "database")])
      let missing = await #expect(throws: PostgresError.self) {
        try await stream.startReplication(
          "START_REPLICATION SLOT conn_missing LOGICAL 0/0 (proto_version '2', publication_names 'p')")
      }
      #expect(missing?.code == PostgresError.slotMissing)
      let slot = try await stream.execute(
        "CREATE_REPLICATION_SLOT conn_test TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT")[0]
      #expect(slot[0, "slot_name"] == "conn_test")
      let start = "START_REPLICATION SLOT conn_test LOGICAL 0/0 (proto_version '2', publication_names 'p')"
      try await stream.startReplication(start)
      let other = try await PostgresConnection.connect(
        database.connectionString, [("replication", "database")])
      let inUse = await #expect(throws: PostgresError.self) { try await other.startReplication(start) }
      #expect(inUse?.code == PostgresError.slotInUse)

      #expect(try await countChanges(stream, until: .now) == 0)
      _ = try await writer.execute("INSERT INTO t SELECT generate_series(1, 1000)")
      var count = 0
      while count < 1000 { count += try await countChanges(stream, until: .now + .seconds(60)) }
      #expect(count == 1000)
      // A status update that asks for an answer: the server sends a keepalive.
      try await stream.send([UInt8(ascii: "r")] + [UInt8](repeating: 0, count: 32) + [1])
      var hasAnswer = false
      while !hasAnswer {
        hasAnswer = try await stream.receive(until: .now + .seconds(60)).contains {
          $0.withUnsafeBytes { $0.first } == UInt8(ascii: "k")
        }
      }

      _ = try await writer.execute("DROP PUBLICATION p; INSERT INTO t VALUES (0)")
      let error = await #expect(throws: PostgresError.self) {
        while true { _ = try await stream.receive(until: .now + .seconds(60)) }
      }
      #expect(error?.code == PostgresError.invalidPublication, "\(String(describing: error))")
    }
  }

  @Test func `cancelling a reader of a stream loses nothing, and a server that shuts down ends it`()
    async throws
  {
    let server = try await TestServer.own()
    let string = server.connectionString(to: "postgres")
    let writer = try await PostgresConnection.connect(string)
    _ = try await writer.execute("CREATE TABLE t (id int PRIMARY KEY); CREATE PUBLICATION p FOR TABLE t")
    let stream = try await PostgresConnection.connect(string, [("replication", "database")])
    _ = try await stream.execute("CREATE_REPLICATION_SLOT s TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT")
    try await stream.startReplication(
      "START_REPLICATION SLOT s LOGICAL 0/0 (proto_version '2', publication_names 'p')")
    // A task that is cancelled while it waits hands the stream back.
    // Sendable without a check, as one task uses it after the other.
    struct Handover: @unchecked Sendable { let stream: PostgresConnection }
    let handover = Handover(stream: stream)
    let task = Task {
      while true { _ = try await handover.stream.receive(until: .now + .seconds(600)) }
    }
    for _ in 0..<1000 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    _ = try await writer.execute("INSERT INTO t SELECT generate_series(1, 10)")
    var count = 0
    while count < 10 { count += try await countChanges(stream, until: .now + .seconds(60)) }
    async let end: Void = server.shutDown()
    let error = await #expect(throws: PostgresError.self) {
      while true {
        for message in try await stream.receive(until: .now + .seconds(60)) {
          let bytes = message.withUnsafeBytes { Array($0) }
          // The server waits until all that a keepalive says was written is confirmed.
          guard bytes.first == UInt8(ascii: "k") else { continue }
          let positions = [[UInt8]](repeating: Array(bytes[1..<9]), count: 3).joined()
          try await stream.send([UInt8(ascii: "r")] + positions + [UInt8](repeating: 0, count: 9))
        }
      }
    }
    #expect(error?.code == PostgresError.connectionFailed && error?.isTransient == true)
    #expect(!stream.isAlive)
    try await end
    try await server.stop()
  }

  private func countChanges(_ stream: PostgresConnection, until deadline: ContinuousClock.Instant)
    async throws -> Int
  {
    try await stream.receive(until: deadline).count { message in
      // A frame of data has a header of 25 bytes before the message.
      message.withUnsafeBytes {
        $0.first == UInt8(ascii: "w") && $0.count > 25 && $0[25] == UInt8(ascii: "I")
      }
    }
  }
}
