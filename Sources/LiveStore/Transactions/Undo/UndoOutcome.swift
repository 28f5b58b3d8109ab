/// The outcome of an undo.
package struct UndoOutcome: Sendable {
  /// What was written; undoing these edits redoes the change (U4).
  package let edits: RecordedEdits
  /// The objects that stayed as they are, with the reasons.
  package let conflicts: [ConflictingEdit]
}
