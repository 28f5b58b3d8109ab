public import LiveStore

/// What an undo or a redo did.
public struct UndoReport: Sendable, CustomStringConvertible {
  /// The name of the step, if it has one.
  public let name: String?
  /// The version it made; nil when no object could be taken back.
  public let version: Version?
  /// How many objects it took back.
  public let objectCount: Int
  /// The objects it left as they are, because others have written since.
  public let conflicts: [UndoConflict]

  /// The name, the number of objects, and the conflicts.
  public var description: String {
    let objects = objectCount == 1 ? "1 object" : "\(objectCount) objects"
    let text = "\(name ?? "a step without a name"): \(objects) taken back"
    return conflicts.isEmpty ? text : "\(text); \(conflicts.map(\.description).joined(separator: " "))"
  }
}

/// An object that an undo or a redo left as it is, and why.
public struct UndoConflict: Sendable, Hashable, CustomStringConvertible {
  /// Why an object was left as it is.
  public enum Reason: Sendable, Hashable {
    /// Others have since changed a property that the step had edited, or an object that it had inserted; or they have
    /// deleted the object and inserted it again.
    case changed
    /// Others have deleted it since.
    case gone
    /// It was to come back, and others have inserted one of its id.
    case idTaken
    /// It was to go, and something that stays links to it.
    case linked
  }

  /// The entity's name.
  public let entity: String
  /// The object's id as text.
  public let id: String
  /// Why it was left.
  public let reason: Reason

  init(_ obstacle: Obstacle) {
    entity = obstacle.entity
    id = obstacle.id
    reason =
      switch obstacle.reason {
      case .changed: .changed
      case .gone: .gone
      case .idTaken: .idTaken
      case .linked: .linked
      }
  }

  /// A sentence for logs.
  public var description: String {
    switch reason {
    case .changed: "\(entity) \(id) was changed since."
    case .gone: "\(entity) \(id) was deleted since."
    case .idTaken: "\(entity) \(id) was inserted by others since."
    case .linked: "\(entity) \(id) is still linked to."
    }
  }
}
