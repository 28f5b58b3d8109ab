/// A section: its key, and its rows as a collection.
public struct ResultSection<Element: Entity, Key: Hashable & Sendable>: RandomAccessCollection, Identifiable,
  Sendable
{
  /// The common value of the rows; the section's identity.
  public let id: Key
  /// The rows as results.
  public let rows: Results<Element>

  /// The common value of the rows.
  public var key: Key { id }
  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of rows; 0 only for an included key.
  public var endIndex: Int { rows.count }
  /// The row at an index.
  ///
  /// - Complexity: O(log *m*).
  public subscript(index: Int) -> Element { rows[index] }
  /// Iterates over the tree once, leaf by leaf.
  public func makeIterator() -> Results<Element>.Iterator { rows.makeIterator() }
}
