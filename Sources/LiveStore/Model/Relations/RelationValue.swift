/// The value of a relation's property: `Ref`, an optional `Ref`, ``RefList``, ``RefSet`` or ``RefMap``.
///
/// The library provides all conforming types. Do not declare others.
public protocol RelationValue<Target>: Equatable, Sendable {
  /// The entity referred to.
  associatedtype Target: Entity

  /// How many objects a value of this type names.
  @_documentation(visibility: internal)
  static var cardinality: RelationCardinality { get }

  /// Calls `body` with every reference, in order if there is one.
  @_documentation(visibility: internal)
  func forEachReference(_ body: (Ref<Target>) -> Void)

  /// The value without some of its references; unchanged if it always names an object.
  @_documentation(visibility: internal)
  func removing(where isGone: (Ref<Target>) -> Bool) -> Self

  /// The value that names this one object; nil for types that name several.
  @_documentation(visibility: internal)
  static func only(_ reference: Ref<Target>) -> Self?
}

extension RelationValue {
  /// Any number, unless the type says otherwise.
  @_documentation(visibility: internal)
  public static var cardinality: RelationCardinality { .many }
  /// Nil, unless the type says otherwise.
  @_documentation(visibility: internal)
  public static func only(_ reference: Ref<Target>) -> Self? { nil }
}

/// A relation's value whose entries keep an identity through edits.
protocol EntryKeeping: RelationValue {
  /// The value with the identities of an older one's entries wherever they are the same; nil when it has them
  /// already.
  func aligned(with older: Self) -> Self?
}

extension Ref: RelationValue {
  /// A required reference always names an object.
  @_documentation(visibility: internal)
  public static var cardinality: RelationCardinality { .one }
  /// Calls `body` with this reference.
  @_documentation(visibility: internal)
  public func forEachReference(_ body: (Ref<Target>) -> Void) { body(self) }
  /// Unchanged: a required reference cannot be empty.
  @_documentation(visibility: internal)
  public func removing(where isGone: (Ref<Target>) -> Bool) -> Ref { self }
  /// The reference itself.
  @_documentation(visibility: internal)
  public static func only(_ reference: Ref<Target>) -> Ref? { reference }
}

extension Optional: RelationValue where Wrapped: RelationValue {
  /// The entity referred to.
  public typealias Target = Wrapped.Target
  /// None or one for an optional reference.
  @_documentation(visibility: internal)
  public static var cardinality: RelationCardinality {
    Wrapped.cardinality == .one ? .noneOrOne : Wrapped.cardinality
  }
  /// Calls `body` with the references of the value, if there is one.
  @_documentation(visibility: internal)
  public func forEachReference(_ body: (Ref<Wrapped.Target>) -> Void) { self?.forEachReference(body) }
  /// Nil if a single reference is removed.
  @_documentation(visibility: internal)
  public func removing(where isGone: (Ref<Wrapped.Target>) -> Bool) -> Wrapped? {
    guard let value = self else { return nil }
    if Wrapped.cardinality != .one { return value.removing(where: isGone) }
    var isEmpty = false
    value.forEachReference { isEmpty = isGone($0) }
    return isEmpty ? nil : value
  }
  /// The reference, for a value that is a single one.
  @_documentation(visibility: internal)
  public static func only(_ reference: Ref<Wrapped.Target>) -> Wrapped?? {
    Wrapped.only(reference).map(Optional.some)
  }
}

extension Optional: EntryKeeping where Wrapped: EntryKeeping {
  func aligned(with older: Wrapped?) -> Wrapped?? {
    guard let self, let older else { return nil }
    return self.aligned(with: older).map(Optional.some)
  }
}

/// How many objects a relation's value names.
@_documentation(visibility: internal)
public enum RelationCardinality: Sendable, Hashable {
  /// Always one.
  case one
  /// None or one.
  case noneOrOne
  /// Any number.
  case many
}

/// What happens to the object that holds a link when the object it leads to is deleted.
public enum DeleteRule: String, Sendable, Hashable {
  /// The link is removed: a reference becomes nil; lists, sets and maps lose the entry.
  case nullify
  /// The object that holds the link is deleted, too. Only for links to one object: on a list, set or map it is
  /// `invalidSchema`, as it would delete the object with any one of its targets. To delete the targets with the
  /// object that lists them, use ``RelationOption/owned``.
  case cascade
  /// The deletion is an error, unless the link is removed by the end of the transaction.
  case restrict
}

/// Further properties of a relation's links.
public enum RelationOption: Sendable, Hashable {
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
  case owned
}
