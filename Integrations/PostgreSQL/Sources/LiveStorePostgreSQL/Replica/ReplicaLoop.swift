import LiveStore
import Synchronization

/// Connects, copies and follows, until it is cancelled. Used by one task.
package final class ReplicaLoop {
  let engine: ReplicaEngine
  var source: ReplicaSource { engine.source }
  /// Called with the progress of the first copy.
  var onProgress: (@Sendable (CopyProgress) -> Void)?

  /// The position up to which all is in the store, if a slot goes on from there.
  package internal(set) var position: LogSequenceNumber?
  /// What reads the rows of the relations that are followed and were described.
  var readers: [UInt32: any RowReader] = [:]
  var types = TypeCatalog()
  /// The columns that are read and have labels, with their types, by the relations that were described.
  var labelColumns: [UInt32: [(column: Int, type: UInt32)]] = [:]
  /// The followed tables by their object identifiers, as they were copied.
  package var tables: [UInt32: FollowedTable] = [:]
  /// The rows that the store cannot hold.
  var refused = RefusedRows()
  /// The rows of the transaction that is applied which are not in the store yet.
  var pendingRows: RowRun?
  /// Whether the status has such rows.
  private var hasRefused = false
  /// Whether the server has said that it cannot read its log.
  var hasLostLog = false
  /// After what the tables must be copied; nil if they were never copied, or need not be.
  private(set) var copyReason: PostgresError?
  /// How the publication and they were defined then.
  private(set) var definitions: Definitions?
  /// The partitions that the server has described since the definitions were compared, as it does before it sends rows of
  /// theirs: one may come and go again between two looks at the definitions.
  var describedPartitions: Set<UInt32> = []
  /// The transactions that have truncated tables since the definitions were compared, by the tables.
  var truncations: [UInt32: Set<UInt32>] = [:]
  /// How far the stream has to come before the files of partitions that were replaced have another reason than a truncation of
  /// their root, and the transactions that have replaced them, by the roots; nil if none is known to be replaced.
  private(set) var awaitedTruncations: (end: LogSequenceNumber, files: [UInt32: Set<UInt32>])?
  /// Whether the stream has come that far.
  var mustCheckFiles: Bool { awaitedTruncations.map { position ?? $0.end >= $0.end } ?? false }
  /// Looks at the server's catalog while the stream comes.
  private(set) lazy var catalog = CatalogWatch { [unowned self] in try await connect() }
  /// Whether values come in binary form.
  var isBinary = false
  /// The server's process that last read the durable slot for this replica.
  private var backend: String?
  /// Where the replication connection is, if there is one: all others go there as well.
  private var host: [(String, String)] = []
  /// The server that was followed last, and its history.
  private var identity: [String]?

  package init(_ engine: ReplicaEngine) { self.engine = engine }

  /// Follows until the task is cancelled.
  ///
  /// - Parameter onStart: called once with what became of the first attempt. If it failed, the loop ends.
  func run(_ onStart: (Result<Void, any Error>) -> Void) async {
    var backoff = Backoff(minimum: source.options.minimumBackoff, maximum: source.options.maximumBackoff)
    var (hasStarted, isStreaming) = (false, false)
    while !Task.isCancelled {
      let failure: any Error
      do {
        let before = engine.status.transactions
        defer { if engine.status.transactions > before { backoff.reset() } }
        try await follow {
          if !hasStarted { onStart(.success(())) }
          (hasStarted, isStreaming) = (true, true)
        }
        return
      } catch {
        failure = error
      }
      if !hasStarted { return onStart(.failure(failure)) }
      if Task.isCancelled { return }
      let error = Self.described(failure)
      if isStreaming { engine.update { $0.reconnections += 1 } }
      if position != nil, source.slot == .temporary || needsCopy(error, isStreaming) {
        (position, copyReason) = (nil, error)
      }
      isStreaming = false
      let wait = backoff.next()
      engine.set(.disconnected(error, retryIn: wait))
      do { try await Task.sleep(for: wait) } catch { return }
    }
    if !hasStarted { onStart(.failure(CancellationError())) }
  }

  /// Whether only a copy can go on after an error: what a slot has lost, and a transaction that cannot be applied, would
  /// come again. What prevents a connection says nothing of either.
  private func needsCopy(_ error: PostgresError, _ isStreaming: Bool) -> Bool {
    switch error.code {
    case PostgresError.slotMissing, PostgresError.definitionChanged: true
    // Of statements beside the stream, such as one for which the role has lost its rights.
    case PostgresError.serverError: hasLostLog
    case PostgresError.authenticationFailed, PostgresError.slotInUse, PostgresError.encryptionFailed: false
    default: isStreaming && !error.isTransient
    }
  }

  private static func described(_ error: any Error) -> PostgresError {
    if let error = error as? PostgresError { return error }
    return PostgresError(PostgresError.mismatch, "What the server sent cannot be applied: \(error)")
  }

  /// Connects, copies if need be, and follows until the connection is lost.
  private func follow(_ onStreaming: () -> Void) async throws {
    engine.set(.connecting)
    hasLostLog = false
    let connection = try await connect(replication: true)
    defer {
      connection.finish()
      catalog.finish()
    }
    host = connection.host
    engine.warn([connection.exposure].compactMap(\.self))
    engine.pool.setHost(host)
    engine.state.withLock { $0.host = host }
    defer {
      host = []
      engine.pool.setHost([])
    }
    try await checkPosition(connection)
    let process = try await connection.execute("SELECT pg_backend_pid()").last?[0, 0]
    if let name = source.slot.name { try await releaseSlot(name) }
    backend = process
    if let position, let name = source.slot.name {
      try await checkDefinitions(until: .now + source.options.connectTimeout)
      try await startReplication(connection, slot: name, from: position)
    } else {
      try await copyAndStart(connection)
    }
    engine.set(.streaming)
    onStreaming()
    try await ReplicationStream(self, connection).run()
  }

  /// Forgets the position if it is none of the server's: another one than before, one that has taken over from it, or one
  /// that has lost a part of its log (Z8).
  private func checkPosition(_ connection: PostgresConnection) async throws {
    let result = try await connection.execute("IDENTIFY_SYSTEM").last
    guard let system = result?[0, "systemid"], let timeline = result?[0, "timeline"],
      let end = result?[0, "xlogpos"].flatMap({ LogSequenceNumber($0) })
    else {
      throw PostgresError(PostgresError.protocolViolation, "The server did not say which one it is.")
    }
    let before = identity
    identity = [system, timeline]
    guard before != nil, before != identity || engine.status.appliedLSN > end else { return }
    if position != nil {
      copyReason = PostgresError(
        PostgresError.slotMissing, "The server is another one, or has lost a part of its log.")
    }
    (position, backend) = (nil, nil)
    engine.forgetPositions()
  }

  /// Compares the definitions with those that the tables were copied with.
  ///
  /// - Throws: `definitionChanged`.
  func checkDefinitions(until deadline: ContinuousClock.Instant) async throws {
    guard let definitions else { return }
    let connection = try await catalog.connection()
    let current = try await Definitions.read(
      connection, source.publication, Array(tables.values), after: definitions, until: deadline)
    guard current.hasPartitions(describedPartitions) else { throw Definitions.changed() }
    switch current.difference(from: definitions) {
    case .other: throw Definitions.changed()
    case .none: accept(current)
    case .files(let files):
      // The catalog is ahead of the stream, which may have the truncation of the root that has replaced the files.
      var unknown: [UInt32: Set<UInt32>] = [:]
      for (root, transactions) in files where !transactions.isSubset(of: truncations[root] ?? []) {
        unknown[root] = transactions.subtracting(truncations[root] ?? [])
      }
      if unknown.isEmpty { return accept(current) }
      if mustCheckFiles, let awaited = awaitedTruncations {
        if unknown.contains(where: { !$1.isDisjoint(with: awaited.files[$0] ?? []) }) {
          throw Definitions.changed()
        }
        awaitedTruncations = nil
      }
      if awaitedTruncations == nil, let end = try await catalog.log(nil, until: deadline)?.end {
        awaitedTruncations = (end, unknown)
      }
    }
  }

  /// Whether a type of a column has a label in the definitions that are known, so that it is noticed when that is renamed.
  func isKnown(_ label: ArraySlice<UInt8>, of type: UInt32) -> Bool {
    guard let definitions else { return true }
    // As the catalog is read: bytes that are no UTF-8 are replaced.
    return definitions.labels[type]?.contains(String(decoding: label, as: UTF8.self)) == true
  }

  /// Remembers how the tables are defined, as the store has them.
  func accept(_ definitions: Definitions) {
    (self.definitions, truncations, awaitedTruncations) = (definitions, [:], nil)
    describedPartitions = []
  }

  /// Shows which tables are stopped, and which rows are left out.
  func reportRefused() {
    if refused.isEmpty, !hasRefused { return }
    hasRefused = !refused.isEmpty
    let stopped = refused.stopped.values
    let all = stopped.first(where: \.stopsAll)
    var errors: [String: PostgresError] = [:]
    for (id, followed) in tables {
      if let row = refused.stopped[id] ?? all { errors["\(followed.table.name)"] = row.refusal.error }
    }
    engine.report(stopped: errors, leftOut: refused.leftOut.values)
  }

  /// A connection whose session does not end by time-outs of the server's settings, and finds functions and operators in
  /// `pg_catalog` alone: whoever may make some in another schema would have his own run as the replica's role.
  func connect(replication: Bool = false) async throws -> PostgresConnection {
    var overrides = [("application_name", source.options.applicationName)] + host
    if replication { overrides.append(("replication", "database")) }
    let (text, timeout) = (source.connectionString, source.options.connectTimeout)
    let connection = try await PostgresConnection.connect(text, overrides, timeout: timeout)
    // Row security would hide rows from the copy that the stream has: with it off, the copy fails and says so.
    _ = try await connection.execute(
      "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET row_security = off; SET search_path = ''",
      until: .now + timeout)
    if replication {
      let silence = max(source.options.silenceTimeout, source.options.statusInterval * 3)
      try await connection.limitSilence(to: silence, until: .now + timeout)
    }
    if connection.serverVersion >= 170_000 {
      _ = try await connection.execute("SET transaction_timeout = 0", until: .now + timeout)
    }
    // A slot may wait for transactions and a copy for rows, and nothing comes meanwhile. A server that accepts another
    // connection is there.
    let host = connection.host + [("application_name", source.options.applicationName)]
    connection.silence = (
      source.options.silenceTimeout,
      {
        do {
          try await PostgresConnection.connect(text, host, timeout: timeout).finish()
        } catch let error as PostgresError where error.sqlState != nil {
          // It has answered.
        }
      }
    )
    return connection
  }

  /// Starts the stream.
  func startReplication(
    _ connection: PostgresConnection, slot: String, from position: LogSequenceNumber
  ) async throws {
    let publication = source.publication.asIdentifier.asReplicationLiteral
    try await connection.startReplication(
      """
      START_REPLICATION SLOT \(slot.asIdentifier) LOGICAL \(position) (proto_version '2', \
      publication_names \(publication), streaming 'on', binary '\(isBinary ? "true" : "false")')
      """)
    begin(at: position)
  }

  /// Begins a stream, which describes each relation again.
  package func begin(at position: LogSequenceNumber) {
    (readers, labelColumns) = ([:], [:])
    self.position = position
    engine.reach(position)
  }

  /// Ends the server's process of the connection that was lost, if the server has not noticed yet and holds the slot.
  ///
  /// - Throws: `slotMissing` if the slot has passed the position, as one of the same name that was made again: the server
  ///   would leave out what lies between without a word.
  private func releaseSlot(_ name: String) async throws {
    guard let backend else { return }
    let connection = try await catalog.connection()
    let slot = try await connection.query(
      "SELECT confirmed_flush_lsn FROM pg_catalog.pg_replication_slots WHERE slot_name = $1::text", [name])
    let confirmed = slot.rowCount == 1 ? slot[0, 0].flatMap { LogSequenceNumber($0) } : nil
    if let position, confirmed.map({ $0 > position }) ?? true {
      throw PostgresError(
        PostgresError.slotMissing,
        "The replication slot \(name) is gone, or has passed the replica's position.")
    }
    _ = try await connection.query(
      """
      SELECT pg_terminate_backend(active_pid, 5000) FROM pg_catalog.pg_replication_slots
      WHERE slot_name = $1::text AND active_pid = $2::int
      """, [name, backend])
  }
}
