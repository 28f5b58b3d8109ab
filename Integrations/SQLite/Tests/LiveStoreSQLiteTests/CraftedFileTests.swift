import Crypto
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

private enum Older {
  struct Mail: Entity, Codable {
    enum Folder: String, Codable, Sendable { case inbox, sent }
    let id: Int
    var folder: Folder
    static let schema = Schema<Mail> { \.folder }
  }
}

private enum Newer {
  struct Mail: Entity, Codable {
    enum Folder: String, Codable, Sendable { case inbox, sent, snoozed }
    let id: Int
    var folder: Folder
    static let schema = Schema<Mail> { \.folder }
  }
}

private enum Before {
  struct Reading: Entity, Codable {
    let id: Int
    var at: Double
    static let schema = Schema<Reading> { \.at }
  }
}

private enum After {
  struct Reading: Entity, Codable {
    let id: Int
    var at: Date
    static let schema = Schema<Reading> { \.at }
  }
}

/// Files whose checksums fit what they should not have. Where a number overflows, the process of the tests ends.
@Suite struct `Crafted files` {
  /// A file with counts 1 to 3, changed by SQL.
  func file(_ sql: String...) async throws -> Folder {
    let folder = try Folder()
    let file = try await Naming.small.open(at: folder.file)
    try await file.write { tx in
      try tx.insert(contentsOf: (1...3).map { Count(id: $0, value: $0) })
      try tx.insert(Group(id: 1, order: 1, rowid: ""))
    }
    try await file.close()
    let queue = try DatabaseQueue(path: folder.file.path)
    for statement in sql { try await queue.writeWithoutTransaction { db in try db.execute(sql: statement) } }
    try queue.close()
    return folder
  }

  func changeContents(_ folder: Folder, _ change: (String) throws -> String) throws {
    try Contents.change(folder.file, change)
  }

