import Foundation
import GRDB
import LiveStore
import Synchronization

// MARK: Opening

extension FileDatabase {
  /// Whether nothing has been written to the file and its log.
  var isEmpty: Bool {
    get throws {
      try FileFailure.translating(url) {
        try queue.writeWithoutTransaction { db in try FileContents.isEmpty(db) }
      }
    }
  }

  /// Makes what an empty file needs.
  ///
  /// - Throws: `wrongKey` if the key is too short; `notAStoreFile`, `ioFailed`.
  func prepare(_ options: StoreFile.Options) throws {
    try FileFailure.translating(url) {
      try queue.writeWithoutTransaction { db in
        guard try FileContents.isEmpty(db) else { return }
        let format = try options.key.map { RowFormat.sealed(try FileKey($0)) } ?? .plain
        var contents = FileContents()
        try MigrationPlan(options.migrations).describe(&contents)
        try db.inTransaction(.immediate) {
          try contents.create(format, db)
          return .commit
        }
        // A loss of power may take all of the log: what is left is a file then, and not an empty one.
        if options.durability == .normal { try checkpoint(db) }
      }
    }
  }

  /// Reads the file into a store: one version, whatever another process writes meanwhile. Before, the file is migrated, in
  /// one transaction with what is checked at reading.
  ///
  /// - Throws: `notAStoreFile`, `newerFormat`, `newerSchema`, `migrationNeeded`, `wrongKey`, `damaged`, `mismatch`,
  ///   `ioFailed`; a `StoreError`; what a migration throws. Then the file is as before.
  func load(_ options: StoreFile.Options, _ makeStore: @escaping StoreMaker) async throws -> Store {
    let plan = try MigrationPlan(options.migrations)
    return try await FileFailure.translating(url) {
      // Not in the caller's thread: it takes long, and can be cancelled.
      try await queue.writeWithoutTransaction { db in
        var (renews, reserves) = (owner != nil, owner != nil)
        while true {
          var extras = OpeningExtras()
          do {
            return try load(plan, db, options, makeStore, renews: renews, reserves: reserves, &extras)
          } catch let error as DatabaseError
            where (extras.hasRenewed || extras.isReserving)
            && ([.SQLITE_FULL, .SQLITE_IOERR].contains(error.resultCode)
              // SQLite reads what it cannot open for writing at a moment, and no later attempt would succeed.
              || error.resultCode == .SQLITE_READONLY && access(url.path, W_OK) != 0)
          {
            // There is no room to write the file in today's format, or not even to reserve versions. An app starts
            // nevertheless, with the room that the attempt has taken.
            if extras.hasRenewed { renews = false } else { reserves = false }
            try? db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
          }
        }
      }
    }
  }

  /// What an opening has written that the store can do without.
  private struct OpeningExtras {
    /// Whether it has begun to write the file in today's format.
    var hasRenewed = false
    /// Whether nothing but reserved versions is left to be written.
    var isReserving = false
  }

