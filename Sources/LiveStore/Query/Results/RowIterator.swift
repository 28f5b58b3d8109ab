/// Iterates over the rows of a result, whatever their type, so that little generic code is needed around it.
@usableFromInline
package struct RowIterator {
  /// The rows of the result's table, which hold the objects.
  private let table: Tree
  private let layout: TreeLayout
  private var cursor: TreeCursor
  private var remaining: Int

  /// - Parameters:
  ///   - window: the result.
  ///   - table: the rows of its table.
  init(_ window: ResultWindow, of table: Tree) {
    self.table = table
    layout = window.tree.layout
    cursor = TreeCursor(window.tree, at: window.ranks.lowerBound)
    remaining = window.count
  }

  /// The next object, or nil after the last; the pointer is valid while this value or a copy of it lives.
  @usableFromInline
  package mutating func next() -> UnsafeRawPointer? {
    guard remaining > 0, let entry = cursor.next() else { return nil }
    remaining -= 1
    // The table's own tree has the objects beside their keys.
    if layout === table.layout { return entry.payload }
    return table.listedObject(layout.order == .first ? entry.key.first : layout.row(entry.key.second))
  }
}
