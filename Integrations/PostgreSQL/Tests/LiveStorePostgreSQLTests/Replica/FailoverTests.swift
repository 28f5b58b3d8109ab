import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

private struct Item: Entity, Codable {
  let id: Int
  var label: String
  static let schema = Schema<Item> { \.label }
}

/// A connection string that names several hosts.
@Suite(.timeLimit(.minutes(5))) struct `Replicas of several hosts` {
  private func makeServer(_ label: String) async throws -> (TestServer, SQLClient) {
    let server = try await TestServer.own()
    let client = try await SQLClient(server.connectionString(to: "postgres"))
    try await client.execute(
      """
      CREATE TABLE items (id int PRIMARY KEY, label text NOT NULL); CREATE PUBLICATION app FOR TABLE items;
      INSERT INTO items VALUES (1, '\(label)')
      """)
    return (server, client)
  }

  @Test func `a replica that comes to another server has what that one has, at its positions`() async throws {
    let (first, firstClient) = try await makeServer("first")
    let (second, secondClient) = try await makeServer("second")
    // The second has less of a log.
    try await firstClient.execute(
      "CREATE TABLE noise AS SELECT n, repeat('x', 500) FROM generate_series(1, 20000) n")
    var options = PostgresReplica.Options()
    options.minimumBackoff = .milliseconds(1)
    let connectionString =
      "host=127.0.0.1,127.0.0.1 port=\(first.port),\(second.port) user=postgres dbname=postgres sslmode=disable gssencmode=disable"
    let replica = try await PostgresReplica.start(
      connectionString, publication: "app", slot: .durable(name: "items"), options: options
    ) {
      Replicated("items", Item.self)
    }
    #expect(replica.store[Item.self, 1]?.label == "first")
    let before = replica.status.appliedLSN
    try await first.shutDown()
    #expect(await isReached { replica.store[Item.self, 1]?.label == "second" })
    #expect(await isReached { replica.status.state == .streaming })
    #expect(replica.status.appliedLSN < before)

    // The first is back, but replica and statements stay where they are.
    try await first.restart()
    try await replica.write { sql in try await sql.execute("UPDATE items SET label = 'written'") }
    #expect(replica.store[Item.self, 1]?.label == "written")
    #expect(try await secondClient.value("SELECT label FROM items") == "written")
    try await secondClient.execute("INSERT INTO items VALUES (2, 'more')")
    let position = try #require(LogSequenceNumber(try await secondClient.position()))
    try await replica.synced(to: position)
    #expect(replica.store.count(Item.all) == 2)
    try await replica.dropSlot()
    #expect(try await secondClient.value("SELECT count(*) FROM pg_replication_slots") == "0")
    try await first.stop()
    try await second.stop()
  }
}
