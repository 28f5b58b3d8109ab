import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import Testing

private enum First {
  struct Person: Entity, Codable, Equatable {
    let id: Int
    var name: String
    static let schema = Schema<Person> { \.name }
  }
  struct Post: Entity, Codable, Equatable {
    let id: Int
    var headline: String?
    static let schema = Schema<Post> { \.headline }
  }
}

private enum Second {
  struct User: Entity, Codable, Equatable {
    let id: Int
    var name: String
    static let schema = Schema<User> { \.name }
  }
  struct Post: Entity, Codable, Equatable {
    let id: Int
    var title: String?
    static let schema = Schema<Post> { \.title }
  }

  static let migrations: [Migration] = [
    .renamed("Person", to: User.self), .renamed("headline", to: "title", in: Post.self),
  ]
}

/// The earlier names are used again, for something else.
private enum Third {
  struct Person: Entity, Codable, Equatable {
    let id: Int
    var age: Int
    static let schema = Schema<Person> { \.age }
  }
  struct Post: Entity, Codable, Equatable {
    let id: Int
    var headline: String?
    var title: String?
    static let schema = Schema<Post> {
      \.headline
      \.title
    }
  }
}

/// The entity has a third name.
private enum Fourth {
  struct Member: Entity, Codable, Equatable {
    let id: Int
    var name: String
    static let schema = Schema<Member> { \.name }
  }
}

