import Foundation
import GRDB
import LiveStore

/// Repairing a damaged file: what is whole is written to a new one beside it.
///
/// Rows are copied as they are stored, of all tables. Then the new file is migrated, and read into a store: what links to
/// objects that are missing follows the rules of its relations (`Salvage`). What the damaged file has is not changed (X6).
/// The new file has the list of what is missing, so that no crash can lose it (X9).
struct FileRepair {
  private let damaged: FileDatabase
  private let tables: [any EntityTable]
  private let options: StoreFile.Options
  private let progress: ProgressReporter

  init(_ damaged: FileDatabase, _ tables: [any EntityTable], _ options: StoreFile.Options) {
    (self.damaged, self.tables, self.options) = (damaged, tables, options)
    progress = ProgressReporter(options.progress)
  }

  /// Where the new file is.
  static func part(of url: URL) -> URL { URL(fileURLWithPath: url.path + "-repair") }

  /// Where the new file is, complete, until it has the name of the damaged one.
  static func repaired(_ url: URL) -> URL { URL(fileURLWithPath: url.path + "-repaired") }

  /// Whether a repaired file has not the name yet. The lock says which file that is: any other of its name, or a link, is
  /// none of ours.
  ///
  /// - Throws: `ioFailed` if that cannot be found out: the damaged file may have less.
  static func isRepaired(_ url: URL) throws(StoreFileError) -> Bool {
    guard let number = try FilePlace.number(repaired(url).path) else { return false }
    return try FileOwner.repairedIdentity(of: url) == number
  }

  /// The file of a name: a repaired one that has not the name yet, if there is one.
  ///
  /// - Throws: `ioFailed`.
  static func current(_ url: URL) throws(StoreFileError) -> URL {
    try isRepaired(url) ? repaired(url) : url
  }

  /// Gives a repaired file, if there is one, the name of the damaged one, which is kept under another.
  ///
  /// From the moment that the repaired file is complete, it is the file: if the process ends within this, the next opening
  /// does it again, since the damaged file without its log would have less.
  static func replaceDamaged(_ url: URL, _ owner: FileOwner) throws {
    guard let identity = try owner.repairedIdentity(),
      try FilePlace.number(repaired(url).path) == identity
    else { return owner.forgetRepair() }
    if try FilePlace.number(url.path) != nil { try DamagedCopy(url).keep() }
    try FileNames.moveDurably(repaired(url).path, to: url)
    owner.forgetRepair()
  }

  /// Makes the new file, which is written, the file that a name has, but for the name.
  ///
  /// - Throws: `ioFailed`, also if another file has the name of a repaired one.
  static func complete(_ url: URL, _ owner: FileOwner) throws(StoreFileError) {
    let repaired = repaired(url)
    if try FileStamp.existing(repaired.path) != nil {
      throw StoreFileError(
        .ioFailed,
        "There is a file \(repaired.path), which is none that this library made, where the repaired file is to be. Remove it."
      )
    }
    try owner.noteRepair(part(of: url))
    try FileNames.moveDurably(part(of: url).path, to: repaired)
    // Nothing is in it; SQLite does not tell if it cannot remove it.
    for suffix in FileNames.logs { unlink(part(of: url).path + suffix) }
  }

  /// Writes the new file, to the end.
  ///
  /// - Parameter scratch: an empty store, which is of no use afterwards.
  /// - Throws: an error if the damaged file cannot be read at all.
  func run(scratch: Store) async throws {
    let part = Self.part(of: damaged.url)
    FileNames.removeDatabase(part)
    close(try RegularFile.make(part.path, like: [damaged.url.path]))
    let new = try FileDatabase(part, [], options)
    try damaged.read { db in
      try ReadConnection.limitValues(db)
      try new.fill { newDatabase in
        let remainder = try FileContents.read(damaged: db, key: options.key)
        var (contents, format) = (remainder.contents, remainder.format)
        // Of a store of its own: what was repaired is no version of the old (X11).
        contents.storeVersion = 1
        contents.reserved = 1
        contents.format = FileContents.format
        if !format.isSealed { format = .plain }
        let plan = try MigrationPlan(options.migrations)
        // What says otherwise is damaged, and the objects are read as they now are.
        if contents.schema == 0 { contents.schema = plan.schema }
        contents.damagedRows += try copy(&contents, remainder, from: db, to: newDatabase, format)
        _ = try MigrationRun(plan, format, newDatabase, progress).run(&contents, isReadOnly: false)
        var salvage = Salvage(tables, format, newDatabase, progress)
        salvage.skipsUnreadable = options.repair == .skipUnreadableRows
        contents.damagedRows += try salvage.resolve(&contents, scratch)
        for name in contents.tables.keys {
          let isNamed = tables.contains { $0.name == name }
          if isNamed || !contents.damagedRows.isEmpty { contents.tables[name]?.isUnchecked = !isNamed }
        }
        return (contents, format)
      }
    }
    // Closing would do that, too, but would not tell if it failed.
    try await new.checkpoint()
    try new.close()
  }

  private func copy(
    _ contents: inout FileContents, _ remainder: FileContents.Remainder, from db: Database,
    to newDatabase: Database, _ newFormat: RowFormat
  ) throws -> [DamagedRow] {
    var damage = remainder.missing
    var newestVersion = contents.version
    progress.begin(
      .repairing, .rows, of: remainder.hasRecords ? contents.tables.values.reduce(0) { $0 + $1.rows } : nil)
    // Tables may share pages, and so have any number of rows in all. Those of entities may each have as many as the file, all
    // others together.
    var room: Int?
    let names = Set(tables.map(\.name))
    for (name, promised) in contents.tables.sorted(by: { names.contains($0.key) && !names.contains($1.key) })
    {
      try Task.checkCancellation()
      let isNamed = names.contains(name)
      var empty = TableRecord(name, promised.columns)
      empty.isUnchecked = promised.isUnchecked
      try newFormat.createTable(empty, newDatabase)
      var writer = TableWriter(empty, newFormat, version: contents.version, newDatabase)
      let before = progress.done
      var reader: TableReader
      do {
        reader = try TableReader(
          promised, remainder.format, db, isRepairing: true, room: isNamed ? nil : room
        ) { row in
          try progress.advance(toRow: row, after: before)
        }
      } catch let error as DatabaseError where error.mayBeDamage {
        damage.append(.unreadable(name, error))
        contents.tables[name] = writer.record
        continue
      }
      defer { if !isNamed { room = reader.room } }
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
      progress.reach(before + writer.record.rows)
    }
    progress.end()
    // Both are written by one transaction. What the file says about its tables was put back, perhaps with their rows.
    if newestVersion > contents.version {
      let reason =
        "the file says what it had at version \(contents.version), and has rows of \(newestVersion)"
      damage += contents.tables.keys.sorted().map { DamagedRow(table: $0, row: nil, reason: reason) }
      contents.version = min(newestVersion, FileContents.highestRepaired)
    }
    return damage
  }
}
