import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

private enum First {
  struct Post: Entity, Codable, Equatable {
    let id: Int
    var title: String
    static let schema = Schema<Post> { \.title }
  }
}

private enum Second {
  struct Post: Entity, Codable, Equatable {
    let id: Int
    var headline: String
    static let schema = Schema<Post> { \.headline }
  }
}

private enum Third {
  struct Post: Entity, Codable, Equatable {
    let id: Int
    var headline: String
    var slug: String
    static let schema = Schema<Post> {
      \.headline
      \.slug
    }
  }
}

private enum Fourth {
  struct Article: Entity, Codable, Equatable {
    let id: Int
    var caption: String
    var slug: String
    var stars: Int
    static let schema = Schema<Article> {
      \.caption
      \.slug
      \.stars
    }
  }
}

private struct Leaflet: Entity, Codable {
  let id: Int
  var title: String
  static let schema = Schema<Leaflet> { \.title }
}

private struct Booklet: Entity, Codable {
  let id: Int
  var text: String
  static let schema = Schema<Booklet> { \.text }
}

/// Throws unless a step reads the posts of the first version.
private func requireFirst(_ old: borrowing MigrationSource) throws {
  var titles: [String] = []
  try old.forEach("Post") { titles.append(try $0.value("title")) }
  try require(titles == ["T2", "T1"], "there was \(titles)")
}

