import Crypto
import Foundation
import LiveStore
import LiveStoreSQLite
import Testing

/// Entities of several versions of an app.
private enum V1 {
  struct Person: Entity, Codable {
    let id: Int
    var first: String
    var last: String
    static let schema = Schema<Person> {
      \.first
      \.last
    }
  }
  struct Post: Entity, Codable {
    let id: Int
    var headline: String
    var author: Ref<Person>
    static let schema = Schema<Post> {
      \.headline
      Relation(\.author, onDelete: .cascade)
    }
  }
}

private struct User: Entity, Codable, Equatable {
  let id: Int
  var name: String
  static let schema = Schema<User> { \.name }
}

private struct Post: Entity, Codable, Equatable {
  let id: Int
  var title: String
  var likeCount: Int
  var subtitle: String?
  var author: Ref<User>
  var readers = RefList<User>()
  static let schema = Schema<Post> {
    \.title
    Property(\.likeCount, .indexed)
    \.subtitle
    Relation(\.author, onDelete: .cascade)
    Relation(\.readers)
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Migrations` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private let migrations: [Migration] = [
    .renamed("Person", to: User.self),
    .renamed("headline", to: "title", in: Post.self),
    .added("likeCount", to: Post.self, default: 5),
    Migration(from: 1, to: 2) { old, tx in
      try tx.update("User") { person in
        try person.set(
          "name", to: "\(person.value("first", as: String.self)) \(person.value("last", as: String.self))")
      }
    },
    Migration(from: 2, to: 4) { old, tx in
      try tx.removeProperty("first", of: "User")
      try tx.removeProperty("last", of: "User")
      var ids: Set<Int> = []
      try old.forEach("User") { person in
        if try person.value("first", as: String.self) == "Ann" { ids.insert(try person.value("id")) }
      }
      try tx.delete("User") { ids.contains(try $0.value("id", as: Int.self)) }
      try tx.delete("Post") { ids.contains(try $0.value("author", as: Int.self)) }
      try tx.insert("User") { person in
        try person.set("id", to: 9)
        try person.set("name", to: "New")
      }
    },
  ]

  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func `steps, renamed and added properties lead from the first version to the newest`(key: SymmetricKey?)
    async throws
  {
    let old = try await StoreFile.open(
      at: folder.file, V1.Person.self, V1.Post.self, options: .init(key: key))
    try await old.write { tx in
      try tx.insert(V1.Person(id: 1, first: "Ann", last: "Lee"))
      try tx.insert(V1.Person(id: 2, first: "Bob", last: "Ray"))
      try tx.insert(V1.Post(id: 1, headline: "Tea", author: Ref(1)))
      try tx.insert(V1.Post(id: 2, headline: "Cake", author: Ref(2)))
    }
    try await old.close()
    for _ in 0..<2 {
      let file = try await StoreFile.open(
        at: folder.file, User.self, Post.self, options: .init(key: key, migrations: migrations))
      #expect(Array(file.store.fetch(User.all)) == [User(id: 2, name: "Bob Ray"), User(id: 9, name: "New")])
      #expect(Array(file.store.fetch(Post.all)) == [Post(id: 2, title: "Cake", likeCount: 5, author: Ref(2))])
      try await file.close()
    }
    let error = await #expect(throws: StoreFileError.self) {
      try await StoreFile.open(at: folder.file, User.self, Post.self, options: .init(key: key))
    }
    #expect(error?.code == .newerSchema)
  }

  @Test func `a property of an entity that has a new name is renamed and added at the same opening`()
    async throws
  {
    let old = try await StoreFile.open(at: folder.file, V1.Person.self)
    try await old.write { tx in try tx.insert(V1.Person(id: 1, first: "Ann", last: "Lee")) }
    try await old.close()
    let migrations: [Migration] = [
      .renamed("Person", to: User.self), .renamed("first", to: "name", in: User.self),
    ]
    let file = try await StoreFile.open(at: folder.file, User.self, options: .init(migrations: migrations))
    #expect(Array(file.store.fetch(User.all)) == [User(id: 1, name: "Ann")])
    try await file.close()
  }

  /// A process that ended after it had made the file, or never wrote, left a file without tables. Steps that name an
  /// entity threw, so that no later version of the app could open it; now none is run, as for a new file.
  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func `a file that nothing was written to is migrated without its steps`(key: SymmetricKey?) async throws {
    try await StoreFile.open(at: folder.file, V1.Person.self, V1.Post.self, options: .init(key: key)).close()
    let file = try await StoreFile.open(
      at: folder.file, User.self, Post.self, options: .init(key: key, migrations: migrations))
    try await file.write { tx in try tx.insert(User(id: 1, name: "Ann")) }
    try await file.close()
    let again = try await StoreFile.open(
      at: folder.file, User.self, Post.self, options: .init(key: key, migrations: migrations))
    #expect(Array(again.store.fetch(User.all)) == [User(id: 1, name: "Ann")])
    try await again.close()
  }
}
