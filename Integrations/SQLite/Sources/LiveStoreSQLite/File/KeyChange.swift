import GRDB
import LiveStore

/// A change of the key that is under way. Beside each table there is a new one, to which its rows are copied in their order,
/// a portion at a time. A transaction between two portions writes to both what concerns rows that are copied, and to the
/// table alone what concerns those behind them. When all are copied, both have the same rows.
struct KeyChange: Sendable {
  /// How the new tables store rows.
  let format: RowFormat
  private(set) var tables: [String: TableCopy] = [:]

  /// Begins with new tables, which are empty.
  init(_ contents: FileContents, as format: RowFormat, _ db: Database) throws {
    self.format = format
    for record in contents.tables.values { try add(record, CopiedRows(), db) }
  }

  /// Makes a new table beside one.
  private mutating func add(_ record: TableRecord, _ source: CopiedRows, _ db: Database) throws {
    try format.createTable(record, named: KeyChangeTables.new(record.name), db)
    tables[record.name] = TableCopy(source: source, columns: record.columns)
  }

  /// Makes a new table beside one that was made just now, and is empty: all of it is copied.
  mutating func add(_ record: TableRecord, _ db: Database) throws {
    try add(record, CopiedRows(last: .max), db)
  }

  /// Writes what was written to a table, and concerns rows that are copied, to the new one.
  ///
  /// - Parameter writer: the writer of the table.
  mutating func write(
    _ difference: StoreDifference, of table: any EntityTable, after writer: TableWriter, version: Int64,
    _ db: Database
  ) throws {
    guard var copy = tables[table.name], let source = writer.copied else { return }
    copy.source = source
    try copy.write(as: format, writer.record, version: version, db) { new in
      new.last = source.last
      try table.write(difference, to: &new)
    }
    tables[table.name] = copy
  }

  /// Copies a portion.
  ///
  /// - Returns: how many rows that are.
  mutating func copyPortion(_ contents: FileContents, _ oldFormat: RowFormat, _ db: Database) throws -> Int {
    var rest = KeyChangePortion.size
    for name in tables.keys.sorted() {
      guard rest.rows > 0, rest.bytes > 0 else { break }
      guard let record = contents.tables[name], var copy = tables[name], !copy.isComplete else { continue }
      var source = copy.source
      try copy.write(as: format, record, version: contents.version, db) { new in
        var reader = try TableReader(
          record, oldFormat, part: (after: source.last, limit: rest.rows), db, isChecked: true)
        while rest.rows > 0, rest.bytes > 0 {
          guard let values = try reader.next() else {
            source.last = .max
            break
          }
          try new.put(values.values, at: reader.row, isNew: true)
          source.add(reader.row, checksum: reader.check)
          rest.rows -= 1
          rest.bytes -= values.values.reduce(0) { $0 + $1.byteCount }
        }
      }
      copy.source = source
      tables[name] = copy
    }
    return KeyChangePortion.size.rows - rest.rows
  }

  /// Whether all rows are copied.
  var isComplete: Bool { tables.values.allSatisfy(\.isComplete) }

  /// Gives the new tables the names of the others, when all rows are copied.
  ///
  /// - Throws: `damaged` if rows are not those that were written.
  func complete(_ contents: inout FileContents, _ db: Database) throws {
    for (name, copy) in tables {
      guard var record = contents.tables[name] else { continue }
      guard copy.isComplete, copy.source.rows == record.rows, copy.source.checksum == record.checksum,
        copy.rows == record.rows
      else {
        throw StoreFileError(
          .damaged,
          "The table \(name) is damaged: rows are missing, or are not those that were written. Close the file, and open it with repair: .skipDamagedRows to keep the rows that are whole.",
          table: name)
      }
      try db.execute(
        sql: """
          ALTER TABLE \(quoted(name)) RENAME TO \(quoted(KeyChangeTables.old(name)));
          ALTER TABLE \(quoted(KeyChangeTables.new(name))) RENAME TO \(quoted(name));
          """)
      record.checksum = copy.checksum
      contents.tables[name] = record
    }
  }
}

/// How much of a change of the key is done at a time: transactions wait for no more.
package struct KeyChangePortion: Sendable {
  /// How many rows there are in one.
  package var rows = 512
  /// After how many bytes of rows one ends.
  package var bytes = 1 << 18
  /// After how many pages that were given up, or filled with zeros, one ends.
  package var pages = 128
  /// Called after each; for tests.
  package var then: @Sendable () async -> Void = {}

  package init() {}

  @TaskLocal package static var size = KeyChangePortion()
}

/// The rows of a table through one of a number.
struct CopiedRows: Sendable {
  var last: Int64 = 0
  var rows = 0
  /// The sum of their checksums, or marks.
  var checksum: Int64 = 0

  mutating func add(_ row: Int64, checksum: Int64) {
    last = row
    rows += 1
    self.checksum &+= checksum
  }
}

/// The new table beside that of an entity.
struct TableCopy: Sendable {
  /// Which rows it has.
  var source: CopiedRows
  /// The columns of properties that it has.
  private var columns: ColumnNames
  private(set) var rows = 0
  private(set) var checksum: Int64 = 0

  init(source: CopiedRows, columns: ColumnNames) { (self.source, self.columns) = (source, columns) }

  var isComplete: Bool { source.last == .max }

  /// Writes to it, after it got the columns that the other has.
  mutating func write(
    as format: RowFormat, _ record: TableRecord, version: Int64, _ db: Database,
    _ body: (inout TableWriter) throws -> Void
  ) throws {
    var new = record
    (new.columns, new.rows, new.checksum) = (columns, rows, checksum)
    var writer = TableWriter(new, format, in: KeyChangeTables.new(record.name), version: version, db)
    for name in record.columns.names { _ = try writer.column(name) }
    writer.record.columns = record.columns
    try body(&writer)
    guard writer.record.columns == record.columns else {
      throw StoreFileError(
        .mismatch,
        "An object of \(record.name) was encoded twice, and has not the same properties each time.",
        table: record.name)
    }
    (columns, rows, checksum) = (record.columns, writer.record.rows, writer.record.checksum)
  }
}
