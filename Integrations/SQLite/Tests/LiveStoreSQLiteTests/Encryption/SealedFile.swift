import Crypto
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport

/// An encrypted file as it was after each of three transactions, and what it held: all that an attacker with access to
/// the disk can have collected.
struct SealedFile: Sendable {
  let key: SymmetricKey
  let folder: Folder
  /// What each version held.
  let models: [Model]

  /// The file as it was at a version, from 0.
  func url(_ version: Int) -> URL { folder.url.appendingPathComponent("version \(version).db") }
  var newest: URL { url(models.count - 1) }

  init(key: SymmetricKey) async throws {
    self.key = key
    folder = try Folder()
    let transactions: [@Sendable (inout WriteTransaction) throws -> Void] = [
      { tx in
        for id in 1...40 { try tx.insert(Count(id: id, value: id)) }
        for id in 1...6 { try tx.insert(Group(id: id, order: id, rowid: "group \(id)")) }
        for id in ["a", "b", "c"] { try tx.insert(Team(id: id, name: "team \(id)")) }
        for id in 1...3 { try tx.insert(Job(id: id, text: "job \(id)", teams: ["of": Ref("a")])) }
      },
      { tx in
        for id in 1...10 { try tx.update(Count.self, id) { $0.value += 100 } }
        for id in 1...2 { try tx.update(Group.self, id) { $0.rowid += " changed" } }
        try tx.update(Team.self, "a") { $0.name += " changed" }
      },
      { tx in
        try tx.delete(Count.self, 20)
        try tx.update(Count.self, 5) { $0.value = 1_000 }
        try tx.update(Group.self, 2) { $0.rowid += " again" }
        try tx.insert(Count(id: 41, value: 41))
      },
    ]
    var models: [Model] = []
    for (version, transaction) in transactions.enumerated() {
      let file = try await Naming.all.open(at: folder.file, .init(key: key))
      try await file.write(transaction)
      models.append(Model(of: file.store.snapshot(), .all))
      try await file.close()
      let copy = folder.url.appendingPathComponent("version \(version).db")
      try FileManager.default.copyItem(at: folder.file, to: copy)
    }
    self.models = models
  }
}

/// A copy of the newest version of an encrypted file, which an attacker changes.
struct AttackedFile {
  let original: SealedFile
  let folder: Folder

  init(_ original: SealedFile) throws {
    self.original = original
    folder = try Folder()
    try FileManager.default.copyItem(at: original.newest, to: folder.file)
  }

  /// Runs statements, with files beside it under their names.
  func execute(_ statements: [String], with files: [String: URL] = [:]) throws {
    try change { db in
      for (name, url) in files { try db.execute(sql: "ATTACH ? AS \(name)", arguments: [url.path]) }
      for sql in statements { try db.execute(sql: sql) }
      for name in files.keys { try db.execute(sql: "DETACH \(name)") }
    }
  }

  func change(_ body: (Database) throws -> Void) throws {
    let queue = try DatabaseQueue(path: folder.file.path)
    // Other tests count SQLite's temporary files.
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA temp_store = MEMORY")
      try body(db)
    }
    try queue.close()
  }

  func open(_ repair: StoreFile.Options.Repair = .none, isReadOnly: Bool = false) async throws -> StoreFile {
    try await Naming.all.open(
      at: folder.file, .init(key: original.key, repair: repair, isReadOnly: isReadOnly))
  }

  /// Throws unless opening the file is an error that changes nothing, and a repair reports the tables that are not as
  /// in the newest version and gives objects of the file's versions alone.
  ///
  /// - Returns: the error, and what a repair reports, if it succeeds.
  @discardableResult
  func check(_ place: String) async throws -> (StoreFileError, [DamagedRow]?) {
    let bytes = try Data(contentsOf: folder.file)
    let error = try await refusal(place)
    for _ in 0..<1 {
      do {
        _ = try await open(isReadOnly: true)
      } catch is StoreFileError {
        break
      }
      throw Mismatch("\(place): the file opens for reading only")
    }
    try require(
      try Data(contentsOf: folder.file) == bytes, "\(place): an opening that failed changed the file")
    let repaired: StoreFile
    do {
      repaired = try await open(.skipDamagedRows)
    } catch is StoreFileError {
      try require(
        try Data(contentsOf: folder.file) == bytes, "\(place): a repair that failed changed the file")
      return (error, nil)
    }
    let damage = repaired.damagedRows
    let found = Model(of: repaired.store.snapshot(), .all)
    try found.check(repaired.store, .all, place)
    try await repaired.close()
    try requireOrigin(of: found, place, damage)
    try require(!damage.isEmpty || found == original.models.last, "\(place): a repair without a report")
    let again = try await open()
    try found.check(again.store, .all, "\(place): after the repair")
    try await again.close()
    return (error, damage)
  }

  /// Throws unless each table that was not reported is that of the newest version, and each object is one of a version,
  /// but for links to objects that are missing.
  private func requireOrigin(of found: Model, _ place: String, _ damage: [DamagedRow]) throws {
    let newest = original.models[original.models.count - 1]
    let reported = Set(damage.map(\.table))
    func require<Element: Entity & Equatable>(_ path: KeyPath<Model, [Element]>) throws {
      let objects = found[keyPath: path]
      if objects == newest[keyPath: path] { return }
      try SQLiteTestSupport.require(
        reported.contains("\(Element.self)"), "\(place): \(Element.self) differs, reported are \(damage)")
      let known = original.models.flatMap { $0.linked(within: found)[keyPath: path] }
      for object in objects {
        try SQLiteTestSupport.require(known.contains(object), "\(place): \(object) is of no version")
      }
    }
    try require(\.teams)
    try require(\.members)
    try require(\.jobs)
    try require(\.groups)
    try require(\.counts)
  }

  private func refusal(_ place: String) async throws -> StoreFileError {
    do {
      let file = try await open()
      let found = Model(of: file.store.snapshot(), .all)
      try await file.close()
      let version = original.models.lastIndex(of: found).map { "version \($0)" } ?? "no version"
      throw Mismatch("\(place): the file opens, with \(version)")
    } catch let error as StoreFileError {
      return error
    }
  }
}
