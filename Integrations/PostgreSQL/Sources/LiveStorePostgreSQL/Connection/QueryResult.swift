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
      let name = PQfname(pointer, column).map { String(cString: $0) } ?? ""
      // Names are compared. One of a server has 63 bytes at the most, unless it was built for others.
      return name.hasManyMarks ? "" : name
    }
  }

  deinit { PQclear(pointer) }

  package var rowCount: Int { Int(PQntuples(pointer)) }
  var columnCount: Int { columnNames.count }

  package let columnNames: [String]

  /// What the server says of itself, to be compared and hashed; nil for NULL, and if there is no such column or row, or a letter
  /// has very many marks: a server may answer otherwise than it was asked.
  package subscript(row: Int, column: Int) -> String? {
    value(row, column).flatMap { $0.hasManyMarks ? nil : $0 }
  }

  /// The value, whatever it is; nil for NULL, and if there is no such column or row.
  func value(_ row: Int, _ column: Int) -> String? {
    guard 0..<rowCount ~= row, 0..<columnCount ~= column else { return nil }
    let (row, column) = (Int32(row), Int32(column))
    guard PQgetisnull(pointer, row, column) == 0, let bytes = PQgetvalue(pointer, row, column) else {
      return nil
    }
    return String(cString: bytes)
  }

  /// The same, of a column by its name.
  package subscript(row: Int, column: String) -> String? {
    index(of: column).flatMap { self[row, $0] }
  }

  /// The value of a column by its name, whatever it is.
  func value(_ row: Int, _ column: String) -> String? {
    index(of: column).flatMap { value(row, $0) }
  }

  /// The index of a column by its name.
  func index(of column: String) -> Int? {
    columnNames.firstIndex(of: column).map { columnNames.index(of: column, at: $0) }
  }

  /// The OID of a column's type.
  func typeID(ofColumn column: Int) -> UInt32 { PQftype(pointer, Int32(column)) }

  /// What was done: `INSERT 0 5`, `COMMIT`.
  package var commandTag: String { String(cString: PQcmdStatus(pointer)) }

  /// How many rows were inserted, updated, deleted or returned.
  package var affectedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }
}
