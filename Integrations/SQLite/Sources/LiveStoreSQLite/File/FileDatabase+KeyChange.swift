import Crypto
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// Changing the key, while transactions go on (X12).
///
/// All is done a portion at a time, each a turn of the queue, so that a transaction waits for one of them. Rows are copied to
/// new tables (``KeyChange``). Then one transaction gives these the names of the others, and the contents the new key. Then
/// the rows of the old tables are deleted. From the beginning, SQLite overwrites what it deletes with zeros; pages that were
/// given up before are filled with zeros first. The contents are in a table that is made again, and the list of tables is
/// looked at in the end. So nothing is left that was stored under the old key, once the log is cut off.
///
/// The contents say from the first portion on that there may be remains. A process that ends leaves a file with the old key
/// or the new one, and the next opening removes tables that are left, and compacts the file.
extension FileDatabase {
  /// Writes all rows with another key, or without one. Cancelling the task ends it until that is committed.
  func changeKey(to key: SymmetricKey?, _ progress: ProgressReporter) async throws {
    let format = try key.map { RowFormat.sealed(try FileKey($0)) } ?? .plain
    try await upkeep.run {
      // What it overwrites without a change.
      let isFull = try await run { db in try Int.fetchOne(db, sql: "PRAGMA secure_delete") == 1 }
      defer { if !isFull { overwriteLess() } }
      let (old, hasRemains) = state.withLock { ($0.format, $0.contents.hasRemains) }
      // What is not encrypted, or was not before a change that has left remains, has names of properties in the list of
      // tables, too.
      let showsNames = hasRemains || !(old.isSealed && format.isSealed)
      var isClean = !hasRemains
      do {
        try await removeUnused()
        isClean = true
        try await copyRows(as: format, progress)
        try await exchangeTables()
        progress.end()
      } catch {
        // In a task of its own, which is not cancelled.
        let abandoning = Task { [isClean] in
          try await abandonChange(isClean: isClean, showsNames: showsNames && old.isSealed, progress)
        }
        var rest = ""
        if case .failure(let failure) = await abandoning.result {
          rest =
            " The file still has what was written for the new one, until compact() or an opening succeeds: \(failure.reason)"
        }
        let failure = error as? StoreFileError
        guard failure.map({ [.ioFailed, .damaged].contains($0.code) }) ?? !rest.isEmpty else { throw error }
        let reason = failure?.message ?? "The task was cancelled."
        throw StoreFileError(
          failure?.code ?? .ioFailed, "The key was not changed: \(reason)\(rest)", table: failure?.table,
          row: failure?.row)
      }
      do {
        // The same: the file has the new key.
        try await Task {
          try await removeChangeTables(progress)
          try await endRemoval(showsNames: showsNames && format.isSealed, progress)
        }.value
      } catch let error as StoreFileError where [.ioFailed, .damaged].contains(error.code) {
        throw StoreFileError(
          error.code,
          "The key was changed, but unused pages of the file still have what was stored before, until compact() or an opening succeeds: \(error.message)"
        )
      }
    }
  }

  /// Runs a portion as a transaction. What a loss of power takes of it, it takes of all that follows, too; so it need not
  /// reach the disk now.
  private func portion<Result: Sendable>(
    _ body: @Sendable (inout State, Database) throws -> Result
  ) async throws -> Result {
    let result = try await run { db in
      // SQLite applies it when it is prepared, and a task that was cancelled ends before it is run.
      defer { Self.set(Self.syncing(isFull: isFull), db) }
      try db.execute(sql: Self.syncing(isFull: false))
      var result: Result?
      try transact(db, isOfVersions: true) { state, db in result = try body(&state, db) }
      guard let result else { preconditionFailure("what was committed has run the portion") }
      return result
    }
    await KeyChangePortion.size.then()
    return result
  }

  /// Ends that all is overwritten, after what is under way on the queue.
  private func overwriteLess() {
    queue.asyncWriteWithoutTransaction { db in Self.set(Self.overwriting(isFull: false), db) }
  }

  /// Puts pragmas back. GRDB runs no statement of a task that was cancelled.
  static func set(_ pragmas: String, _ db: Database) {
    // The cancellation may interrupt one of these.
    for _ in 0..<2 where sqlite3_exec(db.sqliteConnection, pragmas, nil, nil, nil) == SQLITE_OK { return }
  }

  /// Removes what a change that failed has left, and what is in pages that are not used.
  private func removeUnused() async throws {
    try await run { db in try db.execute(sql: Self.overwriting(isFull: true)) }
    try await portion { state, _ in state.contents.hasRemains = true }
    // Those of a change that failed.
    try await removeChangeTables(ProgressReporter(nil))
    try await fillUnusedPages()
    try await removeChangeTables(ProgressReporter(nil))
  }

  /// Copies all rows to new tables, which transactions keep up to date from then on.
  private func copyRows(as format: RowFormat, _ progress: ProgressReporter) async throws {
    progress.begin(.writing, .rows, of: contents.tables.values.reduce(0) { $0 + $1.rows })
    try await portion { state, db in state.keyChange = try KeyChange(state.contents, as: format, db) }
    var (rows, isComplete) = (0, false)
    while !isComplete {
      try progress.advance(to: rows)
      let copied = try await portion { state, db in
        guard var change = state.keyChange else { preconditionFailure("a change is under way") }
        let rows = try change.copyPortion(state.contents, state.format, db)
        state.keyChange = change
        return (rows: rows, isComplete: change.isComplete)
      }
      rows += copied.rows
      isComplete = copied.isComplete
    }
    try progress.advance(to: rows)
  }

