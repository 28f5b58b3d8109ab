/// A property that holds links, in a schema, with the rules for deleting the objects at either end.
///
/// ```swift
/// Relation(\.author, onDelete: .nullify)      // when the author is deleted, the post stays
/// Relation(\.blog, onDelete: .cascade)        // when the blog is deleted, the post is, too
/// Relation(\.subtasks, .owned)                // when the task is deleted, its subtasks are, too
/// ```
/// `onDelete:` says what happens to the object that holds the link when its target is deleted; `.owned` says that
/// targets are deleted with the object that holds the link. Without a rule an optional reference becomes nil, a
/// required one restricts, and lists, sets and maps lose the entry. A property of such a type that the schema lists
/// without `Relation` has these rules, too.
public struct Relation<Root>: Sendable {
  let base: any LinkBearing & Sendable
  let definition: LinkDefinition

  /// Declares a property that holds links.
  ///
  /// - Parameters:
  ///   - keyPath: the property; a `var`, unless no link is ever removed from it.
  ///   - options: further properties of the links.
  ///   - onDelete: what happens when a linked object is deleted.
  ///   - isRequired: whether it must hold a link by the end of each transaction.
  public init<Value: RelationValue>(
    _ keyPath: SendableKeyPath<Root, Value>, _ options: RelationOption..., onDelete: DeleteRule? = nil,
    isRequired: Bool = false
  ) {
    self.init(keyPath, name: nil, Set(options), onDelete, isRequired)
  }

  /// Declares a property that holds links, with an explicit name, for a key path that does not give one.
  ///
  /// - Parameters:
  ///   - keyPath: the property; a `var`, unless no link is ever removed from it.
  ///   - name: its name.
  ///   - options: further properties of the links.
  ///   - onDelete: what happens when a linked object is deleted.
  ///   - isRequired: whether it must hold a link by the end of each transaction.
  public init<Value: RelationValue>(
    _ keyPath: SendableKeyPath<Root, Value>, _ name: String, _ options: RelationOption...,
    onDelete: DeleteRule? = nil, isRequired: Bool = false
  ) {
    self.init(keyPath, name: name, Set(options), onDelete, isRequired)
  }

  private init<Value: RelationValue>(
    _ keyPath: SendableKeyPath<Root, Value>, name: String?, _ options: Set<RelationOption>,
    _ rule: DeleteRule?,
    _ isRequired: Bool
  ) {
    base = LinkBase(keyPath: keyPath, name: name)
    definition = LinkDefinition(
      keyPath, name: name, rule: rule, isOwned: options.contains(.owned), isRequired: isRequired)
  }
}

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
