extension StoreChanges {
  /// What one commit changed.
  init(_ record: CommitRecord) { self.init(from: record.before, to: record.after, record.deltas) }

  /// The changes between two states, from the numbers of the rows that differ.
  ///
  /// - Complexity: O(*k* log *n*).
  init(from old: StoreState, to new: StoreState, _ deltas: [TableDelta]) {
    self.init(from: old, to: new, tables: deltas.map { ($0.table, $0.rows(from: old, to: new)) })
  }
}

extension TableDelta {
  /// The rows before and after.
  ///
  /// - Complexity: O(*k* log *n*).
  func rows(from old: StoreState, to new: StoreState) -> [RowChange] {
    let (before, after) = (old.tables[table].rows, new.tables[table].rows)
    var rows = touched.map { row -> RowChange in
      let entry = after.floor(row).flatMap { $0.key.first == row ? $0 : nil }
      return RowChange(
        row: row, old: before.payload(first: row), new: entry?.payload, stamp: entry?.key.second ?? 0)
    }
    if inserted.isEmpty { return rows }
    var cursor = TreeCursor(after, at: after.partitionPoint(first: inserted.lowerBound) { _ in false })
    while let entry = cursor.next() {
      rows.append(RowChange(row: entry.key.first, old: nil, new: entry.payload, stamp: entry.key.second))
    }
    return rows
  }
}
