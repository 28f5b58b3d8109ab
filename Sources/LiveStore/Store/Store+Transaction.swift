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
    let isolation = #isolation
    var conflicts = 0
    while true {
      try Task.checkCancellation()
      let trace = TransactionTrace()
      let state = try makeTransaction(trace: trace)
      var transaction = WriteTransaction(state: state)
      let result = try await body(&transaction)
      try transaction.check(isOf: state)
      if !trace.hasWrites { return result }
      do {
        let writer = try await withWriteLock {
          let writer = engine.models.writer(isolation)
          try commit(state, origin, writer)
          return writer
        }
        if let writer { engine.models.update(on: writer) }
        return result
      } catch let error as StoreError where error.code == StoreError.conflict && conflicts < retries {
        conflicts += 1
      }
    }
  }

  /// Commits a transaction on a state that may have been superseded.
  private func commit(_ state: TransactionState, _ origin: String?, _ writer: (any Actor)?) throws {
    let newest = try makeTransaction()
    try publish(newest.base === state.base ? state : state.replayed(on: newest), origin, writer)
  }
}
