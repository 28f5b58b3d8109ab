/// A stored property in a schema, where it needs a name or options.
///
/// ```swift
/// Property(\.likeCount, .indexed)
/// Property(\.slug, "permalink", .unique)
/// ```
public struct Property<Element: Entity>: Sendable {
  let definition: PropertyDefinition<Element>

  /// A property with the name of its key path.
  public init<Value: Equatable & Sendable>(
    _ keyPath: SendableKeyPath<Element, Value>, _ options: PropertyOption...
  ) {
    definition = PropertyDefinition(keyPath, name: nil, options: Set(options))
  }

  /// A property with another name.
  public init<Value: Equatable & Sendable>(
    _ keyPath: SendableKeyPath<Element, Value>, _ name: String, _ options: PropertyOption...
  ) {
    definition = PropertyDefinition(keyPath, name: name, options: Set(options))
  }
}
