/// An object whose edit was not undone.
package struct ConflictingEdit: Sendable {
  package enum Reason: Sendable {
    case changed
    case deleted
    case idTaken
    case linked
  }

  package let entity: String
  package let id: String
  package let reason: Reason

  init(_ edit: RecordedEdit, _ info: EntityInfo, _ reason: Reason) {
    entity = info.name
    id = edit.either?.withPointer(info.ids.text) ?? ""
    self.reason = reason
  }
}
