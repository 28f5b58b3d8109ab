import Crypto
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Wrong keys` {
  private let folder: Folder
  private static let key = SymmetricKey(size: .bits256)
  private static let short = SymmetricKey(data: Data(repeating: 3, count: 15))

  init() throws { folder = try Folder() }

  private func open(
    _ key: SymmetricKey?, _ repair: StoreFile.Options.Repair = .none, isReadOnly: Bool = false
  ) async throws -> StoreFile {
    try await StoreFile.open(
      at: folder.file, Count.self, options: .init(key: key, repair: repair, isReadOnly: isReadOnly))
  }

  /// The files in the folder, except the lock, the shared memory and an empty log, which hold nothing.
  private func contents() throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    where !name.hasSuffix("-owner") && !name.hasSuffix("-shm") {
      let bytes = try Data(contentsOf: folder.url.appendingPathComponent(name))
      // A connection that only reads makes a log without content.
      if !bytes.isEmpty || !name.hasSuffix("-wal") { found[name] = bytes }
    }
    return found
  }

  /// Throws unless a key is refused by each way of opening, and nothing is changed.
  private func requireRefusal(_ key: SymmetricKey?, _ place: String) async throws {
    let before = try contents()
    for repair in [StoreFile.Options.Repair.none, .skipDamagedRows] {
      for isReadOnly in [false, true] {
        let error = await #expect(throws: StoreFileError.self, "\(place)") {
          try await open(key, repair, isReadOnly: isReadOnly)
        }
        #expect(error?.code == .wrongKey, "\(place), \(repair): \(String(describing: error))")
        #expect(error?.message.lowercased().contains("key") == true, "\(String(describing: error))")
      }
    }
    try require(try contents() == before, "\(place): the file was changed")
  }

  @Test func `an encrypted file is refused with another key, without one and with part of it`() async throws {
    let file = try await open(Self.key)
    try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    try await file.close()
    let part = Self.key.withUnsafeBytes { SymmetricKey(data: Data($0.prefix(16))) }
    let zeros = SymmetricKey(data: Data(repeating: 0, count: 32))
    let longer = Self.key.withUnsafeBytes { SymmetricKey(data: Data($0) + [0]) }
    for (name, key) in [
      ("another", SymmetricKey(size: .bits256)), ("none", nil), ("a part", part), ("zeros", zeros),
      ("a longer one", longer), ("a short one", Self.short),
    ] {
      try await requireRefusal(key, name)
    }
    let again = try await open(Self.key)
    #expect(again.store.count(Count.all) == 1)
    try await again.close()
  }

  @Test func `an empty encrypted file is refused with another key`() async throws {
    try await open(Self.key).close()
    try await requireRefusal(SymmetricKey(size: .bits256), "another")
    try await requireRefusal(nil, "none")
  }

  /// Point 14: the number of the format stands beside what is sealed, so anyone can change it.
  @Test(arguments: [0, 1, 3, 99])
  func
    `an encrypted file whose header names another format is refused for its key, or with it for the header`(
      format: Int
    ) async throws
  {
    let file = try await open(Self.key)
    try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    try await file.close()
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA user_version = \(format)") }
    try queue.close()
    try await requireRefusal(SymmetricKey(size: .bits256), "another")
    try await requireRefusal(nil, "none")
    let error = await #expect(throws: StoreFileError.self) { try await open(Self.key) }
    #expect(error?.code == .damaged, "\(String(describing: error))")
    #expect(error?.message.contains("names format \(format)") == true, "\(String(describing: error))")
    let repaired = try await open(Self.key, .skipDamagedRows)
    #expect(repaired.store.count(Count.all) == 1 && repaired.damagedRows.isEmpty)
    try await repaired.close()
  }

  @Test func `a plain file is refused with a key`() async throws {
    let file = try await open(nil)
    try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    try await file.close()
    try await requireRefusal(Self.key, "a key")
  }

  @Test func `a file that a crash left with its log is refused with another key, and the log stays`()
    async throws
  {
    let source = try Folder()
    let file = try await StoreFile.open(at: source.file, Count.self, options: .init(key: Self.key))
    try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        at: URL(filePath: source.file.path + suffix), to: URL(filePath: folder.file.path + suffix))
    }
    try await file.close()
    #expect(try contents().keys.contains("app.db-wal"))
    // Those who have the wrong key may not lose what is only in the log.
    for key in [SymmetricKey(size: .bits256), nil] {
      let error = await #expect(throws: StoreFileError.self) { try await open(key) }
      #expect(error?.code == .wrongKey, "\(String(describing: error))")
    }
    let again = try await open(Self.key)
    #expect(again.store.count(Count.all) == 1)
    try await again.close()
  }

  @Test(arguments: [0, 1, 8, 15])
  func `a key that is too short makes no file`(count: Int) async throws {
    let key = SymmetricKey(data: Data(repeating: 7, count: count))
    let error = await #expect(throws: StoreFileError.self) { try await open(key) }
    #expect(error?.code == .wrongKey, "\(String(describing: error))")
    #expect(!FileManager.default.fileExists(atPath: folder.file.path))
    try await open(Self.key).close()
  }

  @Test(arguments: [16, 17, 24, 32, 64])
  func `a key of any length from 128 bits opens the file again`(count: Int) async throws {
    let key = SymmetricKey(data: Data((0..<count).map { UInt8($0) }))
    let file = try await open(key)
    try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    try await file.close()
    let again = try await open(key)
    #expect(again.store.count(Count.all) == 1)
    try await again.close()
  }

  @Test func `a file without content is refused with a key and stays as it is`() async throws {
    try Data().write(to: folder.file)
    for repair in [StoreFile.Options.Repair.none, .skipDamagedRows] {
      await #expect(throws: StoreFileError.self) { try await open(Self.key, repair) }
    }
    #expect(try Data(contentsOf: folder.file).isEmpty)
  }

  @Test func `a change to a key that is too short is refused, and the file keeps its key`() async throws {
    for key in [nil, Self.key] {
      let file = try await open(key)
      try await file.write { tx in try tx.upsert(Count(id: 1, value: 1)) }
      let error = await #expect(throws: StoreFileError.self) { try await file.changeKey(to: Self.short) }
      #expect(error?.code == .wrongKey)
      try await file.write { tx in try tx.upsert(Count(id: 2, value: 1)) }
      try await file.close()
      let again = try await open(key)
      #expect(again.store.count(Count.all) == 2)
      try await again.close()
      try StoreFile.remove(at: folder.file)
    }
  }
}
