/// A name for the objects that link to an object, for printing and for text filters.
///
/// ```swift
/// static let schema = Schema<User> {
///   \.name
///   Inverse("posts", of: \Post.author)
/// }
/// ```
public struct Inverse<Target: Entity>: Sendable {
  package let definition: InverseDefinition

  /// Names the objects that link to this one by a property, which may be in an embedded value.
  public init<Source: Entity, Value: RelationValue>(
    _ name: String, of keyPath: SendableKeyPath<Source, Value>
  ) where Value.Target == Target {
    definition = InverseDefinition(name: name, source: Source.self, keyPaths: [keyPath])
  }

  /// Names the objects that link to this one by a property of any of an array of embedded values.
  public init<Source: Entity, Nested, Value: RelationValue>(
    _ name: String, of keyPath: SendableKeyPath<Source, [Nested]>, each link: SendableKeyPath<Nested, Value>
  ) where Value.Target == Target {
    definition = InverseDefinition(name: name, source: Source.self, keyPaths: [keyPath, link])
  }
}

/// An ``Inverse`` without its types.
///
/// It does not read its source's schema, which may have an inverse of this entity and be in
/// initialisation (R7).
package struct InverseDefinition: Sendable {
  package let name: String
  package let source: any Entity.Type
  let keyPaths: [any AnyKeyPath & Sendable]

  /// The property's name in Swift.
  var property: String { keyPaths.map { shownMember(of: $0) }.joined(separator: ".") }
}
