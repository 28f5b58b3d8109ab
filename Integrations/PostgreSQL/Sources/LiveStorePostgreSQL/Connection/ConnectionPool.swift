import LiveStore
import Synchronization

/// Connections to one server, each handed to one user at a time.
///
/// A user takes a permit, of which there are as many as connections may be open; then an idle connection, whose
/// session is made as that of a new one, or a new one. A user that waits for a permit gets it in order of arrival.
package final class ConnectionPool: Sendable {
  private struct State {
    /// Open connections that none uses, the last used at the end.
    var idle: [IdleConnection] = []
    /// How many permits are free.
    var permits: Int
    /// Users that wait for a permit, in order of their identifiers.
    var waiting: [(id: UInt64, continuation: CheckedContinuation<Grant, Never>)] = []
    var lastID: UInt64 = 0
    var isClosed = false
    /// Options that take the place of those in the connection string: where the server is.
    var host: [(String, String)] = []
  }

  /// How a user's wait for a permit ended.
  private enum Grant {
    case permit, cancelled, closed
  }

  private let connectionString: String
  private let options: [(String, String)]
  private let timeout: Duration
  private let maxIdle: Int
  /// All mutable state. No connection is used or closed under the lock.
  private let state: Mutex<State>

  /// - Parameters:
  ///   - size: how many connections may be open.
  ///   - maxIdle: how many are kept open for the next user.
  ///   - timeout: the time to connect.
  package init(
    _ connectionString: String, _ options: [(String, String)] = [], size: Int = 4, maxIdle: Int = 2,
    timeout: Duration = .seconds(15)
  ) {
    precondition(size > 0, "A pool has a connection.")
    (self.connectionString, self.options, self.timeout, self.maxIdle) = (
      connectionString, options, timeout, maxIdle
    )
    state = Mutex(State(permits: size))
  }

  deinit { close() }

  /// Closes the connections that are idle, and each other one when its user is done. Waiting users get an
  /// error.
  package func close() {
    let (idle, waiting) = state.withLock { state in
      state.isClosed = true
      defer { (state.idle, state.waiting) = ([], []) }
      return (state.idle, state.waiting)
    }
    for user in waiting { user.continuation.resume(returning: .closed) }
    for connection in idle { connection.connection.finish() }
  }

  /// Sets where new connections go; idle ones to elsewhere are closed.
  ///
  /// - Parameter host: options of the connection; none for the hosts of the connection string.
  func setHost(_ host: [(String, String)]) {
    let idle = state.withLock { state in
      if state.host.elementsEqual(host, by: ==) { return [] as [IdleConnection] }
      state.host = host
      defer { state.idle = [] }
      return state.idle
    }
    for connection in idle { connection.connection.finish() }
  }

  /// How many connections are idle.
  package var idleCount: Int { state.withLock { $0.idle.count } }

  /// Calls the closure with a connection, which goes back to the pool afterwards if it is idle and alive.
  ///
  /// - Parameter statement: what to run before the closure. If an idle connection turns out to be lost then,
  ///   another is taken.
  /// - Throws: `closed` after `close()`; what connecting and the closure throw.
  package func withConnection<Result>(
    first statement: String? = nil, _ body: (PostgresConnection) async throws -> Result
  ) async throws -> Result {
    try await takePermit()
    defer { returnPermit() }
    let connection = try await takeConnection(statement)
    defer { returnConnection(connection) }
    return try await body(connection)
  }

  private func takeConnection(_ statement: String?) async throws -> PostgresConnection {
    while let idle = state.withLock({ $0.idle.popLast() }) {
      let connection = idle.connection
      guard connection.isReusable else {
        connection.finish()
        continue
      }
      do {
        // What the last user has set, a role or a search path, is none of the next one's.
        let reset = PostgresConnection.reset
        _ = try await connection.execute(statement.map { "\(reset); \($0)" } ?? reset)
        return connection
      } catch let error as PostgresError where error.isTransient {
        connection.finish()
      }
    }
    let host = state.withLock { $0.host }
    let connection = try await PostgresConnection.connect(connectionString, options + host, timeout: timeout)
    if let statement { _ = try await connection.execute(statement) }
    return connection
  }

  private func returnConnection(_ connection: PostgresConnection) {
    let idle = IdleConnection(connection: connection)
    let isKept =
      connection.isReusable
      && state.withLock { state in
        guard !state.isClosed, state.idle.count < maxIdle else { return false }
        state.idle.append(idle)
        return true
      }
    if !isKept { connection.finish() }
  }

  private func takePermit() async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let grant = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let grant: Grant? = state.withLock { state in
          if state.isClosed { return .closed }
          if Task.isCancelled { return .cancelled }
          if state.permits > 0 {
            state.permits -= 1
            return .permit
          }
          state.waiting.append((id, continuation))
          return nil
        }
        if let grant { continuation.resume(returning: grant) }
      }
    } onCancel: {
      let user = state.withLock { state in
        state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
      }
      user?.continuation.resume(returning: .cancelled)
    }
    switch grant {
    case .permit: return
    case .cancelled: throw CancellationError()
    case .closed: throw PostgresError(PostgresError.closed, "The connections to the server were closed.")
    }
  }

  private func returnPermit() {
    let next = state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.permits += 1
        return nil as CheckedContinuation<Grant, Never>?
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: .permit)
  }
}

/// A connection that is in the pool.
///
/// Sendable without a check: no task uses a connection that is here, and the one that takes it out is its
/// only user.
private struct IdleConnection: @unchecked Sendable {
  let connection: PostgresConnection
}
