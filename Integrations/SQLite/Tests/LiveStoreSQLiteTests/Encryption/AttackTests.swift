import Crypto
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

/// What somebody can do who has the file, earlier copies of it and SQLite, but not the key.
struct Attack: Sendable, CustomTestStringConvertible {
  let name: String
  let statements: [String]
  /// The table and the rows one of which an error must name.
  var table: String?
  var rows: [Int64] = []

  var testDescription: String { name }

  init(
    _ name: String, _ statements: String..., table: String? = nil, rows: [Int64] = []
  ) {
    self.name = name
    self.statements = statements
    self.table = table
    self.rows = rows
  }

  /// The row of one place gets what a row of another place, table or file has.
  private static func copy(_ table: String, _ place: Int, from source: String, _ other: Int) -> String {
    """
    UPDATE "\(table)" SET (_version, _sealed) = (SELECT _version, _sealed FROM \(source) WHERE _place = \(other))
    WHERE _place = \(place)
    """
  }

  static let onRows: [Attack] = [
    Attack(
      "two rows change places", "UPDATE Count SET _place = 999 WHERE _place = 12",
      "UPDATE Count SET _place = 12 WHERE _place = 13", "UPDATE Count SET _place = 13 WHERE _place = 999",
      table: "Count", rows: [12, 13]),
    Attack(
      "a row moves behind all others", "UPDATE Count SET _place = 999 WHERE _place = 12", table: "Count",
      rows: [999]),
    Attack(
      "a row moves before all others", "UPDATE Count SET _place = -5 WHERE _place = 12", table: "Count",
      rows: [-5]),
    Attack(
      "a row is overwritten by another", copy("Count", 12, from: "Count", 13), table: "Count", rows: [12]),
    Attack(
      "a row gets the sealed values of another of its version",
      "UPDATE Count SET _sealed = (SELECT _sealed FROM Count WHERE _place = 13) WHERE _place = 12",
      table: "Count", rows: [12]),
    Attack("a row of another table", copy("Count", 4, from: "\"Group\"", 4), table: "Count", rows: [4]),
    Attack(
      "two tables change their rows", "CREATE TEMP TABLE kept AS SELECT * FROM Count WHERE _place = 4",
      copy("Count", 4, from: "\"Group\"", 4), copy("Group", 4, from: "temp.kept", 4), table: nil, rows: [4]),
    Attack("a row of another file", copy("Count", 12, from: "other.Count", 12), table: "Count", rows: [12]),
    Attack(
      "a row is duplicated behind the last",
      "INSERT INTO Count SELECT 999, _version, _sealed FROM Count WHERE _place = 12", table: "Count",
      rows: [999]),
    Attack(
      "a row is deleted and another is there twice", "DELETE FROM Count WHERE _place = 13",
      "INSERT INTO Count SELECT 13, _version, _sealed FROM Count WHERE _place = 12", table: "Count",
      rows: [13]),
    Attack(
      "a row's version is one more", "UPDATE Count SET _version = _version + 1 WHERE _place = 12",
      table: "Count", rows: [12]),
    Attack(
      "a row's version is one less", "UPDATE Count SET _version = _version - 1 WHERE _place = 12",
      table: "Count", rows: [12]),
    Attack(
      "a row's version is negative", "UPDATE Count SET _version = -1 WHERE _place = 12", table: "Count",
      rows: [12]),
    Attack(
      "a row's version is the largest number",
      "UPDATE Count SET _version = 9223372036854775807 WHERE _place = 12",
      table: "Count", rows: [12]),
    Attack(
      "a row's version is text", "UPDATE Count SET _version = 'x' WHERE _place = 12", table: "Count",
      rows: [12]),
    Attack("a row is empty", "UPDATE Count SET _sealed = x'' WHERE _place = 12", table: "Count", rows: [12]),
    Attack(
      "a row is one byte", "UPDATE Count SET _sealed = x'00' WHERE _place = 12", table: "Count", rows: [12]),
    Attack(
      "a row is a nonce and a tag of zeros", "UPDATE Count SET _sealed = zeroblob(28) WHERE _place = 12",
      table: "Count", rows: [12]),
    Attack(
      "a row is text", "UPDATE Count SET _sealed = 'text' WHERE _place = 12", table: "Count", rows: [12]),
    Attack("a row is a number", "UPDATE Count SET _sealed = 7 WHERE _place = 12", table: "Count", rows: [12]),
    Attack(
      "a row is cut off",
      "UPDATE Count SET _sealed = substr(_sealed, 1, length(_sealed) - 1) WHERE _place = 12",
      table: "Count", rows: [12]),
    Attack(
      "a row is longer", "UPDATE Count SET _sealed = CAST(_sealed || x'00' AS BLOB) WHERE _place = 12",
      table: "Count", rows: [12]),
  ]

