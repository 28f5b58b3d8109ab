/// The outcome of an undo.
package struct UndoOutcome: Sendable {
  /// The edits that were written; undoing them redoes the change (U4).
  package let edits: RecordedEdits
  /// The objects that stayed as they are, with the reasons.
  package let conflicts: [ConflictingEdit]
}
