import GRDB

/// Runs the migrations that a file needs, within the transaction in which its objects are then judged (X6).
struct MigrationRun {
  private let plan: MigrationPlan
  private let format: RowFormat
  private let db: Database

  init(_ plan: MigrationPlan, _ format: RowFormat, _ db: Database) {
    (self.plan, self.format, self.db) = (plan, format, db)
  }

  /// Migrates the tables, and describes them as they are then. What describes them in the file is not yet written.
  ///
  /// - Returns: whether there was something to do.
  /// - Throws: `newerSchema`, `migrationNeeded`, `invalidMigration`, `damaged`; what a step throws.
  func run(_ contents: inout FileContents, isReadOnly: Bool) throws -> Bool {
    let steps = try plan.steps(from: contents.schema)
    if steps.isEmpty, !plan.changes.contains(where: { isPending($0, contents) }) { return false }
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
    // A table from which rows are missing would be complete afterwards, as the file describes it.
    for record in contents.tables.values {
      var reader = try TableReader(record, format, db)
      while try reader.next() != nil { reader.take() }
    }
    for step in steps {
      let tables = MigrationTables(contents, format, db)
      var tx = MigrationTransaction(tables)
      try step.body(MigrationSource(tables), &tx)
      contents = try tables.end()
      contents.schema = step.to
    }
    // In any order, since one may lead to what another waits for: an entity that is renamed has properties that are.
    for _ in plan.changes {
      guard let change = plan.changes.first(where: { isPending($0, contents) }) else { break }
      try apply(change, &contents)
    }
    return true
  }

  private func isPending(_ change: Migration.Kind, _ contents: FileContents) -> Bool {
    switch change {
    case .renamedEntity(let name, let newName): name != newName && contents.tables[name] != nil
    case .renamedProperty(let name, let newName, let entity):
      name != newName && contents.tables[entity]?.columns.index(of: name) != nil
    case .addedProperty(let name, let entity, _):
      (contents.tables[entity]?.rows ?? 0) > 0 && contents.tables[entity]?.columns.index(of: name) == nil
    case .step, .invalid: false
    }
  }

  private func apply(_ change: Migration.Kind, _ contents: inout FileContents) throws {
    let edit = TableEdit(format: format, version: contents.version, db: db)
    switch change {
    case .renamedEntity(let name, let newName):
      if contents.tables[name]?.rows == 0, contents.tables[newName] != nil {
        // An older app made it again, and put nothing into it.
        try db.execute(sql: "DROP TABLE \(quoted(name))")
        contents.tables[name] = nil
      } else {
        try edit.rename(name, to: newName, &contents)
      }
    case .renamedProperty(let name, let newName, let entity):
      guard var record = contents.tables[entity] else { return }
      try edit.renameProperty(name, to: newName, of: &record)
      contents.tables[entity] = record
    case .addedProperty(let name, let entity, let value):
      guard let record = contents.tables[entity] else { return }
      let rewriting = edit.rewriting(record)
      var columns = record.columns
      columns.add(name, kinds: value.kinds)
      contents.tables[entity] = try rewriting.run(as: entity, columns: columns, db) {
        $1 + [value.column]
      }
    case .step, .invalid: break
    }
  }
}
