import GRDB

/// Writes rows of a table within a transaction.
struct TableWriter {
  private(set) var record: TableRecord
  private let db: Database
  private var put: Statement?
  private var values: [ColumnValue]

  init(_ record: TableRecord, _ db: Database) {
    (self.record, self.db) = (record, db)
    values = Array(repeating: .null, count: record.columns.names.count)
  }

  /// Writes the row of an object; columns that it has for the first time are added to the table.
  ///
  /// - Parameter isNew: whether there is no row at this place.
  mutating func put(_ properties: [(key: String, value: CodedValue)], at place: UInt64, isNew: Bool) throws {
    for index in values.indices { values[index] = .null }
    for (key, value) in properties {
      let index = try record.columns.index(of: key) ?? addColumn(key)
      values[index] = value.column
    }
    let row = record.places.row(place)
    if isNew { record.rows += 1 } else { try forget(row) }
    let check = RowChecksum.of(values, place: row)
    record.checksum &+= check
    let statement = try put ?? prepare()
    var arguments = [row.databaseValue, check.databaseValue]
    for value in values { arguments.append(value.databaseValue) }
    statement.setUncheckedArguments(StatementArguments(arguments))
    try statement.execute()
  }

  /// Deletes the row of an object.
  mutating func delete(_ place: UInt64) throws {
    let row = record.places.row(place)
    try forget(row)
    record.rows -= 1
    let statement = try db.cachedStatement(sql: "DELETE FROM \(quoted(record.name)) WHERE _place = ?")
    try statement.execute(arguments: [row])
  }

  /// Takes the row that is in the table out of the sum.
  private mutating func forget(_ row: Int64) throws {
    let statement = try db.cachedStatement(sql: "SELECT _check FROM \(quoted(record.name)) WHERE _place = ?")
    guard let check = try Int64.fetchOne(statement, arguments: [row]) else {
      throw StoreFileError(
        .damaged,
        "Row \(row) of table \(record.name) is gone: something else has written to the file. Close it and open it again.",
        table: record.name, row: row)
    }
    record.checksum &-= check
  }

  private mutating func prepare() throws -> Statement {
    let names = ["_place", "_check"] + record.columns.names
    let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
    let statement = try db.cachedStatement(
      sql:
        "INSERT OR REPLACE INTO \(quoted(record.name)) (\(names.map(quoted).joined(separator: ", "))) VALUES (\(marks))"
    )
    put = statement
    return statement
  }

  private mutating func addColumn(_ name: String) throws -> Int {
    let lowercase = name.lowercased()
    guard !["_place", "_check"].contains(lowercase),
      !record.columns.names.contains(where: { $0.lowercased() == lowercase })
    else {
      throw StoreFileError(
        .mismatch,
        "The property \(name) of \(record.name) cannot be a column: another has that name, whose case makes no difference in SQLite. Encode it under another key.",
        table: record.name)
    }
    // Without a type, a column keeps each value as it is given.
    try db.execute(sql: "ALTER TABLE \(quoted(record.name)) ADD COLUMN \(quoted(name))")
    record.columns.add(name)
    values.append(.null)
    put = nil
    return record.columns.names.count - 1
  }
}
