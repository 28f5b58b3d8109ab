import Foundation
import GRDB
import GRDBSQLite

/// Writes rows of a table within a transaction.
struct TableWriter {
  var record: TableRecord
  /// The rows that a change of the key has copied from the table, if there is one.
  var copied: CopiedRows?
  /// The last row that objects are written to: those behind it are not in the table yet.
  var last = Int64.max
  private let format: RowFormat
  /// The name of the table.
  private let table: String
  /// The version that is written.
  private let version: Int64
  private let db: Database
  private var values: [ColumnValue]
  private var names: RowChecksum.Names
  private var put: SQLStatement?
  private var find: SQLStatement?
  private var delete: SQLStatement?

  /// - Parameter name: the name of the table, if it is not that of the entity.
  init(_ record: TableRecord, _ format: RowFormat, in name: String? = nil, version: Int64, _ db: Database) {
    (self.record, self.format, self.version, self.db) = (record, format, version, db)
    table = name ?? record.name
    values = Array(repeating: .null, count: record.columns.names.count)
    names = format.names(record)
  }

  /// Writes the row of an object; columns that it has for the first time are added to the table.
  ///
  /// - Parameter isNew: whether there is no such row.
  mutating func put(_ properties: [(key: String, value: CodedValue)], at row: Int64, isNew: Bool) throws {
    if row > last { return }
    for index in values.indices { values[index] = .null }
    for (key, value) in properties {
      let index = try column(key)
      values[index] = stored(value, at: index)
    }
    try put(values, at: row, isNew: isNew)
  }

  /// What a column stores for a value, whose kind is added to those of the column.
  mutating func stored(_ value: CodedValue, at column: Int) -> ColumnValue {
    // A missing value has the default, and nil stays nil.
    if case .column(.null) = value, record.defaults[record.columns.names[column]]?.kinds.isEmpty == false {
      return .blob(MarkedBytes.null)
    }
    return record.columns.stored(value, at: column)
  }

  /// Writes a row with what each column stores, of a kind that the column has.
  mutating func put(_ values: [ColumnValue], at row: Int64, isNew: Bool) throws {
    if isNew { count(row, rows: 1) } else { try forget(row) }
    let statement = try put ?? prepare()
    statement.bind(.integer(row))
    switch format {
    case .columns:
      let check = names.checksum(values, place: row)
      count(row, checksum: check)
      statement.bind(.integer(check))
      for value in values { statement.bind(value) }
    case .sealed(let key):
      let mark = UInt64.random(in: 0 ... .max)
      count(row, checksum: Int64(bitPattern: mark))
      let sealed = try key.seal(
        RowBytes.encode(values, mark: mark), .row(row, table: record.name, version: version))
      statement.bind(.integer(version))
      statement.bind(.blob(sealed))
    }
    do {
      try statement.run()
    } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {
      throw tooLarge(values, row)
    }
  }

  /// Counts what a row adds to the table, or takes from it.
  private mutating func count(_ row: Int64, rows: Int = 0, checksum: Int64 = 0) {
    record.rows += rows
    record.checksum &+= checksum
    guard let last = copied?.last, row <= last else { return }
    copied?.rows += rows
    copied?.checksum &+= checksum
  }

  /// The error that a row has more bytes than SQLite stores.
  private func tooLarge(_ values: [ColumnValue], _ row: Int64) -> StoreFileError {
    let sizes = values.map(\.byteCount)
    let largest = sizes.indices.max { sizes[$0] < sizes[$1] }.map { record.columns.names[$0] } ?? ""
    let limit = sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, -1)
    return StoreFileError(
      .mismatch,
      "Row \(row) of table \(record.name) has \(sizes.reduce(0, +)) bytes, most of them in the property \(largest), and SQLite stores no more than \(limit). Store large data in files of its own.",
      table: record.name, row: row)
  }

  /// Deletes the row of an object.
  mutating func delete(_ row: Int64) throws {
    if row > last { return }
    try forget(row)
    count(row, rows: -1)
    let statement =
      try delete ?? SQLStatement("DELETE FROM \(quoted(table)) WHERE _place = ?", db)
    delete = statement
    statement.bind(.integer(row))
    try statement.run()
  }

  /// The index of a column, which is added if there is none.
  mutating func column(_ name: String) throws -> Int {
    if !record.unusedColumns.isEmpty { record.unusedColumns.remove(name) }
    return try record.columns.index(of: name) ?? addColumn(name)
  }

  /// Takes the row that is in the table out of the sum.
  private mutating func forget(_ row: Int64) throws {
    let names = format.isSealed ? "_version, _sealed" : "_check"
    let statement =
      try find ?? SQLStatement("SELECT \(names) FROM \(quoted(table)) WHERE _place = ?", db)
    find = statement
    statement.bind(.integer(row))
    defer { statement.reset() }
    guard try statement.step() else {
      throw damaged(row, "is gone: something else has written to the file. Close it and open it again")
    }
    switch format {
    case .columns: count(row, checksum: 0 &- statement.integer(0))
    case .sealed(let key):
      let subject = FileKey.Subject.row(row, table: record.name, version: statement.integer(0))
      var values: [ColumnValue] = Array(repeating: .null, count: record.columns.names.count)
      guard let bytes = statement.withBytes(1, { key.open($0, subject) }),
        let mark = RowBytes.decode(bytes, into: &values)
      else { throw damaged(row, "was not written with this key. Close the file and open it again") }
      count(row, checksum: 0 &- Int64(bitPattern: mark))
    }
  }

  private func damaged(_ row: Int64, _ reason: String) -> StoreFileError {
    StoreFileError(.damaged, "Row \(row) of table \(record.name) \(reason).", table: record.name, row: row)
  }

  private mutating func prepare() throws -> SQLStatement {
    let names = format.columnNames(record)
    let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
    let statement = try SQLStatement(
      """
      INSERT OR REPLACE INTO \(quoted(table)) (\(names.map(quoted).joined(separator: ", "))) VALUES (\(marks))
      """, db)
    put = statement
    return statement
  }

  private mutating func addColumn(_ name: String) throws -> Int {
    let lowercase = name.foldedAsName
    guard TableNames.isAllowed(column: name) else {
      throw StoreFileError(
        .mismatch,
        "The property \(name) of \(record.name) cannot be a column: its name is reserved, or cannot be read. Encode it under another key.",
        table: record.name)
    }
    guard !record.columns.names.contains(where: { $0.foldedAsName == lowercase }) else {
      throw StoreFileError(
        .mismatch,
        "The property \(name) of \(record.name) cannot be a column: another has that name, whose case makes no difference in SQLite. Encode it under another key.",
        table: record.name)
    }
    if !format.isSealed {
      var wider = record
      wider.columns.add(name, kinds: [])
      try RowFormat.requireReadable(format.declaration(wider), of: record)
      // Without a type, a column keeps each value as it is given.
      try db.execute(sql: "ALTER TABLE \(quoted(table)) ADD COLUMN \(quoted(name))")
      put = nil
    }
    record.columns.add(name, kinds: [])
    names.add(name)
    values.append(.null)
    return record.columns.names.count - 1
  }
}
