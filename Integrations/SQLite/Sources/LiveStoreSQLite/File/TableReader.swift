import Foundation
import GRDB
import GRDBSQLite

/// A row that was left out when the file was repaired.
public struct DamagedRow: Sendable, Hashable, CustomStringConvertible {
  /// The table, which has the name of the entity.
  public let table: String
  /// The number of the row; nil where rows are missing that cannot be named.
  public let row: Int64?
  /// What is wrong with it.
  public let reason: String

  /// Table, row and reason.
  public var description: String { "\(table)\(row.map { ", row \($0)" } ?? ""): \(reason)" }
}

/// Reads the rows of a table in insertion order, and checks them.
struct TableReader {
  /// What was found; complete at the end.
  private(set) var record: TableRecord
  private(set) var damage: [DamagedRow] = []
  let isRepairing: Bool
  /// The number of the row that was read last.
  private(set) var place: Int64 = 0
  /// Its checksum.
  private var check: Int64 = 0
  private let promised: TableRecord
  private let db: Database
  private let statement: Statement
  private let values: RowValues
  private let progress: (Int) throws -> Void

  /// - Parameters:
  ///   - promised: the table as the file describes it.
  ///   - progress: called for each row, with how many have been read before; throws to stop.
  init(
    _ promised: TableRecord, _ db: Database, isRepairing: Bool, progress: @escaping (Int) throws -> Void
  ) throws {
    self.promised = promised
    self.isRepairing = isRepairing
    self.progress = progress
    record = TableRecord(promised.name, promised.columns)
    values = RowValues(promised.columns)
    let names = ["_place", "_check"] + promised.columns.names
    let sql =
      "SELECT \(names.map(quoted).joined(separator: ", ")) FROM \(quoted(promised.name)) ORDER BY _place"
    (self.db, statement) = (db, try db.makeStatement(sql: sql))
  }

  /// How many rows the file says that there are.
  var expected: Int { max(0, promised.rows) }

  /// The next row; nil at the end.
  ///
  /// - Throws: `damaged` if a row is not what was written, or rows are missing.
  mutating func next() throws -> RowValues? {
    while true {
      let result = sqlite3_step(statement.sqliteStatement)
      if result == SQLITE_DONE {
        try finish()
        return nil
      }
      if result != SQLITE_ROW {
        let reason = db.lastErrorMessage ?? "error \(result)"
        guard isRepairing else {
          throw DatabaseError(resultCode: ResultCode(rawValue: result), message: reason)
        }
        // What is behind a damaged page cannot be reached in order.
        damage.append(DamagedRow(table: record.name, row: nil, reason: "rows after \(place): \(reason)"))
        return nil
      }
      try progress(record.rows)
      values.read(statement.sqliteStatement, from: 2)
      let place = sqlite3_column_int64(statement.sqliteStatement, 0)
      check = RowChecksum.of(values.values, place: place)
      let isWhole = check == sqlite3_column_int64(statement.sqliteStatement, 1)
      let last = self.place
      self.place = place
      if place > last || isRepairing, isWhole { return values }
      try refuse(place, "its values are not those that were written")
    }
  }

  /// Counts the row that was read last.
  mutating func take() {
    record.places.append(place)
    record.rows += 1
    record.checksum &+= check
  }

  /// The error that the row that was read last is whole, and no object of the type: no repair leaves it out.
  func mismatch(_ error: any Error) -> StoreFileError {
    StoreFileError(
      .mismatch,
      "Row \(place) of table \(record.name) cannot be read as a \(record.name): \(Self.text(of: error))",
      table: record.name, row: place)
  }

  private mutating func refuse(_ place: Int64, _ reason: String) throws {
    if isRepairing {
      damage.append(DamagedRow(table: record.name, row: place, reason: reason))
      return
    }
    throw StoreFileError(
      .damaged,
      "Row \(place) of table \(record.name) is damaged: \(reason). Open the file with repair: .skipDamagedRows to keep the other rows.",
      table: record.name, row: place)
  }

  private mutating func finish() throws {
    if isRepairing { return }
    let missing = promised.rows - record.rows
    if missing == 0, promised.checksum == record.checksum { return }
    let reason =
      missing > 0
      ? "\(missing) rows are missing"
      : missing < 0 ? "there are \(-missing) rows too many" : "rows are not those that were written"
    throw StoreFileError(
      .damaged,
      "The table \(record.name) is damaged: \(reason). Open the file with repair: .skipDamagedRows to keep the rows that are whole.",
      table: record.name)
  }

  /// Compares how many rows were salvaged with how many there were.
  mutating func count(_ salvaged: Int) {
    let missing = promised.rows - salvaged - damage.count { $0.row != nil }
    if missing > 0 {
      damage.append(DamagedRow(table: record.name, row: nil, reason: "\(missing) rows are missing"))
    }
  }

  /// A decoding error in a sentence.
  private static func text(of error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    let context: DecodingError.Context? =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        context
      @unknown default: nil
      }
    guard let context else { return "\(error)" }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return (path.isEmpty ? "" : "\(path): ") + context.debugDescription
  }
}
