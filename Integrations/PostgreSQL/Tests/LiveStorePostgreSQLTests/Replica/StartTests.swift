import Foundation
import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

private struct Author: Entity, Codable, Equatable {
  let id: Int
  var name: String
  static let schema = Schema<Author> { \.name }
}

private struct Post: Entity, Codable, Equatable {
  let id: UUID
  var title: String
  var likeCount: Int
  var author: Ref<Author>?
  static let schema = Schema<Post> {
    \.title
    Property(\.likeCount, .indexed)
    Relation(\.author)
  }
}

private struct Draft: Entity {
  let id: Int
  var post: Ref<Post>?
  static let schema = Schema<Draft> { Relation(\.post, onDelete: .nullify) }
}

@Suite struct `Starting a replica` {
  private static let names: ColumnNaming = .snakeCase.with(["author": "author_id"])

  private static func makeTables(_ client: SQLClient) async throws {
    try await client.execute(
      """
      CREATE TABLE authors (id int PRIMARY KEY, name text NOT NULL, active bool NOT NULL DEFAULT true);
      CREATE TABLE posts (id uuid PRIMARY KEY, title text NOT NULL, like_count int NOT NULL, author_id int);
      ALTER TABLE authors REPLICA IDENTITY FULL;
      CREATE PUBLICATION app FOR TABLE posts, TABLE authors WHERE (active);
      INSERT INTO authors VALUES (1, 'Ann', true), (2, 'Bob', false);
      INSERT INTO posts SELECT gen_random_uuid(), 'post ' || n, n, 1 + n % 2 FROM generate_series(1, 10) n
      """)
  }

  private static func start(_ database: TestDatabase) async throws -> PostgresReplica {
    try await PostgresReplica.start(database.connectionString, publication: "app") {
      Replicated("posts", Post.self, columns: names)
      Replicated("authors", Author.self, where: "active")
      Local(Draft.self)
    }
  }

  @Test func `a replica has the rows of its tables, and each transaction that follows as one commit`()
    async throws
  {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    try await Self.makeTables(client)
    let replica = try await Self.start(database)
    let store = replica.store
    #expect(store.count(Post.all) == 10)
    #expect(store.fetch(Author.all).map(\.name) == ["Ann"])
    let query = Post.where { $0.author.name == "Bob" && $0.likeCount > 4 }.sorted(by: \.likeCount)
    #expect(store.fetch(query).isEmpty)

    let before = store.version.number
    try await client.execute(
      "UPDATE authors SET active = true WHERE id = 2; UPDATE posts SET like_count = like_count + 1")
    let position = try #require(LogSequenceNumber(try await client.position()))
    try await replica.synced(to: position)
    #expect(store.version.number == before + 1)
    #expect(store.fetch(query).map(\.likeCount) == [6, 8, 10])
    #expect(replica.transaction(of: store.version) != nil)

    try await replica.write { sql in try await sql.execute("DELETE FROM posts WHERE like_count > \(5)") }
    #expect(store.count(Post.all) == 4)
    #expect(throws: StoreError.self) { try store.write { tx in try tx.deleteAll(Post.self) } }
    try await store.write { tx in try tx.insert(Draft(id: 1, post: Ref(store.fetch(Post.all)[0].id))) }
    try await replica.write { sql in try await sql.execute("TRUNCATE posts") }
    #expect(store.count(Post.all) == 0 && store[Draft.self, 1]?.post == nil)
    #expect(replica.status.state == .streaming)
    await replica.close()
    #expect(replica.status.state == .closed)
    try await database.drop()
  }

  @Test func `the rows of a copy of many pieces stand in the server's order`() async throws {
    try await TestServer.shared().withDatabase { database in
      let client = try await database.connect()
      try await client.execute(
        """
        CREATE TABLE authors (id int PRIMARY KEY, name text NOT NULL); CREATE PUBLICATION app FOR TABLE authors;
        INSERT INTO authors SELECT n * 7919 % 30000, repeat('name', 50) FROM generate_series(1, 30000) n
        """)
      let replica = try await PostgresReplica.start(database.connectionString, publication: "app") {
        Replicated("authors", Author.self)
      }
      #expect(replica.store.fetch(Author.all).map(\.id) == (1...30_000).map { $0 * 7_919 % 30_000 })
      await replica.close()
    }
  }

