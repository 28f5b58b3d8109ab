import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

private struct Item: Entity, Codable {
  let id: Int
  var mood: String
  static let schema = Schema<Item> { \.mood }
}

private struct Part: Entity, Codable {
  let id: Int
  var mood: String
  static let schema = Schema<Part> { \.mood }
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

  /// Bug: the statements around those of `write` were run with the search path of the role, and whoever made functions in it
  /// chose what position a commit has.
  @Test func `a transaction asks functions of the system for its position, whatever the search path`()
    async throws
  {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    try await client.execute(Self.database)
    try await client.execute("ALTER DATABASE \(database.name) SET search_path = public, pg_catalog")
    for (name, type) in [
      ("pg_current_xact_id_if_assigned()", "xid8"), ("pg_is_in_recovery()", "bool"),
      ("pg_last_wal_replay_lsn()", "pg_lsn"), ("pg_current_wal_insert_lsn()", "pg_lsn"),
      ("pg_current_xact_id()", "xid8"), ("pg_drop_replication_slot(name)", "void"),
      ("pg_advisory_unlock_all()", "void"),
    ] {
      try await client.execute(
        "CREATE FUNCTION public.\(name) RETURNS \(type) LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'ran'; END$$"
      )
    }
    try await client.execute(
      """
      CREATE FUNCTION public.same(name, name) RETURNS bool LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'ran'; END$$;
      CREATE OPERATOR public.= (LEFTARG = name, RIGHTARG = name, FUNCTION = public.same);
      """)
    let replica = try await PostgresReplica.start(
      database.connectionString, publication: "app", slot: .durable(name: "path_\(database.name)")
    ) {
      Replicated("items", Item.self, where: "id < 9 and id > 0")
    }
    try await replica.write { sql in try await sql.execute("INSERT INTO items VALUES (3, 'calm')") }
    #expect(replica.store.count(Item.all) == 3)
    try await replica.write(optimistically: { tx in
      try tx.update(Item.self, 3) { $0.mood = "keen" }
    }) { sql in
      try await sql.execute("UPDATE items SET mood = 'keen' WHERE id = 3")
    }
    #expect(replica.store[Item.self, 3]?.mood == "keen")
    await replica.close()
    try await replica.dropSlot()
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

  /// What the owners of tables can have computed when a query of theirs is planned: a constant of an index, of statistics.
  private static let planned = [
    "CREATE INDEX ON items ((id + chosen(7)))", "CREATE INDEX ON parted ((id + chosen(7)))",
    "CREATE INDEX ON part_2 (id) WHERE chosen(7) < 9",
    "CREATE STATISTICS about ON (id + chosen(7)), mood FROM items",
  ]

  /// Bug: tables were copied by queries, for which the server computes constants in their indexes with the rights of whoever
  /// asks: so a function that the owner of a table chose was run as the replica's role.
  @Test(arguments: planned) func `a copy runs no function that the owner of a table chose`(definition: String)
    async throws
  {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    try await client.execute(
      """
      CREATE TABLE items (id int PRIMARY KEY, mood text NOT NULL);
      CREATE TABLE parted (id int PRIMARY KEY, mood text NOT NULL) PARTITION BY RANGE (id);
      CREATE TABLE part_1 PARTITION OF parted FOR VALUES FROM (0) TO (10);
      CREATE TABLE part_2 PARTITION OF parted FOR VALUES FROM (10) TO (30) PARTITION BY RANGE (id);
      CREATE TABLE "part 3" PARTITION OF part_2 FOR VALUES FROM (10) TO (20);
      INSERT INTO items VALUES (1, 'calm');
      INSERT INTO parted VALUES (11, 'keen'), (2, 'calm'), (3, 'keen');
      CREATE PUBLICATION app FOR TABLE items, parted WITH (publish_via_partition_root = true);
      CREATE FUNCTION chosen(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$BEGIN RETURN $1; END$$;
      """)
    try await client.execute(definition)
    try await client.execute(
      """
      CREATE OR REPLACE FUNCTION chosen(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$BEGIN
        IF current_setting('transaction_read_only') = 'on' THEN RAISE EXCEPTION 'ran'; END IF;
        RETURN $1;
      END$$
      """)
    let replica = try await PostgresReplica.start(database.connectionString, publication: "app") {
      Replicated("items", Item.self)
      Replicated("parted", Part.self)
    }
    try await client.execute("INSERT INTO items VALUES (2, 'keen'); INSERT INTO parted VALUES (12, 'calm')")
    let position = try #require(try await client.value("SELECT pg_current_wal_flush_lsn()"))
    try await replica.synced(to: try #require(LogSequenceNumber(position)))
    #expect(replica.store.fetch(Item.all).map(\.id) == [1, 2])
    #expect(replica.store.fetch(Part.all).map(\.id) == [2, 3, 11, 12])
    await replica.close()
  }

  /// Bug: a table was found by its identifier, and copied by its name, which its owner could give to a view meanwhile: the
  /// functions of the view were run as the replica's role, and its rows were taken for those of the table.
  @Test(arguments: [
    "CREATE VIEW items AS SELECT chosen(id) AS id, mood FROM away", "CREATE TABLE items (LIKE away)",
  ])
  func `what takes the name of a table while it is copied is not copied in its place`(other: String)
    async throws
  {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    try await client.execute(
      """
      CREATE TABLE items (id int PRIMARY KEY, mood text NOT NULL);
      INSERT INTO items VALUES (1, 'calm');
      CREATE PUBLICATION app FOR TABLE items;
      CREATE FUNCTION chosen(int) RETURNS int LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'ran'; END$$;
      """)
    // Between the making of a slot and the reading of its snapshot, the replica connects once more.
    let slowly = database.connectionString + " options='-c post_auth_delay=2'"
    let start = Task {
      try await PostgresReplica.start(slowly, publication: "app") { Replicated("items", Item.self) }
    }
    while try await client.value(
      "SELECT count(confirmed_flush_lsn) FROM pg_replication_slots WHERE database = current_database()")
      != "1"
    {}
    try await client.execute("ALTER TABLE items RENAME TO away; \(other)")
    let error = await #expect(throws: PostgresError.self) { try await start.value }
    #expect(error?.message.contains("does not publish table public.items") == true, "\(error?.message ?? "")")
  }
}
