import Crypto
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

/// What another program adds to a file through SQL.
private enum Addition: String, CaseIterable, Sendable {
  case column, index, uniqueIndex, trigger, deletingTrigger, view, table, virtualTable, statistics,
    formatVersion

  func statement(_ number: Int, isEncrypted: Bool) -> String {
    let value = isEncrypted ? "_sealed" : "value"
    return switch self {
    case .column: "ALTER TABLE Count ADD COLUMN extra\(number)"
    case .index: "CREATE INDEX index\(number) ON Count (\(value))"
    case .uniqueIndex: "CREATE UNIQUE INDEX unique\(number) ON Count (_place, \(value))"
    case .trigger:
      "CREATE TRIGGER trigger\(number) AFTER UPDATE ON Count BEGIN INSERT INTO kept VALUES (old.\(value)); END"
    case .deletingTrigger:
      "CREATE TRIGGER deleting\(number) AFTER INSERT ON Count BEGIN DELETE FROM Count WHERE _place = 1; END"
    case .view: "CREATE VIEW view\(number) AS SELECT \(value) FROM Count"
    case .table: "CREATE TABLE table\(number) (x, y UNIQUE)"
    case .virtualTable: "CREATE VIRTUAL TABLE words\(number) USING fts5 (text)"
    case .statistics: "ANALYZE"
    case .formatVersion: "PRAGMA user_version = \(number + 2)"
    }
  }
}

