extension WriteTransaction {
  /// Undoes recorded edits, object by object, in a transaction that has written nothing else.
  ///
  /// In an edited object, the properties that the edit changed get their old values; other properties stay as they
  /// are. An object stays unchanged when other writers changed one of those properties. An inserted object stays when
  /// other writers edited it or link to it. Only the rows of these objects are written: no delete rule runs.
  /// - Complexity: O(*k* log *n*) for *k* objects and the links that lead to the deleted ones.
  package func undo(_ edits: RecordedEdits) -> UndoOutcome {
    precondition(state.trace == nil, "an optimistic transaction cannot undo: what it undoes is not traced")
    return state.undo(edits.edits)
  }

  /// Calls a closure when the transaction has committed or turned out to write nothing, before another writer writes.
  package func onCommit(_ body: @escaping () -> Void) { state.onCommit = body }
}
