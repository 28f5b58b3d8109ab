import CPostgreSQL
import Dispatch
import LiveStore
import Synchronization

extension PostgresConnection {
  /// Connects to the first host of the connection string that accepts the connection.
  ///
  /// - Parameters:
  ///   - connectionString: a URI or a list of `key=value`.
  ///   - overrides: options that take the place of those in the string.
  ///   - timeout: the time for all hosts together; each has an equal share of what is left.
  /// - Throws: `PostgresError`; `CancellationError` as soon as the task is cancelled.
  package static func connect(
    _ connectionString: String, _ overrides: [(String, String)] = [], timeout: Duration = .seconds(15)
  ) async throws -> sending PostgresConnection {
    try Task.checkCancellation()
    var options = try ConnectionOptions(connectionString)
    for (key, value) in overrides { options[key] = value }
    // All texts of the server are read as UTF-8.
    options["client_encoding"] = "UTF8"
    // A dead network is noticed within half a minute rather than hours. libpq uses these for TCP alone.
    for (key, value) in [
      ("keepalives_idle", "15"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
      ("tcp_user_timeout", "30000"),
    ] where options[key] == nil {
      options[key] = value
    }
    let hosts = options.hosts
    let deadline = ContinuousClock.now + timeout
    var failures: [PostgresError] = []
    for (index, host) in hosts.enumerated() {
      let share = (deadline - .now) / (hosts.count - index)
      do {
        return try await connect(host, until: .now + share, timeout: share)
      } catch let error as PostgresError where error.isTransient {
        failures.append(error)
      }
    }
    guard var error = failures.last else {
      throw PostgresError(PostgresError.connectionFailed, "The connection string names no host.")
    }
    if failures.count > 1 { error.message = failures.map(\.message).joined(separator: " ") }
    throw error
  }

  private static func connect(
    _ options: ConnectionOptions, until deadline: ContinuousClock.Instant, timeout: Duration
  ) async throws -> sending PostgresConnection {
    let monitor = try SocketMonitor.shared()
    let place = ["host", "hostaddr", "port"].map { options[$0] ?? "" }
    guard AbandonedSteps.count(place) < AbandonedSteps.limit else {
      throw PostgresError(
        PostgresError.connectionFailed,
        "The server\((options["host"] ?? options["hostaddr"]).map { " at \($0)" } ?? "") is not asked again, as earlier attempts to connect to it have not ended."
      )
    }
    // A queue of its own has a thread of its own while it has work.
    let queue = DispatchQueue(label: "LiveStorePostgreSQL.connecting")
    func timedOut() -> PostgresError {
      let host = options["host"] ?? options["hostaddr"]
      return PostgresError(
        PostgresError.timedOut,
        "The server\(host.map { " at \($0)" } ?? "") did not accept the connection within \(timeout).")
    }
    var step = try await perform(on: queue, monitor, place, until: deadline, timedOut) {
      ConnectingStep.start(options)
    }
    while true {
      let events: SocketMonitor.Events
      switch step {
      case .failed(let error): throw error
      case .reading: events = .read
      case .writing: events = .write
      case .done(let pointer):
        let connection = PostgresConnection(pointer.raw, monitor: monitor, queue: queue)
        try await connection.prepare(until: deadline, timedOut)
        return connection
      }
      guard let pointer = step.pointer else { continue }
      switch await monitor.wait(for: events, of: PQsocket(pointer.raw), until: deadline) {
      case .ready:
        step = try await perform(on: queue, monitor, place, until: deadline, timedOut) {
          ConnectingStep.poll(pointer, options)
        }
      case .timedOut:
        PQfinish(pointer.raw)
        throw timedOut()
      case .cancelled:
        PQfinish(pointer.raw)
        throw CancellationError()
      }
    }
  }

  /// Runs a step on the queue's thread, as it may block that: libpq resolves names and reads files.
  ///
  /// When the deadline passes or the task is cancelled, the step is abandoned: it closes its connection when
  /// it returns.
  private static func perform(
    on queue: DispatchQueue, _ monitor: SocketMonitor, _ place: [String],
    until deadline: ContinuousClock.Instant,
    _ timedOut: () -> PostgresError, _ step: @escaping @Sendable () -> ConnectingStep
  ) async throws -> ConnectingStep {
    let result = ResultBox<ConnectingStep>()
    let outcome = await monitor.wait(until: deadline, isCancellable: true) { id in
      queue.async {
        let next = step()
        result.value.withLock { $0 = next }
        if monitor.complete(id) { return }
        AbandonedSteps.add(-1, place)
        if let pointer = next.pointer { PQfinish(pointer.raw) }
      }
    }
    if outcome != .ready { AbandonedSteps.add(1, place) }
    switch outcome {
    case .ready:
      guard let next = result.value.withLock({ $0 }) else { throw timedOut() }
      return next
    case .timedOut: throw timedOut()
    case .cancelled: throw CancellationError()
    }
  }

  private static let settings = """
    SET DateStyle = 'ISO'; SET IntervalStyle = 'postgres'; SET TimeZone = 'UTC'; SET extra_float_digits = 1;
    SET bytea_output = 'hex'
    """

  /// What makes the session of an idle connection as that of a new one: `DISCARD ALL` in its parts, since as a whole it can
  /// be run in no transaction, and so not with other statements in one message.
  static let reset = """
    BEGIN; CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ROLE; RESET ALL; DEALLOCATE ALL; UNLISTEN *;
    SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD PLANS; DISCARD TEMP; DISCARD SEQUENCES; \(settings); COMMIT
    """

  /// Checks the server's version, and makes the texts of values independent of the server's, the database's
  /// and the role's settings.
  private func prepare(until deadline: ContinuousClock.Instant, _ timedOut: () -> PostgresError) async throws
  {
    guard let pointer else { return }
    PQsetErrorVerbosity(pointer, PQERRORS_DEFAULT)
    guard PQsetnonblocking(pointer, 1) == 0 else { throw PostgresError.lost(pointer) }
    guard serverVersion >= 140_000 else {
      throw PostgresError(
        PostgresError.unsupportedServer,
        "The server has version \(parameterStatus("server_version") ?? "\(serverVersion)"); version 14 is needed."
      )
    }
    do {
      _ = try await execute(Self.settings, until: deadline)
    } catch PostgresError.timedOut {
      throw timedOut()
    }
  }
}

/// The steps that run on though no task waits for them any more. libpq cannot be stopped while it looks a name up, or computes
/// what a server asks for before it has shown that it knows the password: how long that takes, the server decides.
private enum AbandonedSteps {
  /// How many there may be of one server.
  static let limit = 4