@Suite(.timeLimit(.minutes(30))) struct `What another program adds to a file` {
  private let counts = (1...50).map { Count(id: $0, value: $0) }
  private let groups = (1...9).map { Group(id: $0, order: $0, rowid: "row \($0)") }

  private func file(_ key: SymmetricKey?, _ additions: [Addition]) async throws -> Folder {
    let folder = try Folder()
    let file = try await Naming.small.open(at: folder.file, .init(key: key))
    try await file.write { [counts, groups] tx in
      try tx.insert(contentsOf: counts)
      try tx.insert(contentsOf: groups)
    }
    try await file.close()
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.writeWithoutTransaction { db in
      // Other tests count SQLite's temporary files.
      try db.execute(sql: "PRAGMA temp_store = MEMORY; CREATE TABLE kept (value)")
      for (number, addition) in additions.enumerated() {
        try db.execute(sql: addition.statement(number, isEncrypted: key != nil))
      }
    }
    try queue.close()
    return folder
  }

  /// Bug: copies were made with foreign keys of others in force, so that rows of other tables were deleted in them, or no copy
  /// could be made.
  @Test(arguments: ["CASCADE", "RESTRICT"])
  func `foreign keys of other programs have no effect in copies`(action: String) async throws {
    let folder = try await file(nil, [])
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          CREATE TABLE other (k REFERENCES livestore_file(key) ON DELETE \(action));
          INSERT INTO other VALUES ('contents'), ('check');
          """)
    }
    try queue.close()
    let copies = ["library.db", "tool.db"].map { folder.url.appendingPathComponent($0) }
    let file = try await Naming.small.open(at: folder.file)
    try await file.backup(to: copies[0])
    try await file.close()
    let part = PartFile(of: copies[1])
    try FileReader(folder.file, key: nil).backup(to: part)
    try part.complete()
    for copy in copies {
      let queue = try DatabaseQueue(path: copy.path)
      #expect(try await queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM other") } == 2)
      try queue.close()
    }
  }

  /// Bug: each of many names of one table had room for as many bytes as the file has.
  @Test func `tables that share pages have no more rows in all than the file`() async throws {
    let folder = try await file(nil, [])
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          CREATE TABLE T (_place INTEGER PRIMARY KEY, _check INTEGER NOT NULL);
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
          INSERT INTO T SELECT i, 0 FROM n;
          DELETE FROM livestore_file;
          PRAGMA writable_schema = ON;
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
          INSERT INTO sqlite_master SELECT 'table', 'T' || i, 'T' || i, rootpage, replace(sql, 'TABLE T', 'TABLE T' || i)
          FROM sqlite_master, n WHERE name = 'T';
          PRAGMA writable_schema = OFF;
          """)
    }
    try queue.close()
    let size = try #require(FileManager.default.attributesOfItem(atPath: folder.file.path)[.size] as? Int)
    let file = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    #expect(file.store.count(Count.all) == 50)
    // A row takes eight bytes at the least, and room is for twice the file.
    #expect(file.damagedRows.count < size / 4 + 700, "\(file.damagedRows.count) of \(size) bytes")
    try await file.close()
  }

  /// Opens the file, repairs it, and writes to it: all rows are there, whatever was added, and nothing that was added runs.
  private func check(_ key: SymmetricKey?, _ additions: [Addition]) async throws {
    let folder = try await file(key, additions)
    let before = try Data(contentsOf: folder.file)
    do {
      let file = try await Naming.small.open(at: folder.file, .init(key: key, isReadOnly: true))
      try requireAll(file, "reading")
      try await file.close()
    } catch is StoreFileError {}
    try require(try Data(contentsOf: folder.file) == before, "reading changed the file")
    let repaired = try await Naming.small.open(at: folder.file, .init(key: key, repair: .skipDamagedRows))
    try requireAll(repaired, "repaired")
    // What is left out of other programs is listed, and no row.
    try require(
      repaired.damagedRows.allSatisfy { $0.row == nil && $0.reason.contains("its column extra") },
      "listed are \(repaired.damagedRows)")
    try await repaired.write { tx in
      try tx.update(Count.self, 7) { $0.value = 70 }
      try tx.insert(Count(id: 100, value: 1))
    }
    try await repaired.compact()
    try await repaired.close()
    let again = try await Naming.small.open(at: folder.file, .init(key: key))
    try require(
      again.store.fetch(Count.all).map(\.id) == Array(1...50) + [100]
        && again.store.snapshot()[Count.self, 7]?.value == 70, "writing afterwards")
    try await again.close()
    let queue = try DatabaseQueue(path: folder.file.path)
    let kept = try await queue.read { db in
      try db.tableExists("kept") ? try Int.fetchOne(db, sql: "SELECT count(*) FROM kept") : 0
    }
    try queue.close()
    try require(kept == 0, "a trigger kept \(kept ?? 0) values")
  }

  /// Expects that the file is refused for damage, whether it is opened for writing or not.
  private func expectDamaged(_ file: URL, _ reason: String = "") async {
    for isReadOnly in [true, false] {
      let error = await #expect(throws: StoreFileError.self) {
        try await Naming.small.open(at: file, .init(isReadOnly: isReadOnly))
      }
      #expect(
        error?.code == .damaged && (reason.isEmpty || error?.message.contains(reason) == true),
        "\(error as Any)")
    }
  }

  private func requireAll(_ file: StoreFile, _ place: String) throws {
    try require(
      Array(file.store.fetch(Count.all)) == counts && Array(file.store.fetch(Group.all)) == groups,
      "\(place): the objects are others")
  }

  @Test(arguments: [false, true])
  func `a file with what another program added opens, or is repaired with all of its rows`(isEncrypted: Bool)
    async throws
  {
    let key = isEncrypted ? SymmetricKey(size: .bits256) : nil
    for addition in Addition.allCases {
      await #expect(throws: Never.self, "\(addition)") { try await check(key, [addition]) }
    }
    for seed in Seeds.forSuite(10, thorough: 300) {
      var random = SplitMix64(seed: seed)
      let additions = (0..<random.int(2...5)).map { _ in random.pick(Addition.allCases) }
      await #expect(throws: Never.self, "seed \(seed): \(additions)") { try await check(key, additions) }
    }
  }

  /// Bug: the check of the pages, and a compaction, had the modules of such tables run, with what others have written.
  @Test(arguments: [false, true])
  func `a virtual table of another program is refused by its name, and no other table of another program is`(
    isEncrypted: Bool
  ) async throws {
    let key = isEncrypted ? SymmetricKey(size: .bits256) : nil
    let plain = try await file(key, [.table, .statistics])
    try await Naming.small.open(at: plain.file, .init(key: key)).close()
    // The last says that it has a page, as a plain table does.
    for (module, page) in [("fts5 (text)", 0), ("rtree (id, low, high)", 0), ("fts5 (text)", 2)] {
      let folder = try await file(key, [])
      let queue = try DatabaseQueue(path: folder.file.path)
      try await queue.writeWithoutTransaction { db in
        try db.execute(sql: "CREATE VIRTUAL TABLE words USING \(module); PRAGMA writable_schema = ON")
        try db.execute(sql: "UPDATE sqlite_master SET rootpage = \(page) WHERE name = 'words'")
      }
      try queue.close()
      for isReadOnly in [false, true] {
        let error = await #expect(throws: StoreFileError.self, "\(module), \(page)") {
          try await Naming.small.open(at: folder.file, .init(key: key, isReadOnly: isReadOnly))
        }
        #expect(error?.code == .damaged, "\(String(describing: error))")
        #expect(
          error?.message.contains("virtual table words") == true, "\(String(describing: error))")
      }
      let reading = #expect(throws: StoreFileError.self) {
        try FileReader(folder.file, key: key).read { _ in }
      }
      #expect(reading?.code == .damaged)
      let repaired = try await Naming.small.open(at: folder.file, .init(key: key, repair: .skipDamagedRows))
      try requireAll(repaired, "repaired")
      try await repaired.close()
      try await Naming.small.open(at: folder.file, .init(key: key)).close()
    }
  }

  /// Declares an entry of the list of tables as SQLite refuses to.
  private static func renamed(_ name: String, _ table: String, _ sql: String) -> String {
    """
    PRAGMA writable_schema = ON;
    UPDATE sqlite_master SET name = CASE type WHEN 'table' THEN '\(table)' ELSE name END, tbl_name = '\(table)',
      sql = '\(sql)' WHERE name = '\(name)';
    PRAGMA writable_schema = OFF;
    """
  }

  /// Bug: compacting a file computed their expressions, and compared their texts as programs define it; so did dropping a table
  /// for those of statistics. An index of the list of tables may leave out what the file has.
  @Test(arguments: [
    "CREATE INDEX i ON other (instr(hex(zeroblob(5)), x))", "CREATE INDEX i ON other (x) WHERE x > 1",
    "CREATE INDEX i ON other (x COLLATE swiftCompare)", "CREATE TABLE unlike (x UNIQUE COLLATE swiftCompare)",
    "CREATE TABLE unlike (x COLLATE swiftCompare PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE zzz (tbl, idx); \(renamed("zzz", "sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl, idx)"))",
    """
    CREATE TABLE zzz (tbl, idx, stat); CREATE INDEX i ON zzz (tbl);
    \(renamed("zzz", "sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"))
    \(renamed("i", "sqlite_stat1", "CREATE INDEX i ON sqlite_stat1 (tbl)"))
    """,
    """
    CREATE TABLE zzz (tbl, idx, stat); CREATE INDEX i ON zzz (tbl);
    \(renamed("zzz", "sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"))
    \(renamed("i", "sqlite_stat1", "CREATE INDEX i ON sqlite_stat1 (tbl)"))
    PRAGMA writable_schema = ON; UPDATE sqlite_master SET type = 'INDEX' WHERE name = 'i'; PRAGMA writable_schema = OFF;
    """,
    """
    CREATE TABLE zzz (type, name, tbl_name, rootpage, sql);
    CREATE INDEX i ON zzz (type, name, tbl_name, rootpage, sql);
    \(renamed("i", "sqlite_master", "CREATE INDEX i ON sqlite_master (type, name, tbl_name, rootpage, sql)"))
    """,
  ])
  func `indexes that compute something, and what is added to tables of SQLite, are damage`(sql: String)
    async throws
  {
    let folder = try await file(nil, [])
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA temp_store = MEMORY; CREATE TABLE other (x); \(sql)")
    }
    try queue.close()
    await expectDamaged(folder.file, "which this library does not make")
    let repaired = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    try requireAll(repaired, "repaired")
    try await repaired.close()
  }

  /// Bug: a table whose entry SQLite finds by its letters, and removes by its bytes, left its entry when it was dropped, and its
  /// pages were used again: the file opened once.
  @Test(arguments: [
    "tbl_name = 'LIVESTORE_ZEROS' WHERE name = 'livestore_zeros'",
    "rootpage = rootpage || char(0) WHERE name = 'Count'",
    "tbl_name = name || char(0) || 'x' WHERE name = 'Count'",
    """
    name = 'count', tbl_name = 'count', sql = replace(sql, 'TABLE livestore_zeros', 'TABLE IF NOT EXISTS count'),
      rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'Count') WHERE name = 'livestore_zeros'
    """,
    "name = name || char(0) || 'x', tbl_name = name || char(0) || 'x' WHERE name = 'Count'",
  ])
  func `an entry that SQLite does not remove with its table is damage`(change: String) async throws {
    let folder = try await file(nil, [])
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          CREATE TABLE livestore_zeros (_place INTEGER PRIMARY KEY, zeros);
          PRAGMA writable_schema = ON; UPDATE sqlite_master SET \(change); PRAGMA writable_schema = OFF;
          """)
    }
    try queue.close()
    await expectDamaged(folder.file, "which this library does not make")
  }

  /// Bug: the columns of all indexes of the table were read for each of them, and a repair made a table for each.
  @Test func `second entries of one name are damage in little time, and are repaired`() async throws {
    let folder = try await file(nil, [])
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.writeWithoutTransaction { db in
      let names = (0..<1_999).map { "c\($0)" }.joined(separator: ", ")
      try db.execute(sql: "CREATE TABLE t (\(names))")
      for index in 0..<20 { try db.execute(sql: "CREATE INDEX t\(index) ON t (\(names))") }
      try db.execute(
        sql: """
          PRAGMA writable_schema = ON;
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
          INSERT INTO sqlite_master SELECT 'table', 't', 't', rootpage, 'CREATE TABLE IF NOT EXISTS t (a)'
          FROM n, sqlite_master WHERE name = 't';
          INSERT INTO sqlite_master
          SELECT type, 'count', 'count', rootpage, replace(sql, 'TABLE "C', 'TABLE IF NOT EXISTS "c')
          FROM sqlite_master WHERE name = 'Count';
          PRAGMA writable_schema = OFF;
          """)
    }
    try queue.close()
    await expectDamaged(folder.file, "second table")
    let repaired = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    try requireAll(repaired, "repaired")
    try await repaired.close()
  }

  /// Bug: SQLite changes some scalars of such texts, so that an index was not found by its name, and what a change of the key had
  /// left not removed.
  @Test func `a file in another encoding is damage, and is repaired`() async throws {
    let folder = try await file(nil, [])
    let other = folder.url.appendingPathComponent("other.db")
    let (old, new) = (try DatabaseQueue(path: folder.file.path), try DatabaseQueue(path: other.path))
    let tables = try await old.read { db in
      try Row.fetchAll(db, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'table'").map { row in
        (sql: row["sql"] as String, name: row["name"] as String)
      }
    }
    try await new.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA encoding = 'UTF-16le'")
      for pragma in ["application_id", "user_version"] {
        let value = try old.read { db in try Int.fetchOne(db, sql: "PRAGMA \(pragma)") }
        try db.execute(sql: "PRAGMA \(pragma) = \(value ?? 0)")
      }
      for (sql, name) in tables {
        try db.execute(sql: sql)
        for row in try old.read({ db in try Row.fetchAll(db, sql: "SELECT * FROM \"\(name)\"") }) {
          let (values, marks) = (row.databaseValues, row.map { _ in "?" }.joined(separator: ","))
          let insertion = "INSERT INTO \"\(name)\" VALUES (\(marks))"
          try db.execute(sql: insertion, arguments: StatementArguments(values))
        }
      }
    }
    try old.close()
    try new.close()
    await expectDamaged(other, "UTF-16le")
    let repaired = try await Naming.small.open(at: other, .init(repair: .skipDamagedRows))
    try requireAll(repaired, "repaired")
    try await repaired.close()
  }

  /// What a column computes in seconds: that of each row in one step, which nothing interrupts.
  private static let slow = Array(
    repeating: "instr(hex(zeroblob(400000)), hex(zeroblob(200000)) || w)", count: 300
  ).joined(separator: " + ")

  /// Bug: SQLite loads statistics with the list of tables, before any check, and computed what was declared in the place of a
  /// column. A module of a virtual table that said to have a page read what it had, when a repair asked for its columns.
  @Test(arguments: [
    """
    CREATE TABLE zzz (tbl, idx, w); INSERT INTO zzz VALUES ('Count', 'Count', '1');
    \(renamed("zzz", "sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl, idx, w, stat AS (\(slow)))"))
    """,
    """
    CREATE VIRTUAL TABLE words USING fts5 (text);
    PRAGMA writable_schema = ON;
    UPDATE sqlite_master SET rootpage = 2 WHERE name = 'words';
    UPDATE sqlite_master SET sql = 'CREATE TABLE ''words_config''(k PRIMARY KEY, w, v AS (\(slow))) WITHOUT ROWID'
      WHERE name = 'words_config';
    PRAGMA writable_schema = OFF;
    """,
  ])
  func `what computes without an end is not read, by a repair either`(sql: String) async throws {
    let folder = try await file(nil, [])
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA temp_store = MEMORY; \(sql)")
    }
    try queue.close()
    await expectDamaged(folder.file)
    var damage: [DamagedRow] = []
    _ = try FileReader(folder.file, key: nil).check { damage.append($0) }
    #expect(!damage.isEmpty)
    let repaired = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    try requireAll(repaired, "repaired")
    try await repaired.close()
  }
}
