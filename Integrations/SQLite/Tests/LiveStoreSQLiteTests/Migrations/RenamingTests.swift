import Foundation
import LiveStore
import LiveStoreSQLite
import Testing

private enum First {
  struct Person: Entity, Codable, Equatable {
    let id: Int
    var name: String
    var friend: Ref<Person>?
    static let schema = Schema<Person> {
      Property(\.name, .unique)
      Relation(\.friend)
    }
  }
  struct Post: Entity, Codable, Equatable {
    let id: Int
    var headline: String?
    var author: Ref<Person>
    static let schema = Schema<Post> {
      \.headline
      Relation(\.author, onDelete: .cascade)
    }
  }
}

private enum Second {
  struct Post: Entity, Codable, Equatable {
    let id: Int
    var title: String?
    var author: Ref<First.Person>
    static let schema = Schema<Post> {
      \.title
      Relation(\.author)
    }
  }
}

private enum Third {
  struct User: Entity, Codable, Equatable {
    let id: Int
    var name: String
    var friend: Ref<User>?
    static let schema = Schema<User> {
      Property(\.name, .unique)
      Relation(\.friend)
    }
  }
  struct Post: Entity, Codable, Equatable {
    let id: Int
    var caption: String?
    var writer: Ref<User>
    var likeCount: Int
    static let schema = Schema<Post> {
      \.caption
      Relation(\.writer, onDelete: .cascade)
      \.likeCount
    }
  }
}

/// The entity with the property of the old name beside that of the new one.
private enum Both {
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

@Suite(.timeLimit(.minutes(10))) struct `Entities and properties with new names` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private static let migrations: [Migration] = [
    .renamed("headline", to: "title", in: Third.Post.self),
    .renamed("title", to: "caption", in: Third.Post.self),
    .renamed("Person", to: Third.User.self),
    .renamed("author", to: "writer", in: Third.Post.self),
    .added("likeCount", to: Third.Post.self, default: 2),
  ]

  private func writeFirst(_ sealing: Sealing) async throws {
    try await folder.write(First.Person.self, First.Post.self, options: sealing.options()) { tx in
      try tx.insert(First.Person(id: 2, name: "Bob"))
      try tx.insert(First.Person(id: 1, name: "Ann", friend: Ref(2)))
      try tx.insert(First.Post(id: 5, headline: "five", author: Ref(1)))
      try tx.insert(First.Post(id: 4, headline: nil, author: Ref(2)))
    }
  }

  @Test(arguments: Sealing.allCases)
  func `an entity and its properties are renamed in one opening, with the links to it, once`(sealing: Sealing)
    async throws
  {
    try await writeFirst(sealing)
    let options = sealing.options(Self.migrations)
    let users = [Third.User(id: 2, name: "Bob"), Third.User(id: 1, name: "Ann", friend: Ref(2))]
    var posts = [
      Third.Post(id: 5, caption: "five", writer: Ref(1), likeCount: 2),
      Third.Post(id: 4, caption: nil, writer: Ref(2), likeCount: 2),
    ]
    for round in 0..<3 {
      let file = try await StoreFile.open(at: folder.file, Third.Post.self, Third.User.self, options: options)
      #expect(Array(file.store.fetch(Third.User.all)) == users)
      #expect(Array(file.store.fetch(Third.Post.all)) == posts)
      let ofFriends = posts.filter { $0.writer.id == 1 }
      #expect(Array(file.store.fetch(Third.Post.where { $0.writer.friend.name == "Bob" })) == ofFriends)
      posts[1].caption = "round \(round)"
      posts.append(Third.Post(id: round + 10, caption: nil, writer: Ref(1), likeCount: 0))
      try await file.write { [posts] tx in for post in posts { try tx.upsert(post) } }
      try await file.close()
    }
    if sealing == .plain {
      let (tables, columns) = (try await folder.tables(), try await folder.columns(of: "Post"))
      #expect(tables.contains("User") && !tables.contains("Person"))
      #expect(columns.contains("caption") && !columns.contains("headline") && !columns.contains("title"))
    }
  }

  @Test(arguments: Sealing.allCases)
  func `a list of renamed properties serves files of each of the versions`(sealing: Sealing) async throws {
    try await writeFirst(sealing)
    let second = sealing.options([.renamed("headline", to: "title", in: Second.Post.self)])
    try await folder.write(First.Person.self, Second.Post.self, options: second) { tx in
      try #require(Array(tx.fetch(Second.Post.all).map(\.title)) == ["five", nil])
      try tx.insert(Second.Post(id: 6, title: "six", author: Ref(1)))
    }
    try await folder.read(Third.Post.self, Third.User.self, options: sealing.options(Self.migrations)) {
      #expect($0.fetch(Third.Post.all).map(\.caption) == ["five", nil, "six"])
    }
  }

  @Test(arguments: Sealing.allCases)
  func `the new name of an entity can stand before or after those of its properties`(sealing: Sealing)
    async throws
  {
    try await writeFirst(sealing)
    let migrations = Array(Self.migrations.dropFirst(2) + Self.migrations.prefix(2))
    for _ in 0..<2 {
      try await folder.read(Third.Post.self, Third.User.self, options: sealing.options(migrations)) {
        #expect($0.fetch(Third.Post.all).map(\.caption) == ["five", nil])
        #expect($0.fetch(Third.Post.all).map(\.likeCount) == [2, 2])
        #expect($0.fetch(Third.User.all).map(\.name) == ["Bob", "Ann"])
      }
    }
  }

