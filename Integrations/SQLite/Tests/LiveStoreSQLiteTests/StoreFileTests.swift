import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Files of stores` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open(_ options: StoreFile.Options = .init()) async throws -> StoreFile {
    try await StoreFile.open(at: folder.file, Note.self, Author.self, Count.self, options: options)
  }

  @Test func `a file that is opened again has the objects with all their values, in insertion order`()
    async throws
  {
    let author = Author(id: UUID(), name: "Ann")
    var plain = Note(3, "plain", author: Ref(author.id))
    (plain.address, plain.due, plain.url, plain.scratch) = (nil, nil, nil, 7)
    (plain.shape, plain.mood, plain.stars, plain.data) = (.none, .calm, -0.0, Data())
    var odd = Note(1, "nul \0 é e\u{301} \u{1F600}")
    (odd.stars, odd.large, odd.json, odd.readers) = (
      .infinity, 9_223_372_036_854_775_808, nil, [Ref(author.id)]
    )
    let notes = [plain, odd, Note(2)]
    let file = try await open()
    try await file.write { tx in
      try tx.insert(author)
      try tx.insert(contentsOf: notes)
    }
    try await file.close()
    let again = try await open()
    #expect(Array(again.store.fetch(Note.all)) == notes)
    #expect(Array(again.store.fetch(Author.all)) == [author])
    #expect(again.store.fetch(Note.where { $0.author.name == "Ann" }).map(\.id) == [3])
    try await again.close()
  }

  @Test func `not-a-number comes back, too`() async throws {
    var note = Note(1)
    (note.stars, note.ratio) = (.nan, .nan)
    let file = try await open()
    try await file.write { [note] tx in try tx.insert(note) }
    try await file.close()
    let read = try #require(try await open().store.snapshot()[Note.self, 1])
    #expect(read.stars.isNaN && read.ratio.isNaN)
  }

  @Test(arguments: Seeds.forSuite(1, thorough: 5))
  func `every date comes back as it was, and reads as SQLite's own`(seed: UInt64) async throws {
    var dates = [
      0.25, 0.1, -0.1, 1e-9, 123.456789, 812_345_678.1234567, -63_114_076_800, 1e15, -1e15, 0.1 + 0.2,
    ]
    .map { Date(timeIntervalSinceReferenceDate: $0) }
    var random = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      dates.append(Date(timeIntervalSinceReferenceDate: .random(in: -7e10...3e11, using: &random)))
      let milliseconds = random.int(-2_000_000_000_000...4_000_000_000_000)
      dates.append(Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
    }
    let notes = dates.enumerated().map { number, date in
      var note = Note(number)
      note.due = date
      return note
    }
    let file = try await open()
    try await file.write { tx in try tx.insert(contentsOf: notes) }
    try await file.close()
    #expect(try await open().store.fetch(Note.all).map(\.due) == dates)
    let queue = try DatabaseQueue(path: folder.file.path)
    let differing = try await queue.read { db in
      try Int.fetchOne(
        db,
        sql:
          "SELECT count(*) FROM Note WHERE typeof(due) = 'text' AND due <> strftime('%Y-%m-%d %H:%M:%f', due) AND length(due) = 23"
      )
    }
    #expect(differing == 0)
    let texts = try await queue.read { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM Note WHERE typeof(due) = 'text'")
    }
    #expect((texts ?? 0) >= 2_000)
  }

  @Test func `columns are what other programs read`() async throws {
    let author = Author(id: UUID(), name: "Ann")
    let file = try await open()
    try await file.write { tx in
      try tx.insert(author)
      try tx.insert(Note(1, "Tea", author: Ref(author.id)))
    }
    // While the file is open.
    let pool = try DatabaseQueue(path: folder.file.path)
    let row = try pool.read { db in
      try Row.fetchOne(db, sql: "SELECT * FROM Note JOIN Author ON Note.author = Author.id")
    }
    #expect(row?["title"] == "Tea")
    #expect(row?["stars"] == 1.5)
    #expect(row?["isDone"] == 1)
    #expect(row?["mood"] == "keen")
    #expect(row?["due"] == "2026-09-29 03:34:38.123")
    #expect(row?["tags"] == #"["x","y"]"#)
    #expect(row?["counts"] == #"{"a":1,"b":2}"#)
    #expect(row?["data"] == Data([0, 1, 255]))
    #expect(row?["price"] == "12345678901234567890.0123")
    try await file.close()
  }

  @Test func `updates, deletions and objects inserted again are written, and keep their order`() async throws
  {
    for round in 0..<4 {
      let file = try await open()
      try await file.write { tx in
        for id in 0..<10 { try tx.upsert(Count(id: round * 5 + id, value: round)) }
        try tx.delete(Count.self, round)
      }
      try await file.write { tx in
        try tx.delete(Count.self, round + 3)
        try tx.insert(Count(id: round + 3, value: -1))
      }
      let expected = Array(file.store.fetch(Count.all))
      try await file.close()
      let again = try await open()
      #expect(Array(again.store.fetch(Count.all)) == expected)
      try await again.close()
    }
  }

  @Test func `a second owner is refused, a reader is not`() async throws {
    let file = try await open()
    try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    let error = await #expect(throws: StoreFileError.self) { try await open() }
    #expect(error?.code == .inUse)
    let reader = try await open(.init(isReadOnly: true))
    #expect(reader.store.count(Count.all) == 1)
    #expect(throws: StoreFileError.self) { try StoreFile.remove(at: folder.file) }
    try await file.close()
    try StoreFile.remove(at: folder.file)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
  }

  @Test func `the first objects of a new file are those of the seed, and only of a new one`() async throws {
    for _ in 0..<2 {
      let file = try await StoreFile.open(at: folder.file, Count.self) { tx in
        try tx.insert(Count(id: 1, value: 1))
      }
      #expect(file.store.count(Count.all) == 1)
      #expect(file.durableVersion == file.store.version)
      try await file.close()
    }
  }

  @Test func `a store whose file was released is written to the end, and closed`() async throws {
    let store: Store
    do {
      let file = try await open()
      store = file.store
      for id in 0..<100 { try await store.write { tx in try tx.insert(Count(id: id, value: id)) } }
    }
    #expect(throws: StoreError.self) { try store.write { tx in try tx.insert(Count(id: 1_000, value: 0)) } }
    while true {
      do {
        let again = try await open()
        #expect(again.store.count(Count.all) == 100)
        return
      } catch let error as StoreFileError where error.code == .inUse {
        try await waitForOwner()
      }
    }
  }

  @Test func `transactions that wait together share a sync`() async throws {
    let file = try await open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in 0..<64 {
        group.addTask { try await file.write { tx in try tx.insert(Count(id: id, value: id)) } }
      }
      try await group.waitForAll()
    }
    #expect(file.store.count(Count.all) == 64)
    #expect(file.metrics.syncs < 64 && file.metrics.lag == 0)
    try await file.close()
  }

  @Test func `a file of something else is refused and stays as it is`() async throws {
    let text = Data("This is no database, but a text of some length.".utf8)
    try text.write(to: folder.file)
    var error = await #expect(throws: StoreFileError.self) { try await open() }
    #expect(error?.code == .notAStoreFile)
    #expect(try Data(contentsOf: folder.file) == text)
    try FileManager.default.removeItem(at: folder.file)
    try await DatabaseQueue(path: folder.file.path).write { db in try db.execute(sql: "CREATE TABLE a (b)") }
    let database = try Data(contentsOf: folder.file)
    error = await #expect(throws: StoreFileError.self) { try await open() }
    #expect(error?.code == .notAStoreFile)
    #expect(try Data(contentsOf: folder.file) == database)
    #expect(try folder.names == ["app.db"])
    error = await #expect(throws: StoreFileError.self) {
      try await StoreFile.open(
        at: folder.url.appendingPathComponent("none"), Count.self, options: .init(isReadOnly: true))
    }
    #expect(error?.code == .notFound)
    // A code is a pattern, too.
    do { throw try #require(error) } catch StoreFileError.notFound {}
  }

  @Test func `a row that something else has changed is named, and the others can be kept`() async throws {
    let file = try await open()
    try await file.write { tx in for id in 1...5 { try tx.insert(Count(id: id, value: id)) } }
    try await file.close()
    try await DatabaseQueue(path: folder.file.path).write { db in
      try db.execute(sql: "UPDATE Count SET value = 7 WHERE id = 4")
    }
    let error = await #expect(throws: StoreFileError.self) { try await open() }
    #expect(error?.code == .damaged && error?.table == "Count" && error?.row == 4)
    let repaired = try await open(.init(repair: .skipDamagedRows))
    #expect(repaired.store.fetch(Count.all).map(\.id) == [1, 2, 3, 5])
    #expect(repaired.damagedRows.map(\.row) == [4])
    try await repaired.close()
    let again = try await open()
    #expect(again.store.fetch(Count.all).map(\.id) == [1, 2, 3, 5])
    try await again.close()
  }

  @Test func `a repair keeps the damaged file, and an earlier one that was cut short does not matter`()
    async throws
  {
    let file = try await open()
    try await file.write { tx in for id in 1...5 { try tx.insert(Count(id: id, value: id)) } }
    try await file.close()
    try await DatabaseQueue(path: folder.file.path).write { db in
      try db.execute(sql: "UPDATE Count SET value = 7 WHERE id = 4")
    }
    let damaged = try Data(contentsOf: folder.file)
    for suffix in ["-repair", "-repair-wal"] {
      try Data("cut short".utf8).write(to: URL(fileURLWithPath: folder.file.path + suffix))
    }
    let repaired = try await open(.init(repair: .skipDamagedRows))
    try await repaired.write { tx in try tx.insert(Count(id: 6, value: 6)) }
    try await repaired.close()
    #expect(try folder.names == ["app.db", "app.db-damaged", "app.db-owner"])
    #expect(try Data(contentsOf: folder.url.appendingPathComponent("app.db-damaged")) == damaged)
    let again = try await open()
    #expect(again.store.fetch(Count.all).map(\.id) == [1, 2, 3, 5, 6])
    try await again.close()
  }

  @Test func `whole rows that are no objects of the type are an error that a repair does not leave out`()
    async throws
  {
    let file = try await StoreFile.open(at: folder.file, Count.self)
    try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    try await file.close()
    let before = try Data(contentsOf: folder.file)
    for repair in [StoreFile.Options.Repair.none, .skipDamagedRows] {
      let error = await #expect(throws: StoreFileError.self) {
        try await StoreFile.open(at: folder.file, Changed.Count.self, options: .init(repair: repair))
      }
      #expect(error?.code == .mismatch && error?.table == "Count" && error?.row == 1)
      #expect(error?.message.contains("added") == true)
    }
    #expect(try Data(contentsOf: folder.file) == before)
  }
}

/// Entities of a later version of an app.
private enum Changed {
  struct Count: Entity, Codable {
    let id: Int
    var value: Int
    var added: String
    static let schema = Schema<Count> {
      \.value
      \.added
    }
  }
}
