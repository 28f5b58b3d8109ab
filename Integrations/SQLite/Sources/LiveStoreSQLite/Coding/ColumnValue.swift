import Foundation
import GRDB

/// A value as a column of SQLite stores it.
enum ColumnValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

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
