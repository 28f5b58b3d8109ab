import CSQLite

/// A connection to a database.
final class Connection {
  /// An error of SQLite.
  struct Failure: Error {
    /// The extended code.
    var code: Int32
    var message: String

    var primaryCode: Int32 { code & 0xFF }
  }

  private var handle: OpaquePointer?

  init(_ path: String) throws(Failure) {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK else { throw failure }
  }

  deinit { close() }

  func close() {
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Runs statements and ignores their rows.
  func run(_ sql: String) throws(Failure) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  /// Runs statements; if one fails, rolls back and returns the error.
  func failure(of sql: String) -> Failure? {
    do {
      try run(sql)
      return nil
    } catch {
      // Often SQLite has rolled back itself.
      try? run("ROLLBACK")
      return error
    }
  }

  /// The first column of a statement's rows, as texts.
  func texts(_ sql: String) throws(Failure) -> [String] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
    defer { sqlite3_finalize(statement) }
    var texts: [String] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
      case SQLITE_DONE: return texts
      default: throw failure
      }
    }
  }

  /// The first column of a statement's rows, as integers.
  func integers(_ sql: String) throws(Failure) -> [Int] { try texts(sql).map { Int($0) ?? .min } }

  private var failure: Failure {
    Failure(code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
  }
}
