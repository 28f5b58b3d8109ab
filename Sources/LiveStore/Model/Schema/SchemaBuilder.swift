/// Collects the lines of a ``Schema``.
@resultBuilder
public enum SchemaBuilder<Element: Entity> {
  /// A bare key path.
  public static func buildExpression<Value: Equatable & Sendable>(
    _ keyPath: SendableKeyPath<Element, Value>
  ) -> PropertyDefinition<Element> {
    PropertyDefinition(keyPath, name: nil, options: [])
  }

  /// A property with a name or options.
  public static func buildExpression(_ property: Property<Element>) -> PropertyDefinition<Element> {
    property.definition
  }

  /// A property that holds links.
  public static func buildExpression(_ relation: Relation<Element>) -> PropertyDefinition<Element> {
    relation.base.property(of: Element.self, links: [relation.definition])
  }

  /// A nested value that holds links.
  public static func buildExpression(_ embedded: Embedded<Element>) -> PropertyDefinition<Element> {
    embedded.base.property(of: Element.self, links: embedded.links)
  }

  /// A name for the objects that link to this entity.
  public static func buildExpression(_ inverse: Inverse<Element>) -> PropertyDefinition<Element> {
    PropertyDefinition(inverse.definition)
  }

  /// An ignored property.
  public static func buildExpression(_ ignored: Ignored<Element>) -> PropertyDefinition<Element> {
    ignored.definition
  }

  /// All lines, in order.
  public static func buildBlock(_ lines: PropertyDefinition<Element>...) -> [PropertyDefinition<Element>] {
    lines
  }
}
