import Synchronization

extension Store {
  /// Runs a write transaction on this thread, waiting for earlier writers, and commits it.
  ///
  /// ```swift
  /// try store.write { tx in try tx.insert(post) }
  /// ```
  /// For synchronous code; in asynchronous code the same call suspends instead. At the top level of a `main.swift`, leave
  /// `await` out: Swift chooses this form even under `await`, and warns that nothing is awaited.
  ///
  /// When it returns, the models of the caller's actor show what was written.
  /// - Parameters:
  ///   - origin: a name for the writer; observers can exclude commits by it.
  ///   - isolation: the caller's actor; leave it out. Nonisolated code that runs on the main actor counts as the
  ///     main actor's.
  ///   - body: what to write. If it throws, nothing is written.
  /// - Returns: what the body returns.
  /// - Throws: `closed`; `nestedWrite` inside a body of the same store; `uniqueViolation`, `missingLinkTarget`,
  ///   `deleteRestricted` or `requiredLinkEmpty` at commit; and whatever the body throws, unchanged.
  @discardableResult
  public func write<Result>(
    origin: String? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: (inout WriteTransaction) throws -> Result
  ) throws -> Result {
    try write(origin: origin, on: isolation, body)
  }

  /// The same for a body without a result. Its last line may be any call, such as a deletion, whose result is then
  /// discarded.
  ///
  /// ```swift
  /// func perform(_ action: () throws -> Void) { … }
  /// perform { try store.write { tx in try tx.delete(Post.self, id) } }
  /// ```
  public func write(
    origin: String? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: (inout WriteTransaction) throws -> Void
  ) throws {
    try write(origin: origin, on: isolation, body)
  }

  /// Runs a write transaction on this thread.
  ///
  /// - Parameter actor: the caller's actor, if known.
  package func write<Result>(
    origin: String?, on actor: (any Actor)?, using reservation: WriteReservation? = nil,
    onCommit: (Version?) -> Void = { _ in }, _ body: (inout WriteTransaction) throws -> Result
  ) throws -> Result {
    let (result, writer) = try withWriteLockBlocking {
      let writer = engine.models.writer(actor)
      return (try commit(origin, writer, reservation, onCommit: onCommit, body), writer)
    }
    if let writer { engine.models.update(on: writer) }
    return result
  }

  /// Runs a body under the write lock, blocking this thread until earlier writers are done.
  private func withWriteLockBlocking<Result>(_ body: () throws -> Result) throws -> Result {
    guard writeLock.claimBlocking() else { throw Self.nestedWriteError() }
    defer { writeLock.release() }
    return try body()
  }

  /// Runs a write transaction on the caller's isolation, suspending until earlier writers are done.
  ///
  /// ```swift
  /// try await store.write { tx in try tx.insert(post) }
  /// ```
  /// When it returns, the models of the caller's actor show what was written.
  /// - Parameters:
  ///   - origin: a name for the writer; observers can exclude commits by it.
  ///   - body: what to write. If it throws, nothing is written.
  /// - Returns: what the body returns.
  /// - Throws: `CancellationError` when the task is cancelled while it waits for the write lock; otherwise as the
  ///   blocking form.
  @discardableResult
  public nonisolated(nonsending) func write<Result>(
    origin: String? = nil, _ body: (inout WriteTransaction) throws -> Result
  ) async throws -> Result {
    try await writeSuspending(origin, nil, body)
  }

  /// The same for a body without a result. Its last line may be any call, such as a deletion.
  public nonisolated(nonsending) func write(
    origin: String? = nil, _ body: (inout WriteTransaction) throws -> Void
  ) async throws {
    try await writeSuspending(origin, nil, body)
  }

  nonisolated(nonsending) func writeSuspending<Result>(
    _ origin: String?, _ reservation: WriteReservation?, onCommit: (Version?) -> Void = { _ in },
    _ body: (inout WriteTransaction) throws -> Result
  ) async throws -> Result {
    let isolation = #isolation
    let (result, writer) = try await withWriteLock {
      let writer = engine.models.writer(isolation)
      return (try commit(origin, writer, reservation, onCommit: onCommit, body), writer)
    }
    if let writer { engine.models.update(on: writer) }
    return result
  }

