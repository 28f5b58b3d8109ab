import Foundation
import LiveStore
import LiveStoreSQLite
import Testing

private enum With {
  struct Post: Entity, Codable, Equatable {
    let id: Int
    var title: String
    var pinned: Bool
    static let schema = Schema<Post> {
      \.title
      \.pinned
    }
  }
}

private enum Without {
  struct Post: Entity, Codable, Equatable {
    let id: Int
    var title: String
    static let schema = Schema<Post> { \.title }
  }
}

private enum Loose {
  struct Post: Entity, Codable, Equatable {
    let id: Int
    var title: String
    var pinned: Bool?
    static let schema = Schema<Post> {
      \.title
      \.pinned
    }
  }
}

private enum Stuck {
  struct Post: Entity, Codable, Equatable {
    let id: Int
    var title: String
    var stuck: Bool
    static let schema = Schema<Post> {
      \.title
      \.stuck
    }
  }
}

/// The name is used for values of another type.
private enum Worded {
  struct Post: Entity, Codable, Equatable {
    let id: Int
    var title: String
    var pinned: String?
    static let schema = Schema<Post> {
      \.title
      \.pinned
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Properties that are gone and come back` {
  private let folder: Folder
  private static let added = Migration.added("pinned", to: With.Post.self, default: true)

  init() throws { folder = try Folder() }

  private func write(_ sealing: Sealing, _ migrations: [Migration] = []) async throws {
    try await folder.write(With.Post.self, options: sealing.options(migrations)) { tx in
      for id in 1...3 { try tx.insert(With.Post(id: id, title: "t\(id)", pinned: false)) }
    }
  }

  private func writeWithout(_ sealing: Sealing, _ migrations: [Migration] = [], compacts: Bool = false)
    async throws
  {
    let file = try await StoreFile.open(
      at: folder.file, Without.Post.self, options: sealing.options(migrations))
    try await file.write { tx in
      try tx.update(Without.Post.self, 2) { $0.title = "written" }
      try tx.insert(Without.Post(id: 4, title: "t4"))
    }
    if compacts { try await file.compact() }
    try await file.close()
  }

  /// Regression: objects that were written without the property had no value, so that the file could not be opened.
  @Test(arguments: Sealing.allCases, [false, true])
  func `a property that comes back has its default where it was lost, and in all objects after compaction`(
    sealing: Sealing, compacts: Bool
  ) async throws {
    try await write(sealing)
    try await writeWithout(sealing, compacts: compacts)
    let options = sealing.options([Self.added])
    #expect(
      try await folder.all(With.Post.self, options: options).map(\.pinned) == [
        compacts, true, compacts, true,
      ])
    try await folder.write(With.Post.self, options: options) { tx in
      try tx.update(With.Post.self, 2) { $0.pinned = false }
    }
    for _ in 0..<2 {
      let posts = try await folder.all(With.Post.self, options: options)
      #expect(posts.map(\.pinned) == [compacts, false, compacts, true])
      #expect(posts.map(\.title) == ["t1", "written", "t3", "t4"])
    }
  }

  @Test(arguments: Sealing.allCases, [false, true])
  func `an optional property that comes back is nil where it was lost, and in all objects after compaction`(
    sealing: Sealing, compacts: Bool
  ) async throws {
    try await write(sealing)
    try await writeWithout(sealing, compacts: compacts)
    let kept: Bool? = compacts ? nil : false
    #expect(
      try await folder.all(Loose.Post.self, options: sealing.options()).map(\.pinned) == [
        kept, nil, kept, nil,
      ])
  }

  @Test(arguments: Sealing.allCases)
  func `a property that comes back as another type is an error that names it, which a step mends`(
    sealing: Sealing
  )
    async throws
  {
    try await write(sealing)
    try await writeWithout(sealing)
    let error = try await folder.fileError(Worded.Post.self, options: sealing.options())
    #expect(error.code == .mismatch && error.message.contains("pinned"), "\(error)")
    let step = Migration(from: 1, to: 2) { _, tx in try tx.removeProperty("pinned", of: "Post") }
    let options = sealing.options([step])
    #expect(try await folder.all(Worded.Post.self, options: options).map(\.pinned) == [nil, nil, nil, nil])
    try await folder.write(Worded.Post.self, options: options) { tx in
      try tx.update(Worded.Post.self, 3) { $0.pinned = "yes" }
    }
    #expect(try await folder.all(Worded.Post.self, options: options).map(\.pinned) == [nil, nil, "yes", nil])
  }

  @Test(arguments: Sealing.allCases)
  func `a property without a default that comes back is an error that says what to write`(sealing: Sealing)
    async throws
  {
    try await write(sealing)
    try await writeWithout(sealing)
    let error = try await folder.fileError(With.Post.self, options: sealing.options())
    #expect(error.code == .mismatch && error.message.contains(".added(\"pinned\""), "\(error)")
  }

  /// An older app does not know the addition, so the property is not gone.
  @Test(arguments: Sealing.allCases, [false, true])
  func `what an older app writes has the default, and the other objects keep their values`(
    sealing: Sealing, compacts: Bool
  ) async throws {
    try await folder.write(Without.Post.self, options: sealing.options()) { tx in
      for id in 1...3 { try tx.insert(Without.Post(id: id, title: "t\(id)")) }
    }
    let options = sealing.options([Self.added])
    try await folder.write(With.Post.self, options: options) { tx in
      for id in 1...3 { try tx.update(With.Post.self, id) { $0.pinned = false } }
    }
    try await writeWithout(sealing, compacts: compacts)
    for _ in 0..<2 {
      let posts = try await folder.all(With.Post.self, options: options)
      #expect(posts.map(\.pinned) == [false, true, false, true])
    }
  }

  @Test(arguments: Sealing.allCases)
  func `the default follows the property to its new name`(sealing: Sealing) async throws {
    try await folder.write(Without.Post.self, options: sealing.options()) { tx in
      try tx.insert(Without.Post(id: 1, title: "t1"))
    }
    let options = sealing.options([Self.added])
    try await folder.write(With.Post.self, options: options) { tx in
      try tx.insert(With.Post(id: 2, title: "t2", pinned: false))
    }
    try await writeWithout(sealing)
    let list = [Self.added, .renamed("pinned", to: "stuck", in: Stuck.Post.self)]
    for _ in 0..<2 {
      let posts = try await folder.all(Stuck.Post.self, options: sealing.options(list))
      #expect(posts.map(\.stuck) == [true, true, true])
    }
  }

  /// With an addition of nil, an optional property is known to be new.
  @Test(arguments: Sealing.allCases)
  func `an optional property that is listed keeps its values when an older app writes`(sealing: Sealing)
    async throws
  {
    try await folder.write(Without.Post.self, options: sealing.options()) { tx in
      for id in 1...3 { try tx.insert(Without.Post(id: id, title: "t\(id)")) }
    }
    let options = sealing.options([.added("pinned", to: Loose.Post.self, default: Bool?.none)])
    try await folder.write(Loose.Post.self, options: options) { tx in
      for id in 1...2 { try tx.update(Loose.Post.self, id) { $0.pinned = true } }
    }
    try await writeWithout(sealing)
    for _ in 0..<2 {
      #expect(
        try await folder.all(Loose.Post.self, options: options).map(\.pinned) == [true, nil, nil, nil])
    }
  }

  @Test(arguments: Sealing.allCases)
  func `a property that is gone stays while nothing is written`(sealing: Sealing) async throws {
    try await write(sealing)
    #expect(try await folder.all(Without.Post.self, options: sealing.options()).count == 3)
    #expect(
      try await folder.all(With.Post.self, options: sealing.options()).map(\.pinned) == [false, false, false])
  }
}
