/// A recorded change of one object. It holds copies, not versions.
package struct RecordedEdit: Sendable {
  package let table: Int
  /// The object before; nil when it did not exist.
  package var before: RecordedRow?
  /// The object after; nil when it was deleted.
  package var after: RecordedRow?

  /// The object on a side on which it exists.
  var either: RecordedRow? { after ?? before }

  /// The edit that undoes this one.
  package var inverse: RecordedEdit { RecordedEdit(table: table, before: after, after: before) }
}

extension EntityInfo {
  /// An object as it is now, with an edit undone.
  ///
  /// - Returns: nil when the edit is an insertion or deletion, or when undoing it would overwrite what other writers
  ///   wrote.
  func undoing(_ edit: RecordedEdit, from current: RecordedRow?) -> RecordedRow? {
    guard let before = edit.before, let after = edit.after, let current, before.row == after.row,
      current.row == after.row
    else { return nil }
    let object = before.withPointer { before in
      after.withPointer { after in
        current.withPointer { undoing(before: before, after: after, from: $0) }
      }
    }
    return object.map { RecordedRow(current.row, $0) }
  }

  /// Whether an object has the same row and value on both sides, or exists on neither.
  func isUnchanged(_ before: RecordedRow?, _ after: RecordedRow?) -> Bool {
    switch (before, after) {
    case (nil, nil): true
    case (let before?, let after?): after.withPointer { before.isSame(after.row, $0, self) }
    default: false
    }
  }
}