/// An app of four versions: each entry of the list is written with the entities of its time, and follows them later.
@Suite(.timeLimit(.minutes(10))) struct `The list of migrations as a history` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private static let second: [Migration] = [.renamed("title", to: "headline", in: Second.Post.self)]

  /// Reads the property by the name that it has at that place of the list.
  private static let slug = Migration(from: 1, to: 2) { old, tx in
    try old.forEach("Post") { _ = try $0.value("headline", as: String.self) }
    try tx.update("Post") { post in
      try post.set("slug", to: post.value("headline", as: String.self).lowercased())
    }
  }

  private static let third = [.renamed("title", to: "headline", in: Third.Post.self), slug]

  private static let fourth: [Migration] = [
    .renamed("title", to: "headline", in: Fourth.Article.self), slug,
    .renamed("headline", to: "caption", in: Fourth.Article.self),
    .added("stars", to: Fourth.Article.self, default: 3),
    .renamed("Post", to: Fourth.Article.self),
    Migration(from: 2, to: 3) { _, tx in
      try tx.update("Article") { article in
        try article.set("caption", to: article.value("caption", as: String.self) + "!")
        try article.set("stars", to: article.value("stars", as: Int.self) + 1)
      }
    },
  ]

  private func writeFirst(_ sealing: Sealing) async throws {
    try await folder.write(First.Post.self, options: sealing.options()) { tx in
      for id in [2, 1] { try tx.insert(First.Post(id: id, title: "T\(id)")) }
    }
  }

  private func openSecond(_ sealing: Sealing) async throws {
    let posts = try await folder.all(Second.Post.self, options: sealing.options(Self.second))
    #expect(posts == [2, 1].map { Second.Post(id: $0, headline: "T\($0)") })
  }

  private func openThird(_ sealing: Sealing) async throws {
    for _ in 0..<2 {
      let posts = try await folder.all(Third.Post.self, options: sealing.options(Self.third))
      #expect(posts == [2, 1].map { Third.Post(id: $0, headline: "T\($0)", slug: "t\($0)") })
    }
  }

  private func openFourth(_ sealing: Sealing) async throws {
    for _ in 0..<2 {
      let articles = try await folder.all(Fourth.Article.self, options: sealing.options(Self.fourth))
      #expect(
        articles == [2, 1].map { Fourth.Article(id: $0, caption: "T\($0)!", slug: "t\($0)", stars: 4) })
    }
  }

  /// Regression: steps ran before all renamings. A file that had passed a version which renamed a property had its new name
  /// in the steps, one that had skipped that version the earlier one, so one of both could not be opened.
  @Test(arguments: Sealing.allCases, Array(0..<4))
  func `a file that skipped versions is migrated as one that passed them`(sealing: Sealing, passed: Int)
    async throws
  {
    try await writeFirst(sealing)
    if passed & 1 != 0 { try await openSecond(sealing) }
    if passed & 2 != 0 { try await openThird(sealing) }
    try await openFourth(sealing)
  }

  @Test(arguments: Sealing.allCases)
  func `what stands after a step acts after it`(sealing: Sealing) async throws {
    try await writeFirst(sealing)
    let step = Migration(from: 1, to: 2) { _, tx in
      try tx.update("Post") { post in
        try require(!post.properties.contains("stars"), "the property was added before")
        try post.set("title", to: post.value("title", as: String.self) + "?")
      }
    }
    let list: [Migration] = [
      step, .renamed("title", to: "caption", in: Fourth.Article.self),
      .added("slug", to: Fourth.Article.self, default: "s"),
      .added("stars", to: Fourth.Article.self, default: 1), .renamed("Post", to: Fourth.Article.self),
    ]
    let articles = try await folder.all(Fourth.Article.self, options: sealing.options(list))
    #expect(articles == [2, 1].map { Fourth.Article(id: $0, caption: "T\($0)?", slug: "s", stars: 1) })
  }

  /// An entity that had several names: a step has the one that it had at its place, although each entry names the type of
  /// today.
  @Test(arguments: Sealing.allCases, [false, true])
  func `a step has the name that the entity had then`(sealing: Sealing, passesSecond: Bool) async throws {
    try await writeFirst(sealing)
    let step = Migration(from: 1, to: 2) { _, tx in
      try tx.update("Leaflet") { try $0.set("title", to: "step") }
    }
    if passesSecond {
      let second = sealing.options([.renamed("Post", to: Leaflet.self)])
      #expect(try await folder.all(Leaflet.self, options: second).map(\.title) == ["T2", "T1"])
    }
    let list: [Migration] = [
      .renamed("Post", to: Booklet.self), step, .renamed("title", to: "text", in: Booklet.self),
      .renamed("Leaflet", to: Booklet.self),
    ]
    for _ in 0..<2 {
      #expect(
        try await folder.all(Booklet.self, options: sealing.options(list)).map(\.text) == ["step", "step"])
    }
  }

  /// Regression: an error of SQLite within a migration was taken for damage of the file, and started a repair.
  @Test(arguments: [StoreFile.Options.Repair.none, .skipDamagedRows])
  func `what SQLite refuses in a step is an error of the migration, and no damage`(
    repair: StoreFile.Options.Repair
  ) async throws {
    try await writeFirst(.plain)
    let step = Migration(from: 1, to: 2) { _, tx in
      try tx.update("Post") { post in
        // More columns than a table can have.
        for index in 0..<2_100 { try post.set("p\(index)", to: index) }
      }
    }
    var options = Sealing.plain.options([step])
    options.repair = repair
    let error = try await folder.fileError(First.Post.self, options: options)
    #expect(error.code == .invalidMigration && error.message.contains("column"), "\(error)")
    #expect(!FileManager.default.fileExists(atPath: folder.file.path + "-damaged"))
    #expect(try await folder.all(First.Post.self, options: Sealing.plain.options()).map(\.id) == [2, 1])
  }

  /// The table is kept under another name until the step ends, not copied.
  @Test(arguments: Sealing.allCases)
  func `an entity that is deleted can be read, made again and deleted again in its step`(sealing: Sealing)
    async throws
  {
    try await writeFirst(sealing)
    let step = Migration(from: 1, to: 2) { old, tx in
      for _ in 0..<2 {
        try tx.deleteEntity("Post")
        try requireFirst(old)
        try old.forEach("Post") { post in
          try tx.insert("Post") { copy in
            try copy.set("id", to: post.value("id", as: Int.self) + 5)
            try copy.set("title", to: "new")
          }
        }
        try requireFirst(old)
      }
    }
    for _ in 0..<2 {
      let posts = try await folder.all(First.Post.self, options: sealing.options([step]))
      #expect(posts == [7, 6].map { First.Post(id: $0, title: "new") })
    }
    let tables = try await folder.tables()
    #expect(tables == ["Post", "livestore_file"])
  }
}
