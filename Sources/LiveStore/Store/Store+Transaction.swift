extension Store {
  /// Runs an optimistic transaction. The body reads a snapshot, may await and blocks no writer. Its writes are
  /// committed only if nothing that it read has changed in the meantime.
  ///
  /// ```swift
  /// try await store.transaction { tx in
  ///   guard let order = tx[Order.self, id] else { return }
  ///   let price = try await prices.price(of: order.product)
  ///   try tx.update(Order.self, id) { $0.price = price }
  /// }
  /// ```
  /// Reads are the objects asked for, existing or not, and the results of queries, predicates included. So
  /// transactions are serializable, each as if it had run alone at its commit; one that writes nothing, at its
  /// snapshot. Reads outside the transaction do not count, such as from `store.snapshot()` or from the `snapshot` of
  /// results. On a conflict the body runs again on a new snapshot, so it must have no other effects that may not be
  /// repeated. Only the commit waits for the write lock, in the queue of writers. Short writes to other objects never
  /// prevent it from committing. When the call returns, the models of the caller's actor show what was written.
  ///
  /// Transactions that conflict over one object, or over one query, run again one after another. A
  /// transaction that was refused waits in their queue and then runs again; other transactions that have
  /// written the same object wait with their commits until it is done. So each of many that edit one object
  /// runs twice, however many they are. The cost: a transaction may wait for the transactions before it, for
  /// each at most twice as long as its own body takes and 10 ms more, and then continues in any case. A
  /// `write` waits for no body. Where others write an object more often than the body takes, edit it with
  /// `write`, or use ``transaction(until:origin:_:)``.
  ///
  /// Reads of ignored properties do not count either, but no write to one is lost. If the transaction replaces an
  /// object, ignored properties that it did not set keep what other writers wrote in the meantime. If both set the
  /// same ignored property, that is a conflict. An ignored property that is no `var` cannot be merged: a write by
  /// another writer is a conflict.
  ///
  /// - Parameters:
  ///   - retries: how often the body runs again after conflicts, at most.
  ///   - origin: a name for the writer; observers can exclude commits by it.
  ///   - body: what to read and write; runs one or several times, on the caller's isolation.
  /// - Returns: what the body returned the last time.
  /// - Throws: `conflict`, which names what changed, when the retries are used up; `closed`; the errors of a commit;
  ///   `CancellationError` when the task is cancelled; and whatever the body throws, unchanged and without a retry.
  /// - Complexity: of the commit, if others committed in the meantime, that of repeating the body's reads and writes,
  ///   except queries none of whose tables differ.
  @discardableResult
  public nonisolated(nonsending) func transaction<Result>(
    retries: Int = 5, origin: String? = nil, _ body: (inout WriteTransaction) async throws -> Result
  ) async throws -> Result {
    try await transaction(retries: retries, until: nil, origin, body)
  }

  /// Runs an optimistic transaction, again and again until it has no conflict or a deadline has passed.
  ///
  /// ```swift
  /// try await store.transaction(until: .now + .seconds(2)) { tx in
  ///   try tx.update(Account.self, id) { $0.balance -= try await fees.fee(for: $0) }
  /// }
  /// ```
  /// As the form with a number of retries, in all else. The deadline decides whether the body runs once more: a body that
  /// runs when it passes is not interrupted, and is committed if nothing conflicts.
  /// - Parameters:
  ///   - deadline: when no more run is begun. The first is begun in any case.
  ///   - origin: a name for the writer; observers can exclude commits by it.
  ///   - body: what to read and write; runs one or several times, on the caller's isolation.
  /// - Returns: what the body returned the last time.
  /// - Throws: `conflict`, which names what changed, when the deadline has passed; otherwise as the form with a number of
  ///   retries.
  /// - Complexity: as the form with a number of retries.
  @discardableResult
  public nonisolated(nonsending) func transaction<Result>(
    until deadline: ContinuousClock.Instant, origin: String? = nil,
    _ body: (inout WriteTransaction) async throws -> Result
  ) async throws -> Result {
    try await transaction(retries: .max, until: deadline, origin, body)
  }

  private nonisolated(nonsending) func transaction<Result>(
    retries: Int, until deadline: ContinuousClock.Instant?, _ origin: String?,
    _ body: (inout WriteTransaction) async throws -> Result
  ) async throws -> Result {
    let clock = ContinuousClock()
    var (position, conflicts): (RetryQueue.Position?, Int) = (nil, 0)
    defer { if let position { retryQueue.leave(position) } }
    while true {
      try Task.checkCancellation()
      let start = clock.now
      let state = try makeTransaction(trace: TransactionTrace())
      var transaction = WriteTransaction(state: state)
      let result = try await body(&transaction)
      try transaction.check(isOf: state)
      if state.trace?.hasWrites != true { return result }
      let duration = clock.now - start
      var attempt = try await commit(state, origin, position, yields: true)
      if case .behind(let contended) = attempt {
        // Other transactions depend on what it has written, and were refused before.
        position = retryQueue.enter(contended, leaving: position)
        await wait(position, for: duration, until: deadline)
        attempt = try await commit(state, origin, position, yields: false)
      }
      guard case .refused(let error, let contended) = attempt else { return result }
      if conflicts == retries { throw error }
      conflicts += 1
      position = retryQueue.enter(contended, leaving: position)
      await wait(position, for: duration, until: deadline)
      if let deadline, clock.now >= deadline { throw error }
    }
  }

  /// The outcome of an attempt to commit a transaction.
  private enum CommitAttempt {
    case committed
    /// Another transaction depends on what it has written, and runs again or waits to.
    case behind(RetryQueue.Contended)
    case refused(StoreError, RetryQueue.Contended)
  }

  /// Waits in a queue, for a limited time.
  ///
  /// - Parameter duration: how long the transaction's body took.
  private nonisolated(nonsending) func wait(
    _ position: RetryQueue.Position?, for duration: Duration, until deadline: ContinuousClock.Instant?
  ) async {
    guard let position else { return }
    // A simulation runs every body to its end, and is repeated step by step.
    if engine.executor != nil { return await retryQueue.wait(position, until: nil) }
    let others = retryQueue.countBefore(position)
    let limit = ContinuousClock.now + (duration * 2 + RetryQueue.minimumLimit) * max(1, others)
    await retryQueue.wait(position, until: deadline.map { min($0, limit) } ?? limit)
  }

  /// Commits a transaction on a state that may have been superseded.
  ///
  /// - Parameters:
  ///   - position: the transaction's own in a queue of those that were refused.
  ///   - yields: whether it waits behind another transaction that depends on what it has written.
  private nonisolated(nonsending) func commit(
    _ state: TransactionState, _ origin: String?, _ position: RetryQueue.Position?, yields: Bool
  ) async throws -> CommitAttempt {
    let isolation = #isolation
    let (attempt, writer) = try await withWriteLock { () throws -> (CommitAttempt, (any Actor)?) in
      if yields, let contended = retryQueue.queue(before: position, whoseObject: state.hasWritten) {
        return (.behind(contended), nil)
      }
      let writer = engine.models.writer(isolation)
      let newest = try makeTransaction()
      if newest.base === state.base {
        try publish(state, origin, writer)
        return (.committed, writer)
      }
      let replayed: TransactionState
      do throws(StoreError) {
        replayed = try state.replayed(on: newest)
      } catch {
        guard error.code == StoreError.conflict else { throw error }
        return (.refused(error, newest.contended ?? .store), nil)
      }
      try publish(replayed, origin, writer)
      return (.committed, writer)
    }
    if let writer { engine.models.update(on: writer) }
    return attempt
  }
}