  static let onTables: [Attack] = [
    Attack("a row is put back as it was", copy("Count", 5, from: "old.Count", 5), table: "Count"),
    Attack(
      "ten rows are put back as they were",
      "UPDATE Count SET (_version, _sealed) = "
        + "(SELECT _version, _sealed FROM old.Count o WHERE o._place = Count._place) WHERE _place <= 10",
      table: "Count"),
    Attack(
      "a table is put back as it was", "DELETE FROM Count", "INSERT INTO Count SELECT * FROM old.Count",
      table: "Count"),
    Attack(
      "a deleted row is put back", "INSERT INTO Count SELECT * FROM old.Count WHERE _place = 20",
      table: "Count"),
    Attack("a row is deleted", "DELETE FROM Count WHERE _place = 12", table: "Count"),
    Attack(
      "the last row is deleted", "DELETE FROM Count WHERE _place = (SELECT max(_place) FROM Count)",
      table: "Count"),
    Attack("all rows of a table are deleted", "DELETE FROM Count", table: "Count"),
    Attack(
      "a row is deleted and a deleted one put back", "DELETE FROM Count WHERE _place = 21",
      "INSERT INTO Count SELECT * FROM old.Count WHERE _place = 20", table: "Count"),
    Attack("a table is gone", "DROP TABLE Count", table: "Count"),
    Attack("a table lacks a column", "ALTER TABLE Count DROP COLUMN _version", table: "Count"),
    Attack(
      "two tables change their names", "ALTER TABLE Count RENAME TO x",
      "ALTER TABLE \"Group\" RENAME TO Count",
      "ALTER TABLE x RENAME TO \"Group\""),
    Attack(
      "a table has plain columns", "DROP TABLE Count",
      "CREATE TABLE Count (_place INTEGER PRIMARY KEY, _check INTEGER NOT NULL, id, value)",
      "INSERT INTO Count VALUES (1, 0, 1, 1)", table: "Count"),
  ]

