import Crypto
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import Testing

private struct Cat: Entity, Codable, Equatable {
  let id: Int
  var name: String
  var nick: String?
  static let schema = Schema<Cat> {
    \.name
    \.nick
  }
}

/// An entity of the same properties: its rows would be rows of the other, but for the name of the table.
private struct Dog: Entity, Codable, Equatable {
  let id: Int
  var name: String
  var nick: String?
  static let schema = Schema<Dog> {
    \.name
    \.nick
  }
}

/// What a file says about itself, and what others change there, while its rows are whole.
@Suite struct `Names and headers of files` {
  private static let key = SymmetricKey(size: .bits256)
  private static let cats = (1...300).map {
    Cat(id: $0, name: "cat \($0)", nick: $0 % 3 == 0 ? nil : "c\($0)")
  }
  private static let dogs = (1...300).map {
    Dog(id: $0, name: "dog \($0)", nick: $0 % 2 == 0 ? nil : "d\($0)")
  }

  private func open(_ url: URL, key: SymmetricKey? = nil, repairs: Bool = false) async throws -> StoreFile {
    try await StoreFile.open(
      at: url, Cat.self, Dog.self,
      options: StoreFile.Options(key: key, repair: repairs ? .skipDamagedRows : .none))
  }

  /// The code of the error of an opening.
  private func refusal(_ url: URL, key: SymmetricKey? = nil, repairs: Bool = false) async -> StoreFileError
    .Code?
  {
    do {
      try await open(url, key: key, repairs: repairs).close()
      return nil
    } catch {
      return (error as? StoreFileError)?.code
    }
  }

  private func make(_ folder: Folder, key: SymmetricKey? = nil) async throws -> URL {
    let file = try await open(folder.file, key: key)
    try await file.write { tx in
      try tx.insert(contentsOf: Self.cats)
      try tx.insert(contentsOf: Self.dogs)
    }
    try await file.close()
    return folder.file
  }

  private func change(_ url: URL, _ sql: String) throws {
    let queue = try DatabaseQueue(path: url.path)
    try queue.writeWithoutTransaction { db in try db.execute(sql: sql) }
    try queue.close()
  }

  private func expectAll(_ file: StoreFile, _ comment: Comment? = nil) {
    #expect(Array(file.store.fetch(Cat.all)) == Self.cats, comment)
    #expect(Array(file.store.fetch(Dog.all)) == Self.dogs, comment)
  }

  // MARK: Names

  /// Bug: the checksum of a row did not have the table's name.
  @Test func `a row of another table is no row of this one, in whose place it stands`() async throws {
    let folder = try Folder()
    let url = try await make(folder)
    try change(
      url,
      "DELETE FROM Cat WHERE _place BETWEEN 50 AND 90; INSERT INTO Cat SELECT * FROM Dog WHERE _place BETWEEN 50 AND 90"
    )
    #expect(await refusal(url) == .damaged)
    let file = try await open(url, repairs: true)
    #expect(Array(file.store.fetch(Cat.all)) == Self.cats.filter { !(50...90).contains($0.id) })
    #expect(Set(file.damagedRows.compactMap(\.row)).isSuperset(of: 50...90))
    try await file.close()
  }

