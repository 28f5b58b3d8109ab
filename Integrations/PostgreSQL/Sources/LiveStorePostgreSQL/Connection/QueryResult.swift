import CPostgreSQL

/// The rows of a statement, with each value as text.
///
/// Sendable without a check, as nothing changes libpq's result between its making and `deinit`.
package final class QueryResult: @unchecked Sendable {
  /// libpq's result.
  let pointer: OpaquePointer

  /// Takes the result over.
  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    columnNames = (0..<PQnfields(pointer)).map { column in
      PQfname(pointer, column).map { String(cString: $0) } ?? ""
    }
  }

  deinit { PQclear(pointer) }

  package var rowCount: Int { Int(PQntuples(pointer)) }
  var columnCount: Int { columnNames.count }

  package let columnNames: [String]

  /// The value; nil for NULL, and if there is no such column or row: a server may answer with fewer than it was asked for.
  package subscript(row: Int, column: Int) -> String? {
    guard 0..<rowCount ~= row, 0..<columnCount ~= column else { return nil }
    let (row, column) = (Int32(row), Int32(column))
    guard PQgetisnull(pointer, row, column) == 0, let bytes = PQgetvalue(pointer, row, column) else {
      return nil
    }
    return String(cString: bytes)
  }

  /// The value of a column by its name; nil for NULL, and if there is no such column or row.
  package subscript(row: Int, column: String) -> String? {
    guard let first = columnNames.firstIndex(where: { $0.isSame(as: column) }) else { return nil }
    return self[row, columnNames.index(of: column, at: first)]
  }

  /// The OID of a column's type.
  func typeID(ofColumn column: Int) -> UInt32 { PQftype(pointer, Int32(column)) }

  /// What was done: `INSERT 0 5`, `COMMIT`.
  package var commandTag: String { String(cString: PQcmdStatus(pointer)) }

  /// How many rows were inserted, updated, deleted or returned.
  package var affectedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }
}
