import Crypto
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
  var date: Date?
  static let schema = Schema<Tagged> {
    \.labels
    \.tags
    \.kind
    \.date
  }

  enum Kind: String, Codable { case plain, fancy }
}

/// A text in a box, which is as small as a case of an enumeration.
private struct Symbol: RawRepresentable, Codable, Hashable {
  private final class Box: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
  }
  private let box: Box
  var rawValue: String { box.text }
  init(rawValue: String) { box = Box(rawValue) }
  static func == (left: Symbol, right: Symbol) -> Bool { left.rawValue == right.rawValue }
  func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

private struct Marked: Entity, Codable {
  let id: Int
  var url = URL(string: "http://a/b")
  var symbol = Symbol(rawValue: "x")
  var values: Set<JSONValue> = []
  static let schema = Schema<Marked> {
    \.url
    \.symbol
    \.values
  }
}

private enum Loose {
  struct Tagged: Entity, Codable {
    let id: String
    var labels: [String: Int] = [:]
    var tags: JSONValue = .array([])
    var kind = "plain"
    var date: String?
    static let schema = Schema<Tagged> {
      \.labels
      \.tags
      \.kind
      \.date
    }
  }
}

/// The standard library hashes and compares a letter with very many marks in quadratic time: half a million take minutes.
@Suite(.timeLimit(.minutes(10))) struct `Names and keys with very many marks in files` {
  private static let name = "a" + String(repeating: "\u{301}\u{323}", count: 50_000)

  /// Changes a file without GRDB, which hashes the names of tables that a statement makes.
  private func change(_ file: URL, _ sql: String) {
    var connection: OpaquePointer?
    #expect(sqlite3_open(file.path, &connection) == SQLITE_OK)
    #expect(sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK)
    sqlite3_close(connection)
  }

  /// Bug: they were written, and no opening read them again.
  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func `a value that would not be read again is not written`(key: SymmetricKey?) async throws {
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Marked.self, options: .init(key: key))
    let text = "a" + String(repeating: "\u{301}", count: 1_001)
    let relative = URL(string: ".", relativeTo: URL(string: "http://a/b/"))?.standardized
    #expect(relative?.relativeString == "")
    for object in [
      Marked(id: 1, url: URLComponents().url), Marked(id: 2, url: relative),
      Marked(id: 3, symbol: Symbol(rawValue: text)), Marked(id: 4, values: [.string(text)]),
    ] {
      await #expect(throws: StoreFileError.self, "\(object.id)") {
        try await file.write { try $0.insert(object) }
      }
      try await file.write { _ = try $0.delete(Marked.self, object.id) }
    }
    try await file.write { try $0.insert(Marked(id: 5, values: [.string("a"), .array([.string(text)])])) }
    try await file.close()
    let again = try await StoreFile.open(at: folder.file, Marked.self, options: .init(key: key))
    #expect(again.store.fetch(Marked.all).map(\.id) == [5])
    try await again.close()
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
    try await file.write { tx in try tx.insert(contentsOf: ["1", "2"].map { Tagged(id: $0) }) }
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

  /// Bug: dates in another form were compared with what is written as texts.
  @Test func `a date with such a letter is not read`() async throws {
    let folder = try Folder()
    let loose = try await StoreFile.open(at: folder.file, Loose.Tagged.self)
    let date = "7e+20 " + String(repeating: "\u{301}\u{323}", count: 500_000) + "s"
    try await loose.write { tx in
      try tx.insert(Loose.Tagged(id: "1", date: date))
      try tx.insert(Loose.Tagged(id: "2", date: "7e+20 s"))
    }
    try await loose.close()
    let file = try await StoreFile.open(
      at: folder.file, Tagged.self, options: .init(repair: .skipUnreadableRows))
    #expect(file.store.fetch(Tagged.all).map(\.date) == [Date(timeIntervalSinceReferenceDate: 7e20)])
    try await file.close()
  }

  /// Bug: what a file says that it has passed of migrations was hashed.
  @Test(arguments: ["entity", "property", "to"])
  func `a file whose contents name such a change is damaged`(key: String) async throws {
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Tagged.self)
    try await file.write { tx in try tx.insert(Tagged(id: "1")) }
    try await file.close()
    let long = "a" + String(repeating: "\u{301}\u{323}", count: 500_000)
    try Contents.change(folder.file) { text in
      let change = ["entity": "Tagged", "property": "kind", "to": "kind"].merging([key: long]) { $1 }
      let json = String(decoding: try JSONEncoder().encode([change]), as: UTF8.self)
      #expect(!text.contains("changes"))
      return "{\"changes\":\(json)," + text.dropFirst()
    }
    for isReadOnly in [false, true] {
      let error = await #expect(throws: StoreFileError.self) {
        try await StoreFile.open(at: folder.file, Tagged.self, options: .init(isReadOnly: isReadOnly))
      }
      #expect(error?.code == .damaged, "\(error as Any)")
    }
  }

  /// Bug: the columns of a table that a change of the key might have made were compared as texts; so were, and hashed, the
  /// declarations of tables that might have statistics, and all tables while the key was changed.
  @Test func `tables with such names of columns beside its own take no time`() async throws {
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Tagged.self)
    try await file.write { tx in
      try tx.insert(contentsOf: (1...50).map { Tagged(id: "\($0)", kind: .fancy) })
      try tx.delete(Tagged.all.limit(40))
    }
    try await file.close()
    let marks = String(repeating: "\u{301}\u{323}", count: 30_000)
    for index in 1...50 {
      change(folder.file, "CREATE TABLE other\(index) (\"a\(marks)\(index)\")")
      change(
        folder.file,
        """
        CREATE TABLE zzz (x); PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET name = 'sqlite_stat\(index + 4)', tbl_name = 'sqlite_stat\(index + 4)',
        sql = 'CREATE TABLE sqlite_stat\(index + 4) ("a\(marks)\(index)")' WHERE name = 'zzz';
        """)
    }
    let error = await #expect(throws: StoreFileError.self) {
      try await StoreFile.open(at: folder.file, Tagged.self)
    }
    #expect(error?.message.contains("sqlite_stat5") == true, "\(error?.message.prefix(200) as Any)")
    for index in 1...50 {
      change(
        folder.file,
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'sqlite_stat\(index + 4)'")
    }
    change(folder.file, "VACUUM")
    let opened = try await StoreFile.open(at: folder.file, Tagged.self)
    try await opened.changeKey(to: SymmetricKey(size: .bits256))
    try await opened.close()
    for index in 1...50 {
      change(folder.file, "CREATE TABLE livestore_old_A\(index) (\"_plac\(marks)e\", b, c)")
    }
    let damage = await #expect(throws: StoreFileError.self) {
      try await StoreFile.open(at: folder.file, Tagged.self, options: .init(isReadOnly: true))
    }
    #expect(damage?.message.contains("livestore_old_A1") == true, "\(damage?.message.prefix(200) as Any)")
  }
}
