import Crypto
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

private enum Renamed {
  struct Total: Entity, Codable {
    let id: Int
    var value: Int
    static let schema = Schema<Total> { \.value }
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Files that go on where they were` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open(
    _ url: URL? = nil, _ options: StoreFile.Options = StoreFile.Options()
  ) async throws -> StoreFile {
    try await StoreFile.open(at: url ?? folder.file, Count.self, options: options)
  }

  /// The file as it is after the process has ended now, under another name.
  private func crash(_ name: String) throws -> URL {
    let copy = folder.url.appendingPathComponent(name)
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: folder.file.path + suffix) {
      try FileManager.default.copyItem(
        atPath: folder.file.path + suffix, toPath: copy.path + suffix)
    }
    // It was open.
    try Data("complete\n".utf8).write(to: URL(fileURLWithPath: copy.path + "-owner"))
    return copy
  }

  private func fill(_ file: StoreFile, _ ids: ClosedRange<Int>) async throws {
    try await file.write { tx in for id in ids { try tx.insert(Count(id: id, value: 0)) } }
  }

  private static let byValue = Count.all.sorted(by: \.value)

  @Test(arguments: [StoreFile.Options.Durability.full, .normal])
  func `an opened file has the identity and the version that it was closed with`(
    durability: StoreFile.Options.Durability
  ) async throws {
    let options = StoreFile.Options(durability: durability)
    var file = try await open(nil, options)
    let identity = file.store.identity
    #expect(file.store.version == .zero)
    for round in 1...5 {
      try await fill(file, round...round)
      #expect(file.store.version == Version(UInt64(round)))
      try await file.close()
      file = try await open(nil, options)
      #expect(file.store.identity == identity && file.store.version == Version(UInt64(round)))
      #expect(file.durableVersion == file.store.version)
    }
    try await file.close()
    let reader = try await open(nil, .init(isReadOnly: true))
    #expect(reader.store.identity == identity && reader.store.version == Version(5))
  }

  @Test func `a file without objects goes on, too, and gives no place twice`() async throws {
    var file = try await open()
    try await fill(file, 1...3)
    try await file.write { tx in try tx.deleteAll() }
    try await file.close()
    file = try await open()
    #expect(file.store.version == Version(2) && file.store.snapshot().nextPlace(of: Count.self) == 4)
    try await fill(file, 1...1)
    try await file.close()
    file = try await open()
    #expect(file.store.snapshot().nextPlace(of: Count.self) == 5)
    try await file.close()
  }

  @Test func `a client's version is exact after the file was closed, and refused after a crash`() async throws
  {
    var file = try await open()
    try await fill(file, 1...4)
    let (identity, version) = (file.store.identity, file.store.version)
    try await file.close()
    file = try await open()
    _ = try file.store.changes(of: Count.all, since: version)
    try await fill(file, 5...5)
    _ = try file.store.changes(of: Count.all, since: version)
    let durable = file.store.version
    let crashed = try crash("crashed.db")
    // In memory alone, as far as the copy knows.
    try await fill(file, 6...6)
    let lost = file.store.version
    try await file.close()
    let again = try await open(crashed)
    #expect(again.store.identity == identity && again.store.version > lost)
    #expect(again.store.fetch(Count.all).map(\.id) == Array(1...5))
    for version in [version, durable, lost] {
      let error = #expect(throws: StoreError.self) { try again.store.changes(of: Count.all, since: version) }
      #expect(error?.code == .historyTruncated)
    }
    _ = try again.store.changes(of: Count.all, since: again.store.version)
    // The next opening goes on from there.
    let next = again.store.version
    try await again.close()
    let last = try await open(crashed)
    #expect(last.store.version == next)
    try await last.close()
  }

  @Test func `a page goes on after the file was closed, whatever was deleted meanwhile`() async throws {
    var file = try await open()
    try await fill(file, 1...20)
    let cursor = try file.store.page(of: Self.byValue, first: 12).next
    let coded = try JSONEncoder().encode(cursor)
    try await file.write { tx in for id in 1...10 { try tx.delete(Count.self, id) } }
    try await file.close()
    file = try await open()
    let decoded = try JSONDecoder().decode(PageCursor.self, from: coded)
    #expect(try file.store.page(of: Self.byValue, after: decoded, first: 20).rows.map(\.id) == Array(13...20))
    try await file.close()
  }

  @Test func `the last rows may go, and others come, between two pages and two openings`() async throws {
    var file = try await open()
    try await fill(file, 1...6)
    let cursor = try file.store.page(of: Self.byValue, first: 5).next
    try await file.write { tx in for id in 4...6 { try tx.delete(Count.self, id) } }
    try await file.close()
    file = try await open()
    try await fill(file, 10...12)
    #expect(try file.store.page(of: Self.byValue, after: cursor, first: 20).rows.map(\.id) == [10, 11, 12])
    try await file.close()
  }

