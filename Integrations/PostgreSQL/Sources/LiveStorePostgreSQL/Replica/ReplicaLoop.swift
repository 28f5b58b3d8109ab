import LiveStore

/// Connects, copies and follows, until it is cancelled. Used by one task.
final class ReplicaLoop {
  let engine: ReplicaEngine
  var source: ReplicaSource { engine.source }
  /// Called with the progress of the first copy.
  var onProgress: (@Sendable (CopyProgress) -> Void)?

  /// The position up to which all is in the store, if a slot goes on from there.
  var position: LogSequenceNumber?
  /// What reads the rows of a relation; nil for one that is not followed.
  var readers: [UInt32: (any RowReader)?] = [:]
  var types = TypeCatalog()
  /// Whether values come in binary form.
  var isBinary = false
  /// The server's process that last read the durable slot for this replica.
  private var backend: String?

  init(_ engine: ReplicaEngine) { self.engine = engine }

  /// Follows until the task is cancelled.
  ///
  /// - Parameter onStart: called once with what became of the first attempt. If it failed, the loop ends.
  func run(_ onStart: (Result<Void, any Error>) -> Void) async {
    var backoff = Backoff(minimum: source.options.minimumBackoff, maximum: source.options.maximumBackoff)
    var hasStarted = false
    while !Task.isCancelled {
      let failure: any Error
      do {
        let before = engine.status.transactions
        defer { if engine.status.transactions > before { backoff.reset() } }
        try await follow {
          if !hasStarted { onStart(.success(())) }
          hasStarted = true
        }
        return
      } catch {
        failure = error
      }
      if !hasStarted { return onStart(.failure(failure)) }
      if Task.isCancelled { return }
      let error = Self.described(failure)
      engine.update { $0.reconnections += 1 }
      if source.slot == .temporary || Self.needsCopy(error) { position = nil }
      let wait = backoff.next()
      engine.set(.disconnected(error, retryIn: wait))
      do { try await Task.sleep(for: wait) } catch { return }
    }
    if !hasStarted { onStart(.failure(CancellationError())) }
  }

  /// Whether only a copy can go on after an error: what a slot has lost, and a transaction that cannot be applied, would
  /// come again.
  private static func needsCopy(_ error: PostgresError) -> Bool {
    let waits = [PostgresError.authenticationFailed, PostgresError.slotInUse, PostgresError.encryptionFailed]
    return !error.isTransient && !waits.contains(error.code)
  }

  private static func described(_ error: any Error) -> PostgresError {
    if let error = error as? PostgresError { return error }
    return PostgresError(PostgresError.mismatch, "What the server sent cannot be applied: \(error)")
  }

  /// Connects, copies if need be, and follows until the connection is lost.
  private func follow(_ onStreaming: () -> Void) async throws {
    engine.set(.connecting)
    let connection = try await connect(replication: true)
    defer { connection.finish() }
    let process = try await connection.execute("SELECT pg_backend_pid()").last?[0, 0]
    if let name = source.slot.name { try await releaseSlot(name) }
    backend = process
    if let position, let name = source.slot.name {
      try await startReplication(connection, slot: name, from: position)
    } else {
      try await copyAndStart(connection)
    }
    engine.set(.streaming)
    onStreaming()
    try await ReplicationStream(self, connection).run()
  }

  /// A connection whose session does not end by time-outs of the server's settings.
  func connect(replication: Bool = false) async throws -> PostgresConnection {
    var overrides = [("application_name", source.options.applicationName)]
    if replication { overrides.append(("replication", "database")) }
    let connection = try await PostgresConnection.connect(
      source.connectionString, overrides, timeout: source.options.connectTimeout)
    // Row security would hide rows from the copy that the stream has: with it off, the copy fails and says so.
    _ = try await connection.execute(
      "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET row_security = off"
    )
    if connection.serverVersion >= 170_000 { _ = try await connection.execute("SET transaction_timeout = 0") }
    return connection
  }

  /// Starts the stream.
  func startReplication(
    _ connection: PostgresConnection, slot: String, from position: LogSequenceNumber
  ) async throws {
    // A stream describes each relation again.
    readers = [:]
    let publication = source.publication.asIdentifier.asLiteral
    try await connection.startReplication(
      """
      START_REPLICATION SLOT \(slot.asIdentifier) LOGICAL \(position) (proto_version '2', \
      publication_names \(publication), streaming 'on', binary '\(isBinary ? "true" : "false")')
      """)
    self.position = position
    engine.reach(position)
  }

  /// Ends the server's process of the connection that was lost, if the server has not noticed yet and holds the slot.
  ///
  /// - Throws: `slotMissing` if the slot has passed the position, as one of the same name that was made again: the server
  ///   would leave out what lies between without a word.
  private func releaseSlot(_ name: String) async throws {
    guard let backend else { return }
    let connection = try await connect()
    defer { connection.finish() }
    let slot = try await connection.query(
      "SELECT confirmed_flush_lsn FROM pg_catalog.pg_replication_slots WHERE slot_name = $1", [name])
    let confirmed = slot.rowCount == 1 ? slot[0, 0].flatMap { LogSequenceNumber($0) } : nil
    if let position, confirmed.map({ $0 > position }) ?? true {
      throw PostgresError(
        PostgresError.slotMissing,
        "The replication slot \(name) is gone, or has passed the replica's position.")
    }
    _ = try await connection.query(
      """
      SELECT pg_terminate_backend(active_pid, 5000) FROM pg_catalog.pg_replication_slots
      WHERE slot_name = $1 AND active_pid = $2::int
      """, [name, backend])
  }
}
