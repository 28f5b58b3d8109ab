/// A row that a statement returned.
///
/// ```swift
/// for row in try await sql.query("SELECT id, title FROM posts WHERE author = \(author)") {
///   let id = try row.decode("id", as: Int.self)
///   let title = row["title"] ?? ""
/// }
/// ```
public struct SQLRow: Sendable {
  let result: QueryResult
  let row: Int

  /// The names of the columns.
  public var columns: [String] { result.columnNames }

  /// The value of a column as text; nil for NULL, and if there is no such column.
  public subscript(column: String) -> String? { result.value(row, column) }

  /// Reads a value.
  ///
  /// - Throws: `mismatch` if there is no such column, or its value cannot be read as the type.
  public func decode<Value: Decodable>(_ column: String, as type: Value.Type = Value.self) throws -> Value {
    guard let index = result.index(of: column) else {
      throw PostgresError(
        PostgresError.mismatch,
        "The result has no column '\(column)', only \(columns.joined(separator: ", ")).",
        column: column)
    }
    // The type character(n).
    let isPadded = result.typeID(ofColumn: index) == 1042
    return try SQLTextDecoder(text: self[column], column: column, isPadded: isPadded).decode(type)
  }
}
