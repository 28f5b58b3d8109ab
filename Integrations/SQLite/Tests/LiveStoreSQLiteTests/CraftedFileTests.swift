import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import Testing

private struct Letter: Entity, Codable {
  let id: Int
  var text: String
  static let schema = Schema<Letter> { \.text }
}

private struct Accented: Entity, Codable {
  let id: Int
  var name: String
  static let schema = Schema<Accented> { \.name }

  enum CodingKeys: String, CodingKey {
    case id
    case name = "\u{E9}"
  }
}

/// Files whose checksums fit what they should not have. Where a number overflows, the process of the tests ends.
@Suite struct `Crafted files` {
  /// A file with counts 1 to 3, changed by SQL.
  private func file(_ sql: String...) async throws -> Folder {
    let folder = try Folder()
    let file = try await Naming.small.open(at: folder.file)
    try await file.write { tx in
      try tx.insert((1...3).map { Count(id: $0, value: $0) })
      try tx.insert(Group(id: 1, order: 1, rowid: ""))
    }
    try await file.close()
    let queue = try DatabaseQueue(path: folder.file.path)
    for statement in sql { try await queue.writeWithoutTransaction { db in try db.execute(sql: statement) } }
    try queue.close()
    return folder
  }

  /// Replaces text in what the file says about itself, with its checksum.
  private func changeContents(_ folder: Folder, _ change: (String) throws -> String) throws {
    let queue = try DatabaseQueue(path: folder.file.path)
    try queue.writeWithoutTransaction { db in
      let text = try #require(
        try String.fetchOne(db, sql: "SELECT value FROM livestore_file WHERE key = 'contents'"))
      let changed = try change(text)
      #expect(changed != text)
      try db.execute(sql: "UPDATE livestore_file SET value = ? WHERE key = 'contents'", arguments: [changed])
      try db.execute(
        sql: "UPDATE livestore_file SET value = ? WHERE key = 'check'",
        arguments: [RowDigest.ofText(changed)])
    }
    try queue.close()
  }

  /// Opens a file, and repairs it; what is left can be written, migrated, read and compacted.
  private func use(_ folder: Folder) async throws -> (refusal: StoreFileError?, counts: [Int], damaged: Int) {
    var refusal: StoreFileError?
    do {
      let file = try await Naming.small.open(at: folder.file)
      try await file.close()
    } catch let error as StoreFileError {
      refusal = error
    }
    _ = try? FileReader(folder.file, key: nil).check { _ in }
    let repaired = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    let counts = repaired.store.fetch(Count.all).map(\.id)
    let damaged = repaired.damagedRows.count
    try await repaired.write { tx in try tx.upsert(Count(id: 100, value: 1)) }
    _ = repaired.metrics
    try await repaired.compact()
    try await repaired.close()
    let step = Migration(from: 1, to: 2) { _, tx in
      try tx.insert("Count") { row in
        try row.set("id", to: 200)
        try row.set("value", to: 1)
      }
    }
    let migrated = try await Naming.small.open(at: folder.file, .init(migrations: [step]))
    #expect(migrated.store.fetch(Count.all).map(\.id) == counts + [100, 200])
    try await migrated.close()
    return (refusal, counts, damaged)
  }

  @Test(arguments: [Int64.max, Int64.max - 1, 1 << 62 + 1, 0, -1, .min])
  func `a row at a place that no row can have is damaged`(place: Int64) async throws {
    let folder = try await file(
      "UPDATE Count SET _place = \(place), _check = \(RowDigest.ofIntegers([3, 3], place: place)) WHERE id = 3"
    )
    let (refusal, counts, damaged) = try await use(folder)
    #expect(refusal?.code == .damaged && refusal?.row == place)
    #expect(counts == [1, 2] && damaged >= 1)
  }

  @Test(arguments: [
    #""rows":9223372036854775807"#, #""rows":-9223372036854775808"#, #""rows":-1"#,
    #""rows":4611686018427387904"#,
  ])
  func `a number of rows that no table can have is damage`(rows: String) async throws {
    let folder = try await file()
    try changeContents(folder) { $0.replacing(/"rows": ?\d+/, with: rows) }
    let (refusal, counts, _) = try await use(folder)
    #expect(refusal?.code == .damaged)
    #expect(counts == [1, 2, 3])
  }

  @Test(arguments: [
    #""version":9223372036854775807"#, #""version":-1"#, #""schema":9223372036854775807"#, #""schema":-9"#,
  ])
  func `a version that no file can have is damage`(version: String) async throws {
    let folder = try await file()
    let name = version.prefix { $0 != ":" }
    try changeContents(folder) { text in
      text.replacing(try Regex("\(name): ?\\d+"), with: version)
    }
    let (refusal, counts, _) = try await use(folder)
    #expect(refusal?.code == .damaged)
    #expect(counts == [1, 2, 3])
  }

  /// Bug: what a view computes was taken for rows: one without an end was read for ever, and filled the disk.
  @Test(.timeLimit(.minutes(1)), arguments: ["Count", "livestore_file"])
  func `a view in the place of a table is not read`(table: String) async throws {
    let columns = table == "Count" ? "_place, _check, id, value" : "key, value"
    let values = table == "Count" ? "x, 0, x, x" : "'key' || x, x"
    let folder = try await file(
      "DROP TABLE \(table)",
      """
      CREATE VIEW \(table) (\(columns)) AS
      WITH RECURSIVE c (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c) SELECT \(values) FROM c
      """)
    let error = await #expect(throws: StoreFileError.self) { try await Naming.small.open(at: folder.file) }
    #expect(error?.code == .damaged)
    let reader = try FileReader(folder.file, key: nil, isKeyOptional: true)
    let other = #expect(throws: StoreFileError.self) { try reader.read { _ in } }
    #expect(other?.code == .damaged)
    var damage: [DamagedRow] = []
    #expect(try reader.check { damage.append($0) } == (table == "Count" ? 1 : 4))
    #expect(!damage.isEmpty)
    let repaired = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    #expect(repaired.store.count(Count.all) == (table == "Count" ? 0 : 3))
    try await repaired.close()
  }

  /// Bug: what files and tables are called reached terminals and logs as it was, in any length.
  @Test func `a message is one line of a log, whatever is in it`() async throws {
    let steering = "\u{1B}]0;title\u{7}\u{9B}31m\r\nfatal: x\u{202E}\u{2028}"
    func expectPlain(_ text: String) {
      let isPlain = text.unicodeScalars.allSatisfy { scalar in
        ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
      }
      #expect(isPlain && text.utf8.count < 20_000, "\(text.prefix(200).debugDescription)")
    }
    let missing = #expect(throws: StoreFileError.self) {
      try FileReader(URL(fileURLWithPath: "/livestore\(steering)"), key: nil)
    }
    for text in [missing?.message ?? "\n", "\(missing as Any)", missing?.localizedDescription ?? "\n"] {
      expectPlain(text)
    }
    let marks = String(repeating: "\u{301}", count: 100_000)
    let folder = try await file("CREATE VIEW \"v\(steering)\(marks)\" AS SELECT 1")
    let error = await #expect(throws: StoreFileError.self) { try await Naming.small.open(at: folder.file) }
    #expect(error?.code == .damaged)
    expectPlain(error?.message ?? "\n")
  }

  /// Bug: a trigger of the file ran with each row that was written.
  @Test func `a file with a trigger is not written`() async throws {
    let folder = try await file(
      "CREATE TRIGGER steal AFTER INSERT ON Count BEGIN DELETE FROM Count WHERE id = 1; END")
    let (refusal, counts, _) = try await use(folder)
    #expect(refusal?.code == .damaged)
    #expect(counts == [1, 2, 3])
  }

  /// A file of 7 letters whose texts are all in the same 100 pages.
  private func sharedPages() async throws -> Folder {
    // So many bytes are with the row, the others in full pages of 4,092.
    let (local, overflow) = (489, 100 * 4_092)
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Letter.self)
    let text = String(repeating: "x", count: local + overflow)
    try await file.write { tx in try tx.insert((2...8).map { Letter(id: $0, text: text) }) }
    try await file.close()
    let queue = try DatabaseQueue(path: folder.file.path)
    let root = try await queue.read { db in
      try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'Letter'")
    }
    try queue.close()
    var bytes = [UInt8](try Data(contentsOf: folder.file))
    let page = (try #require(root) - 1) * 4_096
    func number(_ place: Int, _ count: Int) -> Int {
      bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }
    func write(_ number: Int, at place: Int) {
      for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * index)) }
    }
    #expect(bytes[page] == 13 && number(page + 3, 2) == 7)
    var first: Int?
    for index in 0..<7 {
      let cell = page + number(page + 8 + 2 * index, 2)
      // Seven bits in each of three bytes, and the number of the row.
      let size = (0..<3).reduce(0) { $0 << 7 | Int(bytes[cell + $1] & 0x7F) }
      let pointer = cell + 4 + local + (size - local) % 4_092
      first = first ?? number(pointer, 4)
      write(try #require(first), at: pointer)
    }
    // The pages behind the first text are of the others.
    let count = try #require(first) + 99
    write(count, at: 28)
    try Data(bytes[..<(count * 4_096)]).write(to: folder.file)
    return folder
  }

  /// Bug: rows that share pages had any number of bytes: a small file filled memory, and a repair of it the disk.
  @Test func `rows that have more bytes than their file are damaged`() async throws {
    let folder = try await sharedPages()
    let reader = try FileReader(folder.file, key: nil)
    var rows = 0
    let error = #expect(throws: StoreFileError.self) {
      try reader.read { file in
        try file.forEach("Letter") { _ in
          rows += 1
          return true
        }
      }
    }
    #expect(error?.code == .damaged && rows == 2)
    let repaired = try await StoreFile.open(
      at: folder.file, Letter.self, options: .init(repair: .skipDamagedRows))
    #expect(repaired.store.fetch(Letter.all).map(\.id) == [2, 3] && repaired.damagedRows.count > 0)
    try await repaired.close()
  }

  /// Bug: names were compared as Swift does, and SQLite takes a name that no column has for a text: each row had the name of
  /// the property as its value.
  @Test func `a column whose name differs by its bytes is another one`() async throws {
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Accented.self)
    try await file.write { tx in try tx.insert(Accented(id: 1, name: "café")) }
    try await file.close()
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.writeWithoutTransaction { db in
      try db.execute(sql: "ALTER TABLE Accented RENAME COLUMN \"\u{E9}\" TO \"e\u{301}\"")
    }
    try queue.close()
    let error = await #expect(throws: StoreFileError.self) {
      try await StoreFile.open(at: folder.file, Accented.self)
    }
    #expect(error?.code == .damaged && error?.message.contains("columns of table Accented") == true)
  }

  /// Bug: of two such tables a repair left one out without a word.
  @Test func `two tables whose names differ by their bytes alone are reported by a repair`() async throws {
    let columns = "(_place INTEGER PRIMARY KEY, _check, id, value)"
    let folder = try await file(
      "CREATE TABLE \"\u{E9}\" \(columns)", "CREATE TABLE \"e\u{301}\" \(columns)",
      "UPDATE livestore_file SET value = 'x'")
    let repaired = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    #expect(repaired.damagedRows.contains { $0.table == "\u{E9}" && $0.reason.contains("Unicode") })
    try await repaired.close()
  }

  /// Bug: a pipe was waited for.
  @Test(.timeLimit(.minutes(1))) func `a pipe or a device is no file of a store`() async throws {
    let folder = try Folder()
    #expect(mkfifo(folder.file.path, 0o600) == 0)
    for url in [folder.file, URL(fileURLWithPath: "/dev/null")] {
      for options in [StoreFile.Options(), .init(isReadOnly: true)] {
        let error = await #expect(throws: StoreFileError.self) {
          try await Naming.small.open(at: url, options)
        }
        #expect(error?.code == .notAStoreFile, "\(String(describing: error))")
      }
      let error = #expect(throws: StoreFileError.self) { try FileReader(url, key: nil) }
      #expect(error?.code == .notAStoreFile)
    }
    #expect(try folder.names == ["app.db"])
  }

  /// A journal without pages that ends with the name of another, as one of a transaction over several databases does.
  private func journal(naming path: String?, pages: UInt32) -> [UInt8] {
    func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    let header = magic + bytes(0) + bytes(0) + bytes(pages) + bytes(512) + bytes(4_096)
    guard let path else { return header + [UInt8](repeating: 0, count: 512 - header.count) }
    let sum = path.utf8.reduce(UInt32(0)) { $0 &+ UInt32($1) }
    let name = bytes(1 << 30 / 4_096 + 1) + path.utf8 + bytes(UInt32(path.utf8.count)) + bytes(sum) + magic
    return header + [UInt8](repeating: 0, count: 512 - header.count) + name
  }

  /// Bug: SQLite removes the file that a journal names as that of its transaction, whatever file that is, and cuts the file to
  /// the size that the journal says.
  @Test(arguments: [true, false])
  func `a journal beside a file does not have it changed, nor another file removed`(isNaming: Bool)
    async throws
  {
    let (folder, other) = (try await file(), try await file())
    let thesis = folder.url.appendingPathComponent("thesis.txt")
    let size = try Data(contentsOf: folder.file).count
    let journal = Data(
      journal(naming: isNaming ? thesis.path : nil, pages: isNaming ? UInt32(size / 4_096) : 1))
    let names = { try folder.names.filter { $0 != "app.db-owner" } }
    let source = try await Naming.small.open(at: other.file)
    for attempt in [
      { _ = try await Naming.small.open(at: folder.file) },
      { _ = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows)) },
      { try await source.backup(to: folder.file) },
    ] as [@Sendable () async throws -> Void] {
      try Data("thesis".utf8).write(to: thesis)
      try journal.write(to: URL(fileURLWithPath: folder.file.path + "-journal"))
      let error = await #expect(throws: StoreFileError.self) { try await attempt() }
      #expect(error?.code == .damaged && error?.message.contains("app.db-journal") == true)
      #expect(try names() == ["app.db", "app.db-journal", "thesis.txt"])
    }
    try await source.close()
    // A reader writes nothing, and plays no journal back.
    let reading = try await Naming.small.open(at: folder.file, .init(isReadOnly: true))
    #expect(reading.store.fetch(Count.all).map(\.id) == [1, 2, 3])
    try await reading.close()
    #expect(try names() == ["app.db", "app.db-journal", "thesis.txt"])
  }

  /// Bug: a foreign key of the file deleted rows when others were written again.
  @Test func `a foreign key of a file does nothing`() async throws {
    let folder = try await file(
      "PRAGMA foreign_keys = OFF", "ALTER TABLE Count RENAME TO old",
      """
      CREATE TABLE Count (
        _place INTEGER PRIMARY KEY REFERENCES "Group" (_place) ON DELETE CASCADE, _check, id, value)
      """, "INSERT INTO Count SELECT * FROM old", "DROP TABLE old")
    let file = try await Naming.small.open(at: folder.file)
    try await file.write { tx in try tx.upsert(Group(id: 1, order: 2, rowid: "")) }
    try await file.close()
    let again = try await Naming.small.open(at: folder.file)
    #expect(again.store.fetch(Count.all).map(\.id) == [1, 2, 3])
    try await again.close()
  }

  @Test(arguments: ["", "UPDATE Count SET value = 9 WHERE id = 2", "UPDATE livestore_file SET value = 'x'"])
  func `tables of other programs do not stand in the way of a repair`(damage: String) async throws {
    let folder = try await file(
      "ANALYZE", "CREATE TABLE notes (text)", "CREATE VIRTUAL TABLE words USING fts5 (text)", damage)
    let (refusal, counts, damaged) = try await use(folder)
    #expect((refusal == nil) == damage.isEmpty)
    #expect(counts == (damage.contains("Count") ? [1, 3] : [1, 2, 3]))
    // Without what names the tables of the store, those of others are reported, too.
    #expect(damaged == (damage.isEmpty ? 0 : damage.contains("Count") ? 1 : damaged))
  }
}
