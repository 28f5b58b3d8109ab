import Foundation
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

/// A server that accepts everyone, answers the settings of a new connection, and then misbehaves.
///
/// It has a thread for each connection, which ends with it.
private struct HostileServer {
  let port: Int
  private let listener: Int32

  /// - Parameters:
  ///   - beginsEncryption: whether it agrees to encryption, and says no more.
  ///   - refusal: what is sent in the place of an acceptance, when the password has come.
  ///   - answer: what is sent for a statement, in turn until it is nil.
  init(
    refusal: (@Sendable (_ password: String) -> [UInt8])? = nil, beginsEncryption: Bool = false,
    _ answer: @escaping @Sendable (_ statement: String, _ turn: Int) -> [UInt8]?
  ) throws {
    (listener, port) = try LoopbackSocket.listen()
    Thread.detachNewThread { [listener] in
      while let descriptor = LoopbackSocket.accept(listener) {
        Thread.detachNewThread { Self.serve(descriptor, refusal, beginsEncryption, answer) }
      }
    }
  }

  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  var connectionString: String { "postgresql://ann@127.0.0.1:\(port)/db?sslmode=disable&gssencmode=disable" }

  /// A message of a type.
  static func message(_ type: Character, _ content: [UInt8]) -> [UInt8] {
    let length = UInt32(content.count + 4)
    return [type.asciiValue ?? 0] + withUnsafeBytes(of: length.bigEndian) { Array($0) } + content
  }

  static func message(_ type: Character, _ texts: String...) -> [UInt8] {
    message(type, texts.flatMap { Array($0.utf8) + [0] })
  }

  static let ready = message("Z", Array("I".utf8))
  /// An answer without rows, within a transaction.
  static let nothing = message("C", "SELECT 0") + message("Z", Array("T".utf8))
  static func error(_ text: String) -> [UInt8] { message("E", "SERROR", "C42P01", "M\(text)", "") }
  static let notice = message("N", "SNOTICE", "C00000", "M" + String(repeating: "x", count: 10_000), "")

  /// Results, one after another, so that there is always one.
  static let completions = Array(repeatElement(message("C", "SELECT 0"), count: 1_000).joined())

  private static func serve(
    _ descriptor: Int32, _ refusal: ((_ password: String) -> [UInt8])?, _ beginsEncryption: Bool,
    _ answer: (_ statement: String, _ turn: Int) -> [UInt8]?
  ) {
    defer { close(descriptor) }
    func send(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { LoopbackSocket.send($0, to: descriptor) } }
    func read(_ count: Int) -> [UInt8]? {
      var bytes: [UInt8] = []
      while bytes.count < count {
        var part = [UInt8](repeating: 0, count: count - bytes.count)
        let result = recv(descriptor, &part, part.count, 0)
        if result <= 0 { return nil }
        bytes += part[..<result]
      }
      return bytes
    }
    func length(_ bytes: [UInt8]) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    guard let start = read(4), read(length(start) - 4) != nil else { return }
    if beginsEncryption {
      _ = send([UInt8(ascii: "S")])
      _ = read(1)
      return
    }
    if let refusal {
      guard send(message("R", [0, 0, 0, 3])), let head = read(5),
        let password = read(length(Array(head[1...])) - 4)
      else { return }
      _ = send(refusal(String(decoding: password.dropLast(), as: UTF8.self)))
      return
    }
    guard
      send(
        message("R", [0, 0, 0, 0]) + message("S", "server_version", "15.4")
          + message("K", [0, 0, 0, 1, 0, 0, 0, 2])
          + ready)
    else { return }
    while let head = read(5), let content = read(length(Array(head[1...])) - 4) {
      let statement = String(decoding: content.dropLast(), as: UTF8.self)
      if statement.hasPrefix("SET ") {
        let count = statement.utf8.count { $0 == UInt8(ascii: ";") } + 1
        guard send((0..<count).flatMap { _ in message("C", "SET") } + ready) else { return }
        continue
      }
      var turn = 0
      while let bytes = answer(statement, turn) {
        guard send(bytes) else { return }
        turn += 1
      }
    }
  }
}