  /// Runs a body under the write lock, suspending until earlier writers are done.
  nonisolated(nonsending) func withWriteLock<Result>(_ body: () throws -> Result) async throws -> Result {
    var ticket: UInt64?
    try Task.checkCancellation()
    while true {
      switch writeLock.claim(ticket) {
      case .claimed:
        defer { writeLock.release() }
        return try body()
      case .nested:
        throw Self.nestedWriteError()
      case .wait(let newTicket):
        ticket = newTicket
        try await writeLock.wait(newTicket)
      }
    }
  }

  /// Runs the body and publishes its result. The caller holds the write lock.
  ///
  /// - Parameters:
  ///   - writer: the caller's actor, if it has models.
  ///   - onCommit: called after the commit with the version that it made; nil if nothing differs.
  func commit<Result>(
    _ origin: String?, _ writer: (any Actor)?, _ reservation: WriteReservation? = nil,
    onCommit: (Version?) -> Void = { _ in }, _ body: (inout WriteTransaction) throws -> Result
  ) throws -> Result {
    let state = try makeTransaction(reservation)
    var transaction = WriteTransaction(state: state)
    let result = try body(&transaction)
    try transaction.check(isOf: state)
    try publish(state, origin, writer)
    onCommit(state.isCommitted ? state.version : nil)
    return result
  }

  /// A transaction on the newest state.
  ///
  /// - Throws: `closed`; `readOnly`; `differentStores` if the reservation is of another store.
  func makeTransaction(
    _ reservation: WriteReservation? = nil, trace: TransactionTrace? = nil
  ) throws(StoreError) -> TransactionState {
    let (state, reserved, isReadOnly) = core.withLock {
      ($0.isClosed ? nil : $0.current, $0.reservedTables, $0.isReadOnly)
    }
    guard let state else { throw StoreError.storeClosed() }
    if isReadOnly {
      throw StoreError(
        StoreError.readOnly,
        "The store is that of a file which is only read, so its versions are made elsewhere. Write to a copy: Store(copying: store.snapshot())."
      )
    }
    if let reservation, reservation.writeLock != ObjectIdentifier(writeLock) {
      throw StoreError(StoreError.differentStores, "The reservation was made by another store.")
    }
    let reservations = TableReservations(tables: reserved, held: reservation?.tables ?? [])
    let transaction = TransactionState(state, reservations, trace: trace)
    if engine.isRecording { transaction.start = engine.time }
    return transaction
  }

  /// The newest state.
  ///
  /// - Throws: `closed`.
  func openState() throws(StoreError) -> StoreState {
    let state = core.withLock { $0.isClosed ? nil : $0.current }
    guard let state else { throw StoreError.storeClosed() }
    return state
  }

  /// Publishes the result of a transaction as the newest state. The caller holds the write lock.
  func publish(_ state: TransactionState, _ origin: String?, _ writer: (any Actor)?) throws {
    let writer = writer.map { ObjectIdentifier($0) }
    let body = state.start.map { (start: $0, end: engine.time) }
    if let record = try state.finish(origin: origin, writer: writer, pins: pins) {
      try publish(record, body)
      state.isCommitted = record.version == state.version
    }
    state.onCommit?()
  }

  /// - Parameter body: when the body ran, if times are recorded.
  private func publish(_ record: CommitRecord, _ body: (start: RecordedTime, end: RecordedTime)?) throws {
    var recorders: [ObjectIdentifier: @Sendable (CommitRecord) -> Void] = [:]
    let freed = try core.withLock { core -> (oldest: CommitRecord?, others: [CommitRecord]) in
      if core.isClosed { throw StoreError.storeClosed() }
      core.current = record.after
      // Perhaps only ignored properties differ.
      if record.version == record.before.version { return (nil, []) }
      record.before.supersede(byRows: record.rowCount)
      core.commits += 1
      core.rowsWritten += record.rowCount
      recorders = core.recorders
      return core.history.append(record)
    }
    if let body, record.version != record.before.version { engine.record(record, body) }
    for recorder in recorders.values { recorder(record) }
    engine.recordCommit(record)
    withExtendedLifetime(freed) {}
  }

  static func nestedWriteError() -> StoreError {
    StoreError(
      StoreError.nestedWrite,
      "A write was started inside a write of the same store. Use the transaction that is passed to the body.")
  }
}
