import LiveStore

extension UndoStack {
  /// Undoes the newest step in one commit; for synchronous code, where it waits for earlier writers.
  ///
  /// Ends all open groups.
  /// - Parameter isolation: the caller's actor; leave it out.
  /// - Returns: what was undone and what was not; nil when there is no step.
  /// - Throws: the errors of a write at commit, such as `uniqueViolation`, `missingLinkTarget` and
  ///   `requiredLinkEmpty`, when the old objects are no longer valid beside what other writers wrote. Then nothing
  ///   changes, and the step stays until it succeeds or ``forgetUndo()`` is called. `nestedWrite` inside a body of
  ///   the same store; `closed`.
  /// - Complexity: O(*k* log *n*) for a step of *k* objects.
  @discardableResult
  public func undo(isolation: isolated (any Actor)? = #isolation) throws -> UndoReport? {
    let report = try store.write(origin: undoOrigin, on: isolation) { tx in apply(.undo, tx) }
    announce()
    return report
  }

  /// Undoes the newest step in one commit, suspending until earlier writers are done.
  ///
  /// - Returns: what was undone and what was not; nil when there is no step.
  /// - Throws: as the blocking form; `CancellationError` when the task is cancelled while it waits for the write
  ///   lock.
  @discardableResult
  public nonisolated(nonsending) func undo() async throws -> UndoReport? {
    let report = try await store.write(origin: undoOrigin) { tx in apply(.undo, tx) }
    announce()
    return report
  }

  /// Redoes what the last undo undid, in one commit; for synchronous code.
  ///
  /// Objects that the undo left unchanged stay unchanged. Ends all open groups.
  /// - Parameter isolation: the caller's actor; leave it out.
  /// - Returns: what was redone and what was not; nil when there is nothing to redo.
  /// - Throws: as `undo()`; then nothing changes, and the step stays.
  /// - Complexity: O(*k* log *n*) for a step of *k* objects.
  @discardableResult
  public func redo(isolation: isolated (any Actor)? = #isolation) throws -> UndoReport? {
    let report = try store.write(origin: undoOrigin, on: isolation) { tx in apply(.redo, tx) }
    announce()
    return report
  }

  /// Redoes what the last undo undid, in one commit, suspending until earlier writers are done.
  ///
  /// - Returns: what was redone and what was not; nil when there is nothing to redo.
  /// - Throws: as the blocking form; `CancellationError` when the task is cancelled while it waits for the write
  ///   lock.
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
  /// Makes one step of everything that the origin writes while a closure runs, also in other places.
  ///
  /// ```swift
  /// try undoStack.group("Rename Note") {
  ///   try store.write(origin: "ui") { tx in try tx.update(Note.self, id) { $0.title = title } }
  /// }
  /// ```
  /// Nested groups are part of the outermost one; the first name given is the step's. A group that writes nothing, or
  /// only what it undoes itself, makes no step.
  /// - Parameters:
  ///   - name: the name of the step.
  ///   - body: the code of the group. If it throws, the group ends with what was written so far.
  /// - Throws: whatever the body throws.
  public func group<Result, Failure: Error>(
    _ name: String? = nil, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let era = begin(name)
    defer { end(era) }
    return try body()
  }

  /// Makes one step of everything that the origin writes while an asynchronous closure runs, also in other places.
  ///
  /// - Parameters:
  ///   - name: the name of the step.
  ///   - body: the code of the group. If it throws, the group ends with what was written so far.
  /// - Throws: whatever the body throws.
  public nonisolated(nonsending) func group<Result, Failure: Error>(
    _ name: String? = nil, _ body: nonisolated(nonsending) () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let era = begin(name)
    defer { end(era) }
    return try await body()
  }

  /// Makes one step of everything that the origin writes until ``endGroup()``; for a start and an end in different
  /// places, as with a drag.
  ///
  /// - Parameter name: the name of the step.
  public func beginGroup(_ name: String? = nil) { _ = begin(name) }

  /// Ends the group begun last; without an open group, as after an undo, it does nothing.
  public func endGroup() { end(nil) }

  private func begin(_ name: String?) -> UInt64 {
    var era: UInt64 = 0
    change { steps in
      era = steps.groupEra
      return steps.beginGroup(name)
    }
    return era
  }

  /// Ends a group of an era, or of the current one.
  private func end(_ era: UInt64?) {
    change { steps in
      steps.endGroup(of: era ?? steps.groupEra)
      return []
    }
  }
}