  @Test func `a cursor of a version that a crash lost is refused, and one of a version that was kept is not`()
    async throws
  {
    let file = try await open()
    try await fill(file, 1...10)
    let kept = try file.store.page(of: Self.byValue, first: 5).next
    let crashed = try crash("crashed.db")
    try await fill(file, 11...20)
    let lost = try file.store.page(of: Self.byValue, first: 15).next
    try await file.close()
    for _ in 0..<2 {
      let again = try await open(crashed)
      try await fill(
        again, (again.store.fetch(Count.all).count + 1)...(again.store.fetch(Count.all).count + 10))
      let rest = try again.store.page(of: Self.byValue, after: kept, first: 99).rows.map(\.id)
      #expect(rest == Array(6...again.store.fetch(Count.all).count))
      let error = #expect(throws: StoreError.self) {
        try again.store.page(of: Self.byValue, after: lost, first: 20)
      }
      #expect(error?.code == .invalidCursor)
      try await again.close()
    }
  }

  @Test func `a backup, a seed and a repair are other stores`() async throws {
    let file = try await open()
    try await fill(file, 1...30)
    let identity = file.store.identity
    let target = folder.url.appendingPathComponent("backup.db")
    try await file.backup(to: target)
    #expect(try folder.names.filter { $0.hasPrefix("backup.db") } == ["backup.db"])
    try await file.close()
    let backup = try await open(target)
    let seeded = try await StoreFile.open(
      at: folder.url.appendingPathComponent("seeded.db"), Count.self, seededFrom: folder.file)
    #expect(Set([identity, backup.store.identity, seeded.store.identity]).count == 3)
    for copy in [backup, seeded] {
      #expect(copy.store.version == Version(1) && copy.store.fetch(Count.all).count == 30)
    }
    let (first, second) = (backup.store.identity, seeded.store.identity)
    try await backup.close()
    try await seeded.close()
    let again = try await open(target)
    #expect(again.store.identity == first)
    try await again.close()
    // The original goes on.
    let original = try await open()
    #expect(original.store.identity == identity)
    try await original.close()
    var bytes = try Data(contentsOf: folder.file)
    bytes[bytes.count - 7] ^= 0x55
    try bytes.write(to: folder.file)
    let repaired = try await open(nil, .init(repair: .skipDamagedRows))
    #expect(![identity, first, second].contains(repaired.store.identity) && !repaired.damagedRows.isEmpty)
    let version = repaired.store.version
    try await repaired.close()
    let last = try await open()
    #expect(last.store.identity == repaired.store.identity && last.store.version == version)
    try await last.close()
  }

  @Test func `a backup of an encrypted file is another store, and has its key`() async throws {
    let key = StoreFile.Options(key: .init(data: Data(repeating: 7, count: 32)))
    let file = try await open(nil, key)
    try await fill(file, 1...5)
    let target = folder.url.appendingPathComponent("backup.db")
    try await file.backup(to: target)
    try await file.changeKey(to: nil)
    let identity = file.store.identity
    try await file.close()
    let plain = try await open()
    #expect(plain.store.identity == identity && plain.store.version == Version(1))
    try await plain.close()
    let backup = try await open(target, key)
    #expect(backup.store.identity != identity && backup.store.fetch(Count.all).count == 5)
    try await backup.close()
  }

