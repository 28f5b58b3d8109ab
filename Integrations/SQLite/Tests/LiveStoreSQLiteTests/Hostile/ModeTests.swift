import Crypto
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Modes of files` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  private func set(_ mode: Int, _ url: URL) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
  }

  /// Checks that no file may be used by others than one of a mode; its owner may write what is made.
  private func requireNoWider(than mode: Int, _ place: String, except original: URL? = nil) throws {
    let paths = try #require(FileManager.default.enumerator(atPath: folder.url.path)).compactMap {
      $0 as? String
    }
    for path in paths {
      let url = folder.url.appendingPathComponent(path)
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      guard attributes[.type] as? FileAttributeType == .typeRegular, url != original else { continue }
      let found = try self.mode(url.path)
      // The lock is for those who may write the file, and is opened for both.
      let allowed = path.hasSuffix("-owner") ? 0o600 | mode & 0o022 | (mode & 0o022) << 1 : 0o600 | mode
      #expect(
        found & ~allowed == 0, "\(place): \(path) has \(String(found, radix: 8)) of \(String(mode, radix: 8))"
      )
    }
  }

  /// Bug: with the file, it was forgotten which users may read what is in it.
  @Test func `lines of a file that was removed while it was open are for its owner alone`() async throws {
    let file = try await Naming.small.open(at: folder.file)
    try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    try set(0o600, folder.file)
    try FileManager.default.removeItem(at: folder.file)
    let lines = folder.url.appendingPathComponent("lines")
    try await file.exportJSON(to: lines)
    #expect(try mode(lines.appendingPathComponent("Count.ndjson").path) == 0o600)
    try? await file.close()
  }

  @Test(arguments: [0o600, 0o640, 0o644, 0o660, 0o664, 0o666, 0o400, 0o440, 0o444, 0o604, 0o606, 0o700])
  func `nothing that is made of a file may be read or written by more users than the file`(mode: Int)
    async throws
  {
    let target = folder.url.appendingPathComponent("backup.db")
    let copy = folder.url.appendingPathComponent("copy.db")
    let lines = folder.url.appendingPathComponent("lines")
    var file = try await Naming.small.open(at: folder.file)
    try await file.write { tx in try tx.insert(contentsOf: (1...20).map { Count(id: $0, value: $0) }) }
    try await file.close()
    try set(mode, folder.file)
    guard access(folder.file.path, W_OK) == 0 else {
      // It cannot be written, and says so.
      let error = await #expect(throws: StoreFileError.self) {
        let file = try await Naming.small.open(at: folder.file)
        try await file.write { tx in try tx.insert(Count(id: 100, value: 1)) }
      }
      #expect(error?.code == .ioFailed)
      return try requireNoWider(than: mode, "refused")
    }
    file = try await Naming.small.open(at: folder.file)
    try await file.write { tx in try tx.insert(Count(id: 100, value: 1)) }
    try requireNoWider(than: mode, "open")
    try await file.backup(to: target)
    try await file.backup(to: target)
    try requireNoWider(than: mode, "backed up")
    try await file.exportJSON(to: lines)
    try await file.exportJSON(to: lines)
    try requireNoWider(than: mode, "exported")
    let key = SymmetricKey(size: .bits256)
    try await file.changeKey(to: key)
    try await file.compact()
    try requireNoWider(than: mode, "encrypted")
    try await file.exportJSON(to: lines)
    try requireNoWider(than: mode, "exported from an encrypted file")
    try await file.changeKey(to: nil)
    try await file.close()
    #expect(try self.mode(folder.file.path) == mode)
    let seeded = try await StoreFile.open(at: copy, Group.self, Count.self, seededFrom: folder.file)
    try await seeded.write { tx in try tx.insert(Count(id: 101, value: 1)) }
    try requireNoWider(than: mode, "copied")
    try await seeded.close()
    let part = PartFile(of: folder.url.appendingPathComponent("tool.db"))
    try FileReader(folder.file, key: nil).backup(to: part)
    try part.complete()
    try requireNoWider(than: mode, "backed up by the tool")
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.write { db in try db.execute(sql: "UPDATE Count SET value = 7 WHERE id = 4") }
    try queue.close()
    let repaired = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    try requireNoWider(than: mode, "repaired")
    try await repaired.close()
    #expect(repaired.damagedRows.map(\.row) == [4])
    #expect(try self.mode(folder.file.path) & ~(mode | 0o600) == 0)
  }

  /// What has the name may have been kept from others.
  @Test(arguments: [0o600, 0o640, 0o400])
  func `what replaces a file may be read by no more users than that`(mode: Int) async throws {
    let target = folder.url.appendingPathComponent("backup.db")
    let lines = folder.url.appendingPathComponent("lines")
    let file = try await Naming.small.open(at: folder.file)
    try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    try set(0o666, folder.file)
    try await file.backup(to: target)
    try await file.exportJSON(to: lines)
    let written = [target, lines.appendingPathComponent("Count.ndjson")]
    for url in written { try set(mode, url) }
    try await file.backup(to: target)
    try await file.exportJSON(to: lines)
    for url in written { #expect(try self.mode(url.path) & ~(mode | 0o600) == 0, "\(url.path)") }
    try await file.close()
  }
}
