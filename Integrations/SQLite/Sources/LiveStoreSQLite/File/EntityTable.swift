import Foundation
import GRDB
import LiveStore

/// The objects of an entity, as rows of a table.
protocol EntityTable: Sendable {
  /// The name of the entity, and of the table.
  var name: String { get }

  /// Adds the objects of the table to a store that has none.
  func load(_ reader: inout TableReader, into tx: inout WriteTransaction) throws

  /// Writes the objects that differ.
  func write(_ difference: StoreDifference, to writer: inout TableWriter) throws
}

struct TypedTable<Element: Entity & Codable>: EntityTable {
  var name: String { "\(Element.self)" }

  func load(_ reader: inout TableReader, into tx: inout WriteTransaction) throws {
    let objects = DecodedObjects<Element>(reader)
    if reader.isRepairing {
      for object in objects {
        do throws(StoreError) {
          try tx.insert(object)
        } catch {
          objects.reader.skip(objects.reader.place, "\(error.message)")
        }
      }
    } else {
      do throws(StoreError) {
        try tx.insert(contentsOf: objects)
      } catch {
        throw objects.failure ?? error
      }
    }
    if let failure = objects.failure { throw failure }
    reader = objects.reader
  }

  func write(_ difference: StoreDifference, to writer: inout TableWriter) throws {
    for change in difference.changes(of: Element.self) {
      if let place = change.oldPlace, place != change.newPlace { try writer.delete(place) }
      guard let place = change.newPlace, let object = change.new else { continue }
      let properties: [(key: String, value: CodedValue)]
      do {
        properties = try ValueEncoder.properties(of: object)
      } catch {
        throw StoreFileError(
          .mismatch, "The \(name) with id \(object.id) cannot be encoded: \(error)", table: name,
          row: writer.record.places.row(place))
      }
      try writer.put(properties, at: place, isNew: place != change.oldPlace)
    }
  }
}

/// The objects of a table, decoded one by one.
private final class DecodedObjects<Element: Entity & Codable>: Sequence, IteratorProtocol {
  var reader: TableReader
  private(set) var failure: (any Error)?

  init(_ reader: TableReader) { self.reader = reader }

  var underestimatedCount: Int { reader.expected }

  func next() -> Element? {
    while failure == nil {
      do {
        guard let row = try reader.next() else { return nil }
        do {
          let object = try Element(from: ValueDecoder(row))
          reader.take()
          return object
        } catch {
          try reader.refuse(error)
        }
      } catch {
        failure = error
      }
    }
    return nil
  }
}
