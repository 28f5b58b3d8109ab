/// Rows that are inserted into one table one behind the other, or that take the places of others with their ids, and are
/// decoded and written together.
package struct RowRun {
  /// The table's object identifier.
  package let table: UInt32
  /// Whether they take the places of others.
  package let areUpdates: Bool
  /// The rows.
  package private(set) var rows: TupleBatch

  /// So many that what each costs by itself counts, and few to hold. No word goes to the server while they are decoded.
  static let limit = 128

  /// A run of one row.
  package init(_ table: UInt32, _ row: TupleData, areUpdates: Bool = false) {
    (self.table, self.areUpdates) = (table, areUpdates)
    rows = TupleBatch(
      bytes: row.bytes, fields: Array(row.fields[row.first..<row.first + row.count]), columnCount: row.count,
      count: 1)
  }

  /// Adds the next row.
  ///
  /// - Returns: false if the row begins another run: it is of another table or kind, has other bytes, or there are enough.
  package mutating func append(_ table: UInt32, _ row: TupleData, areUpdates: Bool = false) -> Bool {
    guard table == self.table, areUpdates == self.areUpdates, rows.count < Self.limit else { return false }
    return rows.append(row)
  }
}
