import Crypto
import Foundation
import GRDB
import GRDBSQLite
import LiveStore
import Synchronization

/// The connection to a file: reading it into a store, and writing differences to it.
///
/// State: what the file contains, and how its rows are stored; guarded by the mutex. It is changed in the connection's
/// queue alone, after each transaction, so it is what the file has whenever the queue is free.
final class FileDatabase: Sendable {
  let url: URL
  /// Looked at before and after each transaction.
  private let path, logPath: String
  private let queue: DatabaseQueue
  /// What the queue belongs to if the file is only read.
  private let reading: ReadConnection?
  private let tables: [any EntityTable]
  /// The right to write; nil for a file that is not the one that a store follows, or not yet.
  private let owner: FileOwner?
  private let state = Mutex(State())

  struct State {
    var contents = FileContents()
    var format = RowFormat.plain
    /// What added properties have in objects without a value, by entity.
    var defaults: [String: [String: CodedValue]] = [:]
    /// The renamings and additions that had nothing to do: they count as passed with what is written next.
    var pendingChanges: [SchemaChange] = []
    /// Which files the database and its log are, since it was read.
    var file: FilePlace?
    var log: FilePlace?
    /// Whether the file was elsewhere once: what is written there is not what the next opening reads.
    var isMoved = false
  }

  /// - Throws: `notFound`, `notAStoreFile`, `damaged`, `ioFailed`.
  init(
    _ url: URL, _ tables: [any EntityTable], _ options: StoreFile.Options, owner: FileOwner? = nil
  ) throws {
    (self.url, self.tables, self.owner) = (url, tables, owner)
    (path, logPath) = (url.path, url.path + "-wal")
    if options.isReadOnly {
      let reading = try ReadConnection(url)
      (self.reading, queue) = (reading, reading.queue)
      return
    }
    reading = nil
    try RollbackJournal.requireOwn(url)
    try RegularFile.requireOwnLogs(url)
    try RegularFile.requireOneName(url)
    var configuration = Configuration()
    configuration.label = "LiveStore file"
    // Those of a file that others made would delete rows as triggers do.
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .timeout(Double(Self.busyTimeout) / 1_000)
    configuration.prepareDatabase { db in
      // A log that one large transaction needed does not stay as large.
      try db.execute(
        sql: """
          PRAGMA journal_mode = WAL;
          \(Self.syncing(isFull: options.durability == .full));
          PRAGMA journal_size_limit = \(4 << 20);
          """)
      try ReadConnection.restrict(db)
    }
    queue = try FileFailure.translating(url) {
      try DatabaseQueue(path: url.path, configuration: configuration)
    }
  }

