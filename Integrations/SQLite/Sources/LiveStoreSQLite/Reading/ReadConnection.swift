import CSQLite
import Foundation
import GRDB
import GRDBSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A connection that reads a file and writes nothing.
///
/// A file whose log has something in it is read with the log, as every reader beside a writer does. A file without one
/// holds all that was written: it is opened as immutable, without locks, and nothing is made beside it, so that it may
/// be on a medium that cannot be written. Then nothing but the stamp tells that it was written meanwhile.
struct ReadConnection: Sendable {
  let queue: DatabaseQueue
  /// The file when it was opened without its log; nil if it is read with its log.
  let stamp: FileStamp?

  /// How much processor time loading the list of tables may take, in nanoseconds: a thousand times what the list of a
  /// thousand tables takes.
  private static let schemaTime: Int64 = 1_000_000_000

  /// What a connection begins with, so that damage is found where it is read, a file cannot have code run, and rows that
  /// SQLite puts aside are in no other folder, unencrypted.
  static func restrict(_ db: Database) throws {
    let result = csqlite_restrict(db.sqliteConnection)
    if result != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
    try db.execute(
      sql: "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY")
    let loaded = csqlite_load_schema(db.sqliteConnection, Self.schemaTime, try maximumLength(db))
    if loaded == SQLITE_INTERRUPT {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "its list of tables has no end")
    }
    if loaded == SQLITE_TOOBIG {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a text in its list of tables is too long")
    }
    if loaded != SQLITE_OK {
      throw DatabaseError(resultCode: ResultCode(rawValue: loaded), message: db.lastErrorMessage)
    }
    // A file may ask for one that holds all of it.
    try db.execute(sql: "PRAGMA cache_size = -2000")
  }

  /// How many bytes a value may have: no more than the file and its log; in another encoding, twice that.
  private static func maximumLength(_ db: Database) throws -> CInt {
    let name = sqlite3_db_filename(db.sqliteConnection, "main").map { String(cString: $0) } ?? ""
    let size = try ["", "-wal"].reduce(0) { $0 + (try FileStamp.existing(name + $1)?.size ?? 0) }
    return CInt(clamping: 2 * size + 1 << 20)
  }

  /// Has a connection read no value that is longer than its file.
  static func limitValues(_ db: Database) throws {
    sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, try maximumLength(db))
  }

  /// That of a connection that reads a file.
  static var configuration: Configuration {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.label = "LiveStore reader"
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in try restrict(db) }
    return configuration
  }

  /// - Throws: `notFound`, `notAStoreFile`, `ioFailed`.
  init(_ url: URL) throws {
    guard let stamp = try FileStamp.existing(url.path) else {
      throw StoreFileError(.notFound, "There is no file \(url.path).")
    }
    if !stamp.isRegular {
      throw StoreFileError(
        .notAStoreFile, "\(url.path) is \(stamp.isFolder ? "a folder" : "no regular file").")
    }
    guard access(url.path, R_OK) == 0 else {
      throw StoreFileError(
        .ioFailed, "The file \(url.path) cannot be read: \(String(cString: strerror(errno))).")
    }
    let hasLog = try Self.hasLog(url)
    if hasLog { try RegularFile.requireOwnLogs(url) }
    self.stamp = hasLog ? nil : stamp
    let path = hasLog ? url.path : "\(url.standardizedFileURL.absoluteString)?immutable=1"
    queue = try Self.translating(url) { try DatabaseQueue(path: path, configuration: Self.configuration) }
  }

  /// Whether the file may have been written since it was opened without its log.
  func isOutdated(_ url: URL) -> Bool {
    guard let stamp else { return false }
    return FileStamp(url.path) != stamp
  }

  func read(_ url: URL, _ body: (Database) throws -> Void) throws {
    try Self.translating(url) {
      try queue.writeWithoutTransaction { db in
        try Self.limitValues(db)
        try body(db)
      }
    }
  }

  /// Whether something is in the log.
  ///
  /// - Throws: `ioFailed` if that cannot be found out: the file without its log may be older.
  static func hasLog(_ url: URL) throws(StoreFileError) -> Bool {
    try FileStamp.existing(url.path + "-wal")?.size ?? 0 > 0
  }

  /// How many bytes the log has; 0 also if that cannot be found out.
  static func logSize(_ url: URL) -> Int64 { FileStamp(url.path + "-wal")?.size ?? 0 }

  private static func translating<Result>(_ url: URL, _ body: () throws -> Result) throws -> Result {
    try FileFailure.translating(url) {
      do {
        return try body()
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN && logSize(url) > 0 {
        throw StoreFileError(
          .ioFailed,
          "The file \(url.path) has a log that was not closed, and its folder cannot be written, as reading the log needs. Copy the file and \(url.lastPathComponent)-wal to another folder."
        )
      }
    }
  }
}
