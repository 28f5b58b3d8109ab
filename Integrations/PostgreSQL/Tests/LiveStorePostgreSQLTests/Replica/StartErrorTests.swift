import Foundation
import LiveStore
import LiveStorePostgreSQL
import Synchronization
import PostgreSQLTestSupport
import Testing

private struct Item: Entity, Codable {
  let id: Int
  var label: String
  static let schema = Schema<Item> { \.label }
}

private enum Mood: String, Codable { case calm, keen }

private struct Moody: Entity, Codable {
  let id: Int
  var mood: Mood
  static let schema = Schema<Moody> { \.mood }
}

/// A start that is cancelled when its first rows have come.
private final class CancelledStart: Sendable {
  private let state = Mutex((task: Task<PostgresReplica, any Error>?.none, rows: 0))

  /// How many rows came.
  var rows: Int { state.withLock { $0.rows } }

  func run(
    _ start: @escaping @Sendable (@escaping @Sendable (CopyProgress) -> Void) async throws -> PostgresReplica
  ) async throws -> PostgresReplica {
    // The first progress waits for the mutex, and finds the task.
    let task = state.withLock { state in
      let task = Task { try await start { [self] progress in receive(progress) } }
      state.task = task
      return task
    }
    return try await task.value
  }

  private func receive(_ progress: CopyProgress) {
    let task = state.withLock { state in
      state.rows = progress.rows
      return state.task
    }
    if progress.rows > 0 { task?.cancel() }
  }
}

@Suite struct `Errors of a start` {
  private static let tables = """
    CREATE TABLE items (id int PRIMARY KEY, label text NOT NULL, extra int);
    CREATE TABLE keyless (id int, label text NOT NULL);
    CREATE TABLE elsewhere (number int PRIMARY KEY, id int NOT NULL, label text NOT NULL);
    CREATE TABLE twice (number int PRIMARY KEY, id int NOT NULL, label text NOT NULL);
    CREATE TABLE unpublished (id int PRIMARY KEY, label text NOT NULL);
    CREATE TABLE parted (id int PRIMARY KEY, label text NOT NULL) PARTITION BY RANGE (id);
    CREATE TABLE part PARTITION OF parted FOR VALUES FROM (0) TO (100);
    CREATE TABLE moody (id int PRIMARY KEY, mood text NOT NULL);
    CREATE TABLE computed (id int GENERATED ALWAYS AS (key) STORED, key int PRIMARY KEY,
      label text GENERATED ALWAYS AS ('label') STORED, extra text);
    CREATE TABLE filtered (id int PRIMARY KEY, label text NOT NULL);
    ALTER TABLE twice REPLICA IDENTITY FULL;
    INSERT INTO items VALUES (1, 'a'), (2, 'b');
    INSERT INTO twice VALUES (1, 7, 'a'), (2, 7, 'b');
    INSERT INTO moody VALUES (1, 'calm'), (2, 'furious');
    CREATE PUBLICATION app FOR TABLE items, keyless, elsewhere, twice, parted, moody, computed, filtered WHERE (id > 3 AND id < 9);
    CREATE PUBLICATION updates FOR TABLE items WITH (publish = 'update')
    """