  /// Has the file have the new key.
  private func exchangeTables() async throws {
    try await run { db in
      // What tables of other programs say of the old ones stays as it is.
      defer { Self.set("PRAGMA legacy_alter_table = OFF", db) }
      try db.execute(sql: "PRAGMA legacy_alter_table = ON")
      try transact(db, isOfVersions: false) { state, db in
        guard let change = state.keyChange else { preconditionFailure("a change is under way") }
        if !state.contents.tables.isEmpty { state.contents.version += 1 }
        try change.complete(&state.contents, db)
        (state.format, state.keyChange) = (change.format, nil)
        if state.contents.format != FileContents.format { try state.contents.renew(db) }
        // Its pages may have what the contents were before.
        try db.execute(sql: "DROP TABLE livestore_file; \(FileContents.declaration)")
      }
    }
    await KeyChangePortion.size.then()
  }

  /// Ends a change that has failed, or was cancelled.
  ///
  /// - Parameter isClean: whether nothing is left that was there before the change; else the contents say so still.
  private func abandonChange(isClean: Bool, showsNames: Bool, _ progress: ProgressReporter) async throws {
    // On the queue: no transaction that has begun puts it back.
    try await run { _ in state.withLock { $0.keyChange = nil } }
    try await removeChangeTables(ProgressReporter(nil))
    if isClean { try await endRemoval(showsNames: showsNames, ProgressReporter(nil)) }
  }

  // MARK: Removing

  /// Puts zeros into all pages that were given up.
  private func fillUnusedPages() async throws {
    var isFilled = false
    while !isFilled {
      isFilled = try await portion { _, db in
        let pages = try Self.unusedPages(db)
        if pages == 0 { return true }
        if try !KeyChangeTables.hasZeros(db) {
          try db.execute(sql: KeyChangeTables.zerosDeclaration)
          return false
        }
        let size = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
        // A row for some pages, so that they are given up again in portions, too.
        for _ in stride(from: 0, to: min(pages, KeyChangePortion.size.pages), by: Self.pagesPerRow) {
          try db.execute(
            sql: "INSERT INTO livestore_zeros (zeros) VALUES (zeroblob(?))",
            arguments: [min(pages, Self.pagesPerRow) * size])
        }
        return false
      }
    }
  }

  private static let pagesPerRow = 16

  private static func unusedPages(_ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
  }

  /// Removes the tables that a change has made, or replaced, with all that they have.
  private func removeChangeTables(_ progress: ProgressReporter) async throws {
    // Counting rows takes as long as reading them. The new tables have about as many.
    progress.begin(.overwriting, .rows, of: contents.tables.values.reduce(0) { $0 + $1.rows })
    var (rows, isRemoved) = (0, false)
    while !isRemoved {
      let removed = try await portion { _, db in
        guard let name = try KeyChangeTables.names(db).first else { return (rows: 0, isLast: true) }
        return (try Self.deletePortion(of: name, db), false)
      }
      rows += removed.rows
      isRemoved = removed.isLast
      try progress.advance(to: rows)
    }
    progress.end()
  }

  /// Deletes the first rows of a table, or a table that has none.
  ///
  /// - Returns: how many rows that are.
  private static func deletePortion(of table: String, _ db: Database) throws -> Int {
    let size = KeyChangePortion.size
    let places = try Int64.fetchAll(
      db, sql: "SELECT _place FROM \(quoted(table)) NOT INDEXED ORDER BY _place LIMIT ?",
      arguments: [2 * size.rows])
    if places.isEmpty {
      try db.execute(sql: "DROP TABLE \(quoted(table))")
      return 0
    }
    let statement = try SQLStatement("DELETE FROM \(quoted(table)) WHERE _place = ?", db, isShared: false)
    let pages = try SQLStatement("PRAGMA freelist_count", db, isShared: false)
    var (rows, first) = (0, nil as Int64?)
    for place in places {
      statement.bind(.integer(place))
      try statement.run()
      rows += 1
      _ = try pages.step()
      let count = pages.integer(0)
      pages.reset()
      first = first ?? count
      if count - (first ?? count) >= Int64(size.pages) { break }
    }
    return rows
  }

  /// Cuts off the log, so that nothing of what was removed is left, and says so in the contents. Transactions do not wait for
  /// other processes that read.
  ///
  /// - Parameter showsNames: whether the list of tables may have names that the file must not show.
  private func endRemoval(showsNames: Bool, _ progress: ProgressReporter) async throws {
    for _ in 1...Self.checkpointAttempts {
      let isRemoved = try await run { db in
        try requireInPlace(db)
        guard try checkpointBesideReaders(db) else { return false }
        if try showsNames && SchemaPages.haveRemains(db) {
          try removeRemains(db, progress)
        } else {
          try transact(db, isOfVersions: true) { state, _ in state.contents.hasRemains = false }
        }
        return true
      }
      if isRemoved { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw beingRead
  }

  /// As many as take as long as other connections are waited for elsewhere.
  private static let checkpointAttempts = 100
}

extension Error {
  /// What a message says of it.
  fileprivate var reason: String { (self as? StoreFileError)?.message ?? "\(self)" }
}
