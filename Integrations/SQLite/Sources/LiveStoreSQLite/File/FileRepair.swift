import Foundation
import GRDB
import LiveStore

/// Repairing a damaged file: what is whole is written to a new one beside it.
///
/// Rows are copied as they are stored, of all tables. Then the new file is migrated, and read into a store: objects that
/// break rules without those that are missing are left out, too. What the damaged file has is not changed (X6).
struct FileRepair {
  private let damaged: FileDatabase
  private let tables: [any EntityTable]
  private let options: StoreFile.Options

  init(_ damaged: FileDatabase, _ tables: [any EntityTable], _ options: StoreFile.Options) {
    (self.damaged, self.tables, self.options) = (damaged, tables, options)
  }

  /// Where the new file is.
  static func part(of url: URL) -> URL { URL(fileURLWithPath: url.path + "-repair") }

  /// Writes the new file, to the end.
  ///
  /// - Parameter scratch: an empty store, which is of no use afterwards.
  /// - Returns: what was left out.
  /// - Throws: an error if the damaged file cannot be read at all.
  func run(scratch: Store) async throws -> [DamagedRow] {
    let part = Self.part(of: damaged.url)
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: part.path + suffix) }
    let new = try FileDatabase(part, [], options)
    var damage: [DamagedRow] = []
    try damaged.read { db in
      try new.fill { newDatabase in
        let remainder = try FileContents.read(damaged: db, key: options.key)
        var (contents, format) = (remainder.contents, remainder.format)
        let plan = try MigrationPlan(options.migrations)
        // What says otherwise is damaged, and the objects are read as they now are.
        if contents.schema == 0 { contents.schema = plan.schema }
        damage = try copy(&contents, remainder, from: db, to: newDatabase)
        _ = try MigrationRun(plan, format, newDatabase).run(&contents, isReadOnly: false)
        try leaveOut(&contents, format, newDatabase, scratch, &damage)
        let isNamed = contents.tables.keys.allSatisfy { name in tables.contains { $0.name == name } }
        contents.hasLostRows = !damage.isEmpty && !isNamed
        return (contents, format)
      }
    }
    // Closing would do that, too, but would not tell if it failed.
    try await new.checkpoint()
    try new.close()
    return damage
  }

  private func copy(
    _ contents: inout FileContents, _ remainder: FileContents.Remainder, from db: Database,
    to newDatabase: Database
  ) throws -> [DamagedRow] {
    let format = remainder.format
    var damage = remainder.missing
    var newestVersion = contents.version
    for (name, promised) in contents.tables {
      let empty = TableRecord(name, promised.columns)
      try format.createTable(empty, newDatabase)
      var writer = TableWriter(empty, format, version: contents.version, newDatabase)
      var reader = try TableReader(promised, format, db, isRepairing: true)
      // Pages that have changed places, or are there twice, give rows in any order, and more than once.
      var rows: Set<Int64> = []
      while let values = try reader.next() {
        guard rows.insert(reader.row).inserted else { continue }
        reader.take()
        try writer.put(values.values, at: reader.row, isNew: true)
      }
      if remainder.hasRecords { reader.endRepair() }
      damage += reader.damage
      newestVersion = max(newestVersion, reader.newestVersion)
      contents.tables[name] = writer.record
    }
    // Both are written by one transaction. What the file says about its tables was put back, perhaps with their rows.
    if newestVersion > contents.version {
      let reason =
        "the file says what it had at version \(contents.version), and has rows of \(newestVersion)"
      damage += contents.tables.keys.sorted().map { DamagedRow(table: $0, row: nil, reason: reason) }
      contents.version = newestVersion
    }
    return damage
  }

  /// Deletes the rows of objects that break rules.
  private func leaveOut(
    _ contents: inout FileContents, _ format: RowFormat, _ db: Database, _ scratch: Store,
    _ damage: inout [DamagedRow]
  ) throws {
    var salvaged: [any SalvagedTable] = []
    for table in tables {
      guard let record = contents.tables[table.name] else { continue }
      var reader = try TableReader(record, format, db)
      salvaged.append(try table.salvage(&reader))
    }
    var refused: [DamagedRow] = []
    try insert(&salvaged, into: scratch, &refused)
    for row in refused {
      guard let record = contents.tables[row.table], let number = row.row else { continue }
      var writer = TableWriter(record, format, version: contents.version, db)
      try writer.delete(number)
      contents.tables[row.table] = writer.record
    }
    damage += refused
  }

  private func insert(
    _ salvaged: inout [any SalvagedTable], into scratch: Store, _ refused: inout [DamagedRow]
  ) throws {
    while true {
      do {
        return try scratch.write { tx in
          for index in salvaged.indices { try salvaged[index].insert(into: &tx, &refused) }
        }
      } catch let error as StoreError {
        // An object that breaks a rule without those that are missing is missing, too.
        guard let index = salvaged.firstIndex(where: { $0.name == error.entity }), let id = error.id,
          salvaged[index].leaveOut(id, error.message, &refused)
        else { throw error }
      }
    }
  }
}
