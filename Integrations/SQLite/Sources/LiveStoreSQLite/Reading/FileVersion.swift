import GRDB

/// One version of a file, while it is read.
package struct FileVersion {
  let contents: FileContents
  let format: RowFormat
  let db: Database
  private let layouts: [String: RowLayout]
  private let progress: ProgressReporter
  private let rest = Rest()

  /// How many bytes further rows may have: tables may share pages, and so have any number of rows in all.
  private final class Rest {
    var room: Int?
  }

  init(
    _ contents: FileContents, _ format: RowFormat, _ db: Database, _ layouts: [String: RowLayout],
    _ progress: ProgressReporter
  ) {
    (self.contents, self.format, self.db, self.layouts) = (contents, format, db, layouts)
    self.progress = progress
  }

  /// How many versions have been written to the file.
  package var version: Int64 { contents.version }
  /// The version of the schema.
  package var schema: Int { contents.schema }
  package var isEncrypted: Bool { format.isSealed }
  /// The names of the entities.
  package var entities: [String] { contents.tables.keys.sorted() }

  /// How many objects an entity has.
  package func count(_ entity: String) -> Int { contents.tables[entity]?.rows ?? 0 }

  /// The names of an entity's properties, in the order of the columns.
  package func properties(_ entity: String) -> [String] {
    contents.tables[entity]?.columns.names ?? []
  }

  /// The columns of an entity.
  package func layout(_ entity: String) -> RowLayout? { layouts[entity] }

  /// Differs from that of another version if the rows of an entity do.
  package func sum(_ entity: String) -> Sum {
    Sum(rows: count(entity), checksum: contents.tables[entity]?.checksum ?? 0)
  }

  /// How many rows there are, and the sum of their checksums or marks.
  package struct Sum: Equatable {
    fileprivate let rows: Int
    fileprivate let checksum: Int64
  }

  /// Begins a phase in which the rows of some entities are read, each of which counts.
  package func beginReading(_ entities: [String]) { begin(.reading, entities) }

  func begin(_ phase: StoreFile.Progress.Phase, _ entities: [String]) {
    progress.begin(phase, .rows, of: entities.reduce(0) { $0 + count($1) })
  }

  /// Reads the rows of an entity in insertion order, and checks them.
  ///
  /// - Parameter body: returns false to stop.
  /// - Throws: `damaged`; what the body throws.
  package func forEach(_ entity: String, _ body: (StoredRow) throws -> Bool) throws {
    guard let record = contents.tables[entity], let layout = layouts[entity] else { return }
    let before = progress.done
    var reader = try TableReader(record, format, db) { row in
      try progress.advance(toRow: row, after: before)
    }
    while let values = try reader.next() {
      reader.take()
      if try !body(StoredRow(reader.row, values.values, layout)) { return }
    }
    progress.reach(before + reader.record.rows)
  }

  /// Reads rows by their numbers, which ascend.
  ///
  /// Rows that stand near to each other are read at a stretch.
  /// - Throws: `damaged`; what the body throws.
  /// - Complexity: O(*k* log *n*) for *k* of *n* rows.
  package func forEach(_ entity: String, numbers: [Int64], _ body: (StoredRow) throws -> Void) throws {
    guard let record = contents.tables[entity], let layout = layouts[entity] else { return }
    var (index, room): (Int, Int?) = (0, nil)
    while index < numbers.count {
      var end = index + 1
      while end < numbers.count, numbers[end] - numbers[end - 1] <= Self.nearby { end += 1 }
      let (first, last) = (numbers[index], numbers[end - 1])
      var reader = try TableReader(
        record, format, part: (after: first - 1, limit: Int(last - first) + 1), db, room: room)
      while index < end, let values = try reader.next(), reader.row <= last {
        reader.take()
        if reader.row != numbers[index] { continue }
        try body(StoredRow(reader.row, values.values, layout))
        index += 1
      }
      (index, room) = (end, reader.room)
    }
  }

  /// How far rows may be apart that are read at a stretch.
  private static let nearby: Int64 = 16

  /// Passes on the number of each row, and a mark that differs if the row was written, without reading values.
  ///
  /// The mark is the row's checksum of 32 bits, or the version at which a sealed row was written.
  package func forEachMark(_ entity: String, _ body: (_ number: Int64, _ mark: Int64) throws -> Void) throws {
    guard contents.tables[entity] != nil else { return }
    let column = format.isSealed ? "_version" : "_check"
    let statement = try SQLStatement(
      "SELECT _place, \(column) FROM \(quoted(entity)) NOT INDEXED ORDER BY _place", db, isShared: false)
    var last: Int64 = 0
    while try statement.step() {
      let number = statement.integer(0)
      // Not in order where pages are shared, of which there may be no end.
      guard TableReader.places.contains(number), number > last else {
        throw StoreFileError(
          .damaged, "Row \(number) of table \(entity) is damaged: it is not in its place.", table: entity,
          row: number)
      }
      last = number
      try body(number, statement.integer(1))
    }
  }

  /// Reads the rows of an entity, and reports those that are damaged.
  ///
  /// - Parameters:
  ///   - hasRecords: whether it is known how many rows were written, and their checksum.
  ///   - body: called for each row that is whole.
  /// - Returns: how many rows are whole.
  @discardableResult
  package func check(
    _ entity: String, hasRecords: Bool = true, _ report: (DamagedRow) throws -> Void,
    _ body: (StoredRow) -> Void = { _ in }
  ) throws -> Int {
    guard let record = contents.tables[entity], let layout = layouts[entity] else { return 0 }
    let before = progress.done
    var reader: TableReader
    do {
      reader = try TableReader(record, format, db, isRepairing: true, room: rest.room) { row in
        try progress.advance(toRow: row, after: before)
      }
    } catch let error as DatabaseError where error.mayBeDamage {
      try report(.unreadable(entity, error))
      return 0
    }
    defer { rest.room = reader.room }
    while let values = try reader.next() {
      reader.take()
      body(StoredRow(reader.row, values.values, layout))
    }
    if hasRecords { reader.endRepair() }
    progress.reach(before + record.rows)
    for row in reader.damage { try report(row) }
    if hasRecords, reader.damage.isEmpty,
      reader.record.rows > record.rows || reader.record.checksum != record.checksum
    {
      try report(
        DamagedRow(
          table: entity, row: nil,
          reason: "the rows are not those that were written last, or not all of them are"))
    }
    return reader.record.rows
  }
}