  static let onContents: [Attack] = [
    Attack(
      "older contents", "DELETE FROM livestore_file",
      "INSERT INTO livestore_file SELECT * FROM old.livestore_file", ),
    Attack(
      "older contents with an older table", "DELETE FROM livestore_file",
      "INSERT INTO livestore_file SELECT * FROM old.livestore_file", "DELETE FROM Count",
      "INSERT INTO Count SELECT * FROM old.Count"),
    Attack(
      "older contents with several older rows", "DELETE FROM livestore_file",
      "INSERT INTO livestore_file SELECT * FROM old.livestore_file",
      "UPDATE Count SET (_version, _sealed) = (SELECT _version, _sealed FROM old.Count o "
        + "WHERE o._place = Count._place) WHERE _place <= 10"),
    Attack(
      "contents of another file", "DELETE FROM livestore_file WHERE key <> 'salt'",
      "INSERT INTO livestore_file SELECT * FROM other.livestore_file WHERE key <> 'salt'"),
    Attack(
      "contents and salt of another file", "DELETE FROM livestore_file",
      "INSERT INTO livestore_file SELECT * FROM other.livestore_file"),
    Attack(
      "the salt of another file",
      "UPDATE livestore_file SET value = "
        + "(SELECT value FROM other.livestore_file WHERE key = 'salt') WHERE key = 'salt'"),
    Attack("no salt", "DELETE FROM livestore_file WHERE key = 'salt'"),
    Attack("no contents", "DELETE FROM livestore_file WHERE key = 'contents'"),
    Attack("no check", "DELETE FROM livestore_file WHERE key = 'check'"),
    Attack("nothing but a salt", "DELETE FROM livestore_file WHERE key <> 'salt'"),
    Attack("nothing about the file", "DELETE FROM livestore_file"),
    Attack("no table about the file", "DROP TABLE livestore_file"),
    Attack("an empty salt", "UPDATE livestore_file SET value = x'' WHERE key = 'salt'"),
    Attack("a salt that is a number", "UPDATE livestore_file SET value = 7 WHERE key = 'salt'"),
    Attack("a short salt", "UPDATE livestore_file SET value = substr(value, 1, 16) WHERE key = 'salt'"),
    Attack("empty contents", "UPDATE livestore_file SET value = x'' WHERE key = 'contents'"),
    Attack("plain contents", "UPDATE livestore_file SET value = '{}' WHERE key = 'contents'"),
    Attack(
      "check and contents in each other's place", "UPDATE livestore_file SET key = 'x' WHERE key = 'check'",
      "UPDATE livestore_file SET key = 'check' WHERE key = 'contents'",
      "UPDATE livestore_file SET key = 'contents' WHERE key = 'x'"),
    Attack(
      "contents and check of a plain file without rows", "DELETE FROM livestore_file", "DELETE FROM Count",
      "INSERT INTO livestore_file SELECT * FROM plain.livestore_file"),
    Attack("the format of a later version", "PRAGMA user_version = 99"),
    Attack("the format of no version", "PRAGMA user_version = 0"),
    Attack("the mark of another program", "PRAGMA application_id = 7"),
  ]
}

