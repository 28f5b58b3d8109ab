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

  /// The value without its references to an object; itself where it always names one.
  func removing(_ reference: Ref<Target>) -> Self

  /// The value with its elements known as those of an older one wherever they are the same.
  func aligned(with older: Self) -> Self
}

extension RelationValue {
  /// Any number, unless the kind says otherwise.
  public static var cardinality: RelationCardinality { .many }
  /// Itself, where elements have no identity of their own.
  public func aligned(with older: Self) -> Self { self }
}

extension Ref: RelationValue {
  /// A required reference always names an object.
  public static var cardinality: RelationCardinality { .one }
  /// Calls `body` with this reference.
  public func forEachReference(_ body: (Ref<Target>) -> Void) { body(self) }
  /// Itself: a required reference cannot be empty.
  public func removing(_ reference: Ref<Target>) -> Ref { self }
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
  public func removing(_ reference: Ref<Wrapped.Target>) -> Wrapped? {
    guard let value = self else { return nil }
    if Wrapped.cardinality != .one { return value.removing(reference) }
    var isLinked = false
    value.forEachReference { isLinked = isLinked || $0 == reference }
    return isLinked ? nil : value
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
  /// The object that holds the link is deleted, too.
  case cascade
  /// The deletion is an error, unless the link is gone by the end of the transaction.
  case restrict
}