@Suite(.timeLimit(.minutes(20))) struct `Servers that misbehave` {
  private func with(
    _ answer: @escaping @Sendable (_ statement: String, _ turn: Int) -> [UInt8]?,
    _ body: (PostgresConnection) async throws -> Void
  ) async throws {
    let server = try HostileServer(answer)
    defer { server.stop() }
    let connection = try await PostgresConnection.connect(server.connectionString)
    defer { connection.finish() }
    try await body(connection)
  }

  /// Bug: a socket that was always ready never let a deadline pass.
  @Test(arguments: [HostileServer.notice, HostileServer.completions])
  func `a server that sends notices or results without an end is given up at the deadline`(answer: [UInt8])
    async throws
  {
    try await with { _, _ in
      answer
    } _: { connection in
      let error = await #expect(throws: PostgresError.self) {
        try await connection.execute("SELECT 1", until: .now + .milliseconds(300))
      }
      #expect(error?.code == PostgresError.timedOut)
    }
  }

  /// Bug: the same, after the cancellation of a task, which then never ended.
  @Test(arguments: [HostileServer.notice, HostileServer.completions])
  func `a task that waits for a server that sends without an end can be cancelled`(answer: [UInt8])
    async throws
  {
    let (turns, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
    let server = try HostileServer { _, turn in
      continuation.yield(turn)
      return answer
    }
    defer { server.stop() }
    let text = server.connectionString
    let task = Task {
      let connection = try await PostgresConnection.connect(text)
      _ = try await connection.execute("SELECT 1")
    }
    for await turn in turns where turn > 100 { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// Bug: a password was hidden in what the server says while it is connected to, and not afterwards.
  @Test func `a password is hidden in the errors of statements`() async throws {
    let server = try HostileServer { _, turn in
      turn == 0 ? HostileServer.error("no s3cr3t word") + HostileServer.ready : nil
    }
    defer { server.stop() }
    let connection = try await PostgresConnection.connect(server.connectionString + "&password=s3cr3t%20word")
    defer { connection.finish() }
    for statement in ["SELECT 1", "SELECT 2"] {
      let error = await #expect(throws: PostgresError.self) { try await connection.execute(statement) }
      #expect(error?.message == "No …." && error?.sqlState == "42P01", "\(error?.message ?? "")")
    }
    let error = await #expect(throws: PostgresError.self) { try await connection.copyOut("COPY t TO STDOUT") }
    #expect(error?.message == "No ….", "\(error?.message ?? "")")
  }

  /// Bug: each attempt to connect left a thread in libpq, for as long as what libpq did there took: a name that is looked up,
  /// or what a server has its clients compute. Here it opens a pipe to which nothing is written.
  @Test func `a server to which attempts to connect have not ended is not asked again`() async throws {
    let server = try HostileServer(beginsEncryption: true) { _, _ in nil }
    defer { server.stop() }
    let path = NSTemporaryDirectory() + "/pipe-\(UUID())"
    #expect(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    func endAttempts() {
      let pipe = open(path, O_WRONLY | O_NONBLOCK)
      if pipe >= 0 { close(pipe) }
    }
    defer { endAttempts() }
    let text =
      "host=127.0.0.1 port=\(server.port) user=ann gssencmode=disable sslmode=verify-ca sslrootcert=\(path)"
    func isRefused() async -> Bool {
      let error = await #expect(throws: PostgresError.self) {
        try await PostgresConnection.connect(text, timeout: .seconds(1)).finish()
      }
      return error?.isTransient == true && error?.message.contains("have not ended") == true
    }
    var count = 0
    while await !isRefused(), count < 20 { count += 1 }
    // On a busy machine, some were given up before they came to the pipe.
    #expect(4..<20 ~= count)
    endAttempts()
    while await isRefused() { await Task.yield() }
  }

  /// Bug: a value that an answer did not have ended the process.
  @Test
  func `an answer without a row has no values, and is a violation of the protocol where they are needed`()
    async throws
  {
    let none = HostileServer.message("C", "SELECT 0")
    let server = try HostileServer { statement, turn in
      if turn > 0 { return nil }
      return statement.contains("COMMIT") ? none + none + none + HostileServer.ready : HostileServer.nothing
    }
    defer { server.stop() }
    let pool = ConnectionPool(server.connectionString)
    defer { pool.close() }
    let error = await #expect(throws: PostgresError.self) {
      try await pool.withTransaction { sql in try await sql.execute("SELECT 1") }
    }
    #expect(error?.code == PostgresError.protocolViolation, "\(error?.message ?? "")")
    let result = try await pool.withConnection { try await $0.execute("SELECT 1")[0] }
    #expect(result[0, 0] == nil && result[-1, 0] == nil && result[0, "id"] == nil)
  }

  /// Bug: a password of the connection string was hidden, one of a file was not.
  @Test func `a password of a file is hidden in what the server says`() async throws {
    let path = NSTemporaryDirectory() + "livestore-pass-\(UUID())"
    try Data("*:*:*:*:s3cr3t\n".utf8).write(to: URL(fileURLWithPath: path))
    defer { unlink(path) }
    chmod(path, 0o600)
    let server = try HostileServer(refusal: { HostileServer.error("no \($0)\u{301}\u{1B}[2J \($0)") }) {
      _, _ in nil
    }
    defer { server.stop() }
    let error = await #expect(throws: PostgresError.self) {
      try await PostgresConnection.connect(server.connectionString + "&passfile=\(path)")
    }
    #expect(error?.message.contains("s3cr3t") == false, "\(error?.message ?? "")")
    #expect(error?.message.contains(#"no …\#u{301}\u001b[2J …"#) == true, "\(error?.message ?? "")")
  }

  /// Bug: after an error in the place of a copy, the rest was waited for without a limit, also by a task that was cancelled.
  @Test func `a server that is silent after an error is not waited for`() async throws {
    try await with { _, turn in
      turn == 0 ? HostileServer.error("\u{1B}[31mno\r\nx") : nil
    } _: { connection in
      let error = await #expect(throws: PostgresError.self) {
        try await connection.copyOut("COPY t TO STDOUT")
      }
      #expect(error?.sqlState == "42P01" && error?.message == #"\u001b[31mno x."#)
      #expect(!connection.isAlive)
    }
  }
}
