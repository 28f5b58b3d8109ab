import Crypto
import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

/// From which key to which a file is changed.
enum KeyChange: String, CaseIterable, Sendable {
  case plainToKey, keyToKey, keyToPlain, keyToItself

  private static let (first, second) = (SymmetricKey(size: .bits256), SymmetricKey(size: .bits128))
  var before: SymmetricKey? { self == .plainToKey ? nil : Self.first }
  var after: SymmetricKey? {
    switch self {
    case .plainToKey, .keyToItself: Self.first
    case .keyToKey: Self.second
    case .keyToPlain: nil
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Changes of the key` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open(_ key: SymmetricKey?, _ url: URL? = nil) async throws -> StoreFile {
    try await Naming.all.open(at: url ?? folder.file, .init(key: key))
  }

  @Test(arguments: KeyChange.allCases)
  func `writers and those who wait go on while the key is changed, and nothing is lost`(change: KeyChange)
    async throws
  {
    let file = try await open(change.before)
    try await file.write { tx in for id in 0..<500 { try tx.insert(Count(id: -1 - id, value: id)) } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          for round in 0..<25 {
            let id = writer * 1_000 + round
            if round % 2 == 0 {
              try await file.write { tx in try tx.insert(Count(id: id, value: round)) }
              #expect(file.store.snapshot()[Count.self, id] != nil)
            } else {
              try await file.store.write { tx in
                try tx.insert(Count(id: id, value: round))
                try tx.delete(Count.self, -1 - id % 500)
              }
              try await file.durable(through: file.store.version)
            }
          }
        }
      }
      group.addTask {
        try await file.changeKey(to: change.after)
        try await file.changeKey(to: change.before)
        try await file.changeKey(to: change.after)
      }
      try await group.waitForAll()
    }
    #expect(file.metrics.failures == 0 && file.metrics.lag == 0)
    let expected = Model(of: file.store.snapshot(), .all)
    try await file.close()
    let again = try await open(change.after)
    try expected.check(again.store, .all, "\(change)")
    try await again.close()
    if change != .keyToItself {
      let error = await #expect(throws: StoreFileError.self) { try await open(change.before) }
      #expect(error?.code == .wrongKey)
    }
  }

  @Test func `changes of the key at the same time leave one of the keys`() async throws {
    let keys = (0..<6).map { _ in SymmetricKey(size: .bits256) }
    let file = try await open(nil)
    try await file.write { tx in for id in 0..<50 { try tx.insert(Count(id: id, value: id)) } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for key in keys { group.addTask { try await file.changeKey(to: key) } }
      try await group.waitForAll()
    }
    try await file.close()
    var opened = 0
    for key in keys {
      guard let again = try? await open(key) else { continue }
      #expect(again.store.count(Count.all) == 50)
      try await again.close()
      opened += 1
    }
    #expect(opened == 1)
  }

  @Test func `tables of entities that are not named get the new key, too`() async throws {
    let key = SymmetricKey(size: .bits256)
    let file = try await open(nil)
    try await file.write { tx in
      try tx.insert(Team(id: "a", name: "a"))
      try tx.insert(Count(id: 1, value: 1))
    }
    try await file.close()
    let part = try await Naming.small.open(at: folder.file)
    try await part.changeKey(to: key)
    try await part.close()
    let again = try await open(key)
    #expect(again.store.count(Team.all) == 1 && again.store.count(Count.all) == 1)
    try await again.close()
  }

  @Test func `a backup keeps the key that the file had, and one made later has the new one`() async throws {
    let (first, second) = (SymmetricKey(size: .bits256), SymmetricKey(size: .bits256))
    let backups = ["first", "second"].map { folder.url.appendingPathComponent($0) }
    let file = try await open(first)
    try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    try await file.backup(to: backups[0])
    try await file.changeKey(to: second)
    try await file.backup(to: backups[1])
    try await file.close()
    for (url, key) in zip(backups, [first, second]) {
      let backup = try await open(key, url)
      #expect(backup.store.count(Count.all) == 1)
      try await backup.close()
    }
  }

  /// Bug: rows that are sealed have no columns, and the table that has them in plain text was declared in more bytes than an
  /// opening reads.
  @Test func `names that are too long for columns leave a file encrypted`() async throws {
    let key = SymmetricKey(size: .bits256)
    let new = try await open(key)
    try await new.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    try await new.close()
    let step = Migration(from: 1, to: 2) { _, tx in
      try tx.insert("Wide") { row in
        for index in 0..<100 {
          try row.set("p\(index)" + String(repeating: "x", count: 3_000), to: index)
        }
      }
    }
    let options = StoreFile.Options(key: key, migrations: [step])
    let file = try await Naming.all.open(at: folder.file, options)
    let error = await #expect(throws: StoreFileError.self) { try await file.changeKey(to: nil) }
    #expect(error?.code == .mismatch && error?.table == "Wide", "\(error as Any)")
    try await file.write { tx in try tx.insert(Count(id: 7, value: 7)) }
    try await file.close()
    let again = try await Naming.all.open(at: folder.file, options)
    #expect(again.store.snapshot()[Count.self, 7]?.value == 7)
    try await again.close()
  }

  @Test func `a change of the key of a file that is closed or only read is an error`() async throws {
    let file = try await open(nil)
    let reading = try await Naming.all.open(at: folder.file, .init(isReadOnly: true))
    let key = SymmetricKey(size: .bits256)
    var error = await #expect(throws: StoreFileError.self) { try await reading.changeKey(to: key) }
    #expect(error?.code == .readOnly)
    try await file.close()
    error = await #expect(throws: StoreFileError.self) { try await file.changeKey(to: key) }
    #expect(error?.code == .closed)
    try await open(nil).close()
  }

  @Test(arguments: KeyChange.allCases)
  func `undo, redo and the order of objects are as before after a change of the key`(change: KeyChange)
    async throws
  {
    let file = try await open(change.before)
    try await file.write { tx in for id in [5, 3, 9, 1] { try tx.insert(Count(id: id, value: id)) } }
    try await file.write { tx in try tx.delete(Count.self, 3) }
    try await file.changeKey(to: change.after)
    try await file.write { tx in
      try tx.insert(Count(id: 3, value: 4))
      try tx.update(Count.self, 9) { $0.value = 10 }
      try tx.delete(Count.self, 5)
    }
    let expected = Model(of: file.store.snapshot(), .all)
    try await file.close()
    let again = try await open(change.after)
    try expected.check(again.store, .all, "\(change)")
    #expect(again.store.fetch(Count.all).map(\.id) == [9, 1, 3])
    try await again.close()
  }
}