  /// Opens a file, and repairs it; what is left can be written, migrated, read and compacted.
  func use(_ folder: Folder) async throws -> (refusal: StoreFileError?, counts: [Int], damaged: Int) {
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
    #""version":9223372036854775807"#, #""version":-1"#, #""schema":0"#, #""schema":-9"#,
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
  @Test(.timeLimit(.minutes(10)), arguments: ["Count", "livestore_file"])
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
    try await file.write { tx in try tx.insert(contentsOf: (2...8).map { Letter(id: $0, text: text) }) }
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

  private func expectDamage(behind count: Int, _ folder: Folder) throws {
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
    #expect(error?.code == .damaged && rows == count)
  }

  /// Bug: rows that share pages had any number of bytes: a small file filled memory, and a repair of it the disk.
  @Test func `rows that have more bytes than their file are damaged`() async throws {
    let folder = try await sharedPages()
    try expectDamage(behind: 2, folder)
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
  @Test(.timeLimit(.minutes(10))) func `a pipe or a device is no file of a store`() async throws {
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
  /// Bugs: `Trigger` is a trigger to SQLite and was none to the check; virtual tables, indexes, checks, defaults, collations,
  /// foreign keys and computed columns passed for what this library makes.
  @Test(arguments: [
    [
      "PRAGMA writable_schema = ON",
      """
      INSERT INTO sqlite_master VALUES ('Trigger', 'steal', 'Count', 0,
        'CREATE TRIGGER steal AFTER INSERT ON Count BEGIN DELETE FROM Count WHERE id = 1; END')
      """,
    ],
    ["CREATE INDEX byValue ON Count (value)"],
    ["CREATE UNIQUE INDEX byValue ON Count (abs(value))"],
    ["CREATE INDEX byKey ON livestore_file (value)"],
  ])
  func `what belongs to a table and was not made by this library is refused`(sql: [String]) async throws {
    let folder = try await file()
    let queue = try DatabaseQueue(path: folder.file.path)
    // In one connection.
    try await queue.writeWithoutTransaction { db in for statement in sql { try db.execute(sql: statement) } }
    try queue.close()
    let (refusal, counts, _) = try await use(folder)
    #expect(refusal?.code == .damaged, "\(String(describing: refusal))")
    #expect(counts == [1, 2, 3])
  }

  @Test(arguments: [
    #""value" DEFAULT 7"#, #""value" CHECK (length(randomblob(9)) > 0)"#, #""value" COLLATE NOCASE"#,
    #""value" UNIQUE"#, #""value" REFERENCES "Group" (_place) ON DELETE CASCADE"#, #""value" NOT NULL"#,
    #""value" INTEGER"#, #""value" "INTEGER""#, #""value" /* " */ CHECK (1)"#, "value", "`value`", "'value'",
    #""value", "twice" GENERATED ALWAYS AS (value * 2)"#, #""value" PRIMARY KEY"#,
  ])
  func `a table that is declared otherwise than by this library is refused`(column: String) async throws {
    let place = column.hasSuffix("KEY") ? "_place INTEGER NOT NULL" : "_place INTEGER PRIMARY KEY"
    let folder = try await file(
      "PRAGMA foreign_keys = OFF", "ALTER TABLE Count RENAME TO old",
      "CREATE TABLE \"Count\" (\(place), _check INTEGER NOT NULL, \"id\", \(column))",
      "INSERT INTO Count (_place, _check, id, value) SELECT _place, _check, id, value FROM old",
      "DROP TABLE old")
    let error = await #expect(throws: StoreFileError.self) { try await Naming.small.open(at: folder.file) }
    #expect(error?.code == .damaged, "\(String(describing: error))")
    // Rows without places, and with columns that are none, are not kept.
    let isKept = !column.contains(",") && !column.hasSuffix("KEY")
    if isKept { #expect(try await use(folder).counts == [1, 2, 3]) }
  }

  /// Bugs: what SQLite reads as an index, or as the table that says what the file contains, was none to the check; a type
  /// that is no text ended the process.
  @Test(arguments: [
    "UPDATE sqlite_master SET type = 'table' WHERE name LIKE 'sqlite_autoindex_notes%'",
    "UPDATE sqlite_master SET type = x'FF' WHERE name LIKE 'sqlite_autoindex_notes%'",
    "UPDATE sqlite_master SET tbl_name = CAST(tbl_name AS BLOB) WHERE name = 'byText'",
    "UPDATE sqlite_master SET name = 'LIVESTORE_FILE' WHERE name = 'livestore_file'",
  ])
  func `an entry of the schema that is not as SQLite writes it is refused`(statement: String) async throws {
    let folder = try await file(
      "CREATE TABLE notes (text PRIMARY KEY)", "CREATE INDEX byText ON notes (text)")
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA writable_schema = ON")
      try db.execute(sql: statement)
    }
    try queue.close()
    let error = await #expect(throws: StoreFileError.self) { try await Naming.small.open(at: folder.file) }
    #expect(error?.code == .damaged, "\(String(describing: error))")
    _ = try? FileReader(folder.file, key: nil).check { _ in }
  }

  /// Bug: the check of the pages computed such a column, for as long as it takes.
  @Test func `a computed column of a table of another program is refused before the pages are checked`()
    async throws
  {
    let folder = try await file(
      "CREATE TABLE notes (x, y NOT NULL AS (length(printf('%.100000000c', x))))",
      "INSERT INTO notes VALUES (1)")
    let error = await #expect(throws: StoreFileError.self) { try await Naming.small.open(at: folder.file) }
    #expect(error?.message.contains("notes") == true, "\(String(describing: error))")
    // Without a key or a row, too.
    let copy = PartFile(of: folder.url.appendingPathComponent("copy.db"))
    defer { copy.remove() }
    let refusal = #expect(throws: StoreFileError.self) {
      try FileReader(folder.file, key: nil).backup(to: copy)
    }
    #expect(refusal?.code == .damaged && !FileManager.default.fileExists(atPath: copy.url.path))
  }

  /// Bug: the sizes of a file with holes and its log were added, and the sum was none.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/shm")))
  func `a log that says that it has more bytes than there are is an error`() async throws {
    let folder = try await file()
    let large = URL(fileURLWithPath: "/dev/shm/livestore-\(UUID())")
    try FileManager.default.copyItem(at: folder.file, to: large)
    let log = URL(fileURLWithPath: large.path + "-wal")
    defer {
      for url in [large, log, URL(fileURLWithPath: large.path + "-shm")] {
        try? FileManager.default.removeItem(at: url)
      }
    }
    try Data().write(to: log)
    #expect(truncate(log.path, 1 << 62) == 0)
    // What SQLite makes of it: a log without a beginning is none.
    #expect(throws: Never.self) { try FileReader(large, key: nil).check { _ in } }
  }

  /// Bug: to order the rows of such a table took all of them, which pages that are shared make any number of.
  @Test func `a repair leaves out a table whose rows have no places`() async throws {
    let folder = try await file(
      "ALTER TABLE Count RENAME TO old", "CREATE TABLE \"Count\" (_place, _check, id, value)",
      "INSERT INTO Count SELECT * FROM old", "DROP TABLE old")
    let repaired = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    #expect(repaired.store.count(Count.all) == 0)
    #expect(repaired.damagedRows.contains { $0.table == "Count" })
    try await repaired.close()
  }

  /// Bug: numbers were taken for seconds since 2001, without a migration.
  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func `numbers are no dates`(key: SymmetricKey?) async throws {
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Before.Reading.self, options: .init(key: key))
    try await file.write { tx in try tx.insert(Before.Reading(id: 1, at: 1_700_000_000)) }
    try await file.close()
    let error = await #expect(throws: StoreFileError.self) {
      try await StoreFile.open(at: folder.file, After.Reading.self, options: .init(key: key))
    }
    #expect(error?.code == .mismatch && error?.row == 1)
    try await StoreFile.open(at: folder.file, Before.Reading.self, options: .init(key: key)).close()
  }

  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func `dates beyond the years and beside the nanoseconds are those that were written`(key: SymmetricKey?)
    async throws
  {
    let seconds = [
      1e12, 7e20, -7e20, 1e300, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 0.1, 5e-300, .infinity,
      -.infinity, 123_456_789.000_000_123_4,
    ]
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, After.Reading.self, options: .init(key: key))
    try await file.write { tx in
      try tx.insert(
        contentsOf: seconds.enumerated().map {
          After.Reading(id: $0, at: Date(timeIntervalSinceReferenceDate: $1))
        })
    }
    let lines = folder.url.appendingPathComponent("lines")
    try await file.exportJSON(to: lines)
    try await file.close()
    let again = try await StoreFile.open(at: folder.file, After.Reading.self, options: .init(key: key))
    #expect(again.store.fetch(After.Reading.all).map(\.at.timeIntervalSinceReferenceDate) == seconds)
    try await again.write { tx in try tx.deleteAll(After.Reading.self) }
    try await again.importJSON(from: lines)
    #expect(again.store.fetch(After.Reading.all).map(\.at.timeIntervalSinceReferenceDate) == seconds)
    try await again.close()
  }

  /// Bug: one such row shut out the whole store.
  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func `rows that are no objects are left out and listed, if that is asked for`(key: SymmetricKey?)
    async throws
  {
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Newer.Mail.self, options: .init(key: key))
    try await file.write { tx in
      try tx.insert(contentsOf: [
        Newer.Mail(id: 1, folder: .inbox), Newer.Mail(id: 2, folder: .snoozed),
        Newer.Mail(id: 3, folder: .sent),
      ])
    }
    try await file.close()
    for repair in [StoreFile.Options.Repair.none, .skipDamagedRows] {
      let error = await #expect(throws: StoreFileError.self) {
        try await StoreFile.open(at: folder.file, Older.Mail.self, options: .init(key: key, repair: repair))
      }
      #expect(error?.code == .mismatch && error?.row == 2)
    }
    let options = StoreFile.Options(key: key, repair: .skipUnreadableRows)
    let older = try await StoreFile.open(at: folder.file, Older.Mail.self, options: options)
    #expect(older.store.fetch(Older.Mail.all).map(\.id) == [1, 3])
    #expect(
      older.damagedRows.map(\.row) == [2] && older.damagedRows[0].reason.contains("cannot be read as a Mail"))
    try await older.close()
    let again = try await StoreFile.open(at: folder.file, Older.Mail.self, options: .init(key: key))
    #expect(again.store.count(Older.Mail.all) == 2 && again.damagedRows.isEmpty)
    try await again.close()
    // All of several rows: a migration is missing.
    let other = try Folder()
    let before = try await StoreFile.open(at: other.file, Before.Reading.self, options: .init(key: key))
    try await before.write { tx in try tx.insert(contentsOf: (1...3).map { Before.Reading(id: $0, at: 1.5) })
    }
    try await before.close()
    let missing = await #expect(throws: StoreFileError.self) {
      try await StoreFile.open(at: other.file, After.Reading.self, options: options)
    }
    #expect(missing?.code == .mismatch)
    let kept = URL(fileURLWithPath: folder.file.path + "-damaged")
    let newer = try await StoreFile.open(at: kept, Newer.Mail.self, options: .init(key: key))
    #expect(newer.store.count(Newer.Mail.all) == 3)
    try await newer.close()
  }

  /// Bug: all rows of a table were read, however many the file says that there are.
  @Test func `reading ends with the number of rows that was written`() async throws {
    let folder = try await file("INSERT INTO Count (_place, _check, id, value) VALUES (99, 0, 99, 9)")
    let error = await #expect(throws: StoreFileError.self) { try await Naming.small.open(at: folder.file) }
    #expect(error?.code == .damaged && error?.message.contains("too many") == true)
  }

  @Test func `a virtual table in the place of a table is refused`() async throws {
    let folder = try await file(
      "DROP TABLE Count", "CREATE VIRTUAL TABLE Count USING fts5 (_place, _check, id, value)")
    let error = await #expect(throws: StoreFileError.self) { try await Naming.small.open(at: folder.file) }
    #expect(error?.code == .damaged, "\(String(describing: error))")
  }

  /// A file in whose table all of 400 branches, of which each has 400, lead to the same rows, of which each is damaged.
  private func sharedBranches() async throws -> Folder {
    let folder = try await file("UPDATE Count SET _check = 7")
    let queue = try DatabaseQueue(path: folder.file.path)
    let root = try await queue.read { db in
      try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'Count'")
    }
    try queue.close()
    var bytes = [UInt8](try Data(contentsOf: folder.file))
    let size = 4_096
    let (rootIndex, count) = (try #require(root) - 1, bytes.count / size)
    let leaf = bytes[rootIndex * size..<(rootIndex + 1) * size]
    func bigEndian(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
    }
    /// A page of branches to another.
    func branches(to page: Int) -> [UInt8] {
      let number = 400
      // The number of the last row of a branch, 1,000, in seven bits each.
      let cell = bigEndian(page, 4) + [0x87, 0x68]
      let start = size - number * cell.count
      var bytes: [UInt8] = [5]
      for (value, count) in [(0, 2), (number, 2), (start, 2), (0, 1), (page, 4)] {
        bytes += bigEndian(value, count)
      }
      for index in 0..<number { bytes += bigEndian(start + index * cell.count, 2) }
      bytes += [UInt8](repeating: 0, count: start - bytes.count)
      for _ in 0..<number { bytes += cell }
      return bytes
    }
    bytes.replaceSubrange(rootIndex * size..<(rootIndex + 1) * size, with: branches(to: count + 1))
    bytes += branches(to: count + 2) + branches(to: count + 3) + leaf
    bytes.replaceSubrange(28..<32, with: bigEndian(count + 3, 4))
    try Data(bytes).write(to: folder.file)
    return folder
  }

  /// Bug: only bytes of texts and data were counted, so that rows without any had no end.
  @Test(.timeLimit(.minutes(10)))
  func `branches that lead to the same rows are damaged, and reading and copying them ends`() async throws {
    let folder = try await sharedBranches()
    let reader = try FileReader(folder.file, key: nil)
    var damage = 0
    _ = try reader.check { _ in damage += 1 }
    #expect((4...10_000).contains(damage))
    let error = #expect(throws: StoreFileError.self) {
      try reader.read { file in try file.forEachMark("Count") { _, _ in } }
    }
    #expect(error?.code == .damaged && error?.table == "Count")
    let backup = #expect(throws: StoreFileError.self) {
      try reader.backup(to: PartFile(of: folder.url.appendingPathComponent("backup.db")))
    }
    #expect(backup?.code == .damaged)
    let repaired = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    #expect(repaired.store.count(Count.all) == 0)
    try await repaired.close()
  }

  /// Bug: the file had room for as many bytes as a log of one page said that it has pages.
  @Test func `a log that says that the file is larger makes no more room in it`() async throws {
    let folder = try await sharedPages()
    var file = [UInt8](try Data(contentsOf: folder.file))
    // A file with a log, whose one page says that there are 2^31 − 16 of them.
    (file[18], file[19]) = (2, 2)
    try Data(file).write(to: folder.file)
    let pages: UInt32 = 0x7FFF_FFF0
    func bytes(_ words: [UInt32]) -> [UInt8] {
      words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }
    var sums: (UInt32, UInt32) = (0, 0)
    func add(_ bytes: some Collection<UInt8>) {
      let words = Array(bytes)
      for start in stride(from: 0, to: words.count, by: 8) {
        func word(_ place: Int) -> UInt32 { words[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        sums.0 &+= word(start) &+ sums.1
        sums.1 &+= word(start + 4) &+ sums.0
      }
    }
    var log = bytes([0x377F_0683, 3_007_000, 4_096, 0, 1, 2])
    add(log)
    log += bytes([sums.0, sums.1])
    file.replaceSubrange(28..<32, with: bytes([pages]))
    add(bytes([1, pages]))
    add(file[..<4_096])
    log += bytes([1, pages, 1, 2, sums.0, sums.1]) + file[..<4_096]
    try Data(log).write(to: URL(fileURLWithPath: folder.file.path + "-wal"))
    try expectDamage(behind: 2, folder)
  }

  @Test(arguments: ["", "UPDATE Count SET value = 9 WHERE id = 2", "UPDATE livestore_file SET value = 'x'"])
  func `tables of other programs do not stand in the way of a repair`(damage: String) async throws {
    let folder = try await file(
      "ANALYZE", "CREATE TABLE notes (text PRIMARY KEY)", "CREATE INDEX byText ON notes (text)", damage)
    let (refusal, counts, damaged) = try await use(folder)
    #expect((refusal == nil) == damage.isEmpty)
    #expect(counts == (damage.contains("Count") ? [1, 3] : [1, 2, 3]))
    // Without what names the tables of the store, those of others are reported, too.
    #expect(damaged == (damage.isEmpty ? 0 : damage.contains("Count") ? 1 : damaged))
  }
}
