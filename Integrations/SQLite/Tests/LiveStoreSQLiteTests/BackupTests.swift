import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Backups over what was there` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// The log of another file, valid in itself, would be applied to the new one.
  @Test func `a backup over a file that a crash left with its log is the backup alone`() async throws {
    let target = folder.url.appendingPathComponent("backup.db")
    let source = try Folder()
    let other = try await StoreFile.open(at: source.file, Count.self)
    try await other.write { tx in for id in 0..<2_000 { try tx.insert(Count(id: id, value: 7)) } }
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        at: URL(filePath: source.file.path + suffix), to: URL(filePath: target.path + suffix))
    }
    try await other.close()

    let file = try await StoreFile.open(at: folder.file, Count.self)
    try await file.write { tx in for id in 0..<30 { try tx.insert(Count(id: id, value: id)) } }
    try await file.backup(to: target)
    let expected = Array(file.store.fetch(Count.all))
    try await file.close()
    let backup = try await StoreFile.open(at: target, Count.self)
    #expect(Array(backup.store.fetch(Count.all)) == expected)
    try await backup.close()
  }

  /// A repair that ended before its file had the name.
  private func makeRepaired(_ url: URL) async throws {
    let repaired = URL(filePath: url.path + "-repaired")
    let file = try await StoreFile.open(at: repaired, Count.self)
    try await file.write { tx in try tx.insert(Count(id: 7, value: 7)) }
    try await file.close()
    try FileManager.default.removeItem(atPath: repaired.path + "-owner")
    try Data(repeating: 7, count: 9_000).write(to: url)
    try noteRepaired(url)
  }

  @Test func `a backup to a name that has a repaired file is what that name has afterwards`() async throws {
    let target = folder.url.appendingPathComponent("backup.db")
    try await makeRepaired(target)
    let file = try await StoreFile.open(at: folder.file, Count.self)
    try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    try await file.backup(to: target)
    try await file.close()
    for isReadOnly in [true, false] {
      let backup = try await StoreFile.open(at: target, Count.self, options: .init(isReadOnly: isReadOnly))
      #expect(backup.store.fetch(Count.all).map(\.id) == [1])
      try await backup.close()
    }
    try StoreFile.remove(at: target)
    try StoreFile.remove(at: folder.file)
    #expect(try folder.names == [])
  }
}
