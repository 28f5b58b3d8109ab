import CSQLite
import Foundation
import LiveStore

/// A database in memory.
final class Database {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private var handle: OpaquePointer?

  init() throws {
    guard sqlite3_open(":memory:", &handle) == SQLITE_OK else { throw failure("open") }
  }

  deinit { sqlite3_close(handle) }

  /// Runs a statement and gives the integers in the first column of its rows.
  @discardableResult
  func integers(_ text: String, _ arguments: [SQLArgument?] = []) throws -> [Int] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, text, -1, &statement, nil) == SQLITE_OK else { throw failure(text) }
    defer { sqlite3_finalize(statement) }
    for (index, argument) in arguments.enumerated() {
      guard bind(argument, to: statement, Int32(index + 1)) == SQLITE_OK else { throw failure(text) }
    }
    var integers: [Int] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: integers.append(Int(sqlite3_column_int64(statement, 0)))
      case SQLITE_DONE: return integers
      default: throw failure(text)
      }
    }
  }

  private func bind(_ value: SQLArgument?, to statement: OpaquePointer?, _ index: Int32) -> Int32 {
    // SQLite copies the bytes at once.
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    return switch value {
    case nil: sqlite3_bind_null(statement, index)
    case .bool(let value): sqlite3_bind_int64(statement, index, value ? 1 : 0)
    case .integer(let value): sqlite3_bind_int64(statement, index, value)
    case .real(let value): sqlite3_bind_double(statement, index, value)
    case .text(let text): sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), copied)
    case .data(let data):
      data.withUnsafeBytes { bytes in
        bytes.isEmpty
          ? sqlite3_bind_zeroblob(statement, index, 0)
          : sqlite3_bind_blob(statement, index, bytes.baseAddress, Int32(bytes.count), copied)
      }
    case .date(let date): sqlite3_bind_double(statement, index, date.timeIntervalSinceReferenceDate)
    case .uuid(let uuid): sqlite3_bind_text(statement, index, uuid.uuidString.lowercased(), 36, copied)
    }
  }

  private func failure(_ text: String) -> Failure {
    Failure(description: "\(String(cString: sqlite3_errmsg(handle))): \(text)")
  }
}
