import Dispatch
import Foundation
import LiveStore
import Synchronization

/// The objects of a table, in the order of its rows.
///
/// One thread reads and checks rows, and passes them on in portions, which others decode; the objects of the earliest portion
/// are given out meanwhile. At most two portions for each processor are in memory.
final class DecodedObjects<Element: Entity & Codable>: Sequence, IteratorProtocol {
  private(set) var reader: TableReader
  /// The number of the row whose object was given out last.
  private(set) var row: Int64 = 0
  private(set) var failure: (any Error)?
  /// The rows that were no objects, if those are skipped.
  private(set) var unreadable: [DamagedRow] = []
  /// The error of the first of them.
  private(set) var firstMismatch: StoreFileError?
  private let skipsUnreadable: Bool
  private var portions: [DecodedPortion<Element>] = []
  /// What is given out now, and how much of it was.
  private var objects: [Result<Element, any Error>] = []
  private var rows: [Int64] = []
  private var index = 0
  /// Why reading ended: the rows before are decoded nevertheless, as an earlier one may be the mistake.
  private var end: Result<Void, any Error>?
  private var unusedColumns: Set<String>

  init(_ reader: TableReader, skipsUnreadable: Bool = false) {
    (self.reader, self.skipsUnreadable) = (reader, skipsUnreadable)
    unusedColumns = Set(reader.record.columns.names)
  }

  var underestimatedCount: Int { reader.expected }

  private static var portionCount: Int { 2 * ProcessInfo.processInfo.activeProcessorCount }

  func next() -> Element? {
    while failure == nil {
      if index == objects.count, !takePortion() { return nil }
      row = rows[index]
      let object = objects[index]
      index += 1
      do {
        return try object.get()
      } catch {
        let mismatch = reader.mismatch(error, row: row)
        if !skipsUnreadable {
          failure = mismatch
          return nil
        }
        firstMismatch = firstMismatch ?? mismatch
        unreadable.append(DamagedRow(table: reader.record.name, row: row, reason: mismatch.message))
      }
    }
    return nil
  }

  /// Goes on with the next portion.
  ///
  /// - Returns: whether there is one.
  private func takePortion() -> Bool {
    while end == nil, portions.count < Self.portionCount { readPortion() }
    guard !portions.isEmpty else {
      do {
        try end?.get()
        reader.end(unusedColumns: unusedColumns)
      } catch {
        failure = error
      }
      return false
    }
    let portion = portions.removeFirst()
    (rows, index) = (portion.rows, 0)
    objects = portion.objects(&unusedColumns)
    return true
  }

  private func readPortion() {
    var portion = RowPortion(reader.record.columns, reader.defaults)
    do {
      while portion.rows.count < RowPortion.size, end == nil {
        if let values = try reader.next() {
          reader.take()
          portion.append(values, row: reader.row)
        } else {
          end = .success(())
        }
      }
    } catch {
      end = .failure(error)
    }
    // What is little is decoded sooner than passed on.
    if !portion.rows.isEmpty {
      portions.append(DecodedPortion(portion, isShared: end == nil || !portions.isEmpty))
    }
  }
}

/// Rows that follow each other.
struct RowPortion: Sendable {
  static let size = 512

  let columns: ColumnNames
  let defaults: [String: CodedValue]
  private(set) var rows: [Int64] = []
  /// The values of all rows, one after the other.
  private(set) var values: [ColumnValue] = []

  init(_ columns: ColumnNames, _ defaults: [String: CodedValue]) {
    (self.columns, self.defaults) = (columns, defaults)
    rows.reserveCapacity(Self.size)
  }

  mutating func append(_ values: RowValues, row: Int64) {
    if rows.isEmpty { self.values.reserveCapacity(Self.size * values.values.count) }
    rows.append(row)
    self.values += values.values
  }

  /// Decodes an object of each row.
  ///
  /// - Returns: the columns that none was asked for, too.
  func decode<Element: Decodable>() -> (objects: [Result<Element, any Error>], unusedColumns: Set<String>) {
    let row = RowValues(columns, defaults: defaults, values)
    let objects = rows.indices.map { index in
      row.begin(at: index)
      return Result { try Element(from: ValueDecoder(row)) }
    }
    return (objects, row.unusedColumns)
  }
}

/// A portion while it is decoded, and then.
///
/// State: what was decoded, written once before the group is left, and read after it.
private final class DecodedPortion<Element: Entity & Codable>: Sendable {
  typealias Decoded = (objects: [Result<Element, any Error>], unusedColumns: Set<String>)

  let rows: [Int64]
  private let decoded = Mutex<Decoded>(([], []))
  private let group = DispatchGroup()

  /// - Parameter isShared: whether another thread decodes it.
  init(_ portion: RowPortion, isShared: Bool) {
    rows = portion.rows
    guard isShared else {
      decoded.withLock { $0 = portion.decode() }
      return
    }
    DispatchQueue.global(qos: .userInitiated).async(group: group) {
      let decoded: Decoded = portion.decode()
      self.decoded.withLock { $0 = decoded }
    }
  }

  /// Waits for the objects.
  ///
  /// - Parameter unusedColumns: those that were not asked for before; those that were are removed.
  func objects(_ unusedColumns: inout Set<String>) -> [Result<Element, any Error>] {
    group.wait()
    return decoded.withLock { decoded in
      unusedColumns.formIntersection(decoded.unusedColumns)
      return decoded.objects
    }
  }
}
