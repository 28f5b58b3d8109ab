/// A table of groups that is maintained from the rows of a query's last stage: a value made of trees.
protocol GroupUpkeep: Sendable {
  /// Applies rows that entered, left or changed in the last stage's window.
  ///
  /// - Returns: false if keys or values are inconsistent; then the groups need to be rebuilt.
  /// - Complexity: O(*k* log *m*) for *k* rows.
  mutating func apply(_ rows: [RowChange], _ source: GroupSource) -> Bool

  /// The groups as rows of a table beside those of a state.
  func rows(beside state: StoreState) -> GroupedRows
}

extension GroupUpkeep {
  /// Adds all rows of a window. Returns false as above.
  mutating func fill(from window: ResultWindow, _ source: GroupSource) -> Bool {
    let table = source.new.tables[source.table]
    var cursor = TreeCursor(window.tree, at: window.ranks.lowerBound)
    let rows = window.ranks.compactMap { _ in
      cursor.next().map { entry in
        let row = window.rowNumber(entry.key)
        return RowChange(row: row, old: nil, new: table.existing(row), stamp: 0)
      }
    }
    return apply(rows, source)
  }
}