@Suite(.timeLimit(.minutes(10)), .serialized) struct `Attacks on encrypted files` {
  private static let key = SymmetricKey(size: .bits256)
  private static let files = Task {
    let plain = try Folder()
    let file = try await Naming.all.open(at: plain.file)
    try await file.close()
    return (try await SealedFile(key: key), try await SealedFile(key: key), plain)
  }

  private func attacked(_ attack: Attack) async throws -> AttackedFile {
    let (original, other, plain) = try await Self.files.value
    let file = try AttackedFile(original)
    try file.execute(
      attack.statements, with: ["old": original.url(0), "other": other.newest, "plain": plain.file])
    return file
  }

  @Test(arguments: Attack.onRows)
  func `a row that is not the one written at its place is an error that names it, and a repair leaves it out`(
    attack: Attack
  ) async throws {
    let (error, damage) = try await attacked(attack).check(attack.name)
    #expect(error.code == .damaged && (attack.table == nil || error.table == attack.table), "\(error)")
    #expect(error.row.map(attack.rows.contains) == true, "\(error), row \(String(describing: error.row))")
    let repaired = try #require(damage)
    let isNamed = repaired.contains { row in row.row.map(attack.rows.contains) == true }
    #expect(isNamed, "\(repaired)")
  }

  @Test(arguments: Attack.onTables)
  func `rows that were left out or put back are an error that names their table`(attack: Attack) async throws
  {
    let (error, damage) = try await attacked(attack).check(attack.name)
    #expect(error.code == .damaged && (attack.table == nil || error.table == attack.table), "\(error)")
    if let damage, let table = attack.table { #expect(damage.contains { $0.table == table }, "\(damage)") }
  }

  @Test(arguments: Attack.onContents)
  func `contents that are not the newest of the file are an error`(attack: Attack) async throws {
    let (error, _) = try await attacked(attack).check(attack.name)
    #expect(!error.message.isEmpty)
  }

  @Test func `a bit flipped in any byte of a row, the contents or the salt is an error`() async throws {
    let (original, _, _) = try await Self.files.value
    let fields = [
      ("Count", "_sealed", "_place = 12"), ("Team", "_sealed", "_place = 1"),
      ("livestore_file", "value", "key = 'contents'"), ("livestore_file", "value", "key = 'check'"),
      ("livestore_file", "value", "key = 'salt'"),
    ]
    for (table, column, row) in fields {
      var (index, isEnd) = (0, false)
      while !isEnd {
        let file = try AttackedFile(original)
        try file.change { db in
          let sql = "SELECT \(column) FROM \(table) WHERE \(row)"
          var bytes = try #require(try Data.fetchOne(db, sql: sql))
          isEnd = index >= bytes.count
          if isEnd { return }
          bytes[index] ^= 1 << UInt8(index & 7)
          try db.execute(sql: "UPDATE \(table) SET \(column) = ? WHERE \(row)", arguments: [bytes])
        }
        if !isEnd {
          let (error, _) = try await file.check("byte \(index) of \(table).\(column)")
          if table == "Count" {
            #expect(error.table == "Count" && error.row == 12, "byte \(index): \(error)")
          }
        }
        index += table == "Count" ? 1 : Environment.size(5, thorough: 1)
      }
      #expect(index > 15, "\(table).\(column)")
    }
  }

  @Test func `parts of a row's sealed values that change places are an error`() async throws {
    let (original, _, _) = try await Self.files.value
    for seed in Seeds.forSuite(60, thorough: 2_000) {
      var random = SplitMix64(seed: seed)
      let file = try AttackedFile(original)
      var hasChanged = false
      try file.change { db in
        let sealed = try #require(
          try Data.fetchOne(db, sql: "SELECT _sealed FROM \"Group\" WHERE _place = 3"))
        var bytes = [UInt8](sealed)
        let length = random.int(1...bytes.count / 2)
        let (first, second) = (random.int(0...bytes.count - length), random.int(0...bytes.count - length))
        for offset in 0..<length { bytes.swapAt(first + offset, second + offset) }
        hasChanged = Data(bytes) != sealed
        try db.execute(sql: "UPDATE \"Group\" SET _sealed = ? WHERE _place = 3", arguments: [Data(bytes)])
      }
      if !hasChanged { continue }
      let (error, _) = try await file.check("seed \(seed)")
      #expect(error.table == "Group" && error.row == 3, "seed \(seed): \(error)")
    }
  }

  /// What cannot be detected without a memory outside the file; the documentation says so.
  @Test func `a file that is replaced by an older copy of itself opens as it was`() async throws {
    let (original, _, _) = try await Self.files.value
    for version in original.models.indices {
      let file = try AttackedFile(original)
      try FileManager.default.removeItem(at: file.folder.file)
      try FileManager.default.copyItem(at: original.url(version), to: file.folder.file)
      let opened = try await file.open()
      try original.models[version].check(opened.store, .all, "version \(version)")
      try await opened.close()
    }
  }

  @Test func `a plain file in the place of an encrypted one is refused`() async throws {
    let (original, _, plain) = try await Self.files.value
    let file = try AttackedFile(original)
    try FileManager.default.removeItem(at: file.folder.file)
    try FileManager.default.copyItem(at: plain.file, to: file.folder.file)
    let (error, damage) = try await file.check("a plain file")
    #expect(error.code == .wrongKey && damage == nil, "\(error)")
  }

  @Test func `rows put back in a table that is not named are an error when it is named again`() async throws {
    let attack = try #require(Attack.onTables.first)
    let file = try await attacked(attack)
    let key = file.original.key
    let other = try await StoreFile.open(at: file.folder.file, Group.self, options: .init(key: key))
    try await other.write { tx in try tx.insert(Group(id: 77, order: 7, rowid: "new")) }
    try await other.compact()
    try await other.close()
    let error = await #expect(throws: StoreFileError.self) { try await file.open() }
    #expect(error?.code == .damaged && error?.table == "Count", "\(String(describing: error))")
  }
}
