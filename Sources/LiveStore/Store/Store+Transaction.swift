extension Store {
  /// Runs an optimistic transaction: the body reads a snapshot, may await, holds up no writer, and its writes are
  /// committed only if nothing that it read has changed meanwhile.
  ///
  /// ```swift
  /// try await store.transaction { tx in
  ///   guard let order = tx[Order.self, id] else { return }
  ///   let price = try await prices.price(of: order.product)
  ///   try tx.update(Order.self, id) { $0.price = price }
  /// }
  /// ```
  /// What counts as read: objects asked for, also in vain, and what queries found, predicates included. So
  /// transactions are serializable: all is as if each had run alone, at its commit; one that writes nothing, at its
  /// snapshot. When it returns, the models of the caller's actor show what was written. What is read beside the
  /// transaction does not count: from `store.snapshot()` and from the `snapshot` of results. On a conflict the body runs
  /// again on a new snapshot, so it must have no other effects that may not be repeated. For the commit alone it waits
  /// for the write lock in the queue of writers, so short writes without end that do not touch what it reads never keep
  /// it from committing.
  ///
  /// Reading a property that the schema ignores does not count either, but no write to one is lost. Where the
  /// transaction replaces an object and sets no ignored property, or another one, what other writers wrote to them
  /// meanwhile is kept. Where both set the same ignored property, that is a conflict. An ignored property that is no
  /// `var` cannot be kept by itself: a write of another is a conflict.
  ///
  /// - Parameters:
  ///   - retries: how often the body is run again after conflicts, at most.
  ///   - origin: a name for who writes, by which observers can leave these commits out.
  ///   - body: what to read and write; run one or several times, where the caller runs.
  /// - Returns: what the body returned the last time.
  /// - Throws: `conflict`, which names what had changed, when the retries are used up; `closed`; what is judged at
  ///   commit; `CancellationError` when the task is cancelled; and whatever the body throws, unchanged and without
  ///   a retry.
  /// - Complexity: of the commit, when others have committed meanwhile, that of doing again what the body read and
  ///   wrote, but for queries none of whose tables differ.
  @discardableResult
  public nonisolated(nonsending) func transaction<Result>(
    retries: Int = 5, origin: String? = nil, _ body: (inout WriteTransaction) async throws -> Result
  ) async throws -> Result {
    let isolation = #isolation
    var conflicts = 0
    while true {
      try Task.checkCancellation()
      let trace = TransactionTrace()
      let state = TransactionState(try openState(), trace: trace)
      var transaction = WriteTransaction(state: state)
      let result = try await body(&transaction)
      try transaction.check(isOf: state)
      if !trace.hasWrites { return result }
      do {
        let writer = try await withWriteLock {
          let writer = engine.models.writer(isolation)
          try settle(state, origin, writer)
          return writer
        }
        if let writer { engine.models.update(on: writer) }
        return result
      } catch let error as StoreError where error.code == StoreError.conflict && conflicts < retries {
        conflicts += 1
      }
    }
  }

  /// Commits what a transaction did on a state that may have been superseded.
  private func settle(_ state: TransactionState, _ origin: String?, _ writer: (any Actor)?) throws {
    let newest = try openState()
    try publish(newest === state.base ? state : state.again(on: newest), origin, writer)
  }
}
