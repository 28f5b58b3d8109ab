/// What a relation's property holds: `Ref`, an optional `Ref`, ``RefList``, ``RefSet`` or ``RefMap``.
///
/// These are all; you do not make your own.
public protocol RelationValue<Target>: Equatable, Sendable {
  /// The entity referred to.
  associatedtype Target: Entity

  /// How many objects this kind of value names.
  static var cardinality: RelationCardinality { get }

  /// Calls `body` with every reference, in order where there is one.
  func forEachReference(_ body: (Ref<Target>) -> Void)

  /// The value without some of its references; itself where it always names an object.
  func removing(where isGone: (Ref<Target>) -> Bool) -> Self

  /// The value that names this one object; nil for kinds that name several.
  static func only(_ reference: Ref<Target>) -> Self?
}

extension RelationValue {
  /// Any number, unless the kind says otherwise.
  public static var cardinality: RelationCardinality { .many }
  /// Nil, unless the kind says otherwise.
  public static func only(_ reference: Ref<Target>) -> Self? { nil }
}

/// A relation's value whose entries have an identity that outlives an edit.
protocol EntryKeeping: RelationValue {
  /// The value with its entries known as those of an older one wherever they are the same; nil when they are
  /// already.
  func aligned(with older: Self) -> Self?
}

extension Ref: RelationValue {
  /// A required reference always names an object.
  public static var cardinality: RelationCardinality { .one }
  /// Calls `body` with this reference.
  public func forEachReference(_ body: (Ref<Target>) -> Void) { body(self) }
  /// Itself: a required reference cannot be empty.
  public func removing(where isGone: (Ref<Target>) -> Bool) -> Ref { self }
  /// The reference itself.
  public static func only(_ reference: Ref<Target>) -> Ref? { reference }
}

extension Optional: RelationValue where Wrapped: RelationValue {
  /// The entity referred to.
  public typealias Target = Wrapped.Target
  /// None or one for an optional reference.
  public static var cardinality: RelationCardinality {
    Wrapped.cardinality == .one ? .noneOrOne : Wrapped.cardinality
  }
  /// Calls `body` with the references of the value, if there is one.
  public func forEachReference(_ body: (Ref<Wrapped.Target>) -> Void) { self?.forEachReference(body) }
  /// Nil where a single reference is taken away.
  public func removing(where isGone: (Ref<Wrapped.Target>) -> Bool) -> Wrapped? {
    guard let value = self else { return nil }
    if Wrapped.cardinality != .one { return value.removing(where: isGone) }
    var isEmpty = false
    value.forEachReference { isEmpty = isGone($0) }
    return isEmpty ? nil : value
  }
  /// The reference, where the value is a single one.
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
  /// The link is taken away: a reference becomes nil; lists, sets and maps lose the entry.
  case nullify
  /// The object that holds the link is deleted, too. For links to one object alone: on a list, set or map it is
  /// `invalidSchema`, as it would delete an object with any one of those that it lists. To delete these with the
  /// object that lists them, choose ``RelationOption/owned``.
  case cascade
  /// The deletion is an error, unless the link is gone by the end of the transaction.
  case restrict
}

/// What else holds of a relation's links.
public enum RelationOption: Sendable, Hashable {
  /// The objects that it links to are deleted with the object that holds the links.
  ///
  /// ```swift
  /// Relation(\.subtasks, .owned)             // a task's subtasks go with it, and theirs with them
  /// Relation(\.detail, .owned)               // also for a single reference
  /// ```
  /// Their deletion is like any other: what links to them loses the link, goes with them, or forbids it, by its own
  /// rule. An object that two others own goes with the first of them that is deleted, as in SwiftData; where the
  /// second should keep it, declare its relation `onDelete: .restrict`, and the deletion is refused. Taking a link
  /// away deletes nothing, nor does deleting what is owned delete its owner.
  case owned
}
