/// How many objects a relation's value names.
@_documentation(visibility: internal)
public enum RelationCardinality: Sendable, Hashable {
  /// Always one.
  case one
  /// None or one.
  case noneOrOne
  /// Any number.
  case many
}
