import GRDB
import GRDBSQLite

/// SQLite's own long statements. It calls a handler every so many steps of its virtual machine; how far it is, is told by
/// how many pages it has read, and how many rows it has changed.
extension ProgressReporter {
  private static let steps: CInt = 1_000

  /// What a connection's handler asks for.
  private final class Watch {
    let reporter: ProgressReporter
    let done: () -> Int

    init(_ reporter: ProgressReporter, _ done: @escaping () -> Int) {
      (self.reporter, self.done) = (reporter, done)
    }
  }

  /// Runs statements, which end when the task is cancelled.
  ///
  /// - Parameter done: how much has been done, asked during a statement.
  func watch<Result>(_ db: Database, _ done: @escaping () -> Int, _ body: () throws -> Result) rethrows
    -> Result
  {
    let watch = Watch(self, done)
    let connection = db.sqliteConnection
    sqlite3_progress_handler(
      connection, Self.steps,
      { context in
        guard let context else { return 0 }
        let watch = Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue()
        do {
          try watch.reporter.advance(to: watch.done())
          return 0
        } catch {
          return 1
        }
      }, Unmanaged.passUnretained(watch).toOpaque())
    defer {
      sqlite3_progress_handler(connection, 0, nil, nil)
      withExtendedLifetime(watch) {}
    }
    return try body()
  }

  /// Runs statements that change rows, each of which counts, after those that were done before.
  func watchRows<Result>(_ db: Database, _ body: () throws -> Result) rethrows -> Result {
    let (connection, before) = (db.sqliteConnection, done)
    let changes = sqlite3_total_changes64(connection)
    return try watch(db, { before + Int(sqlite3_total_changes64(connection) - changes) }, body)
  }

  /// Checks the pages of a file, as a phase. Each is read twice, once in its place and once for its rows.
  func checkPages<Result>(_ db: Database, _ body: () throws -> Result) throws -> Result {
    let bytes = try Self.usedBytes(db)
    begin(.checkingPages, .bytes, of: bytes)
    let result = try watch(db, Self.bytesRead(db, atMost: 2 * bytes) { $0 / 2 }, body)
    end()
    return result
  }

  /// Runs a statement that reads each page once, and writes a copy of them, as a phase.
  func copyPages(_ db: Database, _ body: () throws -> Void) throws {
    let bytes = try Self.usedBytes(db)
    begin(.copying, .bytes, of: bytes)
    try watch(db, Self.bytesRead(db, atMost: bytes), body)
    end()
  }

  /// Writes a file again without its unused room, as a phase.
  ///
  /// - Parameter checkpoint: moves what is in the log to the file.
  func compact(_ db: Database, _ checkpoint: (Database) throws -> Void) throws {
    let bytes = try Self.usedBytes(db)
    begin(.compacting, .bytes, of: 3 * bytes)
    try watch(db, Self.bytesRead(db, atMost: bytes)) { try db.execute(sql: "VACUUM") }
    try advance(to: 2 * bytes)
    try checkpoint(db)
    end()
  }

  /// How many bytes the pages in use have.
  private static func usedBytes(_ db: Database) throws -> Int {
    try max(0, number("page_count", db) - number("freelist_count", db)) * number("page_size", db)
  }

  /// What a pragma says. Its error is not to be ignored: it may have ended the transaction.
  private static func number(_ pragma: String, _ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "PRAGMA \(pragma)") ?? 0
  }

  /// How many bytes a connection reads from now on: what it has in memory is not read again.
  private static func bytesRead(
    _ db: Database, atMost limit: Int, _ amount: @escaping (Int) -> Int = { $0 }
  ) throws -> () -> Int {
    let (connection, pageSize) = (db.sqliteConnection, try number("page_size", db))
    func pagesRead() -> Int {
      var (count, highest): (CInt, CInt) = (0, 0)
      sqlite3_db_status(connection, SQLITE_DBSTATUS_CACHE_MISS, &count, &highest, 0)
      return Int(UInt32(bitPattern: count))
    }
    let before = pagesRead()
    return { amount(min(limit, max(0, pagesRead() - before) * pageSize)) }
  }
}
