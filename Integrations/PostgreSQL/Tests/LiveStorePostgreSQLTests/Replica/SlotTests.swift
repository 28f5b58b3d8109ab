import Foundation
import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Synchronization
import Testing

private struct Item: Entity, Codable {
  let id: Int
  var label: String
  static let schema = Schema<Item> { \.label }
}

@Suite struct `Replication slots of replicas` {
  private func makeDatabase() async throws -> (TestDatabase, SQLClient) {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    try await client.execute(
      "CREATE TABLE items (id int PRIMARY KEY, label text NOT NULL); CREATE PUBLICATION app FOR TABLE items; INSERT INTO items VALUES (1, 'a')"
    )
    return (database, client)
  }

  private func start(
    _ database: TestDatabase, _ slot: ReplicationSlot, role: String = "postgres",
    interval: Duration = .seconds(10), onWarning: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> PostgresReplica {
    var options = PostgresReplica.Options()
    options.onWarning = onWarning
    options.statusInterval = interval
    options.minimumBackoff = .milliseconds(1)
    return try await PostgresReplica.start(
      database.connectionString.replacing("user=postgres", with: "user=\(role)"), publication: "app",
      slot: slot, options: options
    ) {
      Replicated("items", Item.self)
    }
  }

  private func synced(_ replica: PostgresReplica, _ client: SQLClient) async throws {
    try await replica.synced(to: try #require(LogSequenceNumber(try await client.position())))
  }

  private func kill(_ client: SQLClient) async throws {
    try await client.execute(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'walsender'"
    )
  }

  @Test func `a durable slot goes on after a lost connection without a copy, and is dropped on demand`()
    async throws
  {
    let (database, client) = try await makeDatabase()
    let name = "slot_\(database.name)".lowercased()
    let warnings = Mutex<[String]>([])
    let replica = try await start(database, .durable(name: name)) { warning in
      warnings.withLock { $0.append(warning) }
    }
    #expect(warnings.withLock { $0 }.count == 1 && warnings.withLock { $0 }[0].contains(name))
    try await client.execute("INSERT INTO items VALUES (2, 'b')")
    try await synced(replica, client)
    let before = replica.store.version.number
    try await kill(client)
    try await client.execute("INSERT INTO items VALUES (3, 'c')")
    try await client.execute("INSERT INTO items VALUES (4, 'd')")
    try await synced(replica, client)
    #expect(replica.store.fetch(Item.all).map(\.id) == [1, 2, 3, 4])
    #expect(replica.store.version.number == before + 2)
    #expect(replica.status.copies == 1 && replica.status.reconnections == 1)

    // Another replica cannot have the slot.
    let error = await #expect(throws: PostgresError.self) { try await start(database, .durable(name: name)) }
    #expect(error?.code == PostgresError.slotInUse)
    await replica.close()
    // A program that starts again copies, and reads the slot from there.
    try await client.execute("INSERT INTO items VALUES (5, 'e')")
    let next = try await start(database, .durable(name: name))
    #expect(next.store.count(Item.all) == 5)
    try await client.execute("INSERT INTO items VALUES (6, 'f')")
    try await synced(next, client)
    #expect(next.store.count(Item.all) == 6)
    try await next.dropSlot()
    #expect(
      try await client.value("SELECT count(*) FROM pg_replication_slots WHERE slot_name = '\(name)'") == "0")
    try await database.drop()
  }

  @Test func `a durable slot that the program before has just left is taken over`() async throws {
    let (database, client) = try await makeDatabase()
    let slot = ReplicationSlot.durable(name: "slot_\(database.name)")
    let first = try await start(database, slot)
    let second = Task { try await start(database, slot) }
    // Until the second replica is known to wait.
    try await withDeadline("the second replica connects") {
      while try await client.value(
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%wal_status%' AND pid <> pg_backend_pid() AND datname = current_database()"
      ) == "0" {}
    }
    await first.close()
    let replica = try await second.value
    try await client.execute("INSERT INTO items VALUES (2, 'b')")
    try await synced(replica, client)
    #expect(replica.store.count(Item.all) == 2)
    try await replica.dropSlot()
    try await database.drop()
  }

  @Test func `the status says how much log is kept for a durable slot, and how far the server is`()
    async throws
  {
    let (database, client) = try await makeDatabase()
    let slot = ReplicationSlot.durable(name: "slot_\(database.name)")
    let replica = try await start(database, slot, interval: .milliseconds(10))
    #expect(await isReached { replica.status.retainedBytes != nil })
    let end = try #require(LogSequenceNumber(try await client.position()))
    #expect(await isReached { replica.status.serverLSN >= end })
    try await replica.dropSlot()
    let temporary = try await start(database, .temporary)
    #expect(temporary.status.retainedBytes == nil)
    await temporary.close()
    try await database.drop()
  }

  // All was copied again, though the slot was there.
  @Test(
    .timeLimit(.minutes(5)),
    arguments: [
      ("ALTER DATABASE DB ALLOW_CONNECTIONS false", "ALTER DATABASE DB ALLOW_CONNECTIONS true", "55000"),
      ("REVOKE CONNECT ON DATABASE DB FROM PUBLIC", "GRANT CONNECT ON DATABASE DB TO PUBLIC", "42501"),
      ("ALTER ROLE role_DB NOREPLICATION", "ALTER ROLE role_DB REPLICATION", "42501"),
      ("ALTER ROLE role_DB NOLOGIN", "ALTER ROLE role_DB LOGIN", "28000"),
    ])
  func `a durable slot goes on without a copy when its role or its database is refused for a while`(
    refuse: String, admit: String, sqlState: String
  ) async throws {
    let (database, client) = try await makeDatabase()
    let role = "role_\(database.name)"
    try await client.execute("CREATE ROLE \(role) LOGIN REPLICATION; GRANT SELECT ON items TO \(role)")
    let replica = try await start(
      database, .durable(name: "slot_\(database.name)"), role: role, interval: .milliseconds(50))
    func run(_ statement: String) async throws {
      let other = try await SQLClient(database.server.connectionString(to: "postgres"))
      try await other.execute(statement.replacing("DB", with: database.name))
    }
    func kill(_ filter: String) async throws {
      try await client.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND usename = '\(role)' AND \(filter)"
      )
    }
    try await client.execute("INSERT INTO items VALUES (2, 'b')")
    try await synced(replica, client)
    try await run(refuse)
    // The stream goes on without the connection beside it.
    try await kill("backend_type <> 'walsender'")
    // So many that the server's process forgets what it has sent, and describes the table again.
    try await client.execute(
      "DO $$ BEGIN FOR i IN 1..1000 LOOP CREATE TEMPORARY TABLE many (id int); DROP TABLE many; END LOOP; END $$"
    )
    try await client.execute("UPDATE items SET label = 'x' WHERE id = 1")
    try await synced(replica, client)
    try await client.execute("SELECT pg_sleep(0.3)")
    #expect(replica.status.state == .streaming && replica.status.reconnections == 0)
    try await kill("true")
    #expect(
      await isReached {
        guard case .disconnected(let error, _) = replica.status.state else { return false }
        return error.sqlState == sqlState
      })
    try await client.execute("INSERT INTO items VALUES (3, 'c')")
    try await run(admit)
    try await synced(replica, client)
    #expect(replica.store.fetch(Item.all).map(\.id) == [1, 2, 3])
    #expect(replica.status.copies == 1 && replica.status.reconnections == 1)
    try await replica.dropSlot()
    try await client.execute("DROP OWNED BY \(role); DROP ROLE \(role)")
    try await database.drop()
  }

  @Test func `a stream is ended by a server that would wait for its client for ever`() async throws {
    let server = try await TestServer.own(["wal_sender_timeout": "0"])
    func timeout(_ string: String, _ time: Duration) async throws -> String? {
      let connection = try await PostgresConnection.connect(
        string, [("replication", "database")], timeout: .seconds(30))
      defer { connection.finish() }
      try await connection.limitSilence(to: time)
      return try await connection.execute("SHOW wal_sender_timeout").last?[0, 0]
    }
    let string = server.connectionString(to: "postgres")
    #expect(try await timeout(string, .milliseconds(2_500)) == "3s")
    #expect(try await timeout(string, .seconds(Int64.max)) == "86401s")
    // A time of the server's own stays.
    let other = try await TestServer.shared().connectionString(to: "postgres")
    #expect(try await timeout(other, .seconds(2)) == "1min")
  }

  @Test func `a temporary slot leaves nothing behind, and a lost one is one change`() async throws {
    let (database, client) = try await makeDatabase()
    let replica = try await start(database, .temporary)
    var changes = replica.store.changes(of: Item.sorted(by: \.id)).makeAsyncIterator()
    _ = await changes.next()
    let before = replica.store.version.number
    // All of it happens while the replica is away: its process at the server cannot come back before.
    let other = try await SQLClient(database.server.connectionString(to: "postgres"))
    try await other.execute("ALTER DATABASE \(database.name) ALLOW_CONNECTIONS false")
    try await kill(client)
    try await client.execute("INSERT INTO items VALUES (2, 'b')")
    try await client.execute("DELETE FROM items WHERE id = 1")
    try await client.execute("INSERT INTO items VALUES (3, 'c')")
    try await other.execute("ALTER DATABASE \(database.name) ALLOW_CONNECTIONS true")
    try await synced(replica, client)
    guard case .update(let items, let change)? = await changes.next() else { throw Mismatch("no change") }
    #expect(items.map(\.id) == [2, 3] && change.deletions == [0] && change.insertions == [0, 1])
    #expect(replica.store.version.number == before + 1 && replica.status.copies == 2)
    await replica.close()
    // The server's process ends soon after the connection.
    while try await client.value(
      "SELECT count(*) FROM pg_replication_slots WHERE database = current_database()") != "0"
    {}
    try await database.drop()
  }

  @Test func `a second store is fed by the same slot`() async throws {
    let (database, client) = try await makeDatabase()
    let replica = try await start(database, .temporary)
    let second = try await replica.addStore()
    #expect(second.count(Item.all) == 1)
    try await replica.write { sql in try await sql.execute("UPDATE items SET label = \("z")") }
    while second[Item.self, 1]?.label != "z" { await Task.yield() }
    #expect(throws: StoreError.self) { try second.write { tx in try tx.deleteAll(Item.self) } }
    #expect(
      try await client.value("SELECT count(*) FROM pg_replication_slots WHERE database = current_database()")
        == "1")
    await replica.close()
    await #expect(throws: PostgresError.self) { try await replica.addStore() }
    try await database.drop()
  }

  @Test func `closing ends what waits, and releasing stops following`() async throws {
    let (database, client) = try await makeDatabase()
    let replica = try await start(database, .temporary)
    let far = LogSequenceNumber(rawValue: .max)
    let waiting = Task { try await replica.synced(to: far) }
    let cancelled = Task { try await replica.synced(to: far) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    var states = replica.states.makeAsyncIterator()
    #expect(await states.next() == .streaming)
    await replica.close()
    let error = await #expect(throws: PostgresError.self) { try await waiting.value }
    #expect(error?.code == PostgresError.closed)
    #expect(await states.next() == .closed)
    #expect(await states.next() == nil)

    var released: PostgresReplica? = try await start(database, .temporary)
    #expect(released?.status.state == .streaming)
    released = nil
    while try await client.value(
      "SELECT count(*) FROM pg_replication_slots WHERE database = current_database()") != "0"
    {}
    try await database.drop()
  }

  @Test func `dropping a temporary slot is closing the replica`() async throws {
    let (database, client) = try await makeDatabase()
    let replica = try await start(database, .temporary)
    try await replica.dropSlot()
    #expect(replica.status.state == .closed)
    while try await client.value(
      "SELECT count(*) FROM pg_replication_slots WHERE database = current_database()") != "0"
    {}
    try await database.drop()
  }

  // The replica connected again and again, as each transaction failed.
  @Test func `a replica whose store is closed ends as closed`() async throws {
    let (database, client) = try await makeDatabase()
    let replica = try await start(database, .temporary)
    replica.store.close()
    try await client.execute("INSERT INTO items VALUES (2, 'b')")
    let far = LogSequenceNumber(rawValue: .max)
    try await withDeadline("the end of the states") { for await _ in replica.states {} }
    #expect(replica.status.state == .closed && replica.status.reconnections == 0)
    let error = await #expect(throws: PostgresError.self) { try await replica.synced(to: far) }
    #expect(error?.code == PostgresError.closed)
    while try await client.value(
      "SELECT count(*) FROM pg_replication_slots WHERE database = current_database()") != "0"
    {}
    await replica.close()
    try await database.drop()
  }
}
