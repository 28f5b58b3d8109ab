import FailingCalls
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

/// A property for each name of another, but for its case.
private struct Twins: Entity, Codable, Equatable {
  let id: Int
  var fullname: String?
  var fullName: String?
  static let schema = Schema<Twins> {
    \.fullname
    \.fullName
  }
}

private struct OtherID: Entity, Codable, Equatable {
  let id: Int
  var iD: Int?
  static let schema = Schema<OtherID> { \.iD }
}

/// The same names, one of which is written under another key.
private struct Keyed: Entity, Codable, Equatable {
  let id: Int
  var fullname: String?
  var fullName: String?
  static let schema = Schema<Keyed> {
    \.fullname
    \.fullName
  }

  enum CodingKeys: String, CodingKey {
    case id, fullname
    case fullName = "upper"
  }
}

/// SQLite folds A to Z alone.
private struct Umlauts: Entity, Codable, Equatable {
  let id: Int
  var ä: String?
  var Ä: String?
  static let schema = Schema<Umlauts> {
    \.ä
    \.Ä
  }
}

private struct Volume: Entity, Codable, Equatable {
  let id: Int
  var title: String
  var text: String
  static let schema = Schema<Volume> {
    \.title
    \.text
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Messages about files` {
  private let folder: Folder

  init() throws { folder = try Folder(inMemory: true) }

  /// Bug: where the log or the shared memory found no room, SQLite says "disk I/O error" and "unable to open database file".
  @Test(.enabled(if: FailingCalls.areAvailable))
  func `a disk that is full at opening is an error that says so`() async throws {
    for isNew in [true, false] {
      let folder = try Folder(within: folder, "new \(isNew)")
      try await FailingCalls.exclusively(under: folder.url.path) {
        if !isNew {
          let file = try await Naming.small.open(at: folder.file)
          try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
          try await file.close()
        }
        var (call, reported) = (0, 0)
        repeat {
          call += 1
          FailingCalls.fail(atCall: call, of: [.write, .make], .error(ENOSPC), staysFailed: true)
          do {
            let file = try await Naming.small.open(at: folder.file)
            FailingCalls.disarm()
            // What is open without room to reserve versions goes on when there is some.
            try await file.close()
          } catch let error as StoreFileError {
            FailingCalls.disarm()
            reported += 1
            #expect(error.code == .ioFailed, "call \(call): \(error)")
            let saysSo = error.message.contains("no room") || error.message.contains("No space left")
            #expect(saysSo, "call \(call): \(error)")
          }
          if isNew { try StoreFile.remove(at: folder.file) }
        } while FailingCalls.failed > 0
        #expect(reported > 3 && call < 200)
      }
    }
  }

  @Test func `a file that another program has locked at opening is an error that says what to do`()
    async throws
  {
    let file = try await Naming.small.open(at: folder.file)
    try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    try await file.close()
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let queue = try DatabaseQueue(path: folder.file.path, configuration: configuration)
    try await queue.writeWithoutTransaction { db in try db.execute(sql: "BEGIN EXCLUSIVE") }
    let error = await #expect(throws: StoreFileError.self) { try await Naming.small.open(at: folder.file) }
    #expect(error?.code == .ioFailed)
    #expect(error?.message.contains("locked by another program") == true, "\(String(describing: error))")
    #expect(error?.message.contains("try again") == true && error?.message.contains(folder.file.path) == true)
    try await queue.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
    try queue.close()
    let again = try await Naming.small.open(at: folder.file)
    #expect(again.store.count(Count.all) == 1)
    try await again.close()
  }

  /// Bug: they were refused at the first write, long after the file was opened.
  @Test func `properties whose names differ by case alone are refused at opening`() async throws {
    func refusal<Element: Entity & Codable>(_: Element.Type) async -> StoreFileError? {
      await #expect(throws: StoreFileError.self) { try await StoreFile.open(at: folder.file, Element.self) }
    }
    let twins = await refusal(Twins.self)
    #expect(twins?.code == .mismatch && twins?.table == "Twins", "\(String(describing: twins))")
    #expect(twins?.message.contains("fullname and fullName of Twins") == true, "\(String(describing: twins))")
    let other = await refusal(OtherID.self)
    #expect(other?.message.contains("id and iD of OtherID") == true, "\(String(describing: other))")
    #expect(try folder.names == [])
  }

  @Test
  func `properties whose names differ by more than the case from A to Z, or by their keys, are written`()
    async throws
  {
    let file = try await StoreFile.open(at: folder.file, Keyed.self, Umlauts.self)
    let (keyed, umlauts) = (Keyed(id: 1, fullname: "a", fullName: "b"), Umlauts(id: 1, ä: "a", Ä: "b"))
    try await file.write { tx in
      try tx.insert(keyed)
      try tx.insert(umlauts)
    }
    try await file.close()
    let again = try await StoreFile.open(at: folder.file, Keyed.self, Umlauts.self)
    #expect(Array(again.store.fetch(Keyed.all)) == [keyed])
    #expect(Array(again.store.fetch(Umlauts.all)) == [umlauts])
    try await again.close()
  }

  /// Bug: "not an error", which named nothing.
  @Test(.enabled(if: Environment.isLong))
  func `a text of more bytes than SQLite stores is an error that names table, row and property`() async throws
  {
    let file = try await StoreFile.open(
      at: folder.file, Volume.self, options: .init(retryDelay: .seconds(60)))
    try await file.write { tx in try tx.insert(Volume(id: 1, title: "first", text: "short")) }
    try await file.store.write { tx in
      try tx.insert(Volume(id: 2, title: "second", text: String(repeating: "x", count: 1_000_000_001)))
    }
    let error = await #expect(throws: StoreFileError.self) {
      try await file.durable(through: file.store.version)
    }
    #expect(
      error?.code == .mismatch && error?.table == "Volume" && error?.row == 2, "\(String(describing: error))")
    #expect(error?.message.contains("the property text") == true, "\(String(describing: error))")
    #expect(error?.message.contains("1000000000") == true, "\(String(describing: error))")
    // Once it fits, the file goes on.
    try await file.write { tx in try tx.update(Volume.self, 2) { $0.text = "shorter" } }
    try await file.close()
    let again = try await StoreFile.open(at: folder.file, Volume.self)
    #expect(again.store.fetch(Volume.all).map(\.text) == ["short", "shorter"])
    try await again.close()
  }
}