  /// The error of a start, after which nothing is left at the server.
  private func failure<Member: ReplicaMember>(
    _ database: TestDatabase, publication: String = "app", _ member: Member
  ) async throws -> PostgresError {

    let error = await #expect(throws: PostgresError.self) {
      try await PostgresReplica.start(database.connectionString, publication: publication) { member }
    }
    let slots = try await database.connect().value(
      "SELECT count(*) FROM pg_replication_slots WHERE database = current_database() AND NOT temporary")
    #expect(slots == "0")
    return try #require(error)
  }

  @Test func `what cannot be followed is an error that names the table and what to do`() async throws {
    let database = try await TestServer.shared().createDatabase()
    try await database.connect().execute(Self.tables)
    let item = Item.self

    var error = try await failure(database, publication: "none", Replicated("items", item))
    #expect(error.code == PostgresError.invalidPublication && error.message.contains("CREATE PUBLICATION"))
    error = try await failure(database, publication: "updates", Replicated("items", item))
    #expect(error.code == PostgresError.invalidPublication && error.message.contains("operation insert"))
    error = try await failure(database, Replicated("nowhere", item))
    #expect(error.code == PostgresError.invalidTable && error.table == "public.nowhere")
    error = try await failure(database, Replicated("unpublished", item))
    #expect(
      error.table == "public.unpublished" && error.message.contains("ADD TABLE \"public\".\"unpublished\""))
    error = try await failure(database, Replicated("parted", item))
    #expect(error.message.contains("publish_via_partition_root"))
    error = try await failure(database, Replicated("keyless", item))
    #expect(error.table == "public.keyless" && error.message.contains("REPLICA IDENTITY FULL"))
    error = try await failure(database, Replicated("elsewhere", item))
    #expect(error.column == "id" && error.message.contains("not part of the replica identity"))
    error = try await failure(database, Replicated("items", item, columns: ["id": "key"]))
    #expect(error.column == "key" && error.table == "public.items")
    error = try await failure(
      database,
      Replicated("items", item) { row in Item(id: try row.decode("id"), label: try row.decode("label")) }
    )
    #expect(error.column == "label" && error.message.contains("closure"))
    error = try await failure(database, Replicated("twice", item))
    #expect(error.code == PostgresError.invalidTable && error.message.contains("no unique index of its own"))
    error = try await failure(database, Replicated("moody", Moody.self))
    #expect(error.table == "public.moody" && error.column == "mood" && error.value == "furious")
    error = try await failure(database, Replicated("computed", item))
    #expect(error.column == "id" && error.message.contains("is generated"))
    error = try await failure(database, Replicated("computed", item, columns: ["id": "key"]))
    #expect(error.column == "label" && error.message.contains("its generated column label"))
    error = try await failure(database, Replicated("a.b.c", item))
    #expect(error.code == PostgresError.invalidTable)
    try await database.drop()
  }

  @Test func `a table of which a policy hides rows is refused, partitioned or not`() async throws {
    let database = try await TestServer.shared().createDatabase()
    let (client, role) = (try await database.connect(), "reader_\(database.name)")
    try await client.execute(
      """
      CREATE TABLE items (id int PRIMARY KEY, label text NOT NULL);
      CREATE TABLE parted (id int PRIMARY KEY, label text NOT NULL) PARTITION BY RANGE (id);
      CREATE TABLE part PARTITION OF parted FOR VALUES FROM (0) TO (100);
      INSERT INTO items VALUES (1, 'a');
      INSERT INTO parted VALUES (1, 'a'), (2, 'b');
      CREATE PUBLICATION app FOR TABLE items, parted WITH (publish_via_partition_root = true);
      CREATE ROLE \(role) LOGIN REPLICATION; GRANT SELECT ON items, parted, part TO \(role);
      ALTER TABLE items ENABLE ROW LEVEL SECURITY; ALTER TABLE parted ENABLE ROW LEVEL SECURITY
      """)
    let reader = database.connectionString.replacing("user=postgres", with: "user=\(role)")
    func rows(_ table: String) async throws -> Int {
      let replica = try await PostgresReplica.start(reader, publication: "app") {
        Replicated(table, Item.self)
      }
      let count = replica.store.count(Item.all)
      await replica.close()
      return count
    }
    for table in ["items", "parted"] {
      let error = await #expect(throws: PostgresError.self) { try await rows(table) }
      #expect(error?.message.contains("security") == true, "\(error?.message ?? "")")
    }
    try await client.execute("ALTER ROLE \(role) BYPASSRLS")
    #expect(try await rows("items") == 1)
    #expect(try await rows("parted") == 2)
    try await client.execute("REVOKE SELECT ON part FROM \(role)")
    let error = await #expect(throws: PostgresError.self) { try await rows("parted") }
    #expect(error?.sqlState == "42501" && error?.message.contains("part") == true)
    try await database.drop()
    try await SQLClient(TestServer.shared().connectionString(to: "postgres")).execute("DROP ROLE \(role)")
  }

  /// Bug: the server found the table by the beginning of the name, and each change of it began a copy of all tables, as the
  /// stream has another name.
  @Test func `a name that the server has cut off names no table`() async throws {
    let database = try await TestServer.shared().createDatabase()
    let name = String(repeating: "long", count: 20)
    try await database.connect().execute(
      "CREATE TABLE \(name) (id int PRIMARY KEY, label text NOT NULL); CREATE PUBLICATION \(name) FOR TABLE \(name)"
    )
    let cut = String(name.prefix(63))
    var error = try await failure(database, publication: cut, Replicated(name, Item.self))
    #expect(error.table == "public.\(name)" && error.message.contains("63 bytes"))
    error = try await failure(database, publication: name, Replicated(cut, Item.self))
    #expect(error.code == PostgresError.invalidPublication)
    let replica = try await PostgresReplica.start(database.connectionString, publication: cut) {
      Replicated(cut, Item.self)
    }
    await replica.close()
    try await database.drop()
  }

  @Test func `a row filter must be that of the publication, however it is spelt`() async throws {
    let database = try await TestServer.shared().createDatabase()
    try await database.connect().execute(Self.tables)
    var error = try await failure(database, Replicated("filtered", Item.self))
    #expect(error.table == "public.filtered" && error.message.contains("id > 3"))
    error = try await failure(database, Replicated("filtered", Item.self, where: "id > 4 AND id < 9"))
    #expect(error.message.contains("id > 4"))
    error = try await failure(database, Replicated("filtered", Item.self, where: "nonsense = 1"))
    #expect(error.message.contains("nonsense"))
    error = try await failure(database, Replicated("items", Item.self, where: "id > 4"))
    #expect(error.message.contains("no row filter"))
    let replica = try await PostgresReplica.start(database.connectionString, publication: "app") {
      Replicated(
        "filtered", Item.self,
        where: "((id > 3)) and id < 9")
    }
    await replica.close()
    try await database.drop()
  }

  @Test func `a server that cannot be reached, and a role that may not replicate, are errors at once`()
    async throws
  {
    let database = try await TestServer.shared().createDatabase()
    try await database.connect().execute(
      "CREATE TABLE items (id int PRIMARY KEY, label text); CREATE PUBLICATION app FOR TABLE items; CREATE ROLE visitor LOGIN"
    )
    var error = await #expect(throws: PostgresError.self) {
      try await PostgresReplica.start("postgresql://127.0.0.1:1/blog?password=secret", publication: "app") {
        Replicated("items", Item.self)
      }
    }
    #expect(error?.code == PostgresError.connectionFailed && error?.message.contains("secret") == false)
    error = await #expect(throws: PostgresError.self) {
      try await PostgresReplica.start(
        database.connectionString.replacing("user=postgres", with: "user=visitor"), publication: "app"
      ) {
        Replicated("items", Item.self)
      }
    }
    #expect(error?.code == PostgresError.serverError || error?.code == PostgresError.connectionFailed)
    error = await #expect(throws: PostgresError.self) {
      try await PostgresReplica.start(
        database.connectionString, publication: "app", slot: .durable(name: "Not a name")
      ) {
        Replicated("items", Item.self)
      }
    }
    #expect(error?.message.contains("Not a name") == true)
    try await database.drop()
    try await SQLClient(TestServer.shared().connectionString(to: "postgres")).execute("DROP ROLE visitor")
  }

  @Test func `a start that is cancelled ends, and closes what it made`() async throws {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    try await client.execute(
      "CREATE TABLE items (id int PRIMARY KEY, label text); CREATE PUBLICATION app FOR TABLE items")
    // A slot begins when the transactions that run have ended.
    try await client.execute("BEGIN; INSERT INTO items VALUES (1, 'a')")
    let start = Task {
      try await PostgresReplica.start(database.connectionString, publication: "app") {
        Replicated("items", Item.self)
      }
    }
    let other = try await database.connect()
    while try await other.value(
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'walsender'"
    ) == "0" {}
    start.cancel()
    await #expect(throws: CancellationError.self) { try await start.value }
    try await client.execute("ROLLBACK")
    try await database.drop()
  }

  /// Bug: between the making of a connection and the stream nothing had a deadline, so a server that stood still was waited
  /// for without an end.
  @Test(.timeLimit(.minutes(20)), arguments: [false, true])
  func `a server that says nothing is waited for as long as it is there`(isFrozen: Bool) async throws {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    try await client.execute(
      "CREATE TABLE items (id int PRIMARY KEY, label text NOT NULL); CREATE PUBLICATION app FOR TABLE items")
    // The slot waits for the end of the transaction.
    try await client.execute("BEGIN; INSERT INTO items VALUES (1, 'a')")
    let proxy = try FaultyProxy(to: database.server.port)
    defer { proxy.shutDown() }
    var options = PostgresReplica.Options()
    options.silenceTimeout = .milliseconds(100)
    // A server that is not frozen may be busy.
    options.connectTimeout = .seconds(isFrozen ? 10 : 600)
    let text = database.connectionString(port: proxy.port)
    let start = Task { [options] in
      try await PostgresReplica.start(text, publication: "app", options: options) {
        Replicated("items", Item.self)
      }
    }
    let other = try await database.connect()
    while try await other.value(
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'CREATE_REP%'")
      == "0"
    {}
    try await other.execute("SELECT pg_sleep(0.5)")
    if isFrozen {
      proxy.isFrozen = true
      let error = await #expect(throws: PostgresError.self) { try await start.value }
      #expect(error?.code == PostgresError.timedOut, "\(error?.message ?? "")")
    } else {
      try await client.execute("COMMIT")
      let replica = try await start.value
      #expect(replica.store.count(Item.all) == 1)
      await replica.close()
    }
  }

  @Test func `a start that is cancelled within its copy ends, and the server is free of it`() async throws {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    try await client.execute(
      """
      CREATE TABLE items (id int PRIMARY KEY, label text NOT NULL); CREATE PUBLICATION app FOR TABLE items;
      INSERT INTO items SELECT n, repeat('label', 20) FROM generate_series(1, 200000) n
      """)
    let start = CancelledStart()
    await #expect(throws: CancellationError.self) {
      try await start.run { progress in
        try await PostgresReplica.start(database.connectionString, publication: "app", progress: progress) {
          Replicated("items", Item.self)
        }
      }
    }
    #expect(1..<200_000 ~= start.rows)
    let other = "datname = current_database() AND pid <> pg_backend_pid()"
    try await client.execute("ALTER TABLE items ADD extra int")
    while try await client.value("SELECT count(*) FROM pg_stat_activity WHERE \(other)") != "0" {}
    try await database.drop()
  }

  @Test func `a row that cannot be read ends a copy that has inserted other tables`() async throws {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    try await client.execute(Self.tables)
    let start = {
      try await PostgresReplica.start(database.connectionString, publication: "app") {
        Replicated("items", Item.self)
        Replicated("moody", Moody.self)
      }
    }
    let error = await #expect(throws: PostgresError.self) { try await start() }
    #expect(error?.table == "public.moody" && error?.value == "furious")
    try await client.execute("UPDATE moody SET mood = 'keen' WHERE id = 2")
    let replica = try await start()
    #expect(replica.store.count(Item.all) == 2)
    #expect(replica.store.fetch(Moody.all).map(\.mood) == [.calm, .keen])
    await replica.close()
    try await database.drop()
  }
}