  @Test(arguments: Sealing.allCases)
  func `two earlier names of one entity serve files that have either`(sealing: Sealing) async throws {
    try await writeFirst(sealing)
    let migrations = Self.migrations + [.renamed("Human", to: Third.User.self)]
    for _ in 0..<2 {
      let users = try await folder.all(Third.User.self, options: sealing.options(migrations))
      #expect(users.map(\.name) == ["Bob", "Ann"])
    }
  }

  /// Bug: a new file recorded such names, and was read as damaged.
  @Test(arguments: Sealing.allCases)
  func `names with very many marks are no names of a migration`(sealing: Sealing) async throws {
    let name = "x" + String(repeating: "\u{301}", count: 31)
    let lists: [[Migration]] = [
      [.renamed(name, to: Third.User.self)], [.renamed(name, to: "name", in: Third.User.self)],
      [.renamed("name", to: name, in: Third.User.self)],
    ]
    for list in lists {
      let error = await #expect(throws: StoreFileError.self) {
        try await StoreFile.open(at: folder.file, Third.User.self, options: sealing.options(list))
      }
      #expect(error?.code == .invalidMigration)
    }
  }

  @Test(arguments: Sealing.allCases)
  func `an entity is not renamed onto one that has objects`(sealing: Sealing) async throws {
    try await writeFirst(sealing)
    try await folder.write(Third.User.self, options: sealing.options()) { tx in
      try tx.insert(Third.User(id: 9, name: "Zoe"))
    }
    let error = try await folder.fileError(
      Third.User.self, options: sealing.options([.renamed("Person", to: Third.User.self)]))
    #expect(error.code == .invalidMigration, "\(error)")
    #expect(error.message.contains("Person") && error.message.contains("User"), "\(error)")
  }

  @Test(arguments: Sealing.allCases)
  func `an entity is renamed onto one that is empty`(sealing: Sealing) async throws {
    try await writeFirst(sealing)
    try await folder.write(Third.User.self, options: sealing.options()) { _ in }
    let options = sealing.options([.renamed("Person", to: Third.User.self)])
    for _ in 0..<2 {
      #expect(try await folder.all(Third.User.self, options: options).map(\.id) == [2, 1])
    }
  }

  /// Regression: the earlier table was there, too, without objects, and the file could not be opened any more.
  @Test(arguments: Sealing.allCases)
  func `an entity that has its new name is left alone if the earlier one is there and empty`(
    sealing: Sealing
  ) async throws {
    try await folder.write(First.Person.self, Third.User.self, options: sealing.options()) { tx in
      for id in [2, 1] { try tx.insert(Third.User(id: id, name: "user \(id)")) }
    }
    let options = sealing.options([.renamed("Person", to: Third.User.self)])
    for _ in 0..<2 {
      #expect(try await folder.all(Third.User.self, options: options).map(\.id) == [2, 1])
    }
  }

  @Test(arguments: Sealing.allCases)
  func `a property is not renamed onto one that has values`(sealing: Sealing) async throws {
    try await folder.write(Both.Post.self, options: sealing.options()) { tx in
      try tx.insert(Both.Post(id: 1, headline: "a", title: nil))
      try tx.insert(Both.Post(id: 2, headline: nil, title: "b"))
    }
    let error = try await folder.fileError(
      Second.Post.self, First.Person.self,
      options: sealing.options([.renamed("headline", to: "title", in: Second.Post.self)]))
    #expect(error.code == .invalidMigration && error.table == "Post", "\(error)")
    #expect(error.message.contains("headline") && error.message.contains("title"), "\(error)")
  }

  @Test(arguments: Sealing.allCases)
  func `a property is renamed onto one that has no values`(sealing: Sealing) async throws {
    try await folder.write(Both.Post.self, options: sealing.options()) { tx in
      for id in 1...3 { try tx.insert(Both.Post(id: id, headline: id == 2 ? nil : "\(id)", title: nil)) }
    }
    let options = sealing.options([.renamed("headline", to: "title", in: Both.Post.self)])
    for _ in 0..<2 {
      let posts = try await folder.all(Both.Post.self, options: options)
      #expect(posts.map(\.title) == ["1", nil, "3"])
      #expect(posts.map(\.headline) == [nil, nil, nil])
    }
  }

  @Test(arguments: Sealing.allCases)
  func `a new name for what is not in the file does nothing`(sealing: Sealing) async throws {
    let options = sealing.options(Self.migrations)
    try await folder.write(Third.User.self, Third.Post.self, options: options) { tx in
      try tx.insert(Third.User(id: 1, name: "Ann"))
      try tx.insert(Third.Post(id: 1, caption: "x", writer: Ref(1), likeCount: 9))
    }
    try await folder.read(Third.User.self, Third.Post.self, options: options) { snapshot in
      #expect(
        Array(snapshot.fetch(Third.Post.all)) == [
          Third.Post(id: 1, caption: "x", writer: Ref(1), likeCount: 9)
        ])
    }
  }

  @Test(arguments: Sealing.allCases)
  func `reading only gives what was renamed under its new name, or says that a migration is needed`(
    sealing: Sealing
  ) async throws {
    try await writeFirst(sealing)
    let before = try folder.bytes()
    let options = sealing.options(
      [.renamed("headline", to: "title", in: Second.Post.self)], isReadOnly: true)
    do {
      try await folder.read(First.Person.self, Second.Post.self, options: options) { snapshot in
        #expect(snapshot.fetch(Second.Post.all).map(\.title) == ["five", nil])
      }
    } catch let error as StoreFileError {
      #expect(error.code == .migrationNeeded, "\(error)")
    }
    #expect(try folder.bytes() == before)
  }
}
