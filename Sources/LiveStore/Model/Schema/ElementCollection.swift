/// A collection whose elements filters test and aggregate: an array or a set, or an optional of one. Nil has no elements.
///
/// The library provides all conforming types. Do not declare others.
public protocol ElementCollection<Member>: SendableMetatype {
  /// The type of the elements.
  associatedtype Member
  /// Whether an element is looked up by its hash.
  @_documentation(visibility: internal)
  static var isHashedInFilter: Bool { get }
  /// The number of elements, duplicates included.
  @_documentation(visibility: internal)
  var memberCountInFilter: Int { get }
  /// Calls `body` with each element, duplicates included.
  @_documentation(visibility: internal)
  func forEachMemberInFilter(_ body: (Member) -> Void)
  /// Whether a test holds for some element.
  @_documentation(visibility: internal)
  func containsMemberInFilter(where test: (Member) -> Bool) -> Bool
  /// Whether an element equals a value; for hashed elements only.
  @_documentation(visibility: internal)
  func containsHashedInFilter(_ member: Member) -> Bool
}

extension ElementCollection where Self: Collection, Member == Element {
  /// Arrays are searched from their beginning.
  @_documentation(visibility: internal)
  public static var isHashedInFilter: Bool { false }
  /// The number of elements.
  @_documentation(visibility: internal)
  public var memberCountInFilter: Int { count }
  /// Calls `body` with each element.
  @_documentation(visibility: internal)
  public func forEachMemberInFilter(_ body: (Element) -> Void) { forEach(body) }
  /// Whether a test holds for some element.
  @_documentation(visibility: internal)
  public func containsMemberInFilter(where test: (Element) -> Bool) -> Bool { contains(where: test) }
  /// None is looked up by its hash.
  @_documentation(visibility: internal)
  public func containsHashedInFilter(_: Element) -> Bool { false }
}

extension Array: ElementCollection {
  /// The array's elements.
  public typealias Member = Element
}

extension Set: ElementCollection {
  /// The set's elements.
  public typealias Member = Element
  /// Sets look elements up.
  @_documentation(visibility: internal)
  public static var isHashedInFilter: Bool { true }
  /// Whether a value is an element.
  @_documentation(visibility: internal)
  public func containsHashedInFilter(_ member: Element) -> Bool { contains(member) }
}

extension Optional: ElementCollection where Wrapped: ElementCollection {
  /// As for the wrapped collection.
  @_documentation(visibility: internal)
  public static var isHashedInFilter: Bool { Wrapped.isHashedInFilter }
  /// The number of elements.
  @_documentation(visibility: internal)
  public var memberCountInFilter: Int { self?.memberCountInFilter ?? 0 }
  /// Calls `body` with each element.
  @_documentation(visibility: internal)
  public func forEachMemberInFilter(_ body: (Wrapped.Member) -> Void) { self?.forEachMemberInFilter(body) }
  /// Whether a test holds for some element.
  @_documentation(visibility: internal)
  public func containsMemberInFilter(where test: (Wrapped.Member) -> Bool) -> Bool {
    self?.containsMemberInFilter(where: test) ?? false
  }
  /// Whether an element equals a value.
  @_documentation(visibility: internal)
  public func containsHashedInFilter(_ member: Wrapped.Member) -> Bool {
    self?.containsHashedInFilter(member) ?? false
  }
}
