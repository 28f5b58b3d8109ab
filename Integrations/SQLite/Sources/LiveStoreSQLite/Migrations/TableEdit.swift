import GRDB

/// Changes of whole tables, within a transaction.
struct TableEdit {
  let format: RowFormat
  /// The version that is written.
  let version: Int64
  let db: Database

  func rewriting(_ record: TableRecord) -> TableRewriting {
    TableRewriting(old: record, oldFormat: format, newFormat: format, version: version)
  }

  /// Gives a table another name.
  ///
  /// - Throws: `invalidMigration` if a table with rows has that name.
  func rename(_ name: String, to newName: String, _ contents: inout FileContents) throws {
    guard let record = contents.tables[name] else { return }
    contents.hasMovedPlaces = true
    // Names that differ by case are one table to SQLite.
    for other in contents.tables.values
    where other.name.foldedAsName == newName.foldedAsName && other.name != name {
      if other.rows > 0 {
        throw StoreFileError(
          .invalidMigration,
          "The entity \(name) cannot be renamed to \(newName): the file has \(other.rows) objects of that name, too. Merge them in a migration with versions.",
          table: name)
      }
      try db.execute(sql: "DROP TABLE \(quoted(other.name))")
      contents.tables[other.name] = nil
    }
    contents.tables[name] = nil
    // Rows have checksums of, or are sealed with, the name of their table.
    contents.tables[newName] = try rewriting(record).run(as: newName, db)
  }

  /// The columns in which some row has a value.
  func columnsWithValues(_ record: TableRecord) throws -> Set<String> {
    var found: Set<String> = []
    var reader = try TableReader(record, format, db, isChecked: true)
    while let values = try reader.next() {
      reader.take()
      for (name, value) in zip(record.columns.names, values.values) where value != .null {
        found.insert(name)
      }
    }
    return found
  }

  /// Gives a column another name.
  ///
  /// - Throws: `invalidMigration` if another has that name.
  func renameProperty(_ name: String, to newName: String, of record: inout TableRecord) throws {
    let names = record.columns.names
    if !TableNames.isAllowed(column: newName) {
      throw StoreFileError(
        .invalidMigration,
        "The property \(name) of \(record.name) cannot be renamed to \(newName): the file has columns of such names of its own.",
        table: record.name)
    }
    if names.contains(where: { $0.foldedAsName == newName.foldedAsName && $0 != name }) {
      throw StoreFileError(
        .invalidMigration,
        "The property \(name) of \(record.name) cannot be renamed to \(newName): the file has values of that name, too. Merge them in a migration with versions.",
        table: record.name)
    }
    let columns = record.columns.renamed { $0 == name ? newName : $0 }
    if format.isSealed {
      record.columns = columns
    } else {
      // The checksums of values are those of their columns' names, too.
      record = try rewriting(record).run(as: record.name, columns: columns, db) { $1 }
    }
  }
}
