import GRDB

/// The tables of a file during one step of a migration: as they were before it, and as they are.
///
/// A table is copied before its first change, so that what the step reads of the old tables is what was there before.
final class MigrationTables {
  let before: FileContents
  private(set) var contents: FileContents
  private let format: RowFormat
  private let db: Database
  private var copied: Set<String> = []

  init(_ contents: FileContents, _ format: RowFormat, _ db: Database) {
    (before, self.contents, self.format, self.db) = (contents, contents, format, db)
  }

  /// Removes the copies.
  ///
  /// - Returns: what the tables are now.
  func end() throws -> FileContents {
    for name in copied { try db.execute(sql: "DROP TABLE \(quoted(Self.copy(of: name)))") }
    copied = []
    return contents
  }

  private static func copy(of name: String) -> String { "livestore_before_\(name)" }

  private var edit: TableEdit { TableEdit(format: format, version: contents.version, db: db) }

  /// The table of an entity.
  ///
  /// - Throws: `invalidMigration` if there is none.
  private func record(_ name: String, in contents: FileContents) throws -> TableRecord {
    if let record = contents.tables[name] { return record }
    let names = contents.tables.keys.sorted().joined(separator: ", ")
    throw StoreFileError(
      .invalidMigration, "The file has no objects of \(name). It has: \(names.isEmpty ? "none" : names).",
      table: name)
  }

  /// Keeps a table as it is before its first change in this step.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, also where the step went on after that: a statement that was
  ///   interrupted has ended the transaction.
  private func touch(_ name: String) throws {
    try Task.checkCancellation()
    guard var record = before.tables[name], copied.insert(name).inserted else { return }
    record.name = Self.copy(of: name)
    try format.createTable(record, db)
    try db.execute(sql: "INSERT INTO \(quoted(record.name)) SELECT * FROM \(quoted(name))")
  }

  // MARK: Reading

  /// Calls a body with each row, in insertion order.
  func forEach(_ name: String, isOld: Bool, _ body: (MigrationRow) throws -> Void) throws {
    let record = try record(name, in: isOld ? before : contents)
    var last = Int64.min
    while true {
      try Task.checkCancellation()
      // In portions, so that no table is being read while the body changes it.
      let table = isOld && copied.contains(name) ? Self.copy(of: name) : name
      var reader = try TableReader(record, format, in: table, part: (last, 256), db, isChecked: true)
      var rows: [MigrationRow] = []
      while let values = try reader.next() {
        rows.append(MigrationRow(name, reader.row, record.columns, values.values))
      }
      for row in rows { try body(row) }
      guard rows.count == 256, let row = rows.last else { return }
      last = row.number
    }
  }

  // MARK: Writing

  func update(_ name: String, _ body: (inout MigrationRow) throws -> Void) throws {
    try touch(name)
    var writer = try writer(name)
    // After an error, too: the step may go on.
    defer { contents.tables[name] = writer.record }
    try forEach(name, isOld: false) { row in
      var changed = row
      try body(&changed)
      try requireSame(changed, row)
      if !changed.changes.isEmpty { try put(changed, &writer, isNew: false) }
    }
  }

  func insert(_ name: String, _ body: (inout MigrationRow) throws -> Void) throws {
    if contents.tables[name] == nil {
      guard TableNames.isAllowed(name), contents.table(likeNamed: name) == nil else {
        throw StoreFileError(
          .invalidMigration,
          "\(name) cannot be the name of an entity: it is reserved, cannot be read, or is that of another but for its case.",
          table: name)
      }
      var record = TableRecord(name)
      record.next = contents.removedPlaces[name] ?? 1
      try Task.checkCancellation()
      try format.createTable(record, db)
      contents.tables[name] = record
    } else {
      try touch(name)
    }
    var writer = try writer(name)
    defer { contents.tables[name] = writer.record }
    let last = try Int64.fetchOne(db, sql: "SELECT max(_place) FROM \(quoted(name))") ?? 0
    let number = max(last + 1, Int64(writer.record.next))
    var row = MigrationRow(
      name, number, writer.record.columns,
      Array(repeating: .null, count: writer.record.columns.names.count))
    let empty = row
    try body(&row)
    try requireSame(row, empty)
    try put(row, &writer, isNew: true)
    writer.record.next = UInt64(number) + 1
  }

  /// - Throws: `invalidMigration` if a step gave another row in place of the one that it was to change.
  private func requireSame(_ changed: MigrationRow, _ row: MigrationRow) throws(StoreFileError) {
    let isSame =
      changed.entity == row.entity && changed.number == row.number && changed.values.starts(with: row.values)
      && changed.columns.names.starts(with: row.columns.names)
    if isSame { return }
    throw StoreFileError(
      .invalidMigration,
      "Row \(row.number) of \(row.entity) was replaced by another row. Set its properties.",
      table: row.entity, row: row.number)
  }

  private func writer(_ name: String) throws -> TableWriter {
    TableWriter(try record(name, in: contents), format, version: contents.version, db)
  }

  private func put(_ row: MigrationRow, _ writer: inout TableWriter, isNew: Bool) throws {
    var values: [ColumnValue] = Array(repeating: .null, count: writer.record.columns.names.count)
    for (position, value) in row.values.enumerated() {
      let index = try writer.column(row.columns.names[position])
      while index >= values.count { values.append(.null) }
      values[index] = row.changes[position].map { writer.stored($0, at: index) } ?? value
    }
    try writer.put(values, at: row.number, isNew: isNew)
  }

  func delete(_ name: String, where condition: (MigrationRow) throws -> Bool) throws -> Int {
    try touch(name)
    var writer = try writer(name)
    defer { contents.tables[name] = writer.record }
    var count = 0
    try forEach(name, isOld: false) { row in
      guard try condition(row) else { return }
      try writer.delete(row.number)
      count += 1
    }
    return count
  }

  func deleteEntity(_ name: String) throws {
    _ = try record(name, in: contents)
    if before.tables[name] != nil, copied.insert(name).inserted {
      // Nothing else needs the table, so it is kept as it is, without a copy.
      try db.execute(sql: "ALTER TABLE \(quoted(name)) RENAME TO \(quoted(Self.copy(of: name)))")
    } else {
      try db.execute(sql: "DROP TABLE \(quoted(name))")
    }
    contents.removedPlaces[name] = contents.tables[name]?.next
    contents.tables[name] = nil
  }

  func rename(_ name: String, to newName: String) throws {
    _ = try record(name, in: contents)
    guard TableNames.isAllowed(newName) else {
      throw StoreFileError(.invalidMigration, "\(newName) cannot be the name of an entity.", table: name)
    }
    try touch(name)
    // An empty table of that name makes room.
    if let other = contents.table(likeNamed: newName), other.name != name { try touch(other.name) }
    try edit.rename(name, to: newName, &contents)
  }

  func renameProperty(_ property: String, to newName: String, of name: String) throws {
    var record = try record(name, in: contents)
    try requireProperty(property, of: record)
    try touch(name)
    try edit.renameProperty(property, to: newName, of: &record)
    contents.tables[name] = record
  }

  func removeProperty(_ property: String, of name: String) throws {
    let record = try record(name, in: contents)
    try requireProperty(property, of: record)
    try touch(name)
    contents.tables[name] = try edit.rewriting(record).run(without: [property], db)
  }

  private func requireProperty(_ property: String, of record: TableRecord) throws {
    if record.columns.index(of: property) == nil {
      throw MigrationRow.unknown(property, record.name, record.columns)
    }
  }
}