  /// What reaches the disk when a transaction ends. On Apple's systems, a sync leaves data in the drive's cache, unless
  /// fullfsync is on; elsewhere it changes nothing.
  private static func syncing(isFull: Bool) -> String {
    "PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL"); PRAGMA fullfsync = \(isFull ? "ON" : "OFF")"
  }

  /// Whether a file that is only read may have been written meanwhile, unnoticed.
  var isOutdated: Bool { reading?.isOutdated(url) ?? false }

  func close() throws { try FileFailure.translating(url) { try queue.close() } }

  var contents: FileContents { state.withLock { $0.contents } }

  /// How often something was sealed with the key.
  var sealCount: Int {
    if case .sealed(let key) = state.withLock({ $0.format }) { Int(clamping: key.sealCount) } else { 0 }
  }

  // MARK: Opening

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

  // MARK: Writing

  /// Writes what differs as one transaction (X1).
  func write(_ difference: StoreDifference) async throws {
    try await transaction { state, db in try write(difference, &state, db) }
  }

  /// The same, on the queue of the database, whatever becomes of the task that asks for it.
  ///
  /// - Parameter done: called there when it is written, with how long that took, or has failed.
  func write(
    _ difference: StoreDifference, then done: @escaping @Sendable (Result<Duration, any Error>) -> Void
  ) {
    queue.asyncWriteWithoutTransaction { db in
      let result = Result {
        try ContinuousClock().measure {
          try self.translating {
            try self.transact(db, isOfVersions: false) { state, db in try self.write(difference, &state, db) }
          }
        }
      }
      done(result)
    }
  }

  private func write(_ difference: StoreDifference, _ state: inout State, _ db: Database) throws {
    // The others were checked when they were read.
    for name in state.contents.tables.keys where !tables.contains(where: { $0.name == name }) {
      state.contents.tables[name]?.isUnchecked = true
    }
    state.contents.version += Int64(difference.after.version.number - difference.before.version.number)
    state.contents.reserve(beyond: difference.after.version)
    for table in tables {
      var record = state.contents.tables[table.name] ?? TableRecord(table.name)
      record.defaults = state.defaults[table.name] ?? [:]
      if state.contents.tables[table.name] == nil { try state.format.createTable(record, db) }
      var writer = TableWriter(record, state.format, version: state.contents.version, db)
      try table.write(difference, to: &writer)
      writer.record.next = table.nextPlace(difference.after)
      state.contents.tables[table.name] = writer.record
    }
  }

  /// Ends the reservation of versions: the store had none after this.
  func endVersions(at version: Version) async throws {
    guard contents.storeVersion == version.number else { return }
    try await transaction(isOfVersions: true) { state, _ in state.contents.reserved = version.number }
  }

  /// Makes the file that of another store, after it was copied.
  func becomeCopy() async throws {
    try await transaction(isOfVersions: true) { state, _ in state.contents.becomeCopy() }
  }

  /// Removes the list of what the last repair left out, once it was reported (X9).
  func forgetDamage() async throws {
    if contents.damagedRows.isEmpty { return }
    try await transaction { state, _ in state.contents.damagedRows = [] }
  }

  /// About how many bytes a difference has, as rows of the file.
  func byteCount(_ difference: StoreDifference) -> Int {
    let format = state.withLock { $0.format }
    return tables.reduce(0) { $0 + $1.byteCount(difference, format) }
  }

  /// - Parameter isOfVersions: whether what the store has, and how, is not written.
  private func transaction(
    isOfVersions: Bool = false, _ body: @Sendable (inout State, Database) throws -> Void
  ) async throws {
    try await run { db in try transact(db, isOfVersions: isOfVersions, body) }
  }

  private func transact(
    _ db: Database, isOfVersions: Bool, _ body: (inout State, Database) throws -> Void
  ) throws {
    try requireInPlace(db)
    var state = self.state.withLock { $0 }
    if !isOfVersions {
      state.contents.changes += state.pendingChanges
      state.pendingChanges = []
    }
    try db.inTransaction(.immediate) {
      try body(&state, db)
      try state.contents.write(state.format, to: db)
      return .commit
    }
    self.state.withLock { $0 = state }
    // What the next opening does not find is not acknowledged.
    if isInPlace(db) == false { throw Self.moved(url) }
  }

  /// Checks that the file, its log and its lock have their names still. SQLite writes on to files that were removed or
  /// renamed, and another process, or the next opening, has others.
  ///
  /// - Throws: `moved`; `ioFailed` if it cannot be found out.
  private func requireInPlace(_ db: Database) throws {
    // Without a connection, SQLite's functions have no meaning.
    guard db.sqliteConnection != nil else { throw StoreFileError(.closed, "The file \(url.path) is closed.") }
    switch isInPlace(db) {
    case true?: return
    case false?: throw Self.moved(url)
    case nil: throw StoreFileError(.ioFailed, "The folder of \(url.path) cannot be read. Try again.")
    }
  }

  /// The same; nil if it cannot be found out. What was elsewhere once counts as moved for good.
  private func isInPlace(_ db: Database) -> Bool? {
    guard let connection = db.sqliteConnection else { return nil }
    let (file, log) = state.withLock { ($0.file, $0.log) }
    let places = [
      file.map { $0.isAt(path) }
        ?? FilePlace.isThere(path).flatMap { isThere in
          // Unless nothing can look at it now.
          isThere && !Self.hasMoved(connection) ? true : FilePlace.isThere(path).map { _ in false }
        },
      log.map { $0.isAt(logPath) } ?? FilePlace.isThere(logPath), owner.map { $0.isCurrent } ?? true,
    ]
    return state.withLock { state in
      if places.contains(false) { state.isMoved = true }
      return state.isMoved ? false : places.contains(nil) ? nil : true
    }
  }

  /// Whether another file, or none, has the name of the one that SQLite has open. It takes one that it cannot look at for
  /// one that has moved, so it is asked again.
  private static func hasMoved(_ connection: OpaquePointer?) -> Bool {
    var hasMoved: CInt = 0
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    if hasMoved != 0 { sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) }
    return hasMoved != 0
  }

  /// The error of a file that was moved.
  static func moved(_ url: URL) -> StoreFileError {
    StoreFileError(
      .moved,
      "The file \(url.path), its log or its lock was removed, renamed or replaced while it was open. What was committed since is in memory alone: write it elsewhere, with exportJSON(to:), and close the file."
    )
  }

  /// Whether the file was moved, when nothing is written.
  func hasMoved() async -> Bool {
    let isMoved = try? await queue.writeWithoutTransaction { db in isInPlace(db) == false }
    return isMoved ?? false
  }

  /// How many bytes the log has.
  var logBytes: Int64 { ReadConnection.logSize(url) }

  private func run(_ body: @Sendable (Database) throws -> Void) async throws {
    try await queue.writeWithoutTransaction { db in try translating { try body(db) } }
  }

  private func translating(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as DatabaseError {
      throw FileFailure.writing(error, url)
    }
  }

  // MARK: Upkeep

  /// Gives the room of deleted objects back to the file system, and that of properties that are gone.
  func compact(_ progress: ProgressReporter) async throws {
    let unused = contents.tables.values.filter { !$0.unusedColumns.isEmpty }
    if !unused.isEmpty {
      progress.begin(.writing, .rows, of: unused.reduce(0) { $0 + $1.rows })
      try await transaction { state, db in
        state.contents.version += 1
        for record in state.contents.tables.values where !record.unusedColumns.isEmpty {
          let rewriting = TableRewriting(
            old: record, oldFormat: state.format, newFormat: state.format, version: state.contents.version,
            progress: progress)
          state.contents.tables[record.name] = try rewriting.run(without: record.unusedColumns, db)
        }
      }
      progress.end()
    }
    let hasRemains = contents.hasRemains
    try await run { db in
      try requireInPlace(db)
      if hasRemains { return try removeRemains(db, progress) }
      try progress.compact(db, checkpoint)
    }
  }

  /// Writes all rows with another key, or without one. Cancelling the task ends it until that is committed.
  ///
  /// - Parameter isCopy: whether it ends afterwards, too: what a copy has then is of no use.
  func changeKey(to key: SymmetricKey?, _ progress: ProgressReporter, isCopy: Bool = false) async throws {
    let format = try key.map { RowFormat.sealed(try FileKey($0)) } ?? .plain
    do {
      try await transaction { state, db in
        try rewrite(&state, as: format, db, progress)
        state.contents.hasRemains = true
      }
    } catch let error as StoreFileError where [.ioFailed, .damaged].contains(error.code) {
      throw StoreFileError(
        error.code, "The key was not changed: \(error.message)", table: error.table, row: error.row)
    }
    progress.end()
    do {
      let removal = { @Sendable [self] in try await run { db in try removeRemains(db, progress) } }
      // In a task of its own, which is not cancelled: the file has the new key.
      if isCopy { try await removal() } else { try await Task(operation: removal).value }
    } catch let error as StoreFileError where [.ioFailed, .damaged].contains(error.code) {
      throw StoreFileError(
        error.code,
        "The key was changed, but unused pages of the file still have what was stored before, until compact() or an opening succeeds: \(error.message)"
      )
    }
  }

  /// Writes all rows again, as a version of the file.
  private func rewrite(
    _ state: inout State, as format: RowFormat, _ db: Database, _ progress: ProgressReporter
  ) throws {
    progress.begin(.writing, .rows, of: state.contents.tables.values.reduce(0) { $0 + $1.rows })
    if !state.contents.tables.isEmpty { state.contents.version += 1 }
    for record in state.contents.tables.values {
      let rewriting = TableRewriting(
        old: record, oldFormat: state.format, newFormat: format, version: state.contents.version,
        progress: progress)
      state.contents.tables[record.name] = try rewriting.run(as: record.name, db)
    }
    state.format = format
    if state.contents.format != FileContents.format { try state.contents.renew(db) }
  }

  /// Gives a file that is not encrypted a key; one that is must have that key.
  func adoptKey(_ key: SymmetricKey?, _ progress: ProgressReporter) async throws {
    let hasOther = try FileFailure.translating(url) {
      try queue.writeWithoutTransaction { db in
        var state = State()
        do {
          (state.contents, state.format) = try progress.checkPages(db) { try FileContents.read(db, key: key) }
        } catch let error as StoreFileError where error.code == .wrongKey && key != nil {
          (state.contents, state.format) = try progress.checkPages(db) { try FileContents.read(db, key: nil) }
        }
        self.state.withLock { $0 = state }
        return key != nil && !state.format.isSealed
      }
    }
    if hasOther { try await changeKey(to: key, progress, isCopy: true) }
  }

  /// Removes what was stored under another key from pages that are not used.
  private func removeRemains(_ db: Database, _ progress: ProgressReporter) throws {
    try progress.compact(db, checkpoint)
    var state = self.state.withLock { $0 }
    state.contents.hasRemains = false
    try db.inTransaction(.immediate) {
      try state.contents.write(state.format, to: db)
      return .commit
    }
    self.state.withLock { $0 = state }
  }

  /// Moves what is in the log to the file itself.
  func checkpoint() async throws { try await run { db in try checkpoint(db) } }

  /// The same, unless another process reads the file: that is not waited for.
  func checkpointBesideReaders() async {
    try? await run { db in
      sqlite3_busy_timeout(db.sqliteConnection, 0)
      defer { sqlite3_busy_timeout(db.sqliteConnection, Self.busyTimeout) }
      try checkpoint(db)
    }
  }

  /// How long other processes are waited for, in milliseconds.
  private static let busyTimeout: CInt = 5_000

  private func checkpoint(_ db: Database) throws {
    if try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0 { return }
    throw StoreFileError(.ioFailed, "The file \(url.path) is read by another process. Try again.")
  }

  /// Writes a copy of the file's version under another name, which is there in all or not at all.
  ///
  /// - Throws: `inUse` if the file of that name is open, or another copy is written to it; `ioFailed`.
  func backup(to target: URL, _ progress: ProgressReporter) async throws {
    let owner = try FileOwner(of: target)
    defer {
      if owner.isNew { owner.removeLock() }
      owner.release()
    }
    let part = PartFile(of: target)
    // After an error. A copy that is complete has another name by then.
    defer { part.remove() }
    do {
      try part.make(like: url)
      try await queue.writeWithoutTransaction { db in
        try progress.copyPages(db) { try db.execute(sql: "VACUUM INTO ?", arguments: [part.url.path]) }
        try makeCopy(part.url)
      }
      try Task.checkCancellation()
      // What stands there may have been repaired, and not have its name yet.
      try FileRepair.replaceDamaged(target, owner)
      try emptyLog(of: target)
    } catch let error as DatabaseError {
      throw FileFailure.writing(error, target)
    }
    try part.complete()
  }

  /// Makes a file with all that this one has that of another store.
  private func makeCopy(_ url: URL) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA journal_mode = MEMORY")
      try ReadConnection.restrict(db)
    }
    let copy = try DatabaseQueue(path: url.path, configuration: configuration)
    var (contents, format) = state.withLock { ($0.contents, $0.format) }
    contents.becomeCopy()
    try copy.write { db in try contents.write(format, to: db) }
    try copy.close()
  }

  /// Has a file that is to be replaced be whole without its log, until it is.
  private func emptyLog(of file: URL) throws {
    guard try FileStamp.existing(file.path) != nil,
      try FileNames.logs.contains(where: { try FileStamp.existing(file.path + $0) != nil })
    else { return }
    try RollbackJournal.requireOwn(file)
    try RegularFile.requireOwnLogs(file)
    var configuration = Configuration()
    configuration.prepareDatabase { db in try ReadConnection.restrict(db) }
    let replaced = try DatabaseQueue(path: file.path, configuration: configuration)
    try replaced.writeWithoutTransaction { db in
      if try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 1 {
        throw StoreFileError(
          .ioFailed, "The file \(file.path) is read by another process, and cannot be replaced. Try again.")
      }
    }
    try replaced.close()
  }
}
