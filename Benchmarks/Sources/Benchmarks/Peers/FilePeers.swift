import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite

/// A folder that is removed with its last reference.
final class TemporaryFolder {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("livestore-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}

/// Bytes of a file.
func fileSize(_ url: URL) -> Double {
  let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
  return ((attributes?[.size] as? NSNumber)?.doubleValue) ?? 0
}

/// GRDB with a file: a table with the columns of an entity.
final class FileSQLite<Element: FileItem>: Sendable {
  let queue: DatabaseQueue

  /// - Parameter isKeyed: whether the id is the primary key, which in SQLite is an index beside the table.
  init(_ url: URL, isKeyed: Bool = true) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }
    queue = try DatabaseQueue(path: url.path, configuration: configuration)
    try queue.write { db in
      let columns =
        isKeyed
        ? Element.columnList.replacing("id, ", with: "id PRIMARY KEY, ", maxReplacements: 1)
        : Element.columnList
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS \(Element.databaseTableName) (\(columns))")
    }
  }

  func insert(_ items: [Element]) throws {
    try queue.write { db in for item in items { try item.insert(db) } }
  }

  func fetchAll() throws -> [Element] { try queue.read { db in try Element.fetchAll(db) } }

  func fetchAllByPosition() throws -> [Element] {
    try queue.read { db in
      let rows = try Row.fetchCursor(
        db, sql: "SELECT \(Element.columnList) FROM \(Element.databaseTableName)")
      var items: [Element] = []
      while let row = try rows.next() { items.append(Element(columns: row)) }
      return items
    }
  }

  func setScore(_ id: UUID, _ score: Int) async throws {
    try await queue.write { db in try Self.setScore(db, id, score) }
  }

  func setScores(_ ids: [UUID], _ score: (Int) -> Int) throws {
    try queue.write { db in
      for (index, id) in ids.enumerated() { try Self.setScore(db, id, score(index)) }
    }
  }

  func setScores(rows: [Int], _ score: (Int) -> Int) throws {
    try queue.write { db in
      let statement = try db.cachedStatement(
        sql: "UPDATE \(Element.databaseTableName) SET score = ? WHERE rowid = ?")
      for (index, row) in rows.enumerated() { try statement.execute(arguments: [score(index), row]) }
    }
  }

  private static func setScore(_ db: Database, _ id: UUID, _ score: Int) throws {
    let statement = try db.cachedStatement(
      sql: "UPDATE \(Element.databaseTableName) SET score = ? WHERE id = ?")
    try statement.execute(arguments: [score, id])
  }
}
