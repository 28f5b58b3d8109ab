package import LiveStore
package import Synchronization

/// What a replica and its task share.
///
/// State: `state` and `overlay` are guarded by their mutexes, under which nothing waits and no code of the user's runs.
/// `overlay` and `state.followers` are changed within write transactions of `store` alone, so that their order is that of
/// its commits; `overlay` with the commit, so that it fits what the store has.
package final class ReplicaEngine: Sendable {
  package struct State {
    var status: ReplicaStatus
    var waiters = PositionWaiters()
    var lastWaiter: UInt64 = 0
    /// When the store had all that the server was known to have.
    var caughtUp = ContinuousClock.now
    /// The newest commits that are transactions of the server.
    var transactions: [(version: Version, transaction: ReplicaTransaction)] = []
    var nextTransaction = 0
    var observers: [UInt64: AsyncStream<ReplicaStatus.State>.Continuation] = [:]
    var lastObserver: UInt64 = 0
    var lastEdit: UInt64 = 0
    package var followers: [Follower] = []
    /// The sentences that the operator was given.
    var warnings: Set<String> = []
    /// The task that follows the server.
    var task: Task<Void, Never>?
    var isClosed = false
    /// How often positions were forgotten.
    var histories = 0
    /// Options of connections that lead to the server that was followed last.
    var host: [(String, String)] = []
  }

  /// A store that is fed besides the first, for as long as its user holds it.
  package struct Follower: Sendable {
    /// The store that was made, which may have been released.
    let id: ObjectIdentifier
    weak let store: Store?
    let reservation: WriteReservation

    init(_ store: Store, _ reservation: WriteReservation) {
      (id, self.store, self.reservation) = (ObjectIdentifier(store), store, reservation)
    }
  }

  let source: ReplicaSource
  package let store: Store
  let reservation: WriteReservation
  let pool: ConnectionPool
  package let state: Mutex<State>
  package let overlay: Mutex<Overlay>

  static let origin = "postgresql"
  static let optimisticOrigin = "optimistic"

  package init(_ source: ReplicaSource, _ store: Store) throws {
    (self.source, self.store) = (source, store)
    reservation = try store.reserveWrites(to: source.tables.map(\.entity))
    overlay = Mutex(Overlay(source.tables.map(\.entity), locals: source.locals))
    pool = ConnectionPool(
      source.connectionString, [("application_name", source.options.applicationName)],
      size: max(1, source.options.writeConnections), timeout: source.options.connectTimeout)
    let zero = LogSequenceNumber(rawValue: 0)
    state = Mutex(
      State(
        status: ReplicaStatus(
          state: .connecting, appliedLSN: zero, receivedLSN: zero, serverLSN: zero, lag: .zero,
          slotName: source.slot.name, transactions: 0, copies: 0, reconnections: 0, optimisticEdits: 0)))
  }

  // MARK: Status

  package var status: ReplicaStatus {
    state.withLock { state in
      var status = state.status
      let isCaughtUp = status.state == .streaming && status.appliedLSN >= status.serverLSN
      status.lag = isCaughtUp ? .zero : .now - state.caughtUp
      return status
    }
  }

  func set(_ new: ReplicaStatus.State) {
    let observers = state.withLock { state in
      if state.isClosed || state.status.state == new {
        return [] as [AsyncStream<ReplicaStatus.State>.Continuation]
      }
      state.status.state = new
      return Array(state.observers.values)
    }
    for observer in observers { observer.yield(new) }
  }

  func update(_ body: (inout ReplicaStatus) -> Void) { state.withLock { body(&$0.status) } }

  /// Gives sentences to the operator, each one once.
  package func warn(_ sentences: [String]) {
    let new = state.withLock { state in sentences.filter { state.warnings.insert($0).inserted } }
    for sentence in new { source.options.onWarning(sentence) }
  }

  /// Shows the tables that are stopped and the rows that are left out, and warns of those tables that were not before.
  func report(stopped: [String: PostgresError], leftOut: some Collection<LeftOutRows>) {
    let new = state.withLock { state in
      let before = state.status.stoppedTables
      state.status.stoppedTables = stopped
      state.status.leftOutRows = Array(leftOut.lazy.joined().lazy.map(\.value.error).prefix(100))
      state.status.leftOutCount = leftOut.reduce(0) { $0 + $1.count }
      return stopped.filter { before[$0.key] == nil }
    }
    for (table, error) in new {
      source.options.onWarning("Table \(table) is stopped: its objects stay as they are. \(error.message)")
    }
  }

  /// The states from now on, of which a slow observer misses those between.
  var states: AsyncStream<ReplicaStatus.State> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ReplicaStatus.State.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      continuation.yield(state.status.state)
      if state.isClosed { return continuation.finish() }
      state.lastObserver += 1
      let id = state.lastObserver
      state.observers[id] = continuation
      continuation.onTermination = { [weak self] _ in
        _ = self?.state.withLock { $0.observers.removeValue(forKey: id) }
      }
    }
    return stream
  }

  /// A number for an optimistic edit.
  func nextEdit() -> UInt64 {
    state.withLock { state in
      state.lastEdit += 1
      return state.lastEdit
    }
  }

  // MARK: Positions

  /// Which server's positions count, so that those of another are known.
  var history: Int { state.withLock { $0.histories } }

  /// Waits until a position is in the store, or a transaction that ends before it.
  ///
  /// - Parameter history: the server that the position is of; nil for the one that is followed.
  package func synced(
    to lsn: LogSequenceNumber, _ xid: UInt32? = nil, of history: Int? = nil
  ) async throws {
    let lsn = lsn.endOfRecord
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: PositionWaiters.Continuation) in
        let outcome: Result<Void, any Error>? = state.withLock { state in
          if let history, history != state.histories { return .failure(Self.otherServerError) }
          if state.status.appliedLSN >= lsn { return .success(()) }
          if let xid, state.waiters.isApplied(xid) { return .success(()) }
          if state.isClosed { return .failure(Self.closedError) }
          if Task.isCancelled { return .failure(CancellationError()) }
          state.waiters.add(id, lsn, xid, continuation)
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      state.withLock { $0.waiters.remove(id) }?.resume(throwing: CancellationError())
    }
  }

  /// How many tasks wait for a position, for tests.
  package var waiterCount: Int { state.withLock { $0.waiters.count } }

  static var closedError: PostgresError { PostgresError(PostgresError.closed, "The replica was closed.") }

  /// Records that everything before a position is in the store (Z2).
  func reach(_ lsn: LogSequenceNumber, _ transaction: ReplicaTransaction? = nil, _ version: Version? = nil) {
    let reached = state.withLock { state in
      state.status.appliedLSN = max(state.status.appliedLSN, lsn)
      state.status.receivedLSN = max(state.status.receivedLSN, lsn)
      state.status.serverLSN = max(state.status.serverLSN, lsn)
      if state.status.appliedLSN >= state.status.serverLSN { state.caughtUp = .now }
      if let transaction {
        state.status.transactions += 1
        if let version { state.add(version, transaction, limit: source.options.store.historyCommits) }
      }
      return state.waiters.reach(state.status.appliedLSN, transaction?.xid)
    }
    for waiter in reached { waiter.resume() }
  }

  private static var otherServerError: PostgresError {
    PostgresError(
      PostgresError.connectionFailed,
      "The replica follows another server now, or one that has lost a part of its log. Whether it has the transaction is not known."
    )
  }

  /// Forgets the positions, as those of another server mean something else, and who waits for them.
  package func forgetPositions() {
    let zero = LogSequenceNumber(rawValue: 0)
    let waiters = state.withLock { state in
      (state.status.appliedLSN, state.status.receivedLSN, state.status.serverLSN) = (zero, zero, zero)
      state.histories += 1
      state.waiters.forgetTransactions()
      return state.waiters.removeAll()
    }
    for waiter in waiters { waiter.resume(throwing: Self.otherServerError) }
  }

  func transaction(of version: Version) -> ReplicaTransaction? {
    state.withLock { state in state.transactions.first { $0.version == version }?.transaction }
  }

  // MARK: Closing

  /// Sets the task that follows the server, which ends when this is closed.
  package func setTask(_ task: Task<Void, Never>) {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.task = task }
      return state.isClosed
    }
    if isClosed { task.cancel() }
  }

  package func close() {
    let before = state.withLock { state -> State? in
      if state.isClosed { return nil }
      let before = state
      state.isClosed = true
      state.status.state = .closed
      _ = state.waiters.removeAll()
      (state.observers, state.followers, state.task) = ([:], [], nil)
      return before
    }
    guard var before else { return }
    before.task?.cancel()
    for waiter in before.waiters.removeAll() { waiter.resume(throwing: Self.closedError) }
    for observer in before.observers.values {
      observer.yield(.closed)
      observer.finish()
    }
    pool.close()
    store.close()
    for follower in before.followers { follower.store?.close() }
  }
}

extension ReplicaEngine.State {
  /// Adds a commit in place of the oldest.
  fileprivate mutating func add(_ version: Version, _ transaction: ReplicaTransaction, limit: Int) {
    if transactions.count < limit {
      transactions.append((version, transaction))
    } else if limit > 0 {
      transactions[nextTransaction] = (version, transaction)
      nextTransaction = (nextTransaction + 1) % limit
    }
  }
}

/// What a replica follows.
package struct ReplicaSource: Sendable {
  let connectionString: String
  let publication: String
  let slot: ReplicationSlot
  let tables: [any ReplicatedTable]
  /// The other entities of the store.
  let locals: [any Entity.Type]
  let options: PostgresReplica.Options

  package init(
    connectionString: String, publication: String, slot: ReplicationSlot, tables: [any ReplicatedTable],
    locals: [any Entity.Type], options: PostgresReplica.Options
  ) {
    (self.connectionString, self.publication, self.slot) = (connectionString, publication, slot)
    (self.tables, self.locals, self.options) = (tables, locals, options)
  }
}
