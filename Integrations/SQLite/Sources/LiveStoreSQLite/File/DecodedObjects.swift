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
  private let portionCount = 2 * ProcessInfo.processInfo.activeProcessorCount

  init(_ reader: TableReader, skipsUnreadable: Bool = false) {
    (self.reader, self.skipsUnreadable) = (reader, skipsUnreadable)
    unusedColumns = Set(reader.record.columns.names)
  }

  var underestimatedCount: Int { reader.expected }

  /// After an error, no further object is decoded.
  deinit { for portion in portions { portion.abandon() } }

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
    while end == nil, portions.count < portionCount { readPortion() }
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
      while !portion.isFull, end == nil {
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
    if portion.rows.isEmpty { return }
    let decoded = DecodedPortion<Element>(portion)
    portions.append(decoded)
    // Decoding a single portion takes less time than handing it over.
    if end == nil || portions.count > 1 { decoded.share() }
  }
}

/// Rows that follow each other, at most so many, or with about so many bytes.
struct RowPortion: Sendable {
  private static let (size, byteCount) = (512, 1 << 18)

  let columns: ColumnNames
  let defaults: [String: CodedValue]
  private(set) var rows: [Int64] = []
  /// The values of all rows, one after the other.
  private(set) var values: [ColumnValue] = []
  private var byteCount = 0

  var isFull: Bool { rows.count == Self.size || byteCount >= Self.byteCount }

  init(_ columns: ColumnNames, _ defaults: [String: CodedValue]) {
    (self.columns, self.defaults) = (columns, defaults)
    rows.reserveCapacity(Self.size)
  }

  mutating func append(_ values: RowValues, row: Int64) {
    if rows.isEmpty { self.values.reserveCapacity(Self.size * values.values.count) }
    rows.append(row)
    self.values += values.values
    for value in values.values { byteCount += value.byteCount }
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

/// A portion that is decoded by whichever thread comes first, the one that needs it at the latest: then reading a file waits
/// for no thread of a pool that is not its own.
///
/// State: what was decoded, written once before the group is left, and read after it.
private final class DecodedPortion<Element: Entity & Codable>: Sendable {
  typealias Decoded = (objects: [Result<Element, any Error>], unusedColumns: Set<String>)

  let rows: [Int64]
  private let portion: RowPortion
  private let isClaimed = Atomic(false)
  private let decoded = Mutex<Decoded>(([], []))
  private let group = DispatchGroup()

  init(_ portion: RowPortion) {
    (self.portion, rows) = (portion, portion.rows)
    group.enter()
  }

  /// Has another thread decode it, if one is free in time.
  func share() {
    DispatchQueue.global(qos: .userInitiated).async { if self.claim() { self.decode() } }
  }

  /// Has no thread decode it that has not begun. Dispatch keeps a group that is not left.
  func abandon() { if claim() { group.leave() } }

  /// Takes the right to decode it.
  private func claim() -> Bool { !isClaimed.exchange(true, ordering: .relaxed) }

  private func decode() {
    let decoded: Decoded = portion.decode()
    self.decoded.withLock { $0 = decoded }
    group.leave()
  }

  /// The objects, once they are decoded.
  ///
  /// - Parameter unusedColumns: those that were not asked for before; those that were are removed.
  func objects(_ unusedColumns: inout Set<String>) -> [Result<Element, any Error>] {
    if claim() { decode() } else { group.wait() }
    return decoded.withLock { decoded in
      unusedColumns.formIntersection(decoded.unusedColumns)
      return decoded.objects
    }
  }
}