  /// - Parameters:
  ///   - renews: whether a file of an earlier format is written in today's.
  ///   - reserves: whether versions are reserved in the file; else its store is another one from here on.
  ///   - extras: what of these was begun.
  private func load(
    _ plan: MigrationPlan, _ db: Database, _ options: StoreFile.Options, _ makeStore: StoreMaker,
    renews: Bool, reserves: Bool, _ extras: inout OpeningExtras
  ) throws -> Store {
    var (state, loaded): (State, Store?) = (State(), nil)
    let progress = ProgressReporter(options.progress)
    // That versions are reserved must survive whatever they do not.
    if reserves { try db.execute(sql: Self.syncing(isFull: true)) }
    defer { try? db.execute(sql: Self.syncing(isFull: options.durability == .full)) }
    try db.inTransaction(.deferred) {
      (state.contents, state.format) = try progress.checkPages(db) {
        try FileContents.read(db, key: options.key)
      }
      // No file that was closed has any.
      if owner != nil, try KeyChangeTables.areLeft(beside: state.contents.tables.count, db) {
        state.contents.hasRemains = true
      }
      if renews, state.contents.format != FileContents.format {
        extras.hasRenewed = true
        if state.format.isSealed {
          try state.contents.renew(db)
        } else {
          try rewrite(&state, as: .plain, db, progress)
        }
      }
      let before = state.contents
      let isMigrated = try MigrationRun(plan, state.format, db, progress).run(
        &state.contents, isReadOnly: options.isReadOnly)
      state.defaults = tables.reduce(into: [:]) { $0[$1.name] = plan.defaults(of: $1.name) }
      try checkNames(state.contents)
      if owner != nil { state.contents.goOn(from: before, isMigrated: isMigrated, reserves: reserves) }
      let contents = state.contents
      do {
        loaded = try load(&state, db, options, makeStore, progress)
      } catch let error as StoreError
        where error.code == StoreError.missingLinkTarget
        && contents.tables[error.entity ?? ""]?.isUnchecked == true
      {
        let row = try Salvage(tables, state.format, db).firstDamage(contents, makeStore(.empty))
        throw brokenLink(error, row)
      }
      if let loaded, owner != nil { state.contents.reserve(beyond: loaded.version) }
      if !isMigrated {
        state.pendingChanges = Array(state.contents.changes.dropFirst(before.changes.count))
        state.contents.changes = before.changes
      }
      extras.isReserving = reserves && !isMigrated
      if reserves { try state.contents.write(state.format, to: db) }
      return .commit
    }
    // Also without the log, the file says that they are. Beside a reader, it does so later. A file all of which is in the log
    // would be empty without it, which is damage.
    if reserves, FileStamp(url.path)?.size ?? 0 > 4_096 {
      try? db.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)")
    }
    // It was opened with the first reading.
    state.log = FilePlace(logPath)
    let file = FilePlace(path)
    state.file = Self.hasMoved(db.sqliteConnection) ? nil : file
    self.state.withLock { $0 = state }
    // Without room, or beside a reader, the next opening does it.
    if state.contents.hasRemains, !options.isReadOnly {
      do { try removeRemains(db, progress) } catch { try Task.checkCancellation() }
    }
    guard let loaded else { preconditionFailure("what was committed has read the store") }
    return loaded
  }

  private func brokenLink(_ error: StoreError, _ row: DamagedRow?) -> StoreFileError {
    let table = row?.table ?? error.entity ?? ""
    let place = row?.row.map { "Row \($0) of table \(table)" } ?? "The table \(table)"
    return StoreFileError(
      .damaged,
      "\(place) is damaged: the link \(error.property ?? "") leads to \(error.value ?? ""), which is gone. It was deleted, or left out of a repair, while the file was open without \(table). Open the file with repair: .skipDamagedRows and all entities: such a link then follows the delete rule of its relation.",
      table: table, row: row?.row)
  }

  /// Refuses entities that would share a table with one that is not named.
  private func checkNames(_ contents: FileContents) throws(StoreFileError) {
    for table in tables where contents.tables[table.name] == nil {
      guard let other = contents.table(likeNamed: table.name) else { continue }
      throw StoreFileError(
        .mismatch,
        "The entity \(table.name) cannot be a table: the file has one named \(other.name), and case makes no difference in SQLite. If it is the same entity, open the file with the migration .renamed(\"\(other.name)\", to: \(table.name).self).",
        table: table.name)
    }
  }

  private func load(
    _ state: inout State, _ db: Database, _ options: StoreFile.Options, _ makeStore: StoreMaker,
    _ progress: ProgressReporter
  ) throws -> Store {
    let promised = state.contents.tables
    progress.begin(.reading, .rows, of: tables.reduce(0) { $0 + (promised[$1.name]?.rows ?? 0) })
    var records: [String: TableRecord] = [:]
    let beginning = StoreBeginning(
      identity: state.contents.identity, version: Version(state.contents.storeVersion),
      lostVersions: state.contents.lostVersions, isReadOnly: options.isReadOnly
    ) { [tables, format = state.format] contents in
      var before = 0
      for table in tables {
        guard let promised = promised[table.name] else { continue }
        var reader = try TableReader(promised, format, db, isChecked: true) { [before] row in
          try progress.advance(toRow: row, after: before)
        }
        try table.load(&reader, into: &contents)
        before += reader.record.rows
        var record = reader.record
        record.next = max(promised.next, UInt64(max(0, reader.row)) + 1)
        try table.setNextPlace(record.next, in: &contents)
        records[table.name] = record
      }
    }
    let store = try makeStore(beginning)
    state.contents.tables.merge(records) { $1 }
    if owner != nil { try state.contents.requireRoom() }
    progress.end()
    return store
  }

  // MARK: Repairing

  /// Runs a body with the connection.
  func read(_ body: (Database) throws -> Void) throws {
    try FileFailure.translating(url) { try queue.writeWithoutTransaction { db in try body(db) } }
  }

  /// Fills an empty file, as one transaction.
  ///
  /// - Parameter body: writes the tables; gives what the file contains.
  func fill(_ body: (Database) throws -> (FileContents, RowFormat)) throws {
    try read { db in
      try db.inTransaction(.immediate) {
        let (contents, format) = try body(db)
        try contents.create(format, db)
        return .commit
      }
    }
  }
}
