import Foundation
import GRDBSQLite
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

private struct Tagged: Entity, Codable {
  let id: String
  var labels: [String: Int] = [:]
  var tags: Set<String> = []
  var kind = Kind.plain
  static let schema = Schema<Tagged> {
    \.labels
    \.tags
    \.kind
  }

  enum Kind: String, Codable { case plain, fancy }
}

private enum Loose {
  struct Tagged: Entity, Codable {
    let id: String
    var labels: [String: Int] = [:]
    var tags: JSONValue = .array([])
    var kind = "plain"
    static let schema = Schema<Tagged> {
      \.labels
      \.tags
      \.kind
    }
  }
}

/// The standard library hashes and compares a letter with very many marks in quadratic time: half a million take minutes.
@Suite(.timeLimit(.minutes(5))) struct `Names and keys with very many marks in files` {
  private static let name = "a" + String(repeating: "\u{301}\u{323}", count: 50_000)

  /// Changes a file without GRDB, which hashes the names of tables that a statement makes.
  private func change(_ file: URL, _ sql: String) {
    var connection: OpaquePointer?
    #expect(sqlite3_open(file.path, &connection) == SQLITE_OK)
    #expect(sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK)
    sqlite3_close(connection)
  }

  /// Bug: an import hashed each key of a dictionary.
  @Test func `a dictionary with such a key is not imported, and none with it is written`() async throws {
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Tagged.self)
    let lines = folder.url.appendingPathComponent("Tagged.ndjson")
    try Data("{\"id\":\"1\",\"labels\":{\"\(Self.name)\":1}}\n".utf8).write(to: lines)
    await #expect { try await file.importJSON(from: folder.url) } throws: {
      "\($0)".contains("more than 1000 marks")
    }
    let short = "a" + String(repeating: "\u{301}", count: 1_001)
    let error = await #expect(throws: StoreFileError.self) {
      try await file.write { tx in try tx.insert(Tagged(id: "2", labels: [short: 1])) }
    }
    #expect(error?.message.contains("more than 1000 marks") == true, "\(error as Any)")
    try await file.store.write { tx in try tx.delete(Tagged.self, "2") }
    let kept = String(short.unicodeScalars.dropLast())
    try await file.write { tx in try tx.insert(Tagged(id: Self.name, labels: [kept: 1])) }
    try await file.close()
    let again = try await StoreFile.open(at: folder.file, Tagged.self)
    #expect(again.store.fetch(Tagged.all).map(\.labels) == [[kept: 1]])
    try await again.close()
  }

  /// Bug: elements of sets were hashed, and texts compared with the names of cases.
  @Test
  func `a set with such an element, or such a name of a case, is not read, and no set with it is written`()
    async throws
  {
    let folder = try Folder()
    let loose = try await StoreFile.open(at: folder.file, Loose.Tagged.self)
    try await loose.write { tx in
      try tx.insert(Loose.Tagged(id: "1", tags: .array([.string(Self.name)])))
      try tx.insert(Loose.Tagged(id: "2", kind: Self.name))
      try tx.insert(Loose.Tagged(id: "3"))
    }
    try await loose.close()
    let file = try await StoreFile.open(
      at: folder.file, Tagged.self, options: .init(repair: .skipUnreadableRows))
    #expect(file.store.fetch(Tagged.all).map(\.id) == ["3"])
    #expect(file.damagedRows.map(\.row) == [1, 2])
    #expect(file.damagedRows.first?.reason.contains("more than 1000 marks") == true, "\(file.damagedRows)")
    let short = "a" + String(repeating: "\u{301}", count: 1_001)
    let error = await #expect(throws: StoreFileError.self) {
      try await file.write { tx in try tx.insert(Tagged(id: "4", tags: [short])) }
    }
    #expect(error?.message.contains("more than 1000 marks") == true, "\(error as Any)")
    try await file.store.write { tx in try tx.delete(Tagged.self, "4") }
    try await file.close()
  }

  /// Bug: names of tables that others made were hashed at each opening.
  @Test func `a file with a table of such a name, which is none of its own, is opened in time by its length`()
    async throws
  {
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Tagged.self)
    try await file.write { tx in try tx.insert(Tagged(id: "1")) }
    try await file.close()
    change(folder.file, "CREATE TABLE \"\(Self.name)\" (x); CREATE INDEX i ON \"\(Self.name)\" (x)")
    for repair in [.none, .skipDamagedRows] as [StoreFile.Options.Repair] {
      let again = try await StoreFile.open(at: folder.file, Tagged.self, options: .init(repair: repair))
      #expect(again.store.count(Tagged.all) == 1)
      try await again.close()
    }
  }

  /// Bug: so were names of columns that others added. An index of such a name would delete rows that are written.
  @Test(arguments: ["ALTER TABLE Tagged ADD COLUMN", "CREATE UNIQUE INDEX"])
  func `a column or an index of such a name is damage, and a repair keeps all rows`(statement: String)
    async throws
  {
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Tagged.self)
    try await file.write { tx in try tx.insert(["1", "2"].map { Tagged(id: $0) }) }
    try await file.close()
    let place = statement.hasPrefix("CREATE") ? " ON Tagged (_place, labels)" : ""
    change(folder.file, "\(statement) \"\(Self.name)\"\(place)")
    let error = await #expect(throws: StoreFileError.self) {
      try await StoreFile.open(at: folder.file, Tagged.self)
    }
    #expect(error?.code == .damaged, "\(error as Any)")
    let repaired = try await StoreFile.open(
      at: folder.file, Tagged.self, options: .init(repair: .skipDamagedRows))
    #expect(repaired.store.fetch(Tagged.all).map(\.id) == ["1", "2"])
    try await repaired.close()
  }
}
