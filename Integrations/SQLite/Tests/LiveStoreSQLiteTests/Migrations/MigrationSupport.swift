import Crypto
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport

/// Whether the file of a test is encrypted.
enum Sealing: String, CaseIterable, Sendable {
  case plain, encrypted

  var key: SymmetricKey? { self == .plain ? nil : SymmetricKey(data: Data(repeating: 7, count: 32)) }

  func options(_ migrations: [Migration] = [], isReadOnly: Bool = false) -> StoreFile.Options {
    .init(key: key, migrations: migrations, isReadOnly: isReadOnly)
  }
}

extension Folder {
  /// Opens the file, writes a transaction, and closes it.
  func write<each Element: Entity & Codable>(
    _ types: repeat (each Element).Type, options: StoreFile.Options,
    _ body: @Sendable (inout WriteTransaction) throws -> Void
  ) async throws {
    let file = try await StoreFile.open(at: file, repeat each types, options: options)
    try await file.write(body)
    try await file.close()
  }

  /// Opens the file, reads, and closes it.
  @discardableResult
  func read<each Element: Entity & Codable, Result>(
    _ types: repeat (each Element).Type, options: StoreFile.Options, _ body: (Snapshot) throws -> Result
  ) async throws -> Result {
    let file = try await StoreFile.open(at: file, repeat each types, options: options)
    let result = try body(file.store.snapshot())
    try await file.close()
    return result
  }

  /// The objects of an entity in a file that is opened with it alone.
  func all<Element: Entity & Codable>(
    _ type: Element.Type, options: StoreFile.Options
  ) async throws -> [Element] {
    try await read(type, options: options) { Array($0.fetch(Element.all)) }
  }

  /// The error of an opening that must fail, and must leave the file as it was, byte for byte.
  func refusal<each Element: Entity & Codable>(
    _ types: repeat (each Element).Type, options: StoreFile.Options
  ) async throws -> any Error {
    let before = try bytes()
    do {
      let file = try await StoreFile.open(at: file, repeat each types, options: options)
      try await file.close()
    } catch {
      try require(try bytes() == before, "the file has changed, although opening it failed: \(error)")
      return error
    }
    throw Mismatch("the opening was to fail, and did not")
  }

  /// The error of the file, of an opening that must fail and must leave the file as it was.
  func fileError<each Element: Entity & Codable>(
    _ types: repeat (each Element).Type, options: StoreFile.Options
  ) async throws -> StoreFileError {
    let error = try await refusal(repeat each types, options: options)
    guard let error = error as? StoreFileError else { throw Mismatch("it is no StoreFileError: \(error)") }
    return error
  }

  /// The error of the store, of an opening that must fail and must leave the file as it was.
  func storeError<each Element: Entity & Codable>(
    _ types: repeat (each Element).Type, options: StoreFile.Options
  ) async throws -> StoreError {
    let error = try await refusal(repeat each types, options: options)
    guard let error = error as? StoreError else { throw Mismatch("it is no StoreError: \(error)") }
    return error
  }

  /// The file and its write-ahead log, which counts as empty where there is none.
  func bytes() throws -> [Data] {
    try ["", "-wal"].map { suffix in
      let path = file.path + suffix
      return FileManager.default.fileExists(atPath: path) ? try Data(contentsOf: URL(filePath: path)) : Data()
    }
  }

  /// The names of the columns of a table, as other programs see them.
  func columns(of table: String) async throws -> [String] {
    try await DatabaseQueue(path: file.path).read { db in try db.columns(in: table).map(\.name) }
  }

  /// The names of the tables, as other programs see them.
  func tables() async throws -> [String] {
    try await DatabaseQueue(path: file.path).read { db in
      try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    }
  }
}
