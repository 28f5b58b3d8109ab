/// The rows that the server has and the store cannot hold: those that are left out, and those for which tables are stopped
/// (Z10).
///
/// A row is refused if a value of it cannot be read, or if another row has its id. What then holds:
///
/// - The objects of a **stopped table** are those of the last transaction after which the store had all of its rows: a
///   transaction that has a refused row is applied again without the changes of its table, before anything of it is committed.
///   Transactions go on for all other tables, positions count as applied, and links lead to what there is.
/// - A stopped table resumes by a copy of all tables, which is made when it may help: when a change of the refused row has
///   come (it was deleted, can be read, or its table was truncated), at once where the row is refused for a value that an
///   update did not send, and when there is a copy for another reason. A copy that meets a refused row stops the table again,
///   for that row, and replaces the other tables. So each copy has a change of the server as its cause, and none is made
///   since time has passed.
/// - A **row that is left out** counts as a row of its table that has no object. It becomes one by an update that can be read,
///   in the same transaction; a row that becomes unreadable is deleted. It is forgotten when it is deleted, when its table is
///   truncated, and under its former id when that changes. A copy lists the rows that it meets. An update that does not send
///   a large value needs the object before, which such a row has not: then all is copied in place of the transaction, unless
///   the row still has the value for which it is refused.
/// - All of this is a value that changes with the commit, or not at all.
struct RefusedRows {
  /// The refused rows of the tables that are stopped, by the tables.
  var stopped: [UInt32: RefusedRow] = [:]
  /// The rows that are left out, by the tables.
  private(set) var leftOut: [UInt32: LeftOutRows] = [:]

  /// Whether the store has all rows.
  var isEmpty: Bool { stopped.isEmpty && leftOut.isEmpty }

  /// Whether nothing of a table is applied.
  func isStopped(_ table: UInt32) -> Bool {
    !stopped.isEmpty && (stopped[table] != nil || stopped.values.contains(where: \.stopsAll))
  }

  /// The row after whose change the tables must be copied.
  var mended: RefusedRow? { stopped.values.first(where: \.isMended) }

  /// What is refused once a copy has met these rows.
  ///
  /// The objects of tables that are stopped stay as they are, and so do the rows that are left out of them.
  func copied(_ rows: [RefusedRow]) -> RefusedRows {
    var result = RefusedRows()
    for row in rows { result.stopped[row.table] = row }
    result.leftOut = leftOut.filter { result.isStopped($0.key) }
    return result
  }

  /// Records what a change of a stopped table does to its refused row.
  mutating func follow(_ table: UInt32, _ body: (inout RefusedRow) -> Void) {
    if var row = stopped[table] {
      body(&row)
      stopped[table] = row
    }
  }

  /// Records the rows that a table's reader has left out.
  mutating func take(_ table: UInt32, _ reader: any RowReader) {
    let changes = reader.takeLeftOut()
    if !changes.isEmpty {
      for (id, refusal) in changes { leftOut[table, default: [:]][id] = refusal }
      if leftOut[table]?.isEmpty == true { leftOut[table] = nil }
    }
  }

  /// That the tables are copied since a row was changed.
  static func changed(_ table: String?) -> PostgresError {
    PostgresError(
      PostgresError.mismatch,
      "A row\(table.map { " of table \($0)" } ?? "") that could not be read was changed, so the tables are copied again.",
      table: table)
  }
}

/// A row for which a table is stopped, or is to be.
package struct RefusedRow: Error {
  /// The table's object identifier.
  let table: UInt32
  /// Its id; nil if that cannot be read.
  var id: RowID?
  /// Why.
  var refusal: Refusal
  /// Whether all other tables stop, too.
  let stopsAll: Bool
  /// Whether a change of it has come after which it may be no longer refused.
  var isMended = false

  /// Whether another row has its id, so that it is not mended while it has that.
  var isDuplicate: Bool { refusal.error.code == PostgresError.invalidTable }
}

extension PostgresError {
  /// Whether it is about a row that a table has and an entity cannot hold.
  var isRefusal: Bool { code == Self.mismatch || code == Self.invalidTable }

  /// The error with the id of the row.
  func naming(_ id: String) -> PostgresError {
    var error = self
    error.message = "\(message) The id of the row is \(id.beginning).".asMessage
    return error
  }
}
