import Foundation
import GRDB
import LiveStore

/// The objects of an entity, as rows of a table.
protocol EntityTable: Sendable {
  /// The name of the entity, and of the table.
  var name: String { get }

  /// The names of two properties that cannot both be columns, as far as the schema names them; nil if there are none.
  var conflictingProperties: (String, String)? { get }

  /// Adds the objects of the table to a store that is made. Their places are the numbers of their rows.
  func load(_ reader: inout TableReader, into contents: inout StoreRestoration) throws

  /// Has the next object of a store that is made get a place.
  func setNextPlace(_ place: UInt64, in contents: inout StoreRestoration) throws

  /// The place that the next object of a version gets at the least.
  func nextPlace(_ snapshot: Snapshot) -> UInt64

  /// Adds the objects of a table that was damaged to a store that has none, but for those whose ids others have.
  ///
  /// - Parameter skipsUnreadable: whether rows that are no objects are left out, too.
  func salvage(
    _ reader: inout TableReader, skipsUnreadable: Bool, into tx: inout WriteTransaction,
    _ damage: inout [DamagedRow]
  ) throws -> any SalvagedTable

  /// Writes the objects that differ.
  func write(_ difference: StoreDifference, to writer: inout TableWriter) throws

  /// About how many bytes the rows have in which the objects that differ are written, by a sample of them.
  func byteCount(_ difference: StoreDifference, _ format: RowFormat) -> Int

  /// How many objects a version has.
  func count(_ snapshot: Snapshot) -> Int

  /// Passes on each object of a version as a line of JSON, in insertion order.
  ///
  /// - Returns: how many there are.
  func exportLines(_ snapshot: Snapshot, _ append: (String) throws -> Void) throws -> Int

  /// Begins a list of objects that are read from lines of JSON.
  func makeImport() -> any ImportedObjects
}

struct TypedTable<Element: Entity & Codable>: EntityTable {
  var name: String { "\(Element.self)" }

  var conflictingProperties: (String, String)? {
    let names = ["id"] + Element.schema.propertyNames
    // The type is only asked if there may be a conflict.
    if Set(names.map(\.foldedAsName)).count == names.count { return nil }
    var known: [String: String] = [:]
    for name in CodingKeyProbe.keys(of: Element.self, among: names) {
      if let other = known.updateValue(name, forKey: name.foldedAsName), other != name {
        return (other, name)
      }
    }
    return nil
  }

  func load(_ reader: inout TableReader, into contents: inout StoreRestoration) throws {
    let objects = DecodedObjects<Element>(reader)
    do throws(StoreError) {
      try contents.insert(contentsOf: objects.lazy.map { (place: UInt64(objects.row), object: $0) })
    } catch {
      throw objects.failure ?? error
    }
    if let failure = objects.failure { throw failure }
    reader = objects.reader
  }

  func setNextPlace(_ place: UInt64, in contents: inout StoreRestoration) throws {
    try contents.setNextPlace(of: Element.self, to: place)
  }

  func nextPlace(_ snapshot: Snapshot) -> UInt64 { snapshot.nextPlace(of: Element.self) }

  func salvage(
    _ reader: inout TableReader, skipsUnreadable: Bool, into tx: inout WriteTransaction,
    _ damage: inout [DamagedRow]
  ) throws -> any SalvagedTable {
    let objects = DecodedObjects<Element>(reader, skipsUnreadable: skipsUnreadable)
    var salvaged = SalvagedObjects<Element>(name: name)
    for object in objects {
      if let row = try salvaged.insert(object, row: objects.row, into: &tx) { damage.append(row) }
    }
    if let failure = objects.failure { throw failure }
    // Then the type is another one, or a migration is missing.
    if objects.unreadable.count > 1, salvaged.isEmpty, let error = objects.firstMismatch { throw error }
    for row in objects.unreadable {
      row.row.map { salvaged.leaveOut($0) }
      damage.append(row)
    }
    return salvaged
  }

  func write(_ difference: StoreDifference, to writer: inout TableWriter) throws {
    for change in difference.changes(of: Element.self) {
      if let place = change.oldPlace, place != change.newPlace {
        try writer.delete(Int64(place))
      }
      guard let place = change.newPlace, let object = change.new else { continue }
      let row = Int64(place)
      try writer.put(Self.properties(of: object, row: row), at: row, isNew: place != change.oldPlace)
    }
  }

  /// The properties of an object.
  ///
  /// - Throws: `mismatch` if it cannot be encoded.
  static func properties(of object: Element, row: Int64) throws(StoreFileError) -> [(
    key: String, value: CodedValue
  )] {
    do {
      return try ValueEncoder.properties(of: object)
    } catch {
      throw StoreFileError(
        .mismatch, "The \(Element.self) with id \(object.id) cannot be encoded: \(error)",
        table: "\(Element.self)",
        row: row)
    }
  }

  func byteCount(_ difference: StoreDifference, _ format: RowFormat) -> Int {
    let changes = difference.changes(of: Element.self)
    var (sampled, bytes) = (0.0, 0.0)
    for index in stride(from: 0, to: changes.count, by: 1 + changes.count / 128) {
      sampled += 1
      bytes += Double(format.overhead)
      // What cannot be encoded is not written.
      let properties = changes[index].new.flatMap { try? ValueEncoder.properties(of: $0) }
      for (_, value) in properties ?? [] { bytes += Double(value.column.byteCount) }
    }
    return sampled == 0 ? 0 : Int(bytes / sampled * Double(changes.count))
  }
}