  /// Bug: with the list of tables lost, a column of another name was one of a property that no object has.
  @Test func `a column whose name is damaged makes no property nil`() async throws {
    let folder = try Folder()
    let url = try await make(folder)
    try change(
      url,
      """
      ALTER TABLE Cat RENAME COLUMN nick TO nicj;
      UPDATE livestore_file SET value = 1 WHERE key = 'check';
      """)
    let file = try await open(url, repairs: true)
    let found = file.store.fetch(Cat.all)
    #expect(Array(found) == Self.cats.filter { $0.nick == nil })
    #expect(
      Set(file.damagedRows.compactMap(\.row)).isSuperset(
        of: Self.cats.filter { $0.nick != nil }.map { Int64($0.id) }))
    try await file.close()
  }

  @Test func `a column whose name is damaged is found where the list of tables is whole`() async throws {
    let folder = try Folder()
    let url = try await make(folder)
    try change(url, "ALTER TABLE Cat RENAME COLUMN nick TO nicj")
    #expect(await refusal(url) == .damaged)
    let file = try await open(url, repairs: true)
    expectAll(file)
    try await file.close()
  }

  @Test(arguments: [false, true])
  func `names of columns that were exchanged exchange no values`(isListLost: Bool) async throws {
    let folder = try Folder()
    let url = try await make(folder)
    try change(
      url,
      """
      ALTER TABLE Cat RENAME COLUMN nick TO x;
      ALTER TABLE Cat RENAME COLUMN name TO nick;
      ALTER TABLE Cat RENAME COLUMN x TO name;
      \(isListLost ? "UPDATE livestore_file SET value = 1 WHERE key = 'check'" : "")
      """)
    #expect(await refusal(url) == .damaged)
    let file = try await open(url, repairs: true)
    #expect(file.store.fetch(Cat.all).isEmpty)
    #expect(Array(file.store.fetch(Dog.all)) == Self.dogs)
    try await file.close()
  }

  // MARK: What others add

  /// Bug: the repair refused the whole file.
  @Test(arguments: [nil, key]) func `a column that another program added is left out, and no row`(
    key: SymmetricKey?
  )
    async throws
  {
    let folder = try Folder()
    let url = try await make(folder, key: key)
    try change(
      url, "ALTER TABLE Cat ADD COLUMN mood DEFAULT 'good'; UPDATE Cat SET mood = 'bad' WHERE _place < 9")
    #expect(await refusal(url, key: key) == .damaged)
    let file = try await open(url, key: key, repairs: true)
    expectAll(file)
    #expect(file.damagedRows.map(\.row) == [nil] && file.damagedRows[0].reason.contains("mood"))
    try await file.close()
    try await open(url, key: key).close()
  }

  // MARK: The header

  /// Bug: a file that was whole was one of a newer library.
  @Test(arguments: [nil, key], [0, 1, 3, 77, -1])
  func `a format that another program has written into the header is restored`(
    key: SymmetricKey?, format: Int
  )
    async throws
  {
    let folder = try Folder()
    let url = try await make(folder, key: key)
    try change(url, "PRAGMA user_version = \(format)")
    #expect(await refusal(url, key: key) == .damaged)
    let file = try await open(url, key: key, repairs: true)
    expectAll(file)
    #expect(file.damagedRows.isEmpty)
    try await file.close()
    try await open(url, key: key).close()
  }

  @Test func `a file of a newer format is refused, and not repaired`() async throws {
    let folder = try Folder()
    let url = try await make(folder)
    let newer = #"{"format":3,"version":1,"schema":1,"tables":{}}"#
    try change(
      url, "PRAGMA user_version = 3; UPDATE livestore_file SET value = '\(newer)' WHERE key = 'contents'")
    let bytes = try Data(contentsOf: url)
    #expect(await refusal(url, repairs: true) == .newerFormat)
    #expect(try Data(contentsOf: url) == bytes)
  }

  @Test func `what a log has is there after the header was restored`() async throws {
    let folder = try Folder()
    _ = try await make(folder)
    let file = try await open(folder.file)
    try await file.write { tx in try tx.update(Cat.self, 7) { $0.name = "changed" } }
    let place = try Folder()
    for suffix in ["", "-wal"] {
      var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file.path + suffix))
      if suffix.isEmpty { bytes[3] = 0 }
      try bytes.write(to: URL(fileURLWithPath: place.file.path + suffix))
    }
    try await file.close()
    let restored = try await open(place.file, repairs: true)
    #expect(restored.store.snapshot()[Cat.self, 7]?.name == "changed")
    try await restored.close()
  }

  @Test func `a foreign database with a damaged header is not taken for a file`() async throws {
    let folder = try Folder()
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.write { db in try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    try queue.close()
    var bytes = try Data(contentsOf: folder.file)
    bytes[2] ^= 4
    try bytes.write(to: folder.file)
    #expect(await refusal(folder.file, repairs: true) == .notAStoreFile)
    #expect(try Data(contentsOf: folder.file) == bytes)
    #expect(try folder.names == ["app.db"])
  }
}
