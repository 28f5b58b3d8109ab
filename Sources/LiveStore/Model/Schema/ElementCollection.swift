/// A collection whose elements filters test and aggregate: an array or a set, or an optional of one. Nil has no elements.
///
/// The library provides all conforming types. Do not declare others.
public protocol ElementCollection<Member>: SendableMetatype {
  /// The type of the elements.
  associatedtype Member
  /// Whether an element is looked up by its hash.
  @_documentation(visibility: internal)
  static var isHashed: Bool { get }
  /// The number of elements, duplicates included.
  @_documentation(visibility: internal)
  var memberCount: Int { get }
  /// Calls `body` with each element, duplicates included.
  @_documentation(visibility: internal)
  func forEachMember(_ body: (Member) -> Void)
  /// Whether a test holds for some element.
  @_documentation(visibility: internal)
  func containsMember(where test: (Member) -> Bool) -> Bool
  /// Whether an element equals a value; for hashed elements only.
  @_documentation(visibility: internal)
  func containsHashed(_ member: Member) -> Bool
}

extension ElementCollection where Self: Collection, Member == Element {
  /// Arrays are searched from their beginning.
  @_documentation(visibility: internal)
  public static var isHashed: Bool { false }
  /// The number of elements.
  @_documentation(visibility: internal)
  public var memberCount: Int { count }
  /// Calls `body` with each element.
  @_documentation(visibility: internal)
  public func forEachMember(_ body: (Element) -> Void) { forEach(body) }
  /// Whether a test holds for some element.
  @_documentation(visibility: internal)
  public func containsMember(where test: (Element) -> Bool) -> Bool { contains(where: test) }
  /// None is looked up by its hash.
  @_documentation(visibility: internal)
  public func containsHashed(_: Element) -> Bool { false }
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
  public static var isHashed: Bool { true }
  /// Whether a value is an element.
  @_documentation(visibility: internal)
  public func containsHashed(_ member: Element) -> Bool { contains(member) }
}

extension Optional: ElementCollection where Wrapped: ElementCollection {
  /// As the collection that is not nil.
  @_documentation(visibility: internal)
  public static var isHashed: Bool { Wrapped.isHashed }
  /// The number of elements.
  @_documentation(visibility: internal)
  public var memberCount: Int { self?.memberCount ?? 0 }
  /// Calls `body` with each element.
  @_documentation(visibility: internal)
  public func forEachMember(_ body: (Wrapped.Member) -> Void) { self?.forEachMember(body) }
  /// Whether a test holds for some element.
  @_documentation(visibility: internal)
  public func containsMember(where test: (Wrapped.Member) -> Bool) -> Bool {
    self?.containsMember(where: test) ?? false
  }
  /// Whether an element equals a value.
  @_documentation(visibility: internal)
  public func containsHashed(_ member: Wrapped.Member) -> Bool { self?.containsHashed(member) ?? false }
}
