import LiveStore

/// The edits that one undo reverts.
struct UndoStep: Sendable {
  let number: UInt64
  var name: String?
  var edits: RecordedEdits
}
