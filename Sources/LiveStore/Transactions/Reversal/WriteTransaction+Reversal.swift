extension WriteTransaction {
  /// Takes back what commits did, object by object, in a transaction that has written nothing else.
  ///
  /// An edited object gets back the properties that they changed, and keeps what others changed. One of which others
  /// have changed such a property stays as it is; so does one that they inserted and that others have edited or link to.
  /// Nothing is written but the rows of these objects: no delete rule runs.
  /// - Complexity: O(*k* log *n*) for *k* objects and the links that lead to those deleted.
  package func takeBack(_ edits: KeptEdits) -> Reversal {
    precondition(state.trace == nil, "an optimistic transaction cannot undo: what it undoes is not traced")
    return state.takeBack(edits.edits)
  }

  /// Has a closure called when the transaction is kept, or has come to nothing, before another writer writes.
  package func whenKept(_ body: @escaping () -> Void) { state.whenKept = body }
}

/// What came of taking something back.
package struct Reversal: Sendable {
  /// What was written; taking this back does what was done once more.
  package let edits: KeptEdits
  /// The objects that stayed as they are.
  package let obstacles: [Obstacle]
}

/// An object that was not taken back.
package struct Obstacle: Sendable {
  package enum Reason: Sendable {
    case changed
    case gone
    case idTaken
    case linked
  }

  package let entity: String
  package let id: String
  package let reason: Reason

  init(_ edit: KeptEdit, _ info: EntityInfo, _ reason: Reason) {
    entity = info.name
    id = edit.either?.withPointer(info.ids.text) ?? ""
    self.reason = reason
  }
}
