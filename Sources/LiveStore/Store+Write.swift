import Synchronization

extension Store {
  /// Runs a write transaction on this thread, waiting for earlier writers, and commits it.
  ///
  /// ```swift
  /// try store.write { tx in try tx.insert(post) }
  /// ```
  /// For synchronous code; in asynchronous code the same call suspends instead.
  /// - Parameters:
  ///   - origin: a name for who writes, by which observers can leave these commits out.
  ///   - body: what to write. If it throws, nothing is kept.
  /// - Returns: what the body returns.
  /// - Throws: `closed`; `nestedWrite` inside a body of the same store; `uniqueViolation` at commit; and
  ///   whatever the body throws, unchanged.
  @discardableResult
  @available(*, noasync, message: "use 'try await store.write'")
  public func write<Result>(
    origin: String? = nil, _ body: (borrowing WriteTransaction) throws -> Result
  ) throws -> Result {
    guard gate.claimBlocking() else { throw Self.nestedWriteError() }
    defer { gate.release() }
    return try commit(origin, body)
  }

  /// Runs a write transaction where the caller runs, suspending until earlier writers are done.
  ///
  /// ```swift
  /// try await store.write { tx in try tx.insert(post) }
  /// ```
  /// - Parameters:
  ///   - origin: a name for who writes, by which observers can leave these commits out.
  ///   - body: what to write. If it throws, nothing is kept.
  /// - Returns: what the body returns.
  /// - Throws: `CancellationError` when the task is cancelled before its turn; otherwise as the blocking form.
  @discardableResult
  public nonisolated(nonsending) func write<Result>(
    origin: String? = nil, _ body: (borrowing WriteTransaction) throws -> Result
  ) async throws -> Result {
    try await turn { try commit(origin, body) }
  }

  /// Has the writer's turn while it does something, suspending until earlier writers are done.
  nonisolated(nonsending) func turn<Result>(_ body: () throws -> Result) async throws -> Result {
    var ticket: UInt64?
    try Task.checkCancellation()
    while true {
      switch gate.claim(ticket) {
      case .claimed:
        defer { gate.release() }
        return try body()
      case .nested:
        throw Self.nestedWriteError()
      case .wait(let place):
        ticket = place
        try await gate.wait(place)
      }
    }
  }

  /// Runs the body and publishes its result; the turn is the caller's.
  func commit<Result>(
    _ origin: String?, _ body: (borrowing WriteTransaction) throws -> Result
  ) throws -> Result {
    let state = TransactionState(try openState())
    let result = try body(WriteTransaction(state: state))
    try publish(state, origin)
    return result
  }

  /// The newest state.
  ///
  /// - Throws: `closed`.
  func openState() throws(StoreError) -> StoreState {
    let state = core.withLock { $0.isClosed ? nil : $0.current }
    guard let state else { throw Self.closedError() }
    return state
  }

  /// Makes what a transaction did the newest state; the turn is the caller's.
  func publish(_ state: TransactionState, _ origin: String?) throws {
    switch try state.finish(origin: origin, pins: pins) {
    case .nothing: break
    case .ignored(let state):
      core.withLock { $0.current = state }
      engine.noteIgnored(state)
    case .commit(let record): try publish(record)
    }
    state.whenKept?()
  }

  private func publish(_ record: CommitRecord) throws {
    let (freed, recorders) = try core.withLock { core in
      if core.isClosed { throw Self.closedError() }
      core.current = record.after
      record.before.supersede(byRows: record.rowCount)
      core.commits += 1
      core.rowsWritten += record.rowCount
      return (core.history.append(record), core.recorders)
    }
    for note in recorders.values { note(record) }
    engine.noteCommit(record)
    withExtendedLifetime(freed) {}
  }

  static func nestedWriteError() -> StoreError {
    StoreError(
      StoreError.nestedWrite,
      "A write was started inside a write of the same store. Use the transaction you have, or its savepoint.")
  }
}
