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
  let path, logPath: String
  let queue: DatabaseQueue
  /// What the queue belongs to if the file is only read.
  private let reading: ReadConnection?
  let tables: [any EntityTable]
  /// The right to write; nil for a file that is not the one that a store follows, or not yet.
  let owner: FileOwner?
  let state = Mutex(State())
  /// The operations on the whole file.
  let upkeep = UpkeepQueue()
  /// Whether what a transaction writes reaches the disk before it ends.
  let isFull: Bool

  struct State {
    var contents = FileContents()
    var format = RowFormat.plain
    /// What added properties have in objects without a value, by entity.
    var defaults: [String: [String: CodedValue]] = [:]
    /// The renamings and additions that had nothing to do: they count as passed with what is written next.
    var pendingChanges: [SchemaChange] = []
    /// Whether what the last repair left out has been reported.
    var isDamageReported = false
    /// The change of the key that is under way.
    var keyChange: KeyChange?
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
    isFull = options.durability == .full
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
      try ReadConnection.restrict(db)
      // Where a log says that there are more pages than there are, SQLite believes it.
      let (pages, size, files) = try FileContents.sizes(db)
      if pages * size > files { try ReadConnection.limitValues(db) }
      try FileContents.requireOwnOrEmpty(db)
      // A log that one large transaction needed does not stay as large.
      try db.execute(
        sql: """
          PRAGMA journal_mode = WAL;
          \(Self.syncing(isFull: options.durability == .full));
          PRAGMA journal_size_limit = \(4 << 20);
          """)
      if try Int.fetchOne(db, sql: "PRAGMA secure_delete") == 0 {
        try db.execute(sql: Self.overwriting(isFull: false))
      }
    }
    queue = try FileFailure.translating(url) {
      try DatabaseQueue(path: url.path, configuration: configuration)
    }
  }

  /// What reaches the disk when a transaction ends. On Apple's systems, a sync leaves data in the drive's cache, unless
  /// fullfsync is on; elsewhere it changes nothing.
  static func syncing(isFull: Bool) -> String {
    "PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL"); PRAGMA fullfsync = \(isFull ? "ON" : "OFF")"
  }

  /// Whether SQLite overwrites all that it deletes, also the pages that it gives up, or only what stands in pages that it
  /// writes in any case. Some builds of it do the first unless they are told otherwise; none does less here than the second.
  static func overwriting(isFull: Bool) -> String { "PRAGMA secure_delete = \(isFull ? "ON" : "FAST")" }

  /// Whether a file that is only read may have been written meanwhile, unnoticed.
  var isOutdated: Bool { reading?.isOutdated(url) ?? false }

  func close() throws { try FileFailure.translating(url) { try queue.close() } }

  var contents: FileContents { state.withLock { $0.contents } }

  /// How often something was sealed with the key.
  var sealCount: Int {
    if case .sealed(let key) = state.withLock({ $0.format }) { Int(clamping: key.sealCount) } else { 0 }
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
      if state.contents.tables[table.name] == nil {
        try state.format.createTable(record, db)
        try state.keyChange?.add(record, db)
      }
      let version = state.contents.version
      var writer = TableWriter(record, state.format, version: version, db)
      writer.copied = state.keyChange?.tables[table.name]?.source
      try table.write(difference, to: &writer)
      writer.record.next = table.nextPlace(difference.after)
      state.contents.tables[table.name] = writer.record
      try state.keyChange?.write(difference, of: table, after: writer, version: version, db)
    }
    // What no opening would read is not acknowledged.
    try state.contents.requireRoom()
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

  /// What the last repair left out, which the next transaction takes out of the file (X9).
  func reportDamage() -> [DamagedRow] {
    state.withLock { state in
      state.isDamageReported = true
      return state.contents.damagedRows
    }
  }

  /// About how many bytes a difference has, as rows of the file.
  func byteCount(_ difference: StoreDifference) -> Int {
    let format = state.withLock { $0.format }
    return tables.reduce(0) { $0 + $1.byteCount(difference, format) }
  }

  /// - Parameter isOfVersions: whether what the store has, and how, is not written.
  func transaction(
    isOfVersions: Bool = false, _ body: @Sendable (inout State, Database) throws -> Void
  ) async throws {
    try await run { db in try transact(db, isOfVersions: isOfVersions, body) }
  }

  func transact(
    _ db: Database, isOfVersions: Bool, _ body: (inout State, Database) throws -> Void
  ) throws {
    try requireInPlace(db)
    var state = self.state.withLock { $0 }
    if state.isDamageReported { state.contents.damagedRows = [] }
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
  func requireInPlace(_ db: Database) throws {
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
  static func hasMoved(_ connection: OpaquePointer?) -> Bool {
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

  func run<Result: Sendable>(_ body: @Sendable (Database) throws -> Result) async throws -> Result {
    try await queue.writeWithoutTransaction { db in try translating { try body(db) } }
  }

  func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw FileFailure.writing(error, url)
    }
  }
}
