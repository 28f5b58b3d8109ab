/// A row of a table, for the closures that make objects of them.
///
/// ```swift
/// Replicated("tags", Tag.self) { row in
///   Tag(id: try row.decode("id"), name: try row.decode("label"), color: try row.decode("color", as: Int?.self) ?? 0)
/// }
/// ```
/// Values are read as Swift's types as with `Codable`: any integer that holds the value, `Double`, `Decimal`, `Bool`,
/// `UUID`, `Date`, `Data`, `URL`, `String` (of any column: its text), arrays of them, enumerations with raw values, and
/// from `json` and `jsonb` whatever is `Decodable`. NULL is the nil of an optional.
public struct PostgresRow: Sendable {
  private let layout: RowLayout
  private let row: TupleData

  package init(_ layout: RowLayout, _ row: TupleData) throws {
    try layout.check(row)
    (self.layout, self.row) = (layout, row)
  }

  /// The names of the columns in the order of the table.
  public var columns: [String] { layout.names }

  /// Whether the table has a column.
  public func contains(_ column: String) -> Bool { layout.index(of: column) != nil }

  /// Whether a column is NULL.
  ///
  /// - Throws: ``PostgresError`` if there is no such column.
  public func isNull(_ column: String) throws -> Bool { row[try index(column)].form == .null }

  /// The value of a column.
  ///
  /// - Parameters:
  ///   - column: the name of the column.
  ///   - type: what to read the value as; optional, if the column may be NULL.
  /// - Throws: ``PostgresError`` if there is no such column, or if its value is none of the type.
  public func decode<Value: Decodable>(_ column: String, as type: Value.Type = Value.self) throws -> Value {
    let index = try index(column)
    let place = ColumnPlace(table: layout.table, column: column)
    let field = row[index]
    switch field.form {
    case .unchanged: throw PostgresError.isUnchanged(place)
    case .null:
      guard type is any ExpressibleByNilLiteral.Type else { throw PostgresError.isNull(place, type) }
      return try Value(from: FieldDecoder(.null(place)))
    case .text, .binary:
      return try FieldValue(
        bytes: row.bytes, range: field.range, isBinary: field.form == .binary, type: layout.types[index],
        place: place
      ).decode(type)
    }
  }

  private func index(_ column: String) throws -> Int {
    guard let index = layout.index(of: column) else { throw PostgresError.noColumn(column, layout) }
    return index
  }
}
