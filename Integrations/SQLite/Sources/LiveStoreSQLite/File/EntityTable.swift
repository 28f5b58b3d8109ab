import Foundation
import GRDB
import LiveStore

/// The objects of an entity, as rows of a table.
protocol EntityTable: Sendable {
  /// The name of the entity, and of the table.
  var name: String { get }

  /// Adds the objects of the table to a store that has none.
  func load(_ reader: inout TableReader, into tx: inout WriteTransaction) throws

  /// Reads the objects of the table, to see which of them break rules.
  func salvage(_ reader: inout TableReader) throws -> any SalvagedTable

  /// Writes the objects that differ.
  func write(_ difference: StoreDifference, to writer: inout TableWriter) throws

  /// How many objects differ.
  func changeCount(_ difference: StoreDifference) -> Int

  /// Passes on each object of a version as a line of JSON, in insertion order.
  ///
  /// - Returns: how many there are.
  func exportLines(_ snapshot: Snapshot, _ append: (String) throws -> Void) throws -> Int

  /// Begins a list of objects that are read from lines of JSON.
  func makeImport() -> any ImportedObjects
}

struct TypedTable<Element: Entity & Codable>: EntityTable {
  var name: String { "\(Element.self)" }

  func load(_ reader: inout TableReader, into tx: inout WriteTransaction) throws {
    let objects = DecodedObjects<Element>(reader)
    do throws(StoreError) {
      try tx.insert(contentsOf: objects)
    } catch {
      throw objects.failure ?? error
    }
    if let failure = objects.failure { throw failure }
    reader = objects.reader
  }

  func salvage(_ reader: inout TableReader) throws -> any SalvagedTable {
    let objects = DecodedObjects<Element>(reader)
    var rows: [(row: Int64, object: Element)] = []
    for object in objects { rows.append((objects.reader.row, object)) }
    if let failure = objects.failure { throw failure }
    return SalvagedObjects(name: name, rows: rows)
  }

  func write(_ difference: StoreDifference, to writer: inout TableWriter) throws {
    for change in difference.changes(of: Element.self) {
      if let place = change.oldPlace, place != change.newPlace {
        try writer.delete(writer.record.places.row(place))
      }
      guard let place = change.newPlace, let object = change.new else { continue }
      let row = writer.record.places.row(place)
      let properties: [(key: String, value: CodedValue)]
      do {
        properties = try ValueEncoder.properties(of: object)
      } catch {
        throw StoreFileError(
          .mismatch, "The \(name) with id \(object.id) cannot be encoded: \(error)", table: name, row: row)
      }
      try writer.put(properties, at: row, isNew: place != change.oldPlace)
    }
  }

  func changeCount(_ difference: StoreDifference) -> Int { difference.changes(of: Element.self).count }
}

/// The objects of a table, decoded one by one.
private final class DecodedObjects<Element: Entity & Codable>: Sequence, IteratorProtocol {
  var reader: TableReader
  private(set) var failure: (any Error)?

  init(_ reader: TableReader) { self.reader = reader }

  var underestimatedCount: Int { reader.expected }

  func next() -> Element? {
    guard failure == nil else { return nil }
    do {
      guard let row = try reader.next() else { return nil }
      let object: Element
      do { object = try Element(from: ValueDecoder(row)) } catch { throw reader.mismatch(error) }
      reader.take()
      return object
    } catch {
      failure = error
      return nil
    }
  }
}

/// The objects of a table that was damaged, some of which may break rules without those that are missing.
protocol SalvagedTable {
  var name: String { get }

  /// Adds the objects to a store.
  mutating func insert(into tx: inout WriteTransaction, _ damage: inout [DamagedRow]) throws

  /// Leaves out the object with an id, as an error shows it; false if there is none.
  mutating func leaveOut(_ id: String, _ reason: String, _ damage: inout [DamagedRow]) -> Bool
}

private struct SalvagedObjects<Element: Entity>: SalvagedTable {
  let name: String
  var rows: [(row: Int64, object: Element)]

  mutating func insert(into tx: inout WriteTransaction, _ damage: inout [DamagedRow]) throws {
    var refused: Set<Int64> = []
    for (row, object) in rows {
      do throws(StoreError) {
        try tx.insert(object)
      } catch {
        guard error.code == StoreError.duplicateID else { throw error }
        refused.insert(row)
        damage.append(DamagedRow(table: name, row: row, reason: "another row has the id \(object.id)"))
      }
    }
    rows.removeAll { refused.contains($0.row) }
  }

  mutating func leaveOut(_ id: String, _ reason: String, _ damage: inout [DamagedRow]) -> Bool {
    guard let index = rows.firstIndex(where: { shown($0.object.id) == id }) else { return false }
    damage.append(DamagedRow(table: name, row: rows.remove(at: index).row, reason: reason))
    return true
  }

  /// An id as errors of the store show it: texts with quotation marks.
  private func shown(_ id: Element.ID) -> String { id is String ? String(reflecting: id) : "\(id)" }
}
