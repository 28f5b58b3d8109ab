/// The rows that a commit, or several together, changed, table by table: found once for all queries.
package struct StoreChanges: Sendable {
  /// The commit; it keeps the rows' objects alive.
  let record: CommitRecord
  private(set) var tables: [(table: Int, rows: [RowChange])] = []

  /// - Complexity: O(*k* log *n*) for *k* rows that differ, however many commits lie between.
  init(_ record: CommitRecord) {
    self.record = record
    for table in record.deltas?.map(\.table) ?? Array(record.after.tables.indices) {
      let rows = record.rows(in: table)
      if !rows.isEmpty { tables.append((table, rows)) }
    }
  }

  /// The changes between two states, whatever lies between them.
  package init(from old: StoreState, to new: StoreState) { self.init(CommitRecord(from: old, to: new)) }

  var old: StoreState { record.before }
  var new: StoreState { record.after }

  package func rows(in table: Int) -> [RowChange] { tables.first { $0.table == table }?.rows ?? [] }
}
