extension StoreChanges {
  /// What one commit changed, from its own delta.
  ///
  /// - Complexity: O(*k* log *n*).
  init(_ record: CommitRecord) {
    let (old, new) = (record.before, record.after)
    var tables: [(table: Int, rows: [RowChange])] = []
    for delta in record.deltas {
      let (before, after) = (old.tables[delta.table].rows, new.tables[delta.table].rows)
      var rows = delta.touched.map { row -> RowChange in
        let entry = after.floor(row).flatMap { $0.key.first == row ? $0 : nil }
        return RowChange(
          row: row, old: before.payload(first: row), new: entry?.payload, stamp: entry?.key.second ?? 0)
      }
      if !delta.inserted.isEmpty {
        var cursor = TreeCursor(
          after, at: after.partitionPoint(first: delta.inserted.lowerBound) { _ in false })
        while let entry = cursor.next() {
          rows.append(RowChange(row: entry.key.first, old: nil, new: entry.payload, stamp: entry.key.second))
        }
      }
      tables.append((delta.table, rows))
    }
    self.init(from: old, to: new, tables: tables)
  }
}
