import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

/// Files of some tens of kilobytes whose trees lead to one page again and again, so that SQLite never comes to their end.
@Suite(.timeLimit(.minutes(5))) struct `Trees without an end` {
  private static let pageSize = 4_096

  /// A page that leads to others, each but the last by a cell, beginning at an offset.
  private static func interior(_ children: [Int], at offset: Int = 0) -> [UInt8] {
    var page = [UInt8](repeating: 0, count: pageSize)
    func put(_ value: Int, _ count: Int, at place: Int) {
      for index in 0..<count { page[place + index] = UInt8(value >> (8 * (count - 1 - index)) & 0xFF) }
    }
    page[offset] = 5
    put(children.count - 1, 2, at: offset + 3)
    var end = pageSize
    for (index, child) in children.dropLast().enumerated() {
      end -= 5
      put(child, 4, at: end)
      page[end + 4] = 100
      put(end, 2, at: offset + 12 + 2 * index)
    }
    put(end, 2, at: offset + 5)
    put(children.last ?? 0, 4, at: offset + 8)
    return page
  }

  /// A leaf with a row.
  private static func leaf(_ payload: [UInt8]) -> [UInt8] {
    leaf(cell: [UInt8(payload.count), 100] + payload)
  }

  private static func leaf(cell: [UInt8]) -> [UInt8] {
    var page = [UInt8](repeating: 0, count: pageSize)
    page.replaceSubrange(pageSize - cell.count..<pageSize, with: cell)
    page[0] = 13
    page[4] = 1
    let start = pageSize - cell.count
    for place in [5, 8] { (page[place], page[place + 1]) = (UInt8(start >> 8), UInt8(start & 0xFF)) }
    return page
  }

  /// Pages that come to a leaf in 300⁴ ways, from one of a number on.
  private static func endless(from first: Int, _ leaf: [UInt8]) -> [[UInt8]] {
    (1...4).map { interior(Array(repeating: first + $0, count: 300)) } + [leaf]
  }

  /// Makes a file, and changes its bytes.
  private func file(_ sql: String, _ change: (inout [UInt8], _ pages: Int) -> Void) async throws -> Folder {
    let folder = try Folder()
    let file = try await Naming.small.open(at: folder.file)
    try await file.write { tx in try tx.insert(contentsOf: (1...20).map { Count(id: $0, value: $0) }) }
    try await file.close()
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA temp_store = MEMORY; \(sql)")
    }
    try queue.close()
    var bytes = [UInt8](try Data(contentsOf: folder.file))
    change(&bytes, bytes.count / Self.pageSize)
    let count = bytes.count / Self.pageSize
    (bytes[30], bytes[31]) = (UInt8(count >> 8), UInt8(count & 0xFF))
    try Data(bytes).write(to: folder.file)
    return folder
  }

  private func check(_ folder: Folder) async throws {
    for options in [.init(), .init(isReadOnly: true), .init(repair: .skipDamagedRows)] as [StoreFile.Options]
    {
      let error = await #expect(throws: StoreFileError.self) {
        try await Naming.small.open(at: folder.file, options)
      }
      #expect(error?.code == .damaged, "\(error as Any)")
    }
    try StoreFile.remove(at: folder.file)
    #expect(!FileManager.default.fileExists(atPath: folder.file.path))
  }

  /// Opens the file, which is damaged, and repairs it.
  private func checkRepaired(_ folder: Folder) async throws {
    for options in [.init(), .init(isReadOnly: true)] as [StoreFile.Options] {
      let error = await #expect(throws: StoreFileError.self) {
        try await Naming.small.open(at: folder.file, options)
      }
      #expect(error?.code == .damaged, "\(error as Any)")
    }
    let repaired = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    #expect(repaired.store.count(Count.all) == 20)
    try await repaired.close()
  }

  @Test func `a list of tables that does not end is damage`() async throws {
    let folder = try await file("CREATE TABLE other (a UNIQUE)") { bytes, pages in
      // An entry that SQLite takes any number of times: the index of a constraint, which has no text.
      let texts = ["index", "sqlite_autoindex_other_1", "other"].map { Array($0.utf8) }
      let types = texts.map { UInt8(13 + 2 * $0.count) }
      let record = [6] + types + [1, 0] + texts.joined() + [UInt8(pages)]
      let entries = Self.moved(Array(bytes[..<Self.pageSize]))
      let root = Self.interior([pages + 1] + Array(repeating: pages + 2, count: 200), at: 100)
      bytes.replaceSubrange(100..<Self.pageSize, with: root[100...])
      bytes += entries + Self.endless(from: pages + 2, Self.leaf(record)).joined()
    }
    try await check(folder)
  }

  /// The first page of a file as one of those behind it: what it has stays at its places, but for its beginning.
  private static func moved(_ page: [UInt8]) -> [UInt8] {
    var moved = page
    moved.replaceSubrange(..<100, with: [UInt8](repeating: 0, count: 100))
    let count = Int(page[103]) << 8 | Int(page[104])
    moved.replaceSubrange(..<(8 + 2 * count), with: page[100..<108 + 2 * count])
    return moved
  }

  /// Each takes SQLite some milliseconds, and few steps of its virtual machine.
  @Test func `a list of tables with long texts that does not end is damage`() async throws {
    let numbers = (0..<60_000).map { "\($0)" }.joined(separator: ",")
    let folder = try await file(
      """
      CREATE TABLE other (a);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = 'CREATE TABLE IF NOT EXISTS other (a CHECK (a NOT IN (\(numbers))))'
        WHERE name = 'other';
      PRAGMA writable_schema = OFF;
      """
    ) { bytes, pages in
      let page = Array(bytes[..<Self.pageSize])
      let count = Int(page[103]) << 8 | Int(page[104])
      let starts = (0..<count).map { Int(page[108 + 2 * $0]) << 8 | Int(page[109 + 2 * $0]) }
      let cells = starts.map { start in
        Array(page[start..<(starts.filter { $0 > start }.min() ?? Self.pageSize)])
      }
      let cell = cells.first { String(decoding: $0, as: UTF8.self).contains("IF NOT EXISTS") } ?? []
      let root = Self.interior([pages + 1] + Array(repeating: pages + 2, count: 200), at: 100)
      bytes.replaceSubrange(100..<Self.pageSize, with: root[100...])
      bytes += Self.moved(page) + Self.endless(from: pages + 2, Self.leaf(cell: cell)).joined()
    }
    try await check(folder)
  }

  /// Bug: SQLite read them with the list of tables.
  @Test func `statistics of tables that do not end are damage`() async throws {
    let folder = try await file(
      """
      CREATE TABLE other (a UNIQUE);
      PRAGMA writable_schema = ON;
      CREATE TABLE zzz (tbl, idx, stat);
      UPDATE sqlite_master SET name = 'sqlite_stat1', tbl_name = 'sqlite_stat1',
        sql = 'CREATE TABLE sqlite_stat1(tbl,idx,stat)' WHERE name = 'zzz';
      PRAGMA writable_schema = OFF;
      """
    ) { bytes, pages in
      // The table was made last.
      let texts = ["other", "sqlite_autoindex_other_1", "9 1"].map { Array($0.utf8) }
      let record = [4] + texts.map { UInt8(13 + 2 * $0.count) } + texts.joined()
      let root = Self.interior(Array(repeating: pages + 1, count: 300))
      bytes.replaceSubrange((pages - 1) * Self.pageSize..<pages * Self.pageSize, with: root)
      bytes += Self.endless(from: pages + 1, Self.leaf(record)).joined()
    }
    try await checkRepaired(folder)
  }

  /// Bug: they were written to, so that SQLite would not plan by them. The list of tables is loaded without them.
  @Test(arguments: ["sqlite_stat1(tbl,stat)", "sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"])
  func `statistics of other columns, or that SQLite does not read, may have no end`(declared: String)
    async throws
  {
    let name = String(declared.prefix { $0 != "(" })
    let others = name == "sqlite_stat1" ? "" : "CREATE INDEX i ON other (a); ANALYZE;"
    let columns = declared.dropFirst(name.count)
    let folder = try await file(
      """
      CREATE TABLE other (a);
      INSERT INTO other VALUES (1);
      \(others)
      PRAGMA writable_schema = ON;
      CREATE TABLE zzz \(columns);
      UPDATE sqlite_master SET name = '\(name)', tbl_name = '\(name)', sql = 'CREATE TABLE \(declared)'
        WHERE name = 'zzz';
      PRAGMA writable_schema = OFF;
      """
    ) { bytes, pages in
      // The table was made last.
      let count = columns.utf8.count { $0 == UInt8(ascii: ",") } + 1
      let texts = Array(repeating: Array("1000000".utf8), count: count)
      let record = [UInt8(count + 1)] + texts.map { UInt8(13 + 2 * $0.count) } + texts.joined()
      let root = Self.interior(Array(repeating: pages + 1, count: 300))
      bytes.replaceSubrange((pages - 1) * Self.pageSize..<pages * Self.pageSize, with: root)
      bytes += Self.endless(from: pages + 1, Self.leaf(record)).joined()
    }
    try await checkRepaired(folder)
  }

  /// Bug: a key with an index of its own is no place of a row, and the rows were sorted, in memory. A table that cannot be read
  /// ended the repair.
  @Test(arguments: ["DESC", "COLLATE nosuch"])
  func `rows of a table whose key is no place are left out by a repair, and those of others are kept`(
    key: String
  ) async throws {
    let (columns, isIndexed) = (", _check INTEGER NOT NULL, \"id\")", key == "DESC")
    let folder = try await file(
      """
      CREATE TABLE zzz (_place INTEGER PRIMARY KEY \(isIndexed ? key : "")\(columns);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = 'CREATE TABLE zzz (_place INTEGER PRIMARY KEY \(key)\(columns)'
        WHERE name = 'zzz';
      PRAGMA writable_schema = OFF;
      """
    ) { bytes, pages in
      // The page of its index, if it has one, is the last.
      let number = isIndexed ? pages - 2 : pages - 1
      let root = Self.interior(Array(repeating: pages + 1, count: 300))
      bytes.replaceSubrange(number * Self.pageSize..<(number + 1) * Self.pageSize, with: root)
      bytes += Self.endless(from: pages + 1, Self.leaf([4, 0, 1, 13, 7])).joined()
    }
    let repaired = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    #expect(repaired.store.count(Count.all) == 20)
    #expect(!repaired.damagedRows.contains { $0.table == "Count" }, "\(repaired.damagedRows)")
    try await repaired.close()
  }

  /// SQLite takes a bit for each page that a file should have.
  @Test func `a log that says the file has billions of pages is damage`() async throws {
    let folder = try await file("CREATE TABLE other (a)") { bytes, _ in (bytes[18], bytes[19]) = (2, 2) }
    try Self.writeLog(claiming: 0x7FFF_FFFF, beside: folder.file)
    let error = await #expect(throws: StoreFileError.self) {
      try await Naming.small.open(at: folder.file, .init(isReadOnly: true))
    }
    #expect(error?.message.contains("and should have 8796093018112") == true, "\(error as Any)")
  }

  /// Bug: SQLite reads a value that is no longer than the file, and a log may say how long that is. A page that leads to itself
  /// then took any amount of memory.
  @Test func `a value that is longer than the file is left out by a repair, whatever its log says`()
    async throws
  {
    let folder = try await file(
      #"CREATE TABLE zzz (_place INTEGER PRIMARY KEY, _check INTEGER NOT NULL, "id")"#
    ) {
      bytes, pages in
      (bytes[18], bytes[19]) = (2, 2)
      // The first 489 bytes of the row are in its cell, and as many as fit on each page that follows.
      let length = 489 + 10_000 * (Self.pageSize - 4)
      let header = [7, 0, 1] + Self.varint(12 + 2 * (length - 8))
      let row = header + [7] + [UInt8](repeating: 0x78, count: 489 - 8)
      let next = [0, 0, UInt8((pages + 1) >> 8), UInt8((pages + 1) & 0xFF)]
      let root = Self.leaf(cell: Self.varint(length) + [1] + row + next)
      bytes.replaceSubrange((pages - 1) * Self.pageSize..<pages * Self.pageSize, with: root)
      bytes += next + [UInt8](repeating: 0x78, count: Self.pageSize - 4)
    }
    try Self.writeLog(claiming: 20_000, beside: folder.file)
    let repaired = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    #expect(repaired.store.count(Count.all) == 20)
    #expect(
      repaired.damagedRows.contains { $0.table == "zzz" && $0.reason.contains("too big") },
      "\(repaired.damagedRows)")
    try await repaired.close()
  }

  /// A number as SQLite writes it: seven bits in each byte, of which all but the last have the eighth.
  private static func varint(_ number: Int) -> [UInt8] {
    var (bytes, rest) = ([UInt8(number & 0x7F)], number >> 7)
    while rest > 0 {
      bytes.insert(UInt8(rest & 0x7F | 0x80), at: 0)
      rest >>= 7
    }
    return bytes
  }

  /// Writes a log that has the first page of the file, and says how many pages there are.
  private static func writeLog(claiming pages: UInt32, beside file: URL) throws {
    func words(_ values: UInt32...) -> [UInt8] {
      values.flatMap { value in (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) } }
    }
    var page = [UInt8](try Data(contentsOf: file)[..<pageSize])
    page.replaceSubrange(28..<32, with: words(pages))
    var sums: (UInt32, UInt32) = (0, 0)
    func add(_ bytes: [UInt8]) -> [UInt8] {
      func word(_ place: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) }
      }
      for place in stride(from: 0, to: bytes.count, by: 8) {
        sums.0 = sums.0 &+ word(place) &+ sums.1
        sums.1 = sums.1 &+ word(place + 4) &+ sums.0
      }
      return words(sums.0, sums.1)
    }
    let header = words(0x377F_0682, 3_007_000, UInt32(pageSize), 0, 1, 2)
    var log = header + add(header)
    let frame = words(1, pages)
    _ = add(frame)
    log += frame + words(1, 2) + add(page) + page
    try Data(log).write(to: URL(fileURLWithPath: file.path + "-wal"))
  }
}
