import Foundation
import GRDB
import GRDBSQLite

/// A row that was left out when the file was repaired, or rows of a table that are not all as they were written last.
public struct DamagedRow: Sendable, Hashable, CustomStringConvertible {
  /// The table, which has the name of the entity.
  public let table: String
  /// The number of the row; nil where rows are missing, or are not the newest, that cannot be named.
  public let row: Int64?
  /// What is wrong with it.
  public let reason: String

  /// Table, row and reason, in one line, as in messages.
  public var description: String { "\(table)\(row.map { ", row \($0)" } ?? ""): \(reason)".asMessage }
}

extension DamagedRow {
  /// A table whose rows cannot be read at all.
  static func unreadable(_ table: String, _ error: DatabaseError) -> DamagedRow {
    let reason = error.message ?? "\(error.resultCode)"
    return DamagedRow(table: table, row: nil, reason: "its rows cannot be read: \(reason)")
  }
}

/// Reads the rows of a table in insertion order, and checks them (X5).
struct TableReader {
  /// What was found; complete at the end.
  private(set) var record: TableRecord
  private(set) var damage: [DamagedRow] = []
  let isRepairing: Bool
  /// The number of the row that was read last.
  private(set) var row: Int64 = 0
  /// Its checksum, or its mark if it is sealed.
  private(set) var check: Int64 = 0
  /// The newest version that one of the sealed rows was written at.
  private(set) var newestVersion: Int64 = 0
  private let promised: TableRecord
  private let format: RowFormat
  private let db: Database
  private let part: (after: Int64, limit: Int)?
  /// How many rows were given.
  private var given = 0
  /// The number of the row that was skipped last.
  private var lastSkipped = Int64.min
  /// Whether SQLite finds a row by its number. It reads a table from the beginning where others have left statistics that say
  /// the table has few rows.
  private let isSearch: Bool
  private let statement: SQLStatement
  private let values: RowValues
  private let names: RowChecksum.Names
  private let progress: (Int) throws -> Void
  /// How many bytes further rows may have.
  private(set) var room: Int
  /// The number of a damaged table's row behind which reading goes on: the last that is whole, or cannot be read.
  private var position: Int64 = 0
  /// The numbers of the rows behind it that were refused.
  private var refused: Set<Int64> = []
  /// How many numbers were looked for that are not there.
  private var seeks = 0

  /// - Parameters:
  ///   - promised: the table as the file describes it.
  ///   - format: how its rows are stored.
  ///   - name: the name of the table, if it is not that of the entity.
  ///   - part: reads the rows after one of a number, and so many at the most; nil for all rows, of which there must be
  ///     those that the file describes.
  ///   - isChecked: whether it is known that each page of the file is used once. Else rows may share pages, and have any
  ///     number of bytes in all: reading ends when they have more than the file.
  ///   - room: what an earlier reader of other parts has left of as many bytes.
  ///   - progress: called for each row, with how many have been read before; throws to stop.
  init(
    _ promised: TableRecord, _ format: RowFormat, in name: String? = nil,
    part: (after: Int64, limit: Int)? = nil,
    _ db: Database, isRepairing: Bool = false, isChecked: Bool = false, room: Int? = nil,
    progress: @escaping (Int) throws -> Void = { _ in }
  ) throws {
    (self.promised, self.format, self.part, self.db) = (promised, format, part, db)
    self.isRepairing = isRepairing
    self.progress = progress
    self.room = isChecked ? .max : try room ?? Self.room(db)
    record = TableRecord(promised.name, promised.columns)
    values = RowValues(promised.columns, defaults: promised.defaults)
    names = format.names(promised)
    let selected = (promised.namesInFile ?? format.columnNames(promised)).map(quoted).joined(separator: ", ")
    func sql(_ range: String) -> String {
      "SELECT \(selected) FROM \(quoted(name ?? promised.name)) NOT INDEXED \(range) ORDER BY _place"
    }
    let search = sql(part == nil ? "WHERE _place >= ?" : "WHERE _place > ?")
    let mayBeOthers = part != nil || isRepairing
    isSearch = try mayBeOthers && Self.isSearch(search, db)
    if mayBeOthers, !isSearch { try Self.requireOrder(sql(""), db) }
    statement = try SQLStatement(isSearch ? search : sql(""), db, isShared: false)
    row = part?.after ?? 0
    if isSearch { statement.bind(.integer(part?.after ?? .min)) }
  }

