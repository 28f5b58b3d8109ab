import GRDB

/// Applies what a file has not passed of the list of migrations, in its order, within the transaction in which its objects
/// are then judged (X6).
///
/// An entry of the list names the types of today. Where it stands, an entity may still have had an earlier name: that which
/// a later entry gives today's name to.
struct MigrationRun {
  private let plan: MigrationPlan
  private let format: RowFormat
  private let db: Database
  private let progress: ProgressReporter

  init(_ plan: MigrationPlan, _ format: RowFormat, _ db: Database, _ progress: ProgressReporter) {
    (self.plan, self.format, self.db, self.progress) = (plan, format, db, progress)
  }

  /// Migrates the tables, and describes them as they are then. What describes them in the file is not yet written.
  ///
  /// - Returns: whether there was something to do. What had nothing to do counts as passed, too.
  /// - Throws: `newerSchema`, `migrationNeeded`, `invalidMigration`, `damaged`; what a step throws; `CancellationError`.
  func run(_ contents: inout FileContents, isReadOnly: Bool) throws -> Bool {
    let remainder = try plan.remainder(contents)
    let isMigrated = try migrate(&contents, remainder.places[...], isReadOnly)
    contents.changes += remainder.places.compactMap { plan.list[$0].change }
    let unknown = Dictionary(grouping: remainder.unknown, by: \.entity)
    for name in contents.tables.keys {
      contents.tables[name]?.defaults = plan.defaults(of: name)
      contents.tables[name]?.foreignColumns = Set((unknown[name] ?? []).compactMap(\.property))
    }
    return isMigrated
  }

  private func migrate(_ contents: inout FileContents, _ places: ArraySlice<Int>, _ isReadOnly: Bool) throws
    -> Bool
  {
    let isNeeded = places.indices.contains { acts(plan.list[places[$0]], places[($0 + 1)...], contents) }
    if !isNeeded { return false }
    // Nothing was written yet: the file is as a new one, which no step is run for.
    if contents.tables.isEmpty {
      contents.schema = plan.schema
      return !isReadOnly
    }
    if isReadOnly {
      throw StoreFileError(
        .migrationNeeded,
        "The file is of an earlier version of the schema. Open it once without isReadOnly, which migrates it."
      )
    }
    contents.version += 1
    progress.begin(.migrating, .rows, of: nil)
    // A table from which rows are missing would be complete afterwards, as the file describes it.
    for record in contents.tables.values {
      let before = progress.done
      var reader = try TableReader(record, format, db, isChecked: true) { row in
        try progress.advance(toRow: row, after: before)
      }
      while try reader.next() != nil { reader.take() }
      progress.reach(before + record.rows)
    }
    do {
      for index in places.indices {
        let (entry, later) = (plan.list[places[index]], places[(index + 1)...])
        guard acts(entry, later, contents) else { continue }
        try progress.watchRows(db) { try apply(entry, later, &contents) }
        // Also where a step caught the error of a statement that was interrupted, which has undone all of them.
        try Task.checkCancellation()
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      // The file was whole before: what it was to do cannot be done.
      throw StoreFileError(
        .invalidMigration, "SQLite refuses what a migration does: \(error.message ?? "\(error.resultCode)").")
    }
    progress.end()
    return true
  }

  // MARK: Names

  /// The table that an entity of today has, before some entries of the list.
  private func table(_ entity: String, before later: ArraySlice<Int>, _ contents: FileContents) -> String {
    for index in later.indices {
      guard case .renamedEntity(let name, entity) = plan.list[later[index]], name != entity else { continue }
      let earlier = table(name, before: later[..<index], contents)
      if let record = contents.tables[earlier], record.rows > 0 || contents.tables[entity] == nil {
        return earlier
      }
    }
    return entity
  }

  /// The name that an entity got which has another today: that from which it is renamed next.
  private func newName(_ entity: String, from name: String, before later: ArraySlice<Int>) -> String {
    for place in later {
      guard case .renamedEntity(let next, entity) = plan.list[place], next != entity else { continue }
      return next == name ? entity : next
    }
    return entity
  }

  // MARK: Entries

  /// Whether there is something to do for an entry.
  private func acts(_ entry: Migration.Kind, _ later: ArraySlice<Int>, _ contents: FileContents) -> Bool {
    switch entry {
    case .step: return true
    case .renamedEntity(let name, let entity): return name != entity && contents.tables[name] != nil
    case .renamedProperty(let name, let newName, let entity):
      let record = contents.tables[table(entity, before: later, contents)]
      return name != newName && record?.columns.index(of: name) != nil
    case .addedProperty(let name, let entity, _):
      guard let record = contents.tables[table(entity, before: later, contents)] else { return false }
      return record.rows > 0 && record.columns.index(of: name) == nil
    case .invalid: return false
    }
  }

  private func apply(_ entry: Migration.Kind, _ later: ArraySlice<Int>, _ contents: inout FileContents) throws
  {
    switch entry {
    case .step(_, let to, let body):
      let tables = MigrationTables(contents, format, db)
      var tx = MigrationTransaction(tables)
      try body(MigrationSource(tables), &tx)
      contents = try tables.end()
      contents.schema = to
    case .renamedEntity(let name, let entity):
      try rename(name, to: newName(entity, from: name, before: later), &contents)
    case .renamedProperty(let name, let newName, let entity):
      let table = table(entity, before: later, contents)
      guard let record = contents.tables[table] else { return }
      contents.tables[table] = try renameProperty(name, to: newName, of: record, contents.version)
    case .addedProperty(let name, let entity, let value):
      let table = table(entity, before: later, contents)
      guard let record = contents.tables[table] else { return }
      guard TableNames.isAllowed(column: name) else {
        throw StoreFileError(
          .invalidMigration,
          "\(name) cannot be added to \(entity): the file has columns of such names of its own.",
          table: entity)
      }
      guard !record.columns.names.contains(where: { $0.foldedAsName == name.foldedAsName }) else {
        throw StoreFileError(
          .invalidMigration,
          "\(name) cannot be added to \(entity): another property has that name, whose case makes no difference in SQLite.",
          table: entity)
      }
      var columns = record.columns
      columns.add(name, kinds: .native(value.kinds))
      contents.tables[table] = try edit(contents.version).rewriting(record).run(
        as: table, columns: columns, db
      ) { $1 + [value.column] }
    case .invalid: break
    }
  }

  private func edit(_ version: Int64) -> TableEdit { TableEdit(format: format, version: version, db: db) }

  private func rename(_ name: String, to newName: String, _ contents: inout FileContents) throws {
    if contents.tables[name]?.rows == 0, contents.tables[newName] != nil {
      // Without objects, it is as good as none.
      try db.execute(sql: "DROP TABLE \(quoted(name))")
      contents.tables[name] = nil
    } else {
      try edit(contents.version).rename(name, to: newName, &contents)
    }
  }

  private func renameProperty(_ name: String, to newName: String, of old: TableRecord, _ version: Int64)
    throws
    -> TableRecord
  {
    var record = old
    let edit = edit(version)
    if record.columns.index(of: newName) != nil {
      // Without values, a column is as good as none.
      let columns = try edit.columnsWithValues(record)
      if !columns.contains(name) { return record }
      if !columns.contains(newName) { record = try edit.rewriting(record).run(without: [newName], db) }
    }
    try edit.renameProperty(name, to: newName, of: &record)
    return record
  }
}