  private static let counts = Mutex<[[String]: Int]>([:])

  static func count(_ place: [String]) -> Int { counts.withLock { $0[place] ?? 0 } }

  static func add(_ number: Int, _ place: [String]) {
    counts.withLock { counts in
      let count = (counts[place] ?? 0) + number
      counts[place] = count == 0 ? nil : count
    }
  }
}

/// What libpq asks for while it connects.
private enum ConnectingStep: Sendable {
  case reading(ConnectionPointer)
  case writing(ConnectionPointer)
  case done(ConnectionPointer)
  case failed(PostgresError)

  /// The connection that is open.
  var pointer: ConnectionPointer? {
    switch self {
    case .reading(let pointer), .writing(let pointer), .done(let pointer): pointer
    case .failed: nil
    }
  }

  static func start(_ options: ConnectionOptions) -> ConnectingStep {
    let connection = withCStrings(options.values.map(\.key)) { keys in
      withCStrings(options.values.map(\.value)) { PQconnectStartParams(keys, $0, 0) }
    }
    guard let connection else {
      return .failed(PostgresError(PostgresError.connectionFailed, "There is no memory for a connection."))
    }
    // Otherwise libpq prints notices of the server on the program's standard error.
    PQsetNoticeReceiver(connection, { _, _ in }, nil)
    // So that errors of the server have their SQLSTATE.
    PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
    let pointer = ConnectionPointer(raw: connection)
    return PQstatus(connection) == CONNECTION_BAD ? failed(pointer, options) : .writing(pointer)
  }

  static func poll(_ pointer: ConnectionPointer, _ options: ConnectionOptions) -> ConnectingStep {
    switch PQconnectPoll(pointer.raw) {
    case PGRES_POLLING_OK: .done(pointer)
    case PGRES_POLLING_READING: .reading(pointer)
    case PGRES_POLLING_WRITING: .writing(pointer)
    default: failed(pointer, options)
    }
  }

  private static func failed(_ pointer: ConnectionPointer, _ options: ConnectionOptions) -> ConnectingStep {
    defer { PQfinish(pointer.raw) }
    return .failed(.connecting(pointer.raw, secrets: options.secrets))
  }
}

/// Where work on another thread leaves its result.
final class ResultBox<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}