  @Test func `a store that is only read has the versions of another process, and makes none`() async throws {
    let file = try await open()
    try await fill(file, 1...3)
    let reader = try await open(nil, .init(isReadOnly: true))
    #expect(reader.store.identity == file.store.identity && reader.store.version == file.store.version)
    let error = await #expect(throws: StoreError.self) {
      try await reader.store.write { tx in try tx.insert(Count(id: 9, value: 9)) }
    }
    #expect(error?.code == .readOnly)
    let copy = Store(copying: reader.store.snapshot())
    try await copy.write { tx in try tx.insert(Count(id: 9, value: 9)) }
    #expect(copy.identity != file.store.identity)
    try await file.close()
  }

  /// Without the log, a file has an earlier version, and would give later ones again.
  @Test func `a file whose log is gone goes on behind the versions that the log had`() async throws {
    var file = try await open()
    try await fill(file, 1...3)
    try await file.close()
    file = try await open()
    try await fill(file, 4...6)
    let (identity, last) = (file.store.identity, file.store.version)
    let crashed = try crash("crashed.db")
    try await file.close()
    try FileManager.default.removeItem(atPath: crashed.path + "-wal")
    let again = try await open(crashed)
    #expect(again.store.identity == identity && again.store.version > last)
    #expect(again.store.fetch(Count.all).map(\.id) == [1, 2, 3])
    try await again.close()
  }

  @Test func `a migration that renames or removes an entity makes the file that of another store`()
    async throws
  {
    let file = try await open()
    try await fill(file, 1...4)
    let (identity, copy) = (file.store.identity, folder.url.appendingPathComponent("copy.db"))
    try await file.close()
    try FileManager.default.copyItem(at: folder.file, to: copy)
    let renamed = try await StoreFile.open(
      at: copy, Renamed.Total.self, options: .init(migrations: [.renamed("Count", to: Renamed.Total.self)]))
    #expect(renamed.store.identity != identity && renamed.store.count(Renamed.Total.all) == 4)
    try await renamed.close()
    let exchanged = Migration(from: 1, to: 2) { _, tx in
      try tx.renameEntity("Count", to: "Other")
      try tx.insert("Count") { row in
        try row.set("id", to: 1)
        try row.set("value", to: 0)
      }
    }
    let second = folder.url.appendingPathComponent("second.db")
    try FileManager.default.copyItem(at: folder.file, to: second)
    let other = try await open(second, .init(migrations: [exchanged]))
    #expect(other.store.identity != identity && other.store.fetch(Count.all).count == 1)
    try await other.close()
    // One that is made again goes on with the places.
    let again = Migration(from: 1, to: 2) { _, tx in
      try tx.deleteEntity("Count")
      for id in 1...2 {
        try tx.insert("Count") { row in
          try row.set("id", to: id)
          try row.set("value", to: 0)
        }
      }
    }
    let made = try await open(nil, .init(migrations: [again]))
    #expect(made.store.identity == identity && made.store.snapshot().nextPlace(of: Count.self) == 7)
    try await made.close()
  }

  @Test func `a seed that fails leaves the file as new as before`() async throws {
    struct Failed: Error {}
    await #expect(throws: Failed.self) {
      try await StoreFile.open(at: folder.file, Count.self) { tx in
        try tx.insert(Count(id: 1, value: 1))
        throw Failed()
      }
    }
    let file = try await open()
    #expect(file.store.version == .zero && file.store.fetch(Count.all).isEmpty)
    try await file.close()
  }

  @Test func `the history is as long as the options say`() async throws {
    var options = StoreFile.Options()
    options.configuration.historyCommits = 2
    let file = try await open(nil, options)
    for id in 1...4 { try await fill(file, id...id) }
    _ = try file.store.changes(of: Count.all, since: Version(2))
    let error = #expect(throws: StoreError.self) { try file.store.changes(of: Count.all, since: Version(1)) }
    #expect(error?.code == .historyTruncated)
    try await file.close()
  }

  @Test func `a migration makes a version, and opening alone does not`() async throws {
    let file = try await open()
    try await fill(file, 1...4)
    let identity = file.store.identity
    try await file.close()
    let migration = Migration(from: 1, to: 2) { _, tx in
      try tx.update("Count") { row in try row.set("value", to: 9) }
    }
    for _ in 0..<2 {
      let again = try await open(nil, .init(migrations: [migration]))
      #expect(again.store.identity == identity && again.store.version == Version(2))
      #expect(again.store.fetch(Count.all).allSatisfy { $0.value == 9 })
      try await again.close()
    }
  }

  @Test func `what a file says of lost versions does not grow with the crashes`() async throws {
    var url = folder.file
    let file = try await open()
    try await fill(file, 1...10)
    let kept = try file.store.page(of: Self.byValue, first: 5).next
    var last = file.store.version
    try await file.durable(through: last)
    var size = 0
    for round in 1...200 {
      let crashed = folder.url.appendingPathComponent("crashed \(round).db")
      for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
        try FileManager.default.copyItem(atPath: url.path + suffix, toPath: crashed.path + suffix)
      }
      let again = try await open(crashed)
      #expect(again.store.version > last)
      last = again.store.version
      let contents = try await DatabaseQueue(path: crashed.path).read { db in
        try String.fetchOne(db, sql: "SELECT value FROM livestore_file WHERE key = 'contents'") ?? ""
      }
      if round == 100 { size = contents.utf8.count }
      if round == 200 {
        #expect(contents.utf8.count < size + 200)
        #expect(try again.store.page(of: Self.byValue, after: kept, first: 9).rows.map(\.id) == Array(6...10))
      }
      try await again.close()
      // Closed, it would not be a crash: the next one takes the copy from before.
      url = crashed
      if round < 200 {
        let reopened = try await open(crashed)
        let copy = folder.url.appendingPathComponent("open.db")
        for suffix in ["", "-wal"] {
          try? FileManager.default.removeItem(atPath: copy.path + suffix)
          if FileManager.default.fileExists(atPath: crashed.path + suffix) {
            try FileManager.default.copyItem(atPath: crashed.path + suffix, toPath: copy.path + suffix)
          }
        }
        try await reopened.close()
        url = copy
      }
    }
    try await file.close()
  }
}
