import Foundation
import GRDB
import GRDBSQLite

/// A value as a column of SQLite stores it.
enum ColumnValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// The value in a column of the row that a statement is at.
  init(_ statement: SQLiteStatement, _ column: CInt) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: self = .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      let bytes = sqlite3_column_text(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      self = .text(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let bytes = sqlite3_column_blob(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      self = .blob(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    default: self = .null
    }
  }

  /// How many bytes a row has for it: its type, and the value.
  var byteCount: Int {
    switch self {
    case .null: 1
    // SQLite stores an integer in as many bytes as it needs.
    case .integer(let value): 1 + (72 - max(value.leadingZeroBitCount, (~value).leadingZeroBitCount)) / 8
    case .real: 9
    case .text(let text): 2 + text.utf8.count
    case .blob(let bytes): 2 + bytes.count
    }
  }

  init(_ value: DatabaseValue) {
    self =
      switch value.storage {
      case .null: .null
      case .int64(let value): .integer(value)
      case .double(let value): .real(value)
      case .string(let value): .text(value)
      case .blob(let value): .blob(Array(value))
      }
  }

  /// Sets a parameter of a statement, counted from 1.
  ///
  /// - Returns: the result code of SQLite.
  func bind(to statement: SQLiteStatement, _ parameter: CInt) -> CInt {
    // SQLITE_TRANSIENT, a macro that Swift does not see: SQLite copies the bytes, which are valid during the call alone.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch self {
    case .null: return sqlite3_bind_null(statement, parameter)
    case .integer(let value): return sqlite3_bind_int64(statement, parameter, value)
    case .real(let value): return sqlite3_bind_double(statement, parameter, value)
    case .text(let text) where text.isEmpty:
      return sqlite3_bind_text64(statement, parameter, "", 0, transient, UInt8(SQLITE_UTF8))
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          sqlite3_bind_text64(
            statement, parameter, $0.baseAddress, UInt64($0.count), transient, UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let bytes):
      if bytes.isEmpty { return sqlite3_bind_zeroblob(statement, parameter, 0) }
      return bytes.withUnsafeBytes {
        sqlite3_bind_blob64(statement, parameter, $0.baseAddress, UInt64($0.count), transient)
      }
    }
  }

  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let value): value.databaseValue
    case .real(let value): value.databaseValue
    case .text(let value): value.databaseValue
    case .blob(let value): Data(value).databaseValue
    }
  }
}
