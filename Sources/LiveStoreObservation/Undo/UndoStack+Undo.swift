import LiveStore

extension UndoStack {
  /// Takes back the newest step, in one commit; for synchronous code, where it waits for earlier writers.
  ///
  /// Ends all open groups.
  /// - Parameter isolation: the caller's actor; not to be given.
  /// - Returns: what was taken back and what was not; nil when there is no step.
  /// - Throws: what a write throws at commit, as `uniqueViolation`, `missingLinkTarget` and `requiredLinkEmpty`, when
  ///   the objects as they were no longer go with what others wrote: then nothing changes, and the step stays until it
  ///   goes through, or ``forgetUndo()`` is called. `nestedWrite` inside a body of the same store; `closed`.
  /// - Complexity: O(*k* log *n*) for a step of *k* objects.
  @discardableResult
  public func undo(isolation: isolated (any Actor)? = #isolation) throws -> UndoReport? {
    let report = try store.write(origin: undoOrigin, on: isolation) { tx in apply(.undo, tx) }
    announce()
    return report
  }

  /// Takes back the newest step, in one commit, suspending until earlier writers are done.
  ///
  /// - Returns: what was taken back and what was not; nil when there is no step.
  /// - Throws: as the blocking form; `CancellationError` when the task is cancelled before its turn.
  @discardableResult
  public nonisolated(nonsending) func undo() async throws -> UndoReport? {
    let report = try await store.write(origin: undoOrigin) { tx in apply(.undo, tx) }
    announce()
    return report
  }

  /// Does once more what the last undo took back, in one commit; for synchronous code.
  ///
  /// Objects that the undo had left as they were are left so. Ends all open groups.
  /// - Parameter isolation: the caller's actor; not to be given.
  /// - Returns: what was done and what was not; nil when there is nothing to redo.
  /// - Throws: as undoing; then nothing changes, and the step stays.
  /// - Complexity: O(*k* log *n*) for a step of *k* objects.
  @discardableResult
  public func redo(isolation: isolated (any Actor)? = #isolation) throws -> UndoReport? {
    let report = try store.write(origin: undoOrigin, on: isolation) { tx in apply(.redo, tx) }
    announce()
    return report
  }

  /// Does once more what the last undo took back, in one commit, suspending until earlier writers are done.
  ///
  /// - Returns: what was done and what was not; nil when there is nothing to redo.
  /// - Throws: as the blocking form; `CancellationError` when the task is cancelled before its turn.
  @discardableResult
  public nonisolated(nonsending) func redo() async throws -> UndoReport? {
    let report = try await store.write(origin: undoOrigin) { tx in apply(.redo, tx) }
    announce()
    return report
  }

  private func apply(_ direction: UndoSteps.Direction, _ tx: borrowing WriteTransaction) -> UndoReport? {
    guard let step = begin(direction) else { return nil }
    let outcome = tx.undo(step.edits)
    tx.onCommit { self.change { $0.finish(step, direction, outcome.edits) } }
    return UndoReport(
      name: step.name, version: outcome.edits.count > 0 ? tx.version : nil,
      objectCount: outcome.edits.count, conflicts: outcome.conflicts.map(UndoConflict.init))
  }
}

// MARK: Groups

extension UndoStack {
  /// Makes one step of all that the origin writes while a closure runs, also from elsewhere.
  ///
  /// ```swift
  /// try undoStack.group("Rename Note") {
  ///   try store.write(origin: "ui") { tx in try tx.update(Note.self, id) { $0.title = title } }
  /// }
  /// ```
  /// Groups within groups belong to the outermost; the first name given is the step's. A group that wrote nothing,
  /// or nothing but what it took back itself, makes no step.
  /// - Parameters:
  ///   - name: what the step is called.
  ///   - body: what to do. If it throws, the group ends with what was written so far.
  /// - Throws: what the body throws.
  public func group<Result, Failure: Error>(
    _ name: String? = nil, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let era = begin(name)
    defer { end(era) }
    return try body()
  }

  /// Makes one step of all that the origin writes while an asynchronous closure runs, also from elsewhere.
  ///
  /// - Parameters:
  ///   - name: what the step is called.
  ///   - body: what to do. If it throws, the group ends with what was written so far.
  /// - Throws: what the body throws.
  public nonisolated(nonsending) func group<Result, Failure: Error>(
    _ name: String? = nil, _ body: nonisolated(nonsending) () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let era = begin(name)
    defer { end(era) }
    return try await body()
  }

  /// Makes one step of all that the origin writes until ``endGroup()``; for what begins and ends in different
  /// places, as a drag does.
  ///
  /// - Parameter name: what the step is called.
  public func beginGroup(_ name: String? = nil) { _ = begin(name) }

  /// Ends the group begun last; without one, as after an undo, it does nothing.
  public func endGroup() { end(nil) }

  private func begin(_ name: String?) -> UInt64 {
    var era: UInt64 = 0
    change { steps in
      era = steps.groupEra
      return steps.beginGroup(name)
    }
    return era
  }

  /// Ends a group of an era, or of the present one.
  private func end(_ era: UInt64?) {
    change { steps in
      steps.endGroup(of: era ?? steps.groupEra)
      return []
    }
  }
}
