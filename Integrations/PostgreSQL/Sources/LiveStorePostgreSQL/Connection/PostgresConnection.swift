import CPostgreSQL
import Dispatch

/// A connection to a server, through libpq, which never blocks its thread.
///
/// It is used by one task at a time and is not sendable. What it runs is one of
/// - statements: `execute` and `query`. A cancelled task cancels the statement at the server and waits for
///   the server's answer, for five seconds at most; then the connection can be used further, or is closed.
/// - a copy: `copyOut`, then `copyChunk` until it returns nil;
/// - a replication stream: `startReplication`, then `receive` and `send` until the connection is closed.
///   Cancelling these loses nothing.
///
/// After an error of the connection itself, `isAlive` is false, and each further call throws.
package final class PostgresConnection {
  /// What the connection is in the midst of.
  enum Mode {
    case idle, copying, replicating
  }

  /// libpq's connection; nil when closed.
  private(set) var pointer: OpaquePointer?
  var mode = Mode.idle
  /// Whether the server has sent all data of the copy or stream; libpq says so only once.
  var hasReadAll = false
  /// Whether an encrypted connection may hold what was decrypted and not taken yet, of which its socket does not tell. To be
  /// set by whoever reads without a wait before it.
  var mayHoldInput = true
  /// How many results were there without a wait, one after another.
  var unawaitedResults = 0
  /// How long the server may send nothing to a wait without a deadline, and then what finds out whether it is still there: it
  /// throws if not.
  var silence: (limit: Duration, check: @Sendable () async throws -> Void)?
  /// Since when the server has sent nothing to such a wait.
  private var silentSince: ContinuousClock.Instant?
  /// How often messages of the stream come.
  var rate = MessageRate()
  let monitor: SocketMonitor
  /// Where work runs that blocks its thread: cancelling a statement.
  let queue: DispatchQueue

  init(_ pointer: OpaquePointer, monitor: SocketMonitor, queue: DispatchQueue) {
    (self.pointer, self.monitor, self.queue) = (pointer, monitor, queue)
  }

  deinit { finish() }

  /// Closes the connection. The server ends the transaction, if one is open.
  package func finish() {
    guard let pointer else { return }
    self.pointer = nil
    PQfinish(pointer)
  }

  /// Whether the connection is open, as far as is known without asking the server.
  package var isAlive: Bool { pointer.map { PQstatus($0) == CONNECTION_OK } ?? false }

  /// Whether the connection is open and idle, also after reading what the server may have sent by now, such
  /// as why it closes the connection.
  package var isReusable: Bool {
    // The second look finds the end that follows such a message.
    guard let pointer, mode == .idle, PQconsumeInput(pointer) == 1, PQconsumeInput(pointer) == 1 else {
      return false
    }
    // A user may have listened. libpq keeps what came until it is taken.
    while let notification = PQnotifies(pointer) { PQfreemem(notification) }
    return PQstatus(pointer) == CONNECTION_OK && PQtransactionStatus(pointer) == PQTRANS_IDLE
  }

  /// The state of the transaction.
  var transactionStatus: PGTransactionStatusType { pointer.map(PQtransactionStatus) ?? PQTRANS_UNKNOWN }

  /// The server's version: 150002 is 15.2.
  package var serverVersion: Int { pointer.map { Int(PQserverVersion($0)) } ?? 0 }

  /// The options that lead to the same server again, whatever its names lead to by then.
  var host: [(String, String)] {
    let values = [("host", PQhost(pointer)), ("hostaddr", PQhostaddr(pointer)), ("port", PQport(pointer))]
    return values.compactMap { key, value in
      value.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : (key, $0) }
    }
  }

  /// What an operator should know if all that is sent can be read on the way: the connection is not encrypted, and not to this
  /// machine.
  var exposure: String? {
    guard let pointer, PQsslInUse(pointer) == 0, PQgssEncInUse(pointer) == 0,
      let address = PQhostaddr(pointer).map({ String(cString: $0) }), !Self.isLocal(address)
    else { return nil }
    return
      "The connection to the server at \(address) is not encrypted. Set sslmode=verify-full in the connection string."
  }

  /// Whether an address of libpq's is of this machine; it is empty for a socket in a folder.
  package static func isLocal(_ address: String) -> Bool {
    address.isEmpty || address.utf8.elementsEqual("::1".utf8)
      || ["/", "127.", "::ffff:127."].contains { address.utf8.starts(with: $0.utf8) }
  }

  /// A setting that the server reports at the beginning and when it changes: `server_version`, `TimeZone`,
  /// `in_hot_standby`.
  package func parameterStatus(_ name: String) -> String? {
    pointer.flatMap { PQparameterStatus($0, name) }.map { String(cString: $0) }
  }

  /// libpq's connection, which must be open and in the mode.
  func open(in expected: Mode) throws -> OpaquePointer {
    guard let pointer else { throw PostgresError(PostgresError.closed, "The connection was closed.") }
    guard PQstatus(pointer) == CONNECTION_OK else { throw PostgresError.lost(pointer) }
    guard mode == expected else {
      throw PostgresError(
        PostgresError.protocolViolation, "The connection is \(mode), and must be \(expected) for this call.")
    }
    return pointer
  }

  /// Waits until the socket is ready, or may be, or the deadline has passed.
  ///
  /// libpq takes about 8 KB at a time, and a record of TLS has up to 16 KB: what is left of it is decrypted already, and the
  /// socket is not ready because of it. So an encrypted connection is looked at again soon after its socket was ready, and
  /// each second, in case that a record came between that look and the wait.
  ///
  /// - Returns: false when the deadline has passed; else it is time to read.
  /// - Throws: `CancellationError` when the task is cancelled.
  func wait(
    for events: SocketMonitor.Events, _ pointer: OpaquePointer,
    until deadline: ContinuousClock.Instant? = nil,
    isCancellable: Bool = true
  ) async throws -> Bool {
    let socket = PQsocket(pointer)
    guard socket >= 0 else { throw PostgresError.lost(pointer) }
    var look: ContinuousClock.Instant?
    if events.contains(.read), PQsslInUse(pointer) == 1 {
      look = .now + (mayHoldInput ? .milliseconds(1) : .seconds(1))
    }
    let since = silentSince ?? .now
    if deadline == nil { silentSince = since }
    let alarm = deadline == nil ? silence.map { since + $0.limit } : nil
    let first = [deadline, look, alarm].compactMap { $0 }.min()
    switch await monitor.wait(for: events, of: socket, until: first, isCancellable: isCancellable) {
    case .ready:
      mayHoldInput = true
      silentSince = nil
      return true
    case .timedOut:
      mayHoldInput = false
      if let alarm, alarm <= .now {
        silentSince = nil
        do {
          try await silence?.check()
        } catch let error as PostgresError {
          finish()
          throw error
        }
      }
      return first != deadline
    case .cancelled: throw CancellationError()
    }
  }

  /// Reads what is in the socket, without waiting.
  func consumeInput(_ pointer: OpaquePointer) throws {
    if PQconsumeInput(pointer) == 0 { throw PostgresError.lost(pointer) }
  }
}
