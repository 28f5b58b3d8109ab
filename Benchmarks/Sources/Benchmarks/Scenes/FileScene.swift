import Foundation
import LiveStore
import LiveStoreSQLite

extension Scene {
  /// A store that a file follows, beside GRDB.
  static let files = [
    Scene(name: "files.open", summary: "reading a file into a store", run: FileScene.open),
    Scene(name: "files.commits", summary: "commits with and without a file", run: FileScene.commits),
    Scene(name: "files.writers", summary: "writers that wait for the disk", run: FileScene.writers),
    Scene(name: "files.size", summary: "bytes on disk", run: FileScene.size),
  ]
}

enum FileScene {
  @Sendable static func open(_ session: Session) async throws {
    for count in session.rows([10_000, 1_000_000]) {
      try await open(session, MixedItem.self, "6 mixed columns", count)
      try await open(session, NarrowItem.self, "UUID and Int", count)
    }
  }

  private static func open<Element: FileItem>(
    _ session: Session, _ type: Element.Type, _ shape: String, _ count: Int
  ) async throws {
    let folder = try TemporaryFolder()
    let (own, peer) = (folder.file("own"), folder.file("peer"))
    try await makeFiles(own, peer, (0..<count).map { Element($0) })
    try await session.race(
      "opening, \(shape), a row", rows: count,
      wanted: count < 1_000_000 ? [] : [.ratio(1.3, to: "GRDB fetchAll, Codable")],
      [
        Contestant("LiveStore") { watch in
          let file = try await watch.time(count) { try await StoreFile.open(at: own, Element.self) }
          try await file.close()
        },
        Contestant("GRDB fetchAll, Codable") { watch in
          let database = try FileSQLite<Element>(peer)
          blackHole(try watch.time(count) { try database.fetchAll() })
        },
        Contestant("GRDB, read by position") { watch in
          let database = try FileSQLite<Element>(peer)
          blackHole(try watch.time(count) { try database.fetchAllByPosition() })
        },
      ])
    withExtendedLifetime(folder) {}
  }

  /// Fills a file of each kind, and closes both.
  private static func makeFiles<Element: FileItem>(_ own: URL, _ peer: URL, _ items: [Element]) async throws {
    let file = try await StoreFile.open(at: own, Element.self)
    try insert(items, into: file.store)
    try await file.close()
    try FileSQLite<Element>(peer).insert(items)
  }

  @Sendable static func size(_ session: Session) async throws {
    for count in session.rows([10_000, 1_000_000]) {
      try await size(session, MixedItem.self, "6 mixed columns", count)
      try await size(session, NarrowItem.self, "UUID and Int", count)
    }
  }

  /// Bytes of the files themselves, after closing: the logs are gone then.
  private static func size<Element: FileItem>(
    _ session: Session, _ type: Element.Type, _ shape: String, _ count: Int
  ) async throws {
    let items = (0..<count).map { Element($0) }
    let folder = try TemporaryFolder()
    let (own, keyed, plain) = (folder.file("own"), folder.file("keyed"), folder.file("plain"))
    try await makeFiles(own, keyed, items)
    try FileSQLite<Element>(plain, isKeyed: false).insert(items)
    func record(_ moment: String) {
      let samples = [("LiveStore", own), ("GRDB, no index", plain), ("GRDB", keyed)].map { name, url in
        (name: name, values: [fileSize(url) / Double(count)])
      }
      session.record(
        "size \(moment), \(shape), a row", rows: count, unit: .bytes,
        wanted: [.ratio(1.3, to: "GRDB")], samples: samples)
    }
    record("after loading")

    let updates = randomNumbers(count / 2, below: count, seed: 31)
    let ids = updates.map { items[$0].id }
    func score(_ index: Int) -> Int { scattered(updates[index] + 1) }
    let file = try await StoreFile.open(at: own, Element.self)
    for start in stride(from: 0, to: ids.count, by: 1_000) {
      try await file.store.write { tx in
        for index in start..<min(start + 1_000, ids.count) {
          try tx.update(Element.self, ids[index]) { $0.score = score(index) }
        }
      }
      if start % 10_000 == 0 { try await file.durable(through: file.store.version) }
    }
    try await file.close()
    try FileSQLite<Element>(keyed).setScores(ids, score)
    // Without an index, by the number of the row.
    try FileSQLite<Element>(plain, isKeyed: false).setScores(rows: updates.map { $0 + 1 }, score)
    record("after random updates")
    withExtendedLifetime(folder) {}
  }
}
