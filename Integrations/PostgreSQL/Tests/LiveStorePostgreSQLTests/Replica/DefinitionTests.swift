import Foundation
import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

private struct Item: Entity, Codable, Equatable {
  let id: Int
  var label: String
  var note: String?
  static let schema = Schema<Item> {
    \.label
    \.note
  }
}

/// The publication and the tables are altered while a replica follows them.
@Suite(.timeLimit(.minutes(5))) struct `Definitions that change under way` {
  private static let table = "id int PRIMARY KEY, label text NOT NULL"
  private static let rows = "INSERT INTO items VALUES (1, 'a'), (2, 'b')"

  private func withReplica(
    interval: Duration = .milliseconds(20),
    _ body: (PostgresReplica, SQLClient) async throws -> Void
  ) async throws {
    try await TestServer.shared().withDatabase { database in
      let client = try await database.connect()
      try await client.execute(
        "CREATE TABLE items (\(Self.table)); CREATE PUBLICATION app FOR TABLE items; \(Self.rows)")
      var options = PostgresReplica.Options()
      options.minimumBackoff = .milliseconds(1)
      options.maximumBackoff = .milliseconds(20)
      options.statusInterval = interval
      let replica = try await PostgresReplica.start(
        database.connectionString, publication: "app", options: options
      ) {
        Replicated("items", Item.self)
      }
      try await body(replica, client)
      await replica.close()
    }
  }

  private func synced(_ replica: PostgresReplica, _ client: SQLClient) async throws {
    try await replica.synced(to: try #require(LogSequenceNumber(try await client.position())))
  }

  private func labels(_ replica: PostgresReplica) -> [String] {
    replica.store.fetch(Item.sorted(by: \.id)).map(\.label)
  }

  @Test func `what happened to a table while it was out of the publication is copied when it is back`()
    async throws
  {
    try await withReplica { replica, client in
      try await client.execute("ALTER PUBLICATION app DROP TABLE items")
      try await client.execute("UPDATE items SET label = 'missed' WHERE id = 2")
      try await client.execute("ALTER PUBLICATION app ADD TABLE items")
      #expect(await isReached { labels(replica) == ["a", "missed"] })
      // A copy is counted after its rows are there.
      #expect(await isReached { replica.status.copies == 2 })
    }
  }

  @Test func `a publication that stays as it is is not copied from again`() async throws {
    try await withReplica { replica, client in
      try await client.execute("CREATE TABLE others (id int PRIMARY KEY)")
      try await client.execute("ALTER PUBLICATION app ADD TABLE others")
      try await client.execute("ANALYZE items; INSERT INTO others VALUES (1); CREATE INDEX ON items (label)")
      try await client.execute("UPDATE items SET label = 'x' WHERE id = 1")
      try await synced(replica, client)
      let asked = replica.status.serverLSN
      try await client.execute("INSERT INTO others VALUES (2)")
      #expect(await isReached { replica.status.serverLSN > asked })
      #expect(
        labels(replica) == ["x", "b"] && replica.status.copies == 1 && replica.status.reconnections == 0)
    }
  }

  @Test func `a table that is made again under its name is copied, with what it holds`() async throws {
    try await withReplica { replica, client in
      try await client.execute(
        """
        BEGIN; DROP TABLE items; CREATE TABLE items (\(Self.table)); INSERT INTO items VALUES (3, 'c');
        ALTER PUBLICATION app ADD TABLE items; COMMIT
        """)
      #expect(await isReached { labels(replica) == ["c"] })
    }
  }

  @Test func `a table that takes the name of the one followed is copied at its first change`() async throws {
    try await withReplica(interval: .seconds(600)) { replica, client in
      try await client.execute(
        """
        BEGIN; ALTER TABLE items RENAME TO former; CREATE TABLE items (\(Self.table));
        INSERT INTO items VALUES (3, 'c'); ALTER PUBLICATION app ADD TABLE items; COMMIT
        """)
      try await client.execute("INSERT INTO items VALUES (4, 'd')")
      try await synced(replica, client)
      #expect(labels(replica) == ["c", "d"] && replica.status.copies == 2)
    }
  }

  @Test func `values that an alteration rewrites are copied, also where the type stays`() async throws {
    try await withReplica { replica, client in
      try await client.execute("ALTER TABLE items ALTER label TYPE text USING label || '!'")
      #expect(await isReached { labels(replica) == ["a!", "b!"] })
    }
  }

  @Test func `a column that is added for an optional property fills it in all rows`() async throws {
    try await withReplica(interval: .seconds(600)) { replica, client in
      try await client.execute("ALTER TABLE items ADD note text DEFAULT 'new'")
      // It is noticed at the next change.
      try await client.execute("UPDATE items SET label = 'x' WHERE id = 1")
      try await synced(replica, client)
      #expect(replica.store.fetch(Item.sorted(by: \.id)).map(\.note) == ["new", "new"])
      try await client.execute("ALTER TABLE items DROP note; UPDATE items SET label = 'y' WHERE id = 1")
      try await synced(replica, client)
      #expect(replica.store.fetch(Item.sorted(by: \.id)).map(\.note) == [nil, nil])
      #expect(labels(replica) == ["y", "b"] && replica.status.copies == 3)
    }
  }

  @Test func `columns that no property reads come and go without a copy`() async throws {
    try await withReplica { replica, client in
      try await client.execute("ALTER TABLE items ADD other int DEFAULT 5")
      try await client.execute("INSERT INTO items VALUES (3, 'c', 6)")
      try await client.execute("ALTER TABLE items DROP other; ALTER TABLE items ADD last uuid")
      try await client.execute("INSERT INTO items (id, label) VALUES (4, 'd')")
      try await synced(replica, client)
      #expect(labels(replica) == ["a", "b", "c", "d"] && replica.status.copies == 1)
    }
  }

  @Test func `a type and a column of it that a large transaction makes are read when it ends`() async throws {
    try await withReplica { replica, client in
      try await client.execute(
        """
        BEGIN; CREATE TYPE mood AS ENUM ('calm', 'keen'); ALTER TABLE items ADD note mood DEFAULT 'keen';
        INSERT INTO items SELECT n, repeat('x', 200), 'calm' FROM generate_series(3, 2000) n; COMMIT
        """)
      try await synced(replica, client)
      #expect(replica.store.count(Item.all) == 2_000 && replica.store[Item.self, 3]?.note == "calm")
      #expect(replica.store[Item.self, 1]?.note == "keen")
    }
  }

  @Test func `a table that is truncated between the snapshot and its copy is copied as it then is`()
    async throws
  {
    let server = try await TestServer.shared()
    try await server.withDatabase { database in
      let client = try await database.connect()
      try await client.execute(
        "CREATE TABLE items (\(Self.table)); CREATE PUBLICATION app FOR TABLE items; \(Self.rows)")
      let proxy = try FaultyProxy(to: server.port)
      // The second connection copies: it is made when the first has a snapshot, and says little before it is stopped.
      proxy.delay = .milliseconds(20)
      let start = Task {
        try await PostgresReplica.start(database.connectionString(port: proxy.port), publication: "app") {
          Replicated("items", Item.self)
        }
      }
      #expect(await isReached { proxy.connectionCount == 2 })
      proxy.isFrozen = true
      try await client.execute("TRUNCATE items; INSERT INTO items VALUES (7, 'g')")
      proxy.heal()
      let replica = try await start.value
      #expect(labels(replica) == ["g"])
      #expect(replica.store.version.number == 1 && replica.status.copies == 1)
      await replica.close()
      proxy.shutDown()
    }
  }
}
