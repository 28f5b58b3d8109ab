import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

/// What stands where an operation expects a file of its own, or none.
private enum Obstacle: String, CaseIterable, Sendable {
  case link, danglingLink, linkToFolder, linkToDevice, linkToItself, hardLink, folder, pipe, socket, text

  /// - Parameter secret: a file of the user that has nothing to do with the store.
  func make(at path: String, secret: URL) throws {
    let files = FileManager.default
    switch self {
    case .link: try files.createSymbolicLink(atPath: path, withDestinationPath: secret.path)
    case .danglingLink: try files.createSymbolicLink(atPath: path, withDestinationPath: secret.path + "-new")
    case .linkToFolder:
      try files.createSymbolicLink(atPath: path, withDestinationPath: secret.deletingLastPathComponent().path)
    case .linkToDevice: try files.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
    case .linkToItself: try files.createSymbolicLink(atPath: path, withDestinationPath: path)
    case .hardLink: try files.linkItem(atPath: secret.path, toPath: path)
    case .folder: try files.createDirectory(atPath: path + "/inner", withIntermediateDirectories: true)
    case .pipe: try require(mkfifo(path, 0o600) == 0, "no pipe can be made")
    case .socket: try require(mknod(path, S_IFSOCK | 0o600, 0) == 0, "no socket can be made")
    case .text: try Data("my notes, which are not yours\n".utf8).write(to: URL(fileURLWithPath: path))
    }
  }
}

/// What is done with a path.
private enum Operation: String, CaseIterable, Sendable {
  case open, read, repair, seedFrom, seedTo, backUp, export, importing, remove, inspect, copy
}

/// A folder with a file of a store, and another one beside it, of which nothing may change.
private struct Place {
  let folder: Folder
  let work: Folder
  let elsewhere: Folder
  let secret: URL
  let file: URL
  let source: StoreFile

