import Crypto
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

/// Encrypted files in which something runs, or has no end, that those who have the file and not its key have put there
/// (point 20, which `Crafted files` has for plain ones).
@Suite(.timeLimit(.minutes(10))) struct `Crafted encrypted files` {
  private static let key = SymmetricKey(size: .bits256)
  private static let original = Task { try await SealedFile(key: key) }
  private let key = Self.key

  /// Changes a file of three versions by SQL, in one connection.
  private func file(_ statements: [String]) async throws -> AttackedFile {
    let file = try AttackedFile(try await Self.original.value)
    try file.execute(statements)
    return file
  }

  /// Checks that the file is refused as it is, and repaired with all of its rows; what was put there runs no more.
  private func requireRepair(_ statements: [String]) async throws {
    let file = try await file(statements)
    let (error, damage) = try await file.check("\(statements)")
    #expect(error.code == .damaged && damage == [], "\(error), \(String(describing: damage))")
    let repaired = try await file.open()
    #expect(Model(of: repaired.store.snapshot(), .all) == file.original.models.last)
    try await repaired.write { tx in
      try tx.update(Count.self, 3) { $0.value = 300 }
      try tx.insert(Count(id: 900, value: 9))
      try tx.delete(Count.self, 4)
    }
    var model = Model(of: repaired.store.snapshot(), .all)
    try await repaired.compact()
    try await repaired.close()
    let again = try await file.open()
    #expect(Model(of: again.store.snapshot(), .all) == model)
    try await again.changeKey(to: nil)
    model = Model(of: again.store.snapshot(), .all)
    try await again.close()
    let plain = try await Naming.all.open(at: file.folder.file)
    #expect(Model(of: plain.store.snapshot(), .all) == model)
    try await plain.close()
  }

  @Test(arguments: [
    ["CREATE TRIGGER steal AFTER INSERT ON Count BEGIN DELETE FROM Count WHERE _place = 1; END"],
    [
      "CREATE TABLE kept (place, sealed)",
      "CREATE TRIGGER keep BEFORE DELETE ON Count BEGIN INSERT INTO kept VALUES (old._place, old._sealed); END",
    ],
    ["CREATE TRIGGER stop BEFORE UPDATE ON livestore_file BEGIN SELECT RAISE(IGNORE); END"],
    [
      "PRAGMA writable_schema = ON",
      """
      INSERT INTO sqlite_master VALUES ('Trigger', 'steal', 'Count', 0,
        'CREATE TRIGGER steal AFTER INSERT ON Count BEGIN DELETE FROM Count WHERE _place = 1; END')
      """,
    ],
    ["CREATE INDEX byVersion ON Count (_version)"],
    ["CREATE UNIQUE INDEX byLength ON Count (_place, length(_sealed))"],
    ["CREATE INDEX byKey ON livestore_file (value)"],
    [
      "CREATE VIEW counts AS WITH RECURSIVE c (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
    ],
  ])
  func `what runs or belongs to a table and was not made by this library is refused, and gone after a repair`(
    statements: [String]
  ) async throws {
    try await requireRepair(statements)
  }

  @Test(.timeLimit(.minutes(10)), arguments: ["Count", "livestore_file"])
  func `a view without an end in the place of a table is not read`(table: String) async throws {
    let columns = table == "Count" ? "_place, _version, _sealed" : "key, value"
    let values = table == "Count" ? "x, 1, x'00'" : "'key' || x, x"
    let file = try await file([
      "DROP TABLE \(table)",
      """
      CREATE VIEW \(table) (\(columns)) AS
      WITH RECURSIVE c (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c) SELECT \(values) FROM c
      """,
    ])
    var found = 0
    _ = try? FileReader(file.folder.file, key: key).check { _ in found += 1 }
    #expect(found > 0 && found < 1_000)
    let (error, damage) = try await file.check(table)
    #expect([.damaged, .wrongKey].contains(error.code), "\(error)")
    if table == "Count" { #expect(damage?.map(\.table).contains("Count") == true) }
  }

  @Test(arguments: [
    "_sealed BLOB NOT NULL DEFAULT x'00'", "_sealed BLOB NOT NULL CHECK (length(randomblob(9)) > 0)",
    "_sealed BLOB NOT NULL COLLATE NOCASE", "_sealed BLOB NOT NULL UNIQUE", "_sealed BLOB", "_sealed",
    "_sealed BLOB NOT NULL REFERENCES \"Group\" (_place) ON DELETE CASCADE",
  ])
  func
    `a table of sealed rows that is declared otherwise than by this library is refused, and its rows are kept`(
      column: String
    ) async throws
  {
    try await requireRepair([
      "PRAGMA foreign_keys = OFF", "ALTER TABLE Count RENAME TO old",
      "CREATE TABLE \"Count\" (_place INTEGER PRIMARY KEY, _version INTEGER NOT NULL, \(column))",
      "INSERT INTO Count (_place, _version, _sealed) SELECT _place, _version, _sealed FROM old",
      "DROP TABLE old",
    ])
  }

  @Test func `a computed column beside sealed rows is refused before it is computed`() async throws {
    let file = try await file([
      "ALTER TABLE Count ADD COLUMN more AS (length(printf('%.100000000c', _place)))"
    ])
    let (error, _) = try await file.check("a computed column")
    #expect(error.code == .damaged && error.message.contains("Count"), "\(error)")
    let other = try await self.file([
      "CREATE TABLE notes (x, y NOT NULL AS (length(printf('%.100000000c', x))))",
      "INSERT INTO notes VALUES (1)",
    ])
    let copy = PartFile(of: other.folder.url.appendingPathComponent("copy.db"))
    defer { copy.remove() }
    let backup = #expect(throws: StoreFileError.self) {
      try FileReader(other.folder.file, key: key).backup(to: copy)
    }
    #expect(backup?.code == .damaged && !FileManager.default.fileExists(atPath: copy.url.path))
    let refusal = try await other.check("a computed column of another table").0
    #expect(refusal.message.contains("notes"), "\(refusal)")
  }

  @Test func `a virtual table, and one whose rows have no places, are refused in the place of sealed rows`()
    async throws
  {
    for statements in [
      ["DROP TABLE Count", "CREATE VIRTUAL TABLE Count USING fts5 (_place, _version, _sealed)"],
      [
        "ALTER TABLE Count RENAME TO old", "CREATE TABLE \"Count\" (_place, _version, _sealed)",
        "INSERT INTO Count SELECT * FROM old", "DROP TABLE old",
      ],
    ] {
      let file = try await file(statements)
      let (error, damage) = try await file.check("\(statements)")
      #expect(error.code == .damaged, "\(error)")
      #expect(damage == nil || damage?.contains { $0.table == "Count" } == true)
    }
  }

  @Test func `reading sealed rows ends with the number of rows that was written`() async throws {
    let file = try await file(["INSERT INTO Count VALUES (999, 1, randomblob(60))"])
    let (error, _) = try await file.check("a row too many")
    #expect(error.code == .damaged && error.table == "Count")
  }

  @Test(arguments: [
    "UPDATE sqlite_master SET type = 'table' WHERE name LIKE 'sqlite_autoindex_notes%'",
    "UPDATE sqlite_master SET type = x'FF' WHERE name LIKE 'sqlite_autoindex_notes%'",
    "UPDATE sqlite_master SET tbl_name = CAST(tbl_name AS BLOB) WHERE name = 'byText'",
    "UPDATE sqlite_master SET name = 'LIVESTORE_FILE' WHERE name = 'livestore_file'",
  ])
  func `an entry of the schema of an encrypted file that is not as SQLite writes it is refused`(
    statement: String
  )
    async throws
  {
    let file = try await file([
      "CREATE TABLE notes (text PRIMARY KEY)", "CREATE INDEX byText ON notes (text)",
      "PRAGMA writable_schema = ON", statement,
    ])
    let error = await #expect(throws: StoreFileError.self) { try await file.open() }
    #expect(error?.code == .damaged, "\(String(describing: error))")
    _ = try? FileReader(file.folder.file, key: key).check { _ in }
  }

  @Test func `tables of other programs do not stand in the way of sealed rows`() async throws {
    let file = try await file([
      "ANALYZE", "CREATE TABLE notes (text PRIMARY KEY)", "CREATE INDEX byText ON notes (text)",
    ])
    let opened = try await file.open()
    #expect(Model(of: opened.store.snapshot(), .all) == file.original.models.last)
    try await opened.write { tx in try tx.insert(Count(id: 900, value: 9)) }
    try await opened.close()
    try file.execute(["UPDATE Count SET _sealed = x'00' WHERE _place = 7"])
    let repaired = try await file.open(.skipDamagedRows)
    #expect(repaired.damagedRows.map(\.row) == [7] && repaired.store.count(Count.all) == 40)
    try await repaired.close()
  }
}
