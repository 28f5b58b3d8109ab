import GRDB

/// Writes a table again, within a transaction: with other columns or values, under another name or key.
struct TableRewriting {
  /// The table as it is.
  let old: TableRecord
  let oldFormat: RowFormat
  let newFormat: RowFormat
  /// The version that is written.
  let version: Int64
  /// Is in a phase in which each row counts, or reports nothing.
  var progress = ProgressReporter(nil)

  /// The name of the new table while it is written. What tables of other programs say of the old one stays as it is.
  private static let temporaryName = "livestore_new"

  /// Writes the table.
  ///
  /// - Parameters:
  ///   - name: its new name.
  ///   - columns: the new columns, with the kinds of the values that they have.
  ///   - value: the values of a row, for the new columns.
  /// - Returns: the table as it is then; rows keep their numbers.
  /// - Throws: `damaged` if its rows are not those that were written.
  func run(
    as name: String, columns: ColumnNames, _ db: Database,
    _ value: (_ row: Int64, _ old: [ColumnValue]) throws -> [ColumnValue]
  ) throws -> TableRecord {
    var new = TableRecord(name, columns)
    new.next = old.next
    new.unusedColumns = old.unusedColumns.intersection(columns.names)
    new.isUnchecked = old.isUnchecked
    try newFormat.createTable(new, named: Self.temporaryName, db)
    var writer = TableWriter(new, newFormat, in: Self.temporaryName, version: version, db)
    let before = progress.done
    var reader = try TableReader(old, oldFormat, db, isChecked: true) { row in
      try progress.advance(toRow: row, after: before)
    }
    while let values = try reader.next() {
      reader.take()
      try writer.put(value(reader.row, values.values), at: reader.row, isNew: true)
    }
    progress.reach(before + writer.record.rows)
    try db.execute(
      sql: "DROP TABLE \(quoted(old.name)); ALTER TABLE \(Self.temporaryName) RENAME TO \(quoted(name))")
    return writer.record
  }

  /// Writes the table without some of its columns.
  func run(without columns: Set<String>, _ db: Database) throws -> TableRecord {
    let kept = old.columns.names.indices.filter { !columns.contains(old.columns.names[$0]) }
    let rest = old.columns.renamed { columns.contains($0) ? nil : $0 }
    return try run(as: old.name, columns: rest, db) { _, values in kept.map { values[$0] } }
  }

  /// Writes the table under another name.
  func run(as name: String, _ db: Database) throws -> TableRecord {
    try run(as: name, columns: old.columns, db) { _, values in values }
  }
}
