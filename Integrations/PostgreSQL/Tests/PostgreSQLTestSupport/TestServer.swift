internal import CPostgreSQL
import Foundation
import LiveStore
import Synchronization

/// A PostgreSQL server in a temporary folder, which ends with the process that started it, however that ends.
///
/// It listens on a Unix socket in the folder and on a port of 127.0.0.1, trusts everyone, decodes its log (`wal_level =
/// logical`), streams transactions of more than 64 kB, and does not wait for the disk.
package final class TestServer: Sendable {
  private struct State {
    /// The running server; nil while it is stopped.
    var process: ChildProcess?
  }

  // `state` is guarded by its mutex, and is held while the server starts or stops.
  private let state: Mutex<State>
  private let programs: ServerPrograms
  /// Stops the server and removes its folder.
  private let watchdog: Watchdog
  private let databaseCount = Atomic(0)
  /// The folder of the socket, the log and the data.
  package let folder: String
  /// The port of 127.0.0.1.
  package let port: Int
  /// Settings of the server beside the usual ones.
  private let settings: [String: String]

  private static let usualSettings = [
    "wal_level": "logical", "fsync": "off", "full_page_writes": "off", "autovacuum": "off",
    "max_replication_slots": "200", "max_wal_senders": "200", "max_connections": "300",
    "logical_decoding_work_mem": "64kB", "listen_addresses": "127.0.0.1", "shared_buffers": "64MB",
    "max_wal_size": "4GB", "checkpoint_timeout": "1h", "log_checkpoints": "off",
    "log_line_prefix": "%m [%p] %a ",
  ]

  // MARK: Starting

  /// The server that the tests of this process share; started at the first call.
  package static func shared() async throws -> TestServer { try await SharedServer.instance.server() }

  /// A server for one test, which may kill it and start it again.
  package static func own(_ settings: [String: String] = [:]) async throws -> TestServer {
    try await Worker { try TestServer(settings) }.value()
  }

  private init(_ settings: [String: String]) throws {
    self.settings = settings
    programs = try ServerPrograms()
    folder = try programs.makeFolder()
    port = try Self.freePort()
    let stop = programs.command("pg_ctl") + ["stop", "-s", "-m", "immediate", "-D", "\(folder)/data"]
    watchdog = try Watchdog("folder=$1; shift; \"$@\"; cd / && rm -rf \"$folder\"", [folder] + stop)
    state = Mutex(State(process: nil))
    let initdb = try programs.start(
      "initdb",
      [
        "-D", "\(folder)/data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync",
        "--no-instructions",
      ], output: "\(folder)/log")
    if initdb.wait() != .status(0) { throw Mismatch("initdb failed:\n\(logEnd)") }
    try state.withLock { try start(&$0) }
  }

  /// A port that is free, and below those that the system gives to sockets that ask for none: it could give one of them to
  /// another process before the server takes it, or while the server is stopped.
  private static func freePort() throws -> Int {
    var attempts = 100
    while true {
      do {
        let listener = try LoopbackSocket.listen(.random(in: 20_000..<32_000))
        close(listener.descriptor)
        return listener.port
      } catch {
        attempts -= 1
        if attempts == 0 { throw error }
      }
    }
  }

  private func start(_ state: inout State) throws {
    var all = Self.usualSettings
    all.merge(settings) { $1 }
    all["port"] = "\(port)"
    all["unix_socket_directories"] = folder
    let arguments = all.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] }
    func launch() throws -> ChildProcess {
      try programs.start("postgres", ["-D", "\(folder)/data"] + arguments, output: "\(folder)/log")
    }
    var process = try launch()
    let deadline = ContinuousClock.now + .seconds(60)
    while PQping(connectionString(to: "postgres")) != PQPING_OK {
      if let end = process.poll() {
        // A process that was started while the server was killed ends by itself, and is in the way until then.
        guard
          logEnd.hasSuffix(
            "terminate any old server processes associated with data directory \"\(folder)/data\".")
        else { throw Mismatch("the server ended with \(end):\n\(logEnd)") }
        process = try launch()
      }
      if ContinuousClock.now > deadline {
        process.send(SIGQUIT)
        process.wait()
        throw Mismatch("the server did not start within a minute:\n\(logEnd)")
      }
      poll(nil, 0, 5)
    }
    state.process = process
  }

  /// The end of what the server wrote to its log.
  package var logEnd: String { log.suffix(20).joined(separator: "\n") }

  /// The lines that the server wrote to its log.
  private var log: [Substring] {
    ((try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "").split(separator: "\n")
  }

  /// How many streams of an application the server has ended, as it did not find the table of a file. This is an error of
  /// PostgreSQL's decoding (seen with 15.18): it comes once in thousands of histories, and not again with the same one.
  package func undecodedStreams(of application: String) -> Int {
    log.count { $0.contains("] \(application) ERROR:  could not map filenode ") }
  }

  // MARK: Killing and stopping

  /// Whether the server runs.
  package var isRunning: Bool { state.withLock { $0.process != nil } }

  /// Kills all processes of the server, as a crash would.
  package func kill() async throws {
    try await Worker { [self] in
      state.withLock { state in
        guard let process = state.process else { return }
        // A stopped server starts no more processes.
        process.send(SIGSTOP)
        let children = Self.children(of: process.id)
        for child in children { Foundation.kill(child, SIGKILL) }
        process.send(SIGKILL)
        process.wait()
        for child in children { while Self.isRunning(child) { poll(nil, 0, 1) } }
        state.process = nil
      }
    }.value()
  }

  /// Starts the server again after `kill()` or `shutDown()`.
  package func restart() async throws {
    try await Worker { [self] in
      try state.withLock { state in
        if state.process == nil { try start(&state) }
      }
    }.value()
  }

  /// Shuts the server down in order, its clients disconnected.
  package func shutDown() async throws {
    try await Worker { [self] in state.withLock { Self.shutDown(&$0, SIGINT) } }.value()
  }

  /// Stops the server and removes its folder.
  package func stop() async throws {
    try await Worker { [self] in
      state.withLock { state in
        Self.shutDown(&state, SIGQUIT)
        watchdog.run()
      }
    }.value()
  }

  private static func shutDown(_ state: inout State, _ signal: Int32) {
    state.process?.send(signal)
    state.process?.wait()
    state.process = nil
  }

  private static func children(of parent: pid_t) -> [pid_t] {
    let output = (try? ChildProcess.run("ps", ["-A", "-o", "pid=,ppid="]))?.output ?? ""
    return output.split(separator: "\n").compactMap { line in
      let numbers = line.split(separator: " ").compactMap { pid_t($0) }
      return numbers.last == parent ? numbers.first : nil
    }
  }

  /// Whether a process runs: one that has ended and for which no caller has waited does not.
  private static func isRunning(_ id: pid_t) -> Bool {
    guard Foundation.kill(id, 0) == 0 else { return false }
    guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return false }
    return text.split(separator: ")").last?.split(separator: " ").first != "Z"
  }

  // MARK: Databases

  /// A connection string for a database of the server, through its socket.
  package func connectionString(to database: String) -> String {
    "host=\(folder) port=\(port) user=postgres dbname=\(database)"
  }

  /// A new, empty database.
  ///
  /// - Parameter settings: settings of its sessions, such as `datestyle`.
  package func createDatabase(_ settings: [String: String] = [:]) async throws -> TestDatabase {
    let name = "test_\(databaseCount.add(1, ordering: .relaxed).newValue)"
    let client = try await SQLClient(connectionString(to: "postgres"))
    // Since 15 the default is to write the whole copy to the log, which takes five times as long.
    let version = try await client.value("SHOW server_version_num").flatMap { Int($0) } ?? 0
    let strategy = version >= 150_000 ? " STRATEGY file_copy" : ""
    try await client.execute("CREATE DATABASE \(name) TEMPLATE template0\(strategy)")
    for (setting, value) in settings {
      try await client.execute("ALTER DATABASE \(name) SET \(setting) = '\(value)'")
    }
    return TestDatabase(server: self, name: name)
  }

  /// Gives a new database to a closure, and drops it afterwards.
  package func withDatabase<Value>(
    _ settings: [String: String] = [:], _ body: (TestDatabase) async throws -> Value
  ) async throws -> Value {
    let database = try await createDatabase(settings)
    do {
      let value = try await body(database)
      try await database.drop()
      return value
    } catch {
      try? await database.drop()
      throw error
    }
  }
}

/// Starts the shared server once.
private actor SharedServer {
  static let instance = SharedServer()
  private var task: Task<TestServer, any Error>?

  func server() async throws -> TestServer {
    if let task { return try await task.value }
    let task = Task { try await TestServer.own() }
    self.task = task
    return try await task.value
  }
}
