import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import Testing

/// Files of the formats that this library has written are read, for as long as the article “The format of a file” says.
@Suite struct `Files of each format` {
  private static let formats = [1, 2]

  init() async throws {
    if let path = ProcessInfo.processInfo.environment["LIVESTORE_KEPT_FILES"] {
      try await KeptFiles.write(to: URL(fileURLWithPath: path))
    }
  }

  /// Copies a kept file, which is opened there.
  private func copy(_ name: String, ofFormat format: Int, to folder: Folder) throws -> URL {
    let url = folder.url.appendingPathComponent("\(name).db")
    for suffix in ["", "-wal"] {
      let kept = KeptFiles.folder.appendingPathComponent("\(format)/\(name).db\(suffix)")
      guard FileManager.default.fileExists(atPath: kept.path) else { continue }
      try FileManager.default.copyItem(at: kept, to: URL(fileURLWithPath: url.path + suffix))
    }
    return url
  }

  private func expectKept(_ store: Store, plus items: [KeptFiles.Item] = []) {
    #expect(Array(store.fetch(KeptFiles.Owner.all)) == KeptFiles.owners)
    #expect(Array(store.fetch(KeptFiles.Item.all)) == KeptFiles.items + items)
    // -0.0 and 0.0 are equal.
    #expect(store.snapshot()[KeptFiles.Item.self, 0]?.stars.sign == .minus)
  }

  @Test(arguments: formats, ["plain", "sealed", "log"])
  func `a kept file is read, written, and read again`(format: Int, name: String) async throws {
    let folder = try Folder()
    let url = try copy(name, ofFormat: format, to: folder)
    let key = name == "sealed" ? KeptFiles.key : nil
    let reading = try await KeptFiles.open(url, key: key, isReadOnly: true)
    expectKept(reading.store)
    let file = try await KeptFiles.open(url, key: key)
    expectKept(file.store)
    let new = KeptFiles.Item(id: 7, title: "new")
    try await file.write { tx in try tx.insert(new) }
    try await file.close()
    let again = try await KeptFiles.open(url, key: key)
    expectKept(again.store, plus: [new])
    #expect(again.store.version == file.store.version)
    try await again.close()
  }

  @Test(arguments: ["plain", "sealed", "log"])
  func `a file of an earlier format is of today's once it was opened for writing`(name: String) async throws {
    let folder = try Folder()
    let url = try copy(name, ofFormat: 1, to: folder)
    func format() throws -> Int? {
      try DatabaseQueue(path: url.path).read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    }
    let key = name == "sealed" ? KeptFiles.key : nil
    try await KeptFiles.open(url, key: key).close()
    #expect(try format() == 2)
  }

  @Test func `there is no kept file of a format that is not tested`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: KeptFiles.folder.path)
    #expect(names.sorted() == Self.formats.map { "\($0)" })
  }
}
