package import Crypto
package import Foundation
import GRDB
package import LiveStore

/// Reads a file without knowing its types: for tools. It writes nothing, and takes no lock that others wait for.
package final class FileReader: Sendable {
  private let database: FileDatabase
  private let key: SymmetricKey?

  /// - Throws: `notFound`, `ioFailed`.
  package init(_ url: URL, key: SymmetricKey?) throws {
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw StoreFileError(.notFound, "There is no file \(url.path).")
    }
    self.key = key
    database = try FileDatabase(url, [], StoreFile.Options(isReadOnly: true))
  }

  /// A number that differs when another process has written to the file.
  package func changeNumber() throws -> Int {
    var number = 0
    try database.read { db in number = try Int.fetchOne(db, sql: "PRAGMA data_version") ?? 0 }
    return number
  }

  /// Reads one version of the file, whatever is written meanwhile.
  ///
  /// - Throws: `notAStoreFile`, `newerFormat`, `wrongKey`, `damaged`, `ioFailed`; what the body throws.
  package func read(_ body: (FileVersion) throws -> Void) throws {
    try database.read { db in
      try db.inTransaction(.deferred) {
        let (contents, format) = try FileContents.read(db, key: key)
        try body(FileVersion(contents: contents, format: format, db: db))
        return .commit
      }
    }
  }
}

/// One version of a file.
package struct FileVersion {
  fileprivate let contents: FileContents
  fileprivate let format: RowFormat
  fileprivate let db: Database

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
  package func properties(_ entity: String) -> [String] { contents.tables[entity]?.columns.names ?? [] }

  /// A row of an entity's table.
  package struct Row {
    /// Its number, by which rows are in insertion order.
    package let number: Int64
    /// Differs between values that were written.
    package let check: Int64
    fileprivate let values: RowValues

    /// The object as JSON: nested values as JSON, ids of 16 bytes as text.
    package var object: JSONObject {
      JSONObject(
        zip(values.columns.names, values.values).filter { $0.1 != .null }.map {
          (key: $0.0, value: $0.1.shown)
        })
    }
  }

  /// Reads the rows of an entity, and checks them.
  ///
  /// - Throws: `damaged`; what the body throws.
  package func forEach(_ entity: String, _ body: (Row) throws -> Void) throws {
    guard let record = contents.tables[entity] else { return }
    var reader = try TableReader(record, format, db)
    while let values = try reader.next() {
      reader.take()
      try body(Row(number: reader.row, check: reader.check, values: values))
    }
  }

  /// What is damaged in the table of an entity.
  package func damage(_ entity: String) throws -> [DamagedRow] {
    guard let record = contents.tables[entity] else { return [] }
    var reader = try TableReader(record, format, db, isRepairing: true)
    while try reader.next() != nil { reader.take() }
    reader.endRepair()
    if reader.damage.isEmpty, reader.record.checksum != record.checksum {
      return [DamagedRow(table: entity, row: nil, reason: "rows are not those that were written")]
    }
    return reader.damage
  }
}

extension ColumnValue {
  /// The value as a person reads it.
  fileprivate var shown: JSONValue {
    switch self {
    case .blob(let bytes) where bytes.count == 16:
      .string(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString)
    case .text(let text) where text.hasPrefix("{") || text.hasPrefix("["):
      (try? JSONValue(parsing: text)) ?? .string(text)
    default: CodedValue.column(self).json
    }
  }
}
