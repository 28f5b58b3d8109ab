/// Further properties of a relation's links.
public struct RelationOption: Sendable, Hashable, CustomStringConvertible {
  /// The option in Swift syntax.
  public let description: String

  /// The linked objects are deleted with the object that holds the links.
  ///
  /// ```swift
  /// Relation(\.subtasks, .owned)             // subtasks are deleted with their task
  /// Relation(\.detail, .owned)               // also for a single reference
  /// ```
  /// Their deletion is like any other: an object that links to one of them loses the link, is deleted, or prevents
  /// the deletion, by its own rule. An object with two owners is deleted with the first of them, as in SwiftData. If
  /// the second should keep it, declare its relation `onDelete: .restrict`, and the deletion is refused. Removing a
  /// link deletes nothing, and deleting an owned object does not delete its owner.
  public static let owned = RelationOption(description: ".owned")
}
