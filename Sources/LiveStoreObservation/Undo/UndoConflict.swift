import LiveStore

/// An object that an undo or a redo left unchanged, and the reason.
public struct UndoConflict: Sendable, Hashable, CustomStringConvertible {
  /// Why an object was left unchanged.
  public enum Reason: Sendable, Hashable {
    /// Other writers have since changed a property that the step edited, or an object that it inserted; or they have
    /// deleted the object and inserted it again.
    case changed
    /// Other writers have deleted it since.
    case deleted
    /// It was to be restored, and other writers have inserted one with its id.
    case idTaken
    /// It was to be deleted, and another object links to it.
    case linked
  }

  /// The entity's name.
  public let entity: String
  /// The object's id as text.
  public let id: String
  /// Why it was left unchanged.
  public let reason: Reason

  init(_ conflict: ConflictingEdit) {
    entity = conflict.entity
    id = conflict.id
    reason =
      switch conflict.reason {
      case .changed: .changed
      case .deleted: .deleted
      case .idTaken: .idTaken
      case .linked: .linked
      }
  }

  /// A sentence for logs.
  public var description: String {
    let id = MessageText.line(id)
    return switch reason {
    case .changed: "\(entity) \(id) was changed since."
    case .deleted: "\(entity) \(id) was deleted since."
    case .idTaken: "\(entity) \(id) was inserted by another writer since."
    case .linked: "Other objects still link to \(entity) \(id)."
    }
  }
}