  /// Whether a statement reads from a row on, and puts nothing aside to sort it.
  private static func isSearch(_ sql: String, _ db: Database) throws -> Bool {
    let steps = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: [0])
    return steps.count == 1 && String.fromDatabaseValue(steps[0]["detail"])?.hasPrefix("SEARCH") ?? false
  }

  /// - Throws: an error of damage if a statement puts rows aside to sort them, of which there may be no end.
  private static func requireOrder(_ sql: String, _ db: Database) throws {
    if try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)").count == 1 { return }
    throw DatabaseError(
      resultCode: .SQLITE_CORRUPT, message: "its rows do not stand in the order of their places")
  }

  /// As many bytes as the file and its log, twice: in another encoding texts may have fewer bytes there.
  private static func room(_ db: Database) throws -> Int {
    let sizes = try FileContents.sizes(db)
    return 2 * min(sizes.pages * sizes.pageSize, sizes.files)
  }

  /// What a row takes at the least, with its number and checksum.
  private static let rowSize = 8

  /// The numbers that rows may have. A file that is written begins in the lower half (`FileContents.requireRoom`), so there
  /// is room to count on.
  static let places: ClosedRange<Int64> = 1...1 << 46

  /// What properties have that may not be missing, where there is no value.
  var defaults: [String: CodedValue] { promised.defaults }

  /// How many rows the file says that there are.
  var expected: Int { promised.rows }

  /// The next row; nil at the end.
  ///
  /// - Throws: `damaged` if a row is not what was written, or rows are missing.
  mutating func next() throws -> RowValues? {
    while true {
      if given == part?.limit {
        statement.reset()
        return nil
      }
      if try !step() {
        statement.reset()
        try finish()
        return nil
      }
      if let part, statement.integer(0) <= part.after {
        try skipEarlier()
        continue
      }
      // There may be any number: what is written there was not.
      if !isRepairing, part == nil, record.rows == promised.rows {
        try refuse(statement.integer(0), "there are rows too many")
      }
      try progress(record.rows)
      let (last, isWhole) = (row, read())
      if room < 0 {
        try refuseRest()
        return nil
      }
      if !Self.places.contains(row) || isRepairing && row >= Self.places.upperBound / 2 {
        try refuse(row, "there is no such place")
        continue
      }
      if isWhole || row == position + 1 { goOn(behind: row) }
      if row > last || isRepairing, isWhole {
        given += 1
        return values
      }
      try refuse(row, "its values are not those that were written")
    }
  }

  /// Skips a row before those that are read.
  private mutating func skipEarlier() throws {
    let number = statement.integer(0)
    // A tree without an end has the same rows again.
    if number <= lastSkipped { try refuse(number, "it is not in its place") }
    lastSkipped = number
    try progress(record.rows)
  }

  /// Whether there is another row, which can be read.
  private mutating func step() throws -> Bool {
    do {
      return try statement.step()
    } catch let error as DatabaseError where isRepairing && error.mayBeDamage {
      return try skip(error.message ?? "\(error.resultCode)")
    }
  }

  /// Goes on with the first row that can be read behind one that cannot (X6).
  ///
  /// - Returns: whether there is one.
  private mutating func skip(_ reason: String) throws -> Bool {
    let first = position + 1
    if !isSearch { return endRest(from: first, reason) }
    var (failed, reached) = (first, first + 1)
    while try seek(reached) == nil {
      // A damaged page may take many thousands of these, without a row.
      try progress(0)
      failed = reached
      // One by one for as many rows as a page can have, whose numbers mostly follow each other; then by a 1024th of the
      // way, which is less than the rows of a page unless many thousands of numbers are unused.
      let distance = max(1, (reached - first - Self.pageRows) / 1_024)
      seeks += 1
      let isOverLimit = try seeks % 4_096 == 0 && seeks > maximumSeeks()
      guard !isOverLimit, distance < Self.places.upperBound - reached else {
        return endRest(from: first, reason)
      }
      reached += distance
    }
    while reached - failed > 1 {
      let middle = failed + (reached - failed) / 2
      if try seek(middle) == nil { failed = middle } else { reached = middle }
    }
    goOn(behind: reached - 1)
    let isThere = try seek(reached) ?? false
    let place =
      !isThere ? "rows from \(first) on" : position == first ? "row \(first)" : "rows \(first) to \(position)"
    damage.append(DamagedRow(table: record.name, row: nil, reason: "\(place): \(reason)"))
    return isThere
  }

  /// Ends the reading where no further row is found.
  private mutating func endRest(from first: Int64, _ reason: String) -> Bool {
    statement.reset()
    damage.append(DamagedRow(table: record.name, row: nil, reason: "rows from \(first) on: \(reason)"))
    return false
  }

  /// How often numbers may be looked for that are not there, which may take as long behind each of any number of rows.
  private func maximumSeeks() throws -> Int { try FileContents.sizes(db).files + 1 << 20 }

  /// More rows than a page can have.
  private static let pageRows: Int64 = 512

  private mutating func goOn(behind number: Int64) {
    if number <= position { return }
    position = number
    refused = []
  }

  /// Whether there is a row with a number, or behind it; nil if it cannot be read, or was refused.
  private func seek(_ number: Int64) throws -> Bool? {
    statement.reset()
    statement.bind(.integer(number))
    do {
      guard try statement.step() else { return false }
      let row = statement.integer(0)
      return row < number || refused.contains(row) ? nil : true
    } catch let error as DatabaseError where error.mayBeDamage {
      return nil
    }
  }

  /// Reads the row that the statement is at; false if it is not as it was written.
  private mutating func read() -> Bool {
    row = statement.integer(0)
    switch format {
    case .columns:
      statement.read(into: values, from: 2)
      if room != .max { room -= statement.byteCount(from: 2) + Self.rowSize }
      check = names.checksum(values.values, place: row)
      return check == statement.integer(1)
    case .sealed(let key):
      values.begin()
      let version = statement.integer(1)
      let subject = FileKey.Subject.row(row, table: promised.name, version: version)
      if room != .max { room -= statement.byteCount(from: 2) + Self.rowSize }
      guard let bytes = statement.withBytes(2, { key.open($0, subject) }),
        let mark = RowBytes.decode(bytes, into: &values.values),
        0...FileContents.highestOfRow ~= version
      else { return false }
      check = Int64(bitPattern: mark)
      newestVersion = max(newestVersion, version)
      return true
    }
  }

  /// Counts the row that was read last.
  mutating func take() {
    record.rows += 1
    record.checksum &+= check
  }

  /// Ends the reading of a damaged table: compares the rows that are whole with those that there were.
  ///
  /// Each whole row was written to this table by this library, but not all need be of its last version. Which of them are
  /// not, the sum does not say.
  mutating func endRepair() {
    let missing = promised.rows - record.rows - damage.count { $0.row != nil }
    let reason: String
    if missing > 0 {
      reason = "\(missing) rows are missing"
    } else if missing < 0 {
      reason = "there are \(-missing) rows too many: some that were deleted are there again"
    } else if damage.isEmpty, promised.checksum != record.checksum {
      reason = "rows are not those that were written last: some are as they were earlier"
    } else {
      return
    }
    damage.append(DamagedRow(table: record.name, row: nil, reason: reason))
  }

  /// The error that a row is whole, and no object of the type.
  func mismatch(_ error: any Error, row: Int64) -> StoreFileError {
    var text = DecodingText.of(error)
    let missing: String? =
      switch error {
      case DecodingError.keyNotFound(let key, let context) where context.codingPath.isEmpty: key.stringValue
      // An object that was written without it.
      case DecodingError.valueNotFound(_, let context) where context.codingPath.count == 1:
        context.codingPath[0].stringValue
      default: nil
      }
    if let name = missing {
      text +=
        " If it is new, open the file with the migration .added(\"\(name)\", to: \(record.name).self, default: …); if it had another name, with .renamed(…, to: \"\(name)\", in: \(record.name).self)."
    }
    return StoreFileError(
      .mismatch, "Row \(row) of table \(record.name) cannot be read as a \(record.name): \(text)",
      table: record.name, row: row)
  }

  private mutating func refuse(_ row: Int64, _ reason: String) throws {
    if isRepairing {
      refused.insert(row)
      damage.append(DamagedRow(table: record.name, row: row, reason: reason))
      return
    }
    throw StoreFileError(
      .damaged,
      "Row \(row) of table \(record.name) is damaged: \(reason). Open the file with repair: .skipDamagedRows to keep the other rows.",
      table: record.name, row: row)
  }

  /// Ends the reading, as rows that share pages are none that were written.
  private mutating func refuseRest() throws {
    statement.reset()
    let reason = "rows from \(row) on have more bytes than the file"
    if isRepairing { return damage.append(DamagedRow(table: record.name, row: nil, reason: reason)) }
    throw StoreFileError(
      .damaged,
      "The table \(record.name) is damaged: \(reason). Open the file with repair: .skipDamagedRows to keep those before.",
      table: record.name)
  }

  /// Takes in which columns no object has asked for.
  mutating func end(unusedColumns: Set<String>) {
    // Without rows, nothing was asked for.
    record.unusedColumns = unusedColumns.filter {
      record.rows > 0 && !promised.foreignColumns.contains($0)
    }
  }

  private mutating func finish() throws {
    if isRepairing || part != nil { return }
    let missing = promised.rows - record.rows
    if missing == 0, promised.checksum == record.checksum { return }
    let reason = missing > 0 ? "\(missing) rows are missing" : "rows are not those that were written"
    throw StoreFileError(
      .damaged,
      "The table \(record.name) is damaged: \(reason). Open the file with repair: .skipDamagedRows to keep the rows that are whole.",
      table: record.name)
  }
}
