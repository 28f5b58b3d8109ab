/// Collects the relations of an ``Embedded`` value.
@resultBuilder
public enum RelationBuilder<Root> {
  /// A relation.
  public static func buildExpression(_ relation: Relation<Root>) -> [LinkDefinition] { [relation.definition] }

  /// A value nested in the nested value.
  public static func buildExpression(_ embedded: Embedded<Root>) -> [LinkDefinition] { embedded.links }

  /// All lines, in order.
  public static func buildBlock(_ lines: [LinkDefinition]...) -> [LinkDefinition] { lines.flatMap(\.self) }
}
