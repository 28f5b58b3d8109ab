import Crypto
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

/// Tables as a change of the key makes them, in files whose process ended meanwhile or that others have crafted.
@Suite(.timeLimit(.minutes(10))) struct `Tables that a change of the key has left` {
  private let folder: Folder
  private static let secret = "a secret that was left"

  init() throws { folder = try Folder() }

  private static let plain =
    #"CREATE TABLE "livestore_new_Count" (_place INTEGER PRIMARY KEY, _check INTEGER NOT NULL, "id", "value")"#
  private static let sealed =
    #"CREATE TABLE "livestore_old_Count" (_place INTEGER PRIMARY KEY, _version INTEGER NOT NULL, _sealed BLOB NOT NULL)"#
  private static let zeros = "CREATE TABLE livestore_zeros (_place INTEGER PRIMARY KEY, zeros)"

  /// A file that was closed, with what SQL adds to it.
  private func make(_ key: SymmetricKey?, _ statements: [String]) async throws {
    let file = try await Naming.small.open(at: folder.file, .init(key: key))
    try await file.write { tx in for id in 1...50 { try tx.insert(Count(id: id, value: id)) } }
    try await file.close()
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA temp_store = MEMORY")
      for statement in statements { try db.execute(sql: statement) }
    }
    try queue.close()
  }

  private func shows(_ text: String) throws -> Bool {
    try folder.names.contains { name in
      try Data(contentsOf: folder.url.appendingPathComponent(name)).range(of: Data(text.utf8)) != nil
    }
  }

  private func insertions(_ table: String, _ columns: String) -> [String] {
    let text = String(repeating: Self.secret, count: 200)
    return (1...9).map { "INSERT INTO \(table) VALUES (\($0), 1, '\(text)'\(columns))" }
  }

  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func `tables that are left are read by none, and removed with all that they had by the next owner`(
    key: SymmetricKey?
  ) async throws {
    try await make(
      key,
      [Self.plain, Self.sealed, Self.zeros, "INSERT INTO livestore_zeros VALUES (1, zeroblob(9000))"]
        + insertions("livestore_new_Count", ", 1") + insertions("livestore_old_Count", ""))
    let before = try Data(contentsOf: folder.file)
    let reading = try await Naming.small.open(at: folder.file, .init(key: key, isReadOnly: true))
    #expect(reading.store.count(Count.all) == 50)
    try await reading.close()
    let reader = try FileReader(folder.file, key: key)
    try reader.read { version in #expect(version.entities == ["Count", "Group"]) }
    var damage: [DamagedRow] = []
    #expect(try reader.check { damage.append($0) } == 50)
    #expect(damage.isEmpty)
    #expect(try Data(contentsOf: folder.file) == before)

    let copy = PartFile(of: folder.url.appendingPathComponent("copy.db"))
    try reader.backup(to: copy)
    #expect(try KeyChangePortions.tables(copy.url) == [])
    #expect(try Data(contentsOf: copy.url).range(of: Data(Self.secret.utf8)) == nil)
    copy.remove()

    let file = try await Naming.small.open(at: folder.file, .init(key: key))
    #expect(file.store.count(Count.all) == 50)
    #expect(try KeyChangePortions.tables(folder.file) == [])
    try await file.close()
    #expect(try !shows(Self.secret))
  }

  @Test func `a change of the key removes tables that another one has left`() async throws {
    try await make(nil, [])
    let file = try await Naming.small.open(at: folder.file)
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.writeWithoutTransaction { [insertions = insertions("livestore_new_Count", ", 1")] db in
      for statement in [Self.plain, Self.zeros] + insertions { try db.execute(sql: statement) }
    }
    try queue.close()
    let key = SymmetricKey(size: .bits256)
    try await file.changeKey(to: key)
    #expect(try KeyChangePortions.tables(folder.file) == [] && !shows(Self.secret))
    try await file.close()
    let again = try await Naming.small.open(at: folder.file, .init(key: key))
    #expect(again.store.count(Count.all) == 50)
    try await again.close()
  }

  @Test(arguments: [
    ["CREATE TABLE livestore_other (x)"], ["CREATE TABLE livestore_new_Count (x)"],
    ["CREATE TABLE LIVESTORE_ZEROS (_place INTEGER PRIMARY KEY, zeros)"],
    ["CREATE TABLE livestore_zeros (_place INTEGER PRIMARY KEY, zeros CHECK (zeros > 0))"],
    [plain, "CREATE INDEX kept ON livestore_new_Count (id)"],
    ["CREATE TABLE kept (x)", "CREATE INDEX livestore_new_Count ON kept (x)"],
    ["CREATE VIRTUAL TABLE livestore_new_Count USING fts5 (x)"],
    [sealed.replacing("NOT NULL)", with: "NOT NULL) STRICT")],
    [sealed.replacing("livestore_old_Count", with: "livestore_old_livestore_file")],
    [sealed.replacing("livestore_old_Count", with: "livestore_old_")],
    // A name that is not in UTF-8.
    [
      "CREATE TABLE livestore_new_Q (_place INTEGER PRIMARY KEY, _check INTEGER NOT NULL)",
      "PRAGMA writable_schema = ON",
      """
      UPDATE sqlite_master SET name = CAST(x'6C69766573746F72655F6E65775FFF' AS TEXT),
      tbl_name = CAST(x'6C69766573746F72655F6E65775FFF' AS TEXT),
      sql = CAST(x'435245415445205441424C4520226C69766573746F72655F6E65775FFF2220285F706C61636520494E5445474552205052494D415259204B45592C205F636865636B20494E5445474552204E4F54204E554C4C29' AS TEXT)
      WHERE name = 'livestore_new_Q'
      """, "PRAGMA writable_schema = OFF",
    ],
  ])
  func
    `what has a name of the library's own and is no table of its making is damage that a repair leaves out`(
      statements: [String]
    ) async throws
  {
    try await make(nil, statements)
    for isReadOnly in [true, false] {
      let error = await #expect(throws: StoreFileError.self) {
        try await Naming.small.open(at: folder.file, .init(isReadOnly: isReadOnly))
      }
      #expect(error?.code == .damaged && error?.message.contains("does not make") == true, "\(statements)")
    }
    let repaired = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    #expect(repaired.store.count(Count.all) == 50)
    try await repaired.changeKey(to: SymmetricKey(size: .bits256))
    try await repaired.close()
    #expect(try KeyChangePortions.tables(folder.file) == [])
  }
}
