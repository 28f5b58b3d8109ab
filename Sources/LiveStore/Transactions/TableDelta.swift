/// The rows of one table that a commit changed (T3).
package struct TableDelta: Sendable {
  package let table: Int
  /// Existing row numbers that changed, were deleted, or were restored by undo (U1); ascending.
  package let touched: [UInt64]
  /// The numbers of new rows; some of them may be deleted again.
  package let inserted: Range<UInt64>
  /// How many rows differ.
  package let count: Int
}

extension TransactionState {
  /// The differences from the state that the transaction started from, table by table, without what was rolled back.
  ///
  /// - Parameter isFinal: whether no edit follows: a table whose last rows were deleted and inserted again unchanged becomes
  ///   the old one again, except for ignored properties. Rows get other numbers by that, and edits could not be undone.
  func deltas(isFinal: Bool) -> [TableDelta] {
    tables.indices.compactMap { delta(of: $0, isFinal) }
  }

  private func delta(of table: Int, _ isFinal: Bool) -> TableDelta? {
    if base.tables[table].rows.isIdentical(to: tables[table].rows) { return nil }
    var changed = touched[table]
    if changed.count > 1 { changed.sort() }
    if mayHaveReverted, !changed.allSatisfy({ isDifferent($0, in: table) }) {
      changed.removeAll { !isDifferent($0, in: table) }
    }
    let inserted = base.tables[table].nextRow..<tables[table].nextRow
    if inserted.isEmpty {
      if changed.isEmpty { return nil }
      return TableDelta(table: table, touched: changed, inserted: inserted, count: changed.count)
    }
    let (old, new) = (base.tables[table].rows, tables[table].rows)
    let info = catalog.entities[table]
    let remaining = new.count - new.partitionPoint(first: inserted.lowerBound) { _ in false }
    if changed.isEmpty && remaining == 0 { return nil }
    if isFinal, isRestored(changed, remaining, old, new, info) {
      restore(changed, from: base.tables[table], in: table)
      return nil
    }
    return TableDelta(
      table: table, touched: changed, inserted: inserted, count: changed.count + remaining)
  }

  /// Whether a touched row differs from before, in value or in existence.
  private func isDifferent(_ row: UInt64, in table: Int) -> Bool {
    switch (base.tables[table].object(row), tables[table].object(row)) {
    case (let before?, let after?): !catalog.entities[table].isSame(before, after)
    case (nil, nil): false
    default: true
    }
  }

  /// Whether the new rows are the last old ones, deleted and inserted again with every value and position unchanged.
  private func isRestored(
    _ changed: [UInt64], _ remaining: Int, _ old: Tree, _ new: Tree, _ info: EntityInfo
  ) -> Bool {
    guard remaining > 0, changed.count == remaining, old.count == new.count else { return false }
    let start = old.count - remaining
    return (0..<remaining).allSatisfy { position in
      let (before, after) = (old.entry(at: start + position), new.entry(at: start + position))
      return before.key.first == changed[position]
        && info.ids.isSame(before.payload, after.payload) && info.isSame(before.payload, after.payload)
    }
  }

  /// Makes a table the old one again, when its last rows were deleted and inserted again unchanged.
  private func restore(_ rows: [UInt64], from old: TableState, in table: Int) {
    let info = catalog.entities[table]
    guard info.hasIgnored else {
      tables[table] = old
      touched[table] = []
      return
    }
    // The new objects are kept: they may differ from the old ones in ignored properties.
    hasIgnoredEdits = true
    tables[table].renumber(last: rows, as: old, info)
  }
}
