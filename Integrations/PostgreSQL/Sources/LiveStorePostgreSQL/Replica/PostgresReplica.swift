public import LiveStore
import Synchronization

/// A store that follows tables of a PostgreSQL server through logical replication: a live replica of them in memory, with
/// live queries, exact change sets and snapshots.
///
/// ```swift
/// let replica = try await PostgresReplica.start("postgresql://localhost/blog", publication: "app") {
///   Replicated("posts", Post.self)
///   Replicated("users", User.self, columns: .snakeCase)
/// }
/// for await change in replica.store.changes(of: Post.where { $0.author.name == "Ann" }.limit(20)) { … }
/// ```
/// Each transaction of the server that changes a row is one commit of the store, with the origin `postgresql`, in the
/// order of commits. The entities can be read and observed as in any store; they are written at the server, by
/// ``write(_:)`` or by anyone else. The rules of their schemas are the server's business: links may lead to rows that the
/// publication leaves out, and `onDelete:` does nothing.
///
/// The server needs version 14 and `wal_level = logical`, and a publication of the tables. A replica that loses its server
/// keeps what it has, connects again, and goes on without losing or repeating a transaction.
///
/// Keep the replica while you use the store. When it is released, it stops following. When the store is closed, the replica
/// closes with the next transaction that it would apply.
public final class PostgresReplica: Sendable {
  /// The store. It has what the server had at ``ReplicaStatus/appliedLSN``.
  public let store: Store
  let engine: ReplicaEngine
  private let task: Task<Void, Never>

  private init(_ engine: ReplicaEngine, _ task: Task<Void, Never>) {
    (self.engine, self.task) = (engine, task)
    store = engine.store
  }

  deinit {
    task.cancel()
    engine.close()
  }

  /// Connects, copies the tables, and follows them from there.
  ///
  /// ```swift
  /// let replica = try await PostgresReplica.start("postgresql://localhost/blog", publication: "app") {
  ///   Replicated("posts", Post.self)
  ///   Local(Draft.self)
  /// }
  /// ```
  /// - Parameters:
  ///   - connectionString: a URI or a list of `key=value`, as libpq reads it, with several hosts and `sslmode` if need be.
  ///     The role must have the attribute `REPLICATION` and may select from the tables.
  ///   - publication: the publication that has the tables, and perhaps others, which are passed over.
  ///   - slot: what the server keeps for the replica.
  ///   - options: how it is followed.
  ///   - progress: called with each piece of the first copy.
  ///   - members: the entities of the store, with all that they link to.
  /// - Throws: a ``PostgresError`` that names table, column and value where there are some: nothing is left behind then;
  ///   a `StoreError` if a schema is wrong, or if a ``Local`` entity has a rule against the server; `CancellationError`.
  /// - Complexity: O(*n*) for *n* rows.
  @concurrent
  public static func start(
    _ connectionString: String, publication: String, slot: ReplicationSlot = .temporary,
    options: Options = Options(), progress: (@Sendable (CopyProgress) -> Void)? = nil,
    @ReplicaBuilder _ members: @Sendable () -> ReplicaMembers
  ) async throws -> PostgresReplica {
    let members = members()
    let tables = try members.entities.compactMap { try $0.table() }
    try slot.check()
    let names = tables.map(\.name)
    if let twice = names.first(where: { name in names.count(where: { $0 == name }) > 1 }) {
      throw PostgresError(
        PostgresError.invalidTable, "Table \(twice) is listed twice.", table: "\(twice)")
    }
    let source = ReplicaSource(
      connectionString: connectionString, publication: publication, slot: slot, tables: tables,
      locals: members.types.filter { type in !tables.contains { $0.entity == type } }, options: options)
    let engine = try ReplicaEngine(source, try members.makeStore(options.store))
    let (outcomes, outcome) = AsyncThrowingStream.makeStream(of: Void.self, throwing: (any Error).self)
    let task = Task.detached {
      let loop = ReplicaLoop(engine)
      loop.onProgress = progress
      await loop.run { result in
        loop.onProgress = nil
        if case .success = result { outcome.yield() }
        outcome.finish(throwing: result.failure)
      }
    }
    engine.setTask(task)
    let replica = PostgresReplica(engine, task)
    try await withTaskCancellationHandler {
      for try await _ in outcomes {}
      try Task.checkCancellation()
    } onCancel: {
      task.cancel()
    }
    return replica
  }

  // MARK: Following

  /// How far the replica is.
  public var status: ReplicaStatus { engine.status }

  /// What the replica is doing, now and from now on; a slow consumer misses those between. It ends when the replica is
  /// closed.
  ///
  /// ```swift
  /// for await state in replica.states {
  ///   if case .disconnected(let error, _) = state { logger.warning("\(error)") }
  /// }
  /// ```
  public var states: AsyncStream<ReplicaStatus.State> { engine.states }

  /// Waits until everything that was committed before a position of the server's log is in the store: to read what was
  /// written elsewhere. Tables that are stopped do not have it (``ReplicaStatus/stoppedTables``).
  ///
  /// ```swift
  /// // lsn: the result of SELECT pg_current_wal_flush_lsn(), asked for after the write
  /// try await replica.synced(to: lsn)
  /// ```
  /// - Throws: `closed`; `CancellationError`.
  public func synced(to lsn: LogSequenceNumber) async throws { try await engine.synced(to: lsn) }

  /// The server's transaction that a commit of the store is.
  ///
  /// - Returns: nil if the version is no such commit, or older than the store's history.
  public func transaction(of version: Version) -> ReplicaTransaction? { engine.transaction(of: version) }

  /// Makes a second store that is fed by the same slot and copy: for a tenant, a test or a preview of its own.
  ///
  /// The stores share all that does not differ. Optimistic edits are shown in the first alone. Keep the store while you
  /// use it: one that is released is no longer fed. It is closed with the replica.
  /// - Throws: `closed`.
  /// - Complexity: O(*k* log *n*) for *k* objects that optimistic edits change.
  public func addStore() async throws -> Store { try await engine.addStore() }

  /// Whether a connection string has a password in it. A program should refuse one among its arguments, which all users of a
  /// machine can see.
  ///
  /// ```swift
  /// if PostgresReplica.hasPassword(in: argument) { print("Put the connection string in DATABASE_URL.") }
  /// ```
  /// - Returns: false also if the string is malformed: `start` says why.
  /// - Complexity: O(length of the string)
  public static func hasPassword(in connectionString: String) -> Bool {
    let options = try? ConnectionOptions(connectionString)
    return options?["password"] != nil || options?["sslpassword"] != nil
  }

  // MARK: Closing

  /// Stops following, and closes the store: streams and tokens end, and snapshots stay readable. A temporary slot is
  /// gone, and a durable one stays.
  public func close() async {
    task.cancel()
    await task.value
    engine.close()
  }

  /// Closes the replica and drops its slot, so that the server keeps no log for it any longer.
  ///
  /// A temporary slot is gone with the replica: for that, this is the same as ``close()``.
  /// - Throws: a ``PostgresError``; then the replica is closed, and the durable slot is still there.
  public func dropSlot() async throws {
    await close()
    guard let name = engine.source.slot.name else { return }
    let connection = try await PostgresConnection.connect(
      engine.source.connectionString, engine.state.withLock { $0.host },
      timeout: engine.source.options.connectTimeout)
    defer { connection.finish() }
    try await connection.dropSlot(name)
  }
}

extension Result where Failure == any Error {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
