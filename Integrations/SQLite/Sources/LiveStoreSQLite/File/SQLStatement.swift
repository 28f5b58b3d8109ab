import Foundation
import GRDB
import GRDBSQLite

/// A statement that is bound and run by SQLite's own functions, for rows by the thousand: GRDB's arguments take as long as
/// the row itself.
final class SQLStatement {
  // GRDB's, kept by the connection.
  private let statement: Statement
  private let db: Database
  private var parameter: CInt = 0
  private var bindResult = SQLITE_OK

  /// - Parameter isShared: whether it is the connection's statement of this text, which must not be in use.
  init(_ sql: String, _ db: Database, isShared: Bool = true) throws {
    self.db = db
    statement = try isShared ? db.cachedStatement(sql: sql) : db.makeStatement(sql: sql)
    sqlite3_reset(statement.sqliteStatement)
  }

  /// Sets the next parameter.
  func bind(_ value: ColumnValue) {
    parameter += 1
    let result = value.bind(to: statement.sqliteStatement, parameter)
    if result != SQLITE_OK { bindResult = result }
  }

  /// Runs a statement that gives no rows.
  func run() throws {
    defer { reset() }
    _ = try step()
  }

  /// Whether there is a row, or another one.
  func step() throws -> Bool {
    if bindResult != SQLITE_OK { throw error(bindResult) }
    let result = sqlite3_step(statement.sqliteStatement)
    if result == SQLITE_ROW { return true }
    if result == SQLITE_DONE { return false }
    throw error(result)
  }

  /// Ends it, so that it can be bound again.
  func reset() {
    sqlite3_reset(statement.sqliteStatement)
    (parameter, bindResult) = (0, SQLITE_OK)
  }

  func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(statement.sqliteStatement, column) }

  /// The bytes in a column of the row, which are valid in the body alone.
  func withBytes<Result>(_ column: CInt, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let bytes = sqlite3_column_blob(statement.sqliteStatement, column)
    let count = Int(sqlite3_column_bytes(statement.sqliteStatement, column))
    return body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
  }

  /// How many bytes the texts and data of the row have.
  func byteCount(from column: CInt) -> Int {
    let statement = statement.sqliteStatement
    return (column..<sqlite3_column_count(statement)).reduce(0) { count, column in
      switch sqlite3_column_type(statement, column) {
      case SQLITE_TEXT, SQLITE_BLOB: count + Int(sqlite3_column_bytes(statement, column))
      default: count
      }
    }
  }

  /// Reads the values of the row.
  func read(into values: RowValues, from column: CInt) {
    values.read(statement.sqliteStatement, from: column)
  }

  private func error(_ result: CInt) -> DatabaseError {
    // A value that cannot be bound is no error of the connection.
    let hasMessage = sqlite3_errcode(db.sqliteConnection) != SQLITE_OK
    return DatabaseError(
      resultCode: ResultCode(rawValue: result),
      message: hasMessage ? db.lastErrorMessage : String(cString: sqlite3_errstr(result)))
  }
}
