/// A reference to an object of another entity or the same one: its id, nothing else.
///
/// ```swift
/// struct Post: Entity, Codable {
///   let id: Int
///   var author: Ref<User>?          // may be missing
///   var blog: Ref<Blog>             // must be there
///   static let schema = Schema<Post> {
///     Relation(\.author)
///     Relation(\.blog, onDelete: .cascade)
///   }
/// }
/// let author = snapshot[post.author]
/// ```
/// It is encoded as the bare id.
public struct Ref<Target: Entity>: Hashable, Sendable, Identifiable {
  /// The id of the object referred to.
  public let id: Target.ID

  /// A reference to the object with an id, whether or not there is one.
  public init(_ id: Target.ID) { self.id = id }

  /// A reference to an object.
  public init(to object: Target) { id = object.id }

  /// Whether two references are to the same object.
  ///
  /// - Complexity: that of `==` of the ids; O(length) for text, whatever marks its letters have.
  @inlinable
  public static func == (left: Ref, right: Ref) -> Bool { isEqualValue(left.id, right.id) }

  /// Hashes the id.
  ///
  /// - Complexity: that of the id's hash; O(length) for text, whatever marks its letters have.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    // The cast is to the very type just tested for.
    if Target.ID.self == String.self { return hasher.combine(textHash(unsafeBitCast(id, to: String.self))) }
    hasher.combine(id)
  }
}

extension Entity {
  /// A reference to this object.
  public var ref: Ref<Self> { Ref(id) }
}

extension Ref: CustomStringConvertible {
  /// The id, as text.
  public var description: String { shown(id) }
}

extension Ref: Encodable where Target.ID: Encodable {
  /// Writes the bare id, as a value of its own, so that a coder's strategies for dates and the like apply.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(id)
  }
}

extension Ref: Decodable where Target.ID: Decodable {
  /// Reads a bare id.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Target.ID.self))
  }
}

extension Ref: ExpressibleByUnicodeScalarLiteral
where Target.ID: ExpressibleByUnicodeScalarLiteral {
  /// A reference to the object with this id.
  public init(unicodeScalarLiteral value: Target.ID.UnicodeScalarLiteralType) {
    self.init(Target.ID(unicodeScalarLiteral: value))
  }
}

extension Ref: ExpressibleByExtendedGraphemeClusterLiteral
where Target.ID: ExpressibleByExtendedGraphemeClusterLiteral {
  /// A reference to the object with this id.
  public init(extendedGraphemeClusterLiteral value: Target.ID.ExtendedGraphemeClusterLiteralType) {
    self.init(Target.ID(extendedGraphemeClusterLiteral: value))
  }
}

extension Ref: ExpressibleByStringLiteral where Target.ID: ExpressibleByStringLiteral {
  /// A reference to the object with this id.
  public init(stringLiteral value: Target.ID.StringLiteralType) {
    self.init(Target.ID(stringLiteral: value))
  }
}

extension Ref: ExpressibleByIntegerLiteral where Target.ID: ExpressibleByIntegerLiteral {
  /// A reference to the object with this id.
  public init(integerLiteral value: Target.ID.IntegerLiteralType) {
    self.init(Target.ID(integerLiteral: value))
  }
}

extension Ref: WithoutNaN {}
