import FaultyFiles
import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

private enum Before {
  struct Person: Entity, Codable, Equatable {
    let id: Int
    var first: String
    var last: String
    static let schema = Schema<Person> {
      \.first
      \.last
    }
  }
  struct Post: Entity, Codable, Equatable {
    let id: Int
    var headline: String
    var author: Ref<Person>
    static let schema = Schema<Post> {
      \.headline
      Relation(\.author)
    }
  }
}

private struct User: Entity, Codable, Equatable {
  let id: Int
  var name: String
  static let schema = Schema<User> { Property(\.name, .unique) }
}

private struct Post: Entity, Codable, Equatable {
  let id: Int
  var title: String
  var author: Ref<User>
  var likeCount: Int
  static let schema = Schema<Post> {
    \.title
    Relation(\.author)
    Property(\.likeCount, .indexed)
  }
}

/// All objects, as they were written or as they are after the migration.
private struct Content: Equatable {
  static let count = 40

  var persons: [Before.Person] = []
  var posts: [Before.Post] = []

  init() {
    for id in 0..<Self.count {
      // Texts of some length, so that the file has many pages.
      persons.append(
        Before.Person(id: id, first: "f\(id)", last: String(repeating: "l\(id % 10)", count: 60)))
      posts.append(Before.Post(id: id * 3, headline: "h\(id)", author: Ref(id)))
    }
  }

  var users: [User] { persons.map { User(id: $0.id, name: "\($0.first) \($0.last)") } }
  var newPosts: [Post] {
    posts.filter { $0.id % 2 == 0 }.map {
      Post(id: $0.id, title: $0.headline, author: Ref($0.author.id), likeCount: 3)
    }
  }
}