  @Test(arguments: [-1, 0, 40_000, 50_000_000])
  func `the first copy is one commit, however many rows the server thinks that there are`(
    estimate: Int
  ) async throws {
    try await TestServer.shared().withDatabase { database in
      let client = try await database.connect()
      try await client.execute(
        """
        CREATE TABLE authors (id int PRIMARY KEY, name text NOT NULL);
        CREATE TABLE posts (id uuid PRIMARY KEY, title text NOT NULL, like_count int NOT NULL, author_id int);
        CREATE PUBLICATION app FOR TABLE posts, authors;
        INSERT INTO authors SELECT n, 'author ' || n FROM generate_series(1, 40000) n;
        INSERT INTO posts SELECT gen_random_uuid(), 'post', n, n FROM generate_series(1, 40) n;
        UPDATE pg_class SET reltuples = \(estimate) WHERE oid IN ('authors'::regclass, 'posts'::regclass)
        """)
      let replica = try await PostgresReplica.start(database.connectionString, publication: "app") {
        Replicated("authors", Author.self)
        Local(Draft.self)
        Replicated("posts", Post.self, columns: Self.names)
      }
      let store = replica.store
      #expect(store.version.number == 1 && replica.status.copies == 1)
      #expect(store.fetch(Author.all).map(\.id) == Array(1...40_000))
      #expect((1...40_000).allSatisfy { store[Author.self, $0]?.name == "author \($0)" })
      #expect(store.count(Post.where { $0.author.name == "author 7" }) == 1)
      #expect(store.fetch(Post.where { $0.likeCount > 38 }).count == 2)
      try await replica.write { sql in try await sql.execute("DELETE FROM authors WHERE id > 1") }
      #expect(store.fetch(Author.all).map(\.id) == [1])
      await replica.close()
    }
  }

  @Test func `an optimistic edit is shown at once, and replaced by what the server did`() async throws {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    try await Self.makeTables(client)
    let replica = try await Self.start(database)
    let store = replica.store
    let id = try #require(store.fetch(Post.all).first?.id)
    var changes = store.changes(of: Post.where { $0.title == "edited" }).makeAsyncIterator()
    try await replica.write(optimistically: { tx in try tx.update(Post.self, id) { $0.title = "edited" } }) {
      sql in
      #expect(store[Post.self, id]?.title == "edited")
      _ = await changes.next()
      try await sql.execute("UPDATE posts SET title = 'by the server', like_count = 77 WHERE id = \(id)")
    }
    #expect(store[Post.self, id]?.title == "by the server" && store[Post.self, id]?.likeCount == 77)
    _ = await changes.next()
    struct Refused: Error {}
    await #expect(throws: Refused.self) {
      try await replica.write(optimistically: { tx in try tx.delete(Post.self, id) }) { sql in
        #expect(store[Post.self, id] == nil)
        throw Refused()
      }
    }
    #expect(store[Post.self, id]?.likeCount == 77)
    #expect(replica.status.optimisticEdits == 0)
    await replica.close()
    try await database.drop()
  }

  @Test func `an edit of an entity that is not replicated is refused, and nothing is shown or sent`()
    async throws
  {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    try await Self.makeTables(client)
    let replica = try await Self.start(database)
    let before = replica.store.version
    let error = await #expect(throws: PostgresError.self) {
      try await replica.write(optimistically: { tx in
        try tx.update(Post.all) { $0.likeCount += 1 }
        try tx.insert(Draft(id: 1, post: nil))
      }) { sql in
        Issue.record("The statements ran.")
        try await sql.execute("DELETE FROM posts")
      }
    }
    #expect(error?.code == PostgresError.readOnly && error?.message.contains("Draft") == true)
    #expect(replica.store.version == before && replica.store.count(Draft.all) == 0)
    await replica.close()
    try await database.drop()
  }
}
