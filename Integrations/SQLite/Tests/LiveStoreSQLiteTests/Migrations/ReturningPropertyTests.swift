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
private enum Dated {
  struct Post: Entity, Codable, Equatable {
    let id: Int
    var title: String
    var pinned: Date?
    static let schema = Schema<Post> {
      \.title
      \.pinned
    }
  }
}

@Suite(.timeLimit(.minutes(5))) struct `Properties that are gone and come back` {
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

  /// Regression: the column was there, so the default was not given: objects had their values from before, and those that
  /// were written without the property had none, so that the file could not be opened.
  @Test(arguments: Sealing.allCases, [false, true])
  func `a property that comes back has its default in all objects`(sealing: Sealing, compacts: Bool)
    async throws
  {
    try await write(sealing)
    try await writeWithout(sealing, compacts: compacts)
    let options = sealing.options([Self.added])
    #expect(try await folder.all(With.Post.self, options: options).map(\.pinned) == [true, true, true, true])
    try await folder.write(With.Post.self, options: options) { tx in
      try tx.update(With.Post.self, 1) { $0.pinned = false }
    }
    for _ in 0..<2 {
      let posts = try await folder.all(With.Post.self, options: options)
      #expect(posts.map(\.pinned) == [false, true, true, true])
      #expect(posts.map(\.title) == ["t1", "written", "t3", "t4"])
    }
  }

  @Test(arguments: Sealing.allCases, [false, true])
  func `an optional property that comes back is nil in all objects, whatever its type`(
    sealing: Sealing, compacts: Bool
  ) async throws {
    try await write(sealing)
    try await writeWithout(sealing, compacts: compacts)
    #expect(
      try await folder.all(Loose.Post.self, options: sealing.options()).map(\.pinned) == [nil, nil, nil, nil])
    #expect(
      try await folder.all(Dated.Post.self, options: sealing.options()).map(\.pinned) == [nil, nil, nil, nil])
    let date = Date(timeIntervalSinceReferenceDate: 8)
    try await folder.write(Dated.Post.self, options: sealing.options()) { tx in
      try tx.update(Dated.Post.self, 3) { $0.pinned = date }
    }
    for _ in 0..<2 {
      let posts = try await folder.all(Dated.Post.self, options: sealing.options())
      #expect(posts.map(\.pinned) == [nil, nil, date, nil])
    }
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

  @Test(arguments: Sealing.allCases)
  func `a property comes and goes several times, with the addition that stays in the list or one more`(
    sealing: Sealing
  ) async throws {
    var list: [Migration] = [Self.added]
    try await write(sealing, list)
    for round in 0..<3 {
      try await writeWithout(sealing, list, compacts: round == 1)
      if round == 2 { list.append(.added("pinned", to: With.Post.self, default: false)) }
      let posts = try await folder.all(With.Post.self, options: sealing.options(list))
      #expect(posts.map(\.pinned) == posts.map { _ in round < 2 })
      try await folder.write(With.Post.self, options: sealing.options(list)) { tx in
        for id in 1...3 { try tx.update(With.Post.self, id) { $0.pinned = false } }
        try tx.delete(With.Post.self, 4)
      }
      #expect(
        try await folder.all(With.Post.self, options: sealing.options(list)).map(\.pinned) == [
          false, false, false,
        ])
    }
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

  @Test(arguments: Sealing.allCases)
  func `a step sees no property that is gone, and the file has its values until it is compacted`(
    sealing: Sealing
  ) async throws {
    try await write(sealing)
    try await writeWithout(sealing)
    let step = Migration(from: 1, to: 2) { _, tx in
      try tx.update("Post") { post in
        #expect(post.properties == ["id", "title"])
        try post.set("title", to: "step")
      }
    }
    let file = try await StoreFile.open(at: folder.file, Without.Post.self, options: sealing.options([step]))
    #expect(file.store.fetch(Without.Post.all).map(\.title) == ["step", "step", "step", "step"])
    if sealing == .plain { #expect(try await folder.columns(of: "Post").contains("_unused_pinned")) }
    try await file.compact()
    try await file.close()
    if sealing == .plain {
      #expect(try await folder.columns(of: "Post") == ["_place", "_check", "id", "title"])
    }
    #expect(try await folder.all(Without.Post.self, options: sealing.options([step])).count == 4)
  }
}