  init() async throws {
    folder = try Folder(inMemory: true)
    work = try Folder(within: folder, "work")
    elsewhere = try Folder(within: folder, "outside")
    secret = elsewhere.url.appendingPathComponent("secret")
    try Data(String(repeating: "secret ", count: 2_000).utf8).write(to: secret)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: secret.path)
    file = work.url.appendingPathComponent("app.db")
    source = try await Naming.small.open(at: elsewhere.url.appendingPathComponent("source.db"))
    try await source.write { tx in try tx.insert(contentsOf: (1...5).map { Count(id: $0, value: $0) }) }
  }

  /// What must not change: the secret, and what is beside it.
  func outside() throws -> [String] {
    let url = elsewhere.url
    let attributes = try FileManager.default.attributesOfItem(atPath: secret.path)
    let text = try String(contentsOf: secret, encoding: .utf8)
    return try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
      + ["\(attributes[.posixPermissions] ?? 0)", text]
  }

  func run(_ operation: Operation, _ url: URL) async throws {
    switch operation {
    case .open: try await Naming.small.open(at: url).close()
    case .read: try await Naming.small.open(at: url, .init(isReadOnly: true)).close()
    case .repair: try await Naming.small.open(at: url, .init(repair: .skipDamagedRows)).close()
    case .seedFrom:
      let target = work.url.appendingPathComponent("seeded.db")
      try await StoreFile.open(at: target, Group.self, Count.self, seededFrom: url).close()
    case .seedTo:
      let seed = elsewhere.url.appendingPathComponent("source.db")
      try await StoreFile.open(at: url, Group.self, Count.self, seededFrom: seed).close()
    case .backUp: try await source.backup(to: url)
    case .export: try await source.exportJSON(to: url)
    case .importing: try await source.importJSON(from: url)
    case .remove: try StoreFile.remove(at: url)
    case .inspect: _ = try FileReader(url, key: nil).check { _ in }
    case .copy:
      let part = PartFile(of: url)
      defer { part.remove() }
      try FileReader(elsewhere.url.appendingPathComponent("source.db"), key: nil)
        .backup(to: part)
      try part.complete()
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Links, folders, devices and pipes as paths` {
  /// Runs an operation, which ends, and whose error is one of files.
  private func attempt(_ operation: Operation, _ url: URL, _ place: Place, _ name: String) async throws {
    do {
      try await place.run(operation, url)
    } catch is StoreFileError {
    } catch let error as CocoaError where operation == .export {
      // The folder cannot be made.
      #expect(error.code != .fileNoSuchFile, "\(name)")
    } catch {
      Issue.record("\(name): \(type(of: error)) \(error)")
    }
  }

  @Test(arguments: Obstacle.allCases)
  fileprivate func
    `an operation whose path is no file of a store ends, and changes nothing outside its folder`(
      obstacle: Obstacle
    ) async throws
  {
    for operation in Operation.allCases {
      let place = try await Place()
      let outside = try place.outside()
      try obstacle.make(at: place.file.path, secret: place.secret)
      let name = "\(operation) at \(obstacle)"
      try await attempt(operation, place.file, place, name)
      // A link is followed where it leads to nothing yet, or to a folder for what has several files.
      let isFollowed =
        obstacle == .danglingLink && [.open, .repair, .seedTo, .backUp, .export].contains(operation)
        || obstacle == .linkToFolder && operation == .export
      if !isFollowed {
        #expect(try place.outside() == outside, "\(name)")
      }
      // What is not of a store is where it was.
      if ![.export].contains(operation), [.folder, .pipe, .socket, .text].contains(obstacle) {
        #expect(FileManager.default.fileExists(atPath: place.file.path), "\(name)")
      }
      if obstacle == .folder {
        #expect(FileManager.default.fileExists(atPath: place.file.path + "/inner"), "\(name)")
      }
      try await place.source.close()
    }
  }

  /// The names beside a file that operations write to, or remove.
  private static let suffixes = [
    "-wal", "-shm", "-journal", "-owner", "-repair", "-repair-wal", "-repaired", "-seed-copy",
    "-seed-copy-wal",
    "-damaged",
    "-damaged-wal", "-damaged-part",
  ]

  @Test(arguments: suffixes)
  func `what stands beside a file leads no operation to files elsewhere`(suffix: String) async throws {
    var random = SplitMix64(seed: Seeds.named?.lowerBound ?? 1)
    let operations = Operation.allCases.filter { ![.export, .importing].contains($0) }
    for obstacle in Obstacle.allCases {
      let operation =
        Environment.isThorough ? operations : [random.pick(operations), random.pick(operations)]
      for operation in operation {
        let place = try await Place()
        let outside = try place.outside()
        let file = try await Naming.small.open(at: place.file)
        try await file.write { tx in try tx.insert(contentsOf: (1...9).map { Count(id: $0, value: $0) }) }
        try await file.close()
        if operation == .repair {
          let queue = try DatabaseQueue(path: place.file.path)
          try await queue.write { db in try db.execute(sql: "UPDATE Count SET value = 7 WHERE id = 4") }
          try queue.close()
        }
        let path = place.file.path + suffix
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        try obstacle.make(at: path, secret: place.secret)
        let name = "\(operation) beside \(obstacle) at \(suffix)"
        try await attempt(operation, place.file, place, name)
        #expect(try place.outside() == outside, "\(name)")
        if obstacle == .folder { #expect(FileManager.default.fileExists(atPath: path + "/inner"), "\(name)") }
        // Without it, the file has what it had.
        if ![.remove, .backUp, .copy, .repair].contains(operation), suffix != "-owner" {
          try? FileManager.default.removeItem(atPath: path)
          let again = try await Naming.small.open(at: place.file, .init(isReadOnly: true))
          #expect(again.store.fetch(Count.all).map(\.id) == Array(1...9), "\(name)")
          try await again.close()
        }
        try await place.source.close()
      }
    }
  }

  @Test(arguments: [
    "", "/", "/dev/null", "/dev/zero", "/dev/full", "/proc/self/mem", "/no/such/folder/app.db",
  ])
  fileprivate func `a path that names no file of the user is refused`(path: String) async throws {
    let place = try await Place()
    let url = path.isEmpty ? URL(fileURLWithPath: "") : URL(fileURLWithPath: path)
    for operation in Operation.allCases where operation != .export && operation != .importing {
      // A removal of what is not there is none.
      if operation == .remove, path.hasPrefix("/no/") { continue }
      do {
        try await place.run(operation, url)
        Issue.record("\(operation) at \(path) succeeds")
      } catch is StoreFileError {
      } catch is FileTargetError where operation == .copy {
      }
    }
    try await place.source.close()
  }
}