private struct Article: Entity, Codable {
  let id: Int
  var title: String?
  var headline: String?
  static let schema = Schema<Article> {
    \.title
    \.headline
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Renamings that a file has passed` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func writeFirst(_ sealing: Sealing) async throws {
    try await folder.write(First.Person.self, First.Post.self, options: sealing.options()) { tx in
      try tx.insert(First.Person(id: 1, name: "Ann"))
      try tx.insert(First.Post(id: 1, headline: "one"))
    }
  }

  /// Regression: a property with the earlier name of another was renamed again, and the file could not be opened.
  @Test(arguments: Sealing.allCases)
  func `a new property can have the earlier name of another`(sealing: Sealing) async throws {
    try await writeFirst(sealing)
    let options = sealing.options(Second.migrations)
    #expect(try await folder.all(Second.Post.self, options: options) == [Second.Post(id: 1, title: "one")])
    try await folder.write(Third.Post.self, options: options) { tx in
      try tx.upsert(Third.Post(id: 1, headline: "new", title: "one"))
      try tx.insert(Third.Post(id: 2, headline: "two"))
    }
    for _ in 0..<2 {
      let posts = try await folder.all(Third.Post.self, options: options)
      #expect(
        posts == [Third.Post(id: 1, headline: "new", title: "one"), Third.Post(id: 2, headline: "two")])
    }
  }

  /// Regression: objects of a new entity with the earlier name of another became objects of that.
  @Test(arguments: Sealing.allCases)
  func `a new entity can have the earlier name of another, which is empty`(sealing: Sealing) async throws {
    try await writeFirst(sealing)
    let options = sealing.options(Second.migrations)
    try await folder.write(Second.User.self, options: options) { tx in try tx.delete(Second.User.self, 1) }
    try await folder.write(Second.User.self, Third.Person.self, options: options) { tx in
      try tx.insert(Third.Person(id: 5, age: 50))
    }
    for _ in 0..<2 {
      try await folder.read(Second.User.self, Third.Person.self, options: options) { snapshot in
        #expect(snapshot.count(Second.User.all) == 0)
        #expect(Array(snapshot.fetch(Third.Person.all)) == [Third.Person(id: 5, age: 50)])
      }
    }
  }

  @Test(arguments: Sealing.allCases)
  func `a new file has passed all of the list`(sealing: Sealing) async throws {
    let options = sealing.options(Second.migrations)
    try await folder.write(Third.Person.self, Third.Post.self, options: options) { tx in
      try tx.insert(Third.Person(id: 5, age: 50))
      try tx.insert(Third.Post(id: 1, headline: "a", title: nil))
    }
    for _ in 0..<2 {
      try await folder.read(Third.Person.self, Second.User.self, Third.Post.self, options: options) {
        snapshot in
        #expect(snapshot.count(Third.Person.all) == 1 && snapshot.count(Second.User.all) == 0)
        #expect(Array(snapshot.fetch(Third.Post.all)) == [Third.Post(id: 1, headline: "a", title: nil)])
      }
    }
  }

  @Test(arguments: Sealing.allCases)
  func `a renaming that has nothing to do counts as passed with the next write`(sealing: Sealing) async throws
  {
    try await folder.write(Second.User.self, options: sealing.options()) { tx in
      try tx.insert(Second.User(id: 1, name: "Ann"))
    }
    let options = sealing.options(Second.migrations)
    // Nothing is written.
    #expect(try await folder.all(Second.User.self, options: options).count == 1)
    #expect(try await folder.all(Second.User.self, options: sealing.options()).count == 1)
    try await folder.write(Second.User.self, options: options) { tx in try tx.delete(Second.User.self, 1) }
    try await folder.write(Third.Person.self, options: options) { tx in
      try tx.insert(Third.Person(id: 5, age: 50))
    }
    try await folder.read(Second.User.self, Third.Person.self, options: options) { snapshot in
      #expect(snapshot.count(Second.User.all) == 0 && snapshot.count(Third.Person.all) == 1)
    }
  }

  /// Regression: an older app read a file in which something was renamed as if it were empty, and wrote beside it.
  @Test(arguments: Sealing.allCases, [false, true])
  func `a program whose list lacks a renaming that the file has passed is refused, with its name`(
    sealing: Sealing, isReadOnly: Bool
  ) async throws {
    try await writeFirst(sealing)
    let options = sealing.options(Second.migrations)
    #expect(try await folder.all(Second.User.self, options: options).map(\.name) == ["Ann"])
    let lists: [(list: [Migration], missing: [String])] = [
      ([], ["Person", "User"]), (Array(Second.migrations.prefix(1)), ["headline of Post", "title"]),
      (Array(Second.migrations.suffix(1)), ["Person", "User"]),
    ]
    for (list, missing) in lists {
      let error = try await folder.fileError(
        First.Person.self, First.Post.self, options: sealing.options(list, isReadOnly: isReadOnly))
      #expect(error.code == .newerSchema, "\(error)")
      #expect(missing.allSatisfy(error.message.contains), "\(error)")
    }
  }

  @Test(arguments: Sealing.allCases)
  func `the record stays through writing, compaction, another key and a repair`(sealing: Sealing) async throws
  {
    try await writeFirst(sealing)
    let options = sealing.options(Second.migrations)
    let file = try await StoreFile.open(at: folder.file, Second.User.self, Second.Post.self, options: options)
    try await file.write { tx in try tx.insert(Second.User(id: 2, name: "Bob")) }
    try await file.compact()
    try await file.changeKey(to: nil)
    try await file.changeKey(to: sealing.key)
    try await file.close()
    #expect(try await folder.all(Second.User.self, options: options).map(\.name) == ["Ann", "Bob"])
    try await DatabaseQueue(path: folder.file.path).write { db in
      let column = sealing == .plain ? "_check" : "_sealed"
      try db.execute(sql: "UPDATE User SET \(column) = 0 WHERE _place = (SELECT max(_place) FROM User)")
    }
    var repairing = options
    repairing.repair = .skipDamagedRows
    #expect(try await folder.all(Second.User.self, options: repairing).map(\.name) == ["Ann"])
    let error = try await folder.fileError(First.Person.self, options: sealing.options())
    #expect(error.code == .newerSchema, "\(error)")
    #expect(try await folder.all(Second.User.self, options: options).map(\.name) == ["Ann"])
  }

  /// The entries of the list follow the types: what the file has passed as another name of an entity is passed.
  @Test(arguments: Sealing.allCases, [false, true])
  func `a property that was renamed stays so when its entity gets another name`(
    sealing: Sealing, passesSecond: Bool
  ) async throws {
    try await writeFirst(sealing)
    if passesSecond {
      try await folder.write(Second.Post.self, Second.User.self, options: sealing.options(Second.migrations))
      {
        try $0.insert(Second.Post(id: 2, title: "two"))
      }
    }
    let list: [Migration] = [
      .renamed("Person", to: Fourth.Member.self), .renamed("headline", to: "title", in: Article.self),
      .renamed("User", to: Fourth.Member.self), .renamed("Post", to: Article.self),
    ]
    let titles = passesSecond ? ["one", "two", nil] : ["one", nil]
    try await folder.write(Article.self, Fourth.Member.self, options: sealing.options(list)) { tx in
      try tx.insert(Article(id: 3, title: nil, headline: "three"))
    }
    for _ in 0..<2 {
      try await folder.read(Article.self, Fourth.Member.self, options: sealing.options(list)) { snapshot in
        #expect(snapshot.fetch(Fourth.Member.all).map(\.name) == ["Ann"])
        #expect(snapshot.fetch(Article.all).map(\.title) == titles)
        #expect(snapshot.fetch(Article.all).map(\.headline).last == "three")
      }
    }
    let error = try await folder.fileError(Second.User.self, options: sealing.options(Second.migrations))
    #expect(error.code == .newerSchema, "\(error)")
  }

  @Test(arguments: Sealing.allCases)
  func `one of two columns gives way to a renaming if no object has a value in it`(sealing: Sealing)
    async throws
  {
    for (headline, title) in [("a", nil), (nil, "a")] as [(String?, String?)] {
      try StoreFile.remove(at: folder.file)
      try await folder.write(Third.Post.self, options: sealing.options()) { tx in
        try tx.insert(Third.Post(id: 1, headline: "x", title: "y"))
        try tx.insert(Third.Post(id: 2, headline: headline, title: title))
        try tx.delete(Third.Post.self, 1)
      }
      try await folder.write(Third.Post.self, options: sealing.options()) { tx in
        try tx.insert(Third.Post(id: 3, headline: "x", title: "y"))
      }
      try await folder.write(Third.Post.self, options: sealing.options()) { tx in
        try tx.delete(Third.Post.self, 3)
      }
      let options = sealing.options([.renamed("headline", to: "title", in: Second.Post.self)])
      for _ in 0..<2 {
        #expect(try await folder.all(Second.Post.self, options: options).map(\.title) == ["a"])
      }
    }
  }
}
