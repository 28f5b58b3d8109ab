/// The number of rows of a query.
public struct Count<Element: Entity>: Hashable, Sendable {
  /// The counted query.
  public let query: Query<Element>
}
