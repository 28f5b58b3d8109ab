import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

private struct Item: Entity, Codable {
  let id: Int
  var mood: String
  static let schema = Schema<Item> { \.mood }
}

/// Bug: whoever may make functions in a schema of the search path, as everybody may in `public` up to PostgreSQL 14, made
/// one that fits a call of the replica better than the server's own, and it ran as the replica's role.
@Suite(.timeLimit(.minutes(5))) struct `Functions of others` {
  private static let database = """
    CREATE TYPE mood AS ENUM ('calm', 'keen');
    CREATE TABLE items (id int PRIMARY KEY, mood mood NOT NULL);
    INSERT INTO items VALUES (1, 'calm'), (2, 'keen');
    CREATE PUBLICATION app FOR TABLE items WHERE (id < 9 AND id > 0);
    """

  /// Functions and operators that are preferred to those of the system where their schema is searched.
  private static let hijackers = [
    "CREATE FUNCTION unnest(oid[]) RETURNS SETOF oid LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'ran'; END$$",
    "CREATE FUNCTION format_type(oid, text) RETURNS text LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'ran'; END$$",
    """
    CREATE FUNCTION ran(text, text) RETURNS text LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'ran'; END$$;
    CREATE AGGREGATE array_agg(text) (SFUNC = ran, STYPE = text, INITCOND = '')
    """,
    """
    CREATE FUNCTION same(regproc, regproc) RETURNS bool LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'ran'; END$$;
    CREATE OPERATOR = (LEFTARG = regproc, RIGHTARG = regproc, FUNCTION = same)
    """,
  ]

  @Test(arguments: hijackers) func `a replica calls functions and operators of the system alone`(
    hijacker: String
  ) async throws {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    try await client.execute(Self.database)
    try await client.execute(hijacker)
    let replica = try await PostgresReplica.start(database.connectionString, publication: "app") {
      Replicated("items", Item.self, where: "id < 9 and id > 0")
    }
    try await client.execute("INSERT INTO items VALUES (3, 'calm')")
    let position = try #require(try await client.value("SELECT pg_current_wal_flush_lsn()"))
    try await replica.synced(to: try #require(LogSequenceNumber(position)))
    #expect(replica.store.fetch(Item.all).map(\.mood) == ["calm", "keen", "calm"])
    await replica.close()
  }

  @Test func `a filter may name types and functions of the search path`() async throws {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    try await client.execute(Self.database)
    for filter in ["0 < id AND id < 9", "id < 9 and mood >= 'calm'::mood and id > 0"] {
      let error = await #expect(throws: PostgresError.self) {
        try await PostgresReplica.start(database.connectionString, publication: "app") {
          Replicated("items", Item.self, where: filter)
        }
      }
      #expect(
        error?.message.contains("by ((id < 9) AND (id > 0)), not by \(filter)") == true,
        "\(error?.message ?? "")")
    }
    let replica = try await PostgresReplica.start(database.connectionString, publication: "app") {
      Replicated("items", Item.self, where: "id < 9 and id > 0")
    }
    #expect(replica.store.fetch(Item.all).count == 2)
    await replica.close()
  }
}
