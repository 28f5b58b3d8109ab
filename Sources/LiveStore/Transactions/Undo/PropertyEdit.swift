/// The edit of one property of one object, where a commit did nothing else.
package struct PropertyEdit: Sendable {
  private let edit: RecordedEdit
  private let property: Int
  private let info: EntityInfo

  init?(_ edit: RecordedEdit, _ info: EntityInfo) {
    guard let before = edit.before, let after = edit.after, before.row == after.row else { return nil }
    let edited = before.withPointer { before in
      after.withPointer { after in
        info.properties.indices.filter { !info.properties[$0].functions.isSame(before, after) }
      }
    }
    guard edited.count == 1 else { return nil }
    self.edit = edit
    self.info = info
    property = edited[0]
  }

  /// Whether a later edit is of the same property of the same object, with no other write to the object in between.
  package func isContinued(by later: PropertyEdit) -> Bool {
    edit.table == later.edit.table && property == later.property
      && info.isUnchanged(edit.after, later.edit.before)
  }
}
