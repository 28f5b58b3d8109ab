import Crypto
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

// MARK: Upkeep

extension FileDatabase {
  /// Gives the room of deleted objects back to the file system, and that of properties that are gone.
  func compact(_ progress: ProgressReporter) async throws {
    try await upkeep.run { try await compactNow(progress) }
  }

  private func compactNow(_ progress: ProgressReporter) async throws {
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

  /// Writes all rows again, as a version of the file.
  func rewrite(
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
    guard hasOther, let key else { return }
    let format = RowFormat.sealed(try FileKey(key))
    try await transaction { state, db in try rewrite(&state, as: format, db, progress) }
    progress.end()
    try await run { db in try removeRemains(db, progress) }
  }

  /// Removes what was stored under another key: tables that a change of the key has left, and what is in pages that are not
  /// used.
  func removeRemains(_ db: Database, _ progress: ProgressReporter) throws {
    // If the file is not compacted then, no table names what they had.
    let isFull = try Int.fetchOne(db, sql: "PRAGMA secure_delete") == 1
    try db.execute(sql: Self.overwriting(isFull: true))
    defer { if !isFull { Self.set(Self.overwriting(isFull: false), db) } }
    try db.inTransaction(.immediate) {
      try KeyChangeTables.drop(db)
      return .commit
    }
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
    _ = try? await run { db in try checkpointBesideReaders(db) }
  }

  /// - Returns: whether all of the log was moved: no other process reads the file.
  func checkpointBesideReaders(_ db: Database) throws -> Bool {
    // The file may have been closed meanwhile.
    guard db.sqliteConnection != nil else { return false }
    sqlite3_busy_timeout(db.sqliteConnection, 0)
    defer { sqlite3_busy_timeout(db.sqliteConnection, Self.busyTimeout) }
    return try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0
  }

  /// How long other processes are waited for, in milliseconds.
  static let busyTimeout: CInt = 5_000

  func checkpoint(_ db: Database) throws {
    if try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") != 0 { throw beingRead }
  }

  var beingRead: StoreFileError {
    StoreFileError(.ioFailed, "The file \(url.path) is read by another process. Try again.")
  }

  /// Writes a copy of the file's version under another name, which is there in all or not at all. Transactions go on: it is
  /// read by a connection of its own.
  ///
  /// - Throws: `inUse` if the file of that name is open, or another copy is written to it; `ioFailed`.
  func backup(to target: URL, _ progress: ProgressReporter) async throws {
    try await upkeep.run { try await backupNow(to: target, progress) }
  }

  private func backupNow(to target: URL, _ progress: ProgressReporter) async throws {
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
      try await run { db in try requireInPlace(db) }
      let reading = try DatabaseQueue(path: url.path, configuration: ReadConnection.configuration)
      defer { try? reading.close() }
      try await reading.writeWithoutTransaction { db in
        try progress.copyPages(db) { try db.execute(sql: "VACUUM INTO ?", arguments: [part.url.path]) }
      }
      try Task.checkCancellation()
      // What was read was this file.
      if await hasMoved() { throw Self.moved(url) }
      try makeCopy(part.url)
      // What stands there may have been repaired, and not have its name yet.
      try FileRepair.replaceDamaged(target, owner)
      try FileFailure.translating(target) { try emptyLog(of: target) }
    } catch let error as DatabaseError {
      let isOfTarget = [.SQLITE_CANTOPEN, .SQLITE_FULL].contains(error.resultCode)
      throw FileFailure.writing(error, isOfTarget ? target : url)
    }
    try part.complete()
  }

  /// Makes a file with all that this one has that of another store.
  private func makeCopy(_ url: URL) throws {
    try KeyChangeTables.drop(fromCopy: url)
    let format = state.withLock { $0.format }
    try FileContents.edit(copy: url) { db in
      var contents = try FileContents.read(copy: db, format)
      contents.becomeCopy()
      try contents.write(format, to: db)
    }
  }

  /// Has a file that is to be replaced be whole without its log, until it is.
  private func emptyLog(of file: URL) throws {
    guard try FileStamp.existing(file.path) != nil,
      try FileNames.logs.contains(where: { try FileStamp.existing(file.path + $0) != nil })
    else { return }
    try RollbackJournal.requireOwn(file)
    try RegularFile.requireOwnLogs(file)
    try RegularFile.requireOneName(file)
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
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
