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