@Suite(.timeLimit(.minutes(60))) struct `Losses of power and failures of the disk in a migration` {
  private let folder: Folder
  private let written: Folder
  private let content = Content()

  private static let migrations: [Migration] = [
    Migration(from: 1, to: 2) { _, tx in
      try tx.update("Person") { person in
        try person.set(
          "name", to: "\(person.value("first", as: String.self)) \(person.value("last", as: String.self))")
      }
      try tx.removeProperty("first", of: "Person")
    },
    Migration(from: 2, to: 3) { old, tx in
      try tx.removeProperty("last", of: "Person")
      try tx.delete("Post") { try $0.value("id", as: Int.self) % 2 == 1 }
    },
    .renamed("Person", to: User.self),
    .renamed("headline", to: "title", in: Post.self),
    .added("likeCount", to: Post.self, default: 3),
  ]

  init() throws { (folder, written) = (try Folder(inMemory: true), try Folder()) }

  /// Writes the file once, before the disk fails; with a write-ahead log if some of it is to be there alone.
  private func write(_ sealing: Sealing, leavesLog: Bool) async throws {
    let living = try Folder()
    let content = content
    let file = try await StoreFile.open(
      at: living.file, Before.Person.self, Before.Post.self, options: sealing.options())
    try await file.write { tx in try tx.insert(contentsOf: content.persons) }
    try await file.write { tx in try tx.insert(contentsOf: content.posts) }
    if !leavesLog { try await file.close() }
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: living.file.path + suffix) {
      try FileManager.default.copyItem(
        at: URL(filePath: living.file.path + suffix), to: URL(filePath: written.file.path + suffix))
    }
    if leavesLog { try await file.close() }
  }

  /// Puts the file there as it was written; the disk has it.
  private func restore() throws {
    FaultyFiles.disarm()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
      try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name))
    }
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: written.file.path + suffix) {
      try FileManager.default.copyItem(
        at: URL(filePath: written.file.path + suffix), to: URL(filePath: folder.file.path + suffix))
    }
    // What it knew of the files from before.
    try FaultyFiles.install(under: folder.url.path)
  }

  private func open(_ sealing: Sealing) async throws -> StoreFile {
    while true {
      do {
        return try await StoreFile.open(
          at: folder.file, User.self, Post.self, options: sealing.options(Self.migrations))
      } catch let error as StoreFileError where error.code == .inUse {
        try await waitForOwner()
      }
    }
  }

  /// Opens the file, migrates it and closes it; whether the opening was acknowledged.
  private func migrate(_ sealing: Sealing) async throws -> Bool {
    let file: StoreFile
    do {
      file = try await open(sealing)
    } catch let error as StoreFileError {
      try require(error.code == .ioFailed, "a failure of the disk is the error \(error)")
      return false
    }
    try? await file.close()
    return true
  }

  /// Throws unless the file has all of one schema; gives whether that is the new one.
  private func check(_ sealing: Sealing, _ place: String) async throws -> Bool {
    do {
      let file = try await StoreFile.open(
        at: folder.file, Before.Person.self, Before.Post.self, options: sealing.options())
      try require(Array(file.store.fetch(Before.Person.all)) == content.persons, "\(place): other persons")
      try require(Array(file.store.fetch(Before.Post.all)) == content.posts, "\(place): other posts")
      try await file.close()
      return false
    } catch let error as StoreFileError where error.code == .newerSchema {
      try await checkMigrated(sealing, place)
      return true
    }
  }

  private func checkMigrated(_ sealing: Sealing, _ place: String) async throws {
    let file = try await open(sealing)
    try require(Array(file.store.fetch(User.all)) == content.users, "\(place): other users")
    try require(Array(file.store.fetch(Post.all)) == content.newPosts, "\(place): other posts")
    try await file.close()
  }

  /// How many calls a migration takes.
  private func callCount(_ sealing: Sealing) async throws -> Int {
    try restore()
    let before = FaultyFiles.calls.total
    try require(try await migrate(sealing), "it is not migrated")
    return FaultyFiles.calls.total - before
  }

  @Test(arguments: Sealing.allCases, [false, true])
  func `after a loss of power at any call the file has the old schema or the new one, with all objects`(
    sealing: Sealing, leavesLog: Bool
  ) async throws {
    try await write(sealing, leavesLog: leavesLog)
    try await FaultyFiles.exclusively(under: folder.url.path) {
      let count = try await callCount(sealing)
      #expect(count > 10)
      var (old, new) = (0, 0)
      for call in 1...count {
        let losses: [FaultyFiles.Loss] = [
          .unsynced, .prefix(seed: UInt64(call)), .subset(seed: UInt64(call)),
        ]
        for loss in losses {
          try restore()
          FaultyFiles.losePower(atCall: call)
          let isAcknowledged = try await migrate(sealing)
          if !FaultyFiles.hasLostPower { FaultyFiles.losePowerNow() }
          try FaultyFiles.restart(loss)
          let place = "call \(call) of \(count), \(loss)"
          let isNew = try await check(sealing, place)
          try require(isNew || !isAcknowledged, "\(place): it was acknowledged and is not migrated")
          if isNew { new += 1 } else { old += 1 }
          try await checkMigrated(sealing, "\(place), run to the end")
        }
      }
      #expect(old > 0 && new > 0)
    }
  }

  @Test(arguments: Sealing.allCases, [FaultyFiles.Failure.io, .full])
  func `after a call that failed once the file has one schema, and the migration can be run`(
    sealing: Sealing, failure: FaultyFiles.Failure
  ) async throws {
    try await write(sealing, leavesLog: false)
    try await FaultyFiles.exclusively(under: folder.url.path) {
      let count = try await callCount(sealing)
      var refused = 0
      for call in 1...count {
        try restore()
        FaultyFiles.fail(atCall: call, failure, staysFailed: false)
        let isAcknowledged = try await migrate(sealing)
        FaultyFiles.disarm()
        let place = "call \(call) of \(count), \(failure)"
        let isNew = try await check(sealing, place)
        try require(isNew || !isAcknowledged, "\(place): it was acknowledged and is not migrated")
        if !isAcknowledged { refused += 1 }
        try await checkMigrated(sealing, "\(place), run to the end")
      }
      #expect(refused > 0)
    }
  }

  @Test(arguments: Sealing.allCases)
  func `on a disk that stays full the file stays as it is, and is migrated once there is room`(
    sealing: Sealing
  ) async throws {
    try await write(sealing, leavesLog: false)
    try await FaultyFiles.exclusively(under: folder.url.path) {
      try restore()
      FaultyFiles.fail(atCall: 1, .full, staysFailed: true)
      for _ in 0..<2 { #expect(try await !migrate(sealing)) }
      FaultyFiles.disarm()
      #expect(try await !check(sealing, "full"))
      try await checkMigrated(sealing, "with room again")
    }
  }
}
