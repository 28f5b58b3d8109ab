import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Backups over what was there` {
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
}
