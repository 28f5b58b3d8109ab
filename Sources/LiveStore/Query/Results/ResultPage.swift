/// A part of a query's rows, and where the next part begins.
public struct ResultPage<Element: Entity>: Sendable {
  /// The rows, pinned to their version.
  public let rows: Results<Element>
  /// Where the next page begins; nil if there were no more rows.
  public let next: PageCursor?
}
