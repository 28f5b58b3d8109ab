import Foundation
import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

private struct Row: Entity, Codable {
  let id: Int
  var name: String
  static let schema = Schema<Row> { \.name }
}

private struct TextRow: Entity, Codable {
  let id: String
  var name: String
  static let schema = Schema<TextRow> { \.name }
}

/// Loses its link to a row that is deleted.
private struct Mark: Entity {
  let id: Int
  var row: Ref<Row>?
  static let schema = Schema<Mark> { Relation(\.row, onDelete: .nullify) }
}

/// Is deleted with its row.
private struct Detail: Entity {
  let id: Int
  var row: Ref<Row>?
  static let schema = Schema<Detail> { Relation(\.row, onDelete: .cascade) }
}

/// Tables whose keys swap, whose partitions come and go, and whose types change. Each of them was followed wrongly, without a
/// word.
@Suite(.timeLimit(.minutes(5))) struct `Tables of all shapes` {
  private static let deferrable = """
    CREATE TABLE t (id int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED, name text NOT NULL);
    ALTER TABLE t REPLICA IDENTITY FULL; INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
    CREATE PUBLICATION app FOR TABLE t
    """
  private static let partitioned = """
    CREATE TABLE t (id int PRIMARY KEY, name text) PARTITION BY RANGE (id);
    CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (100);
    CREATE TABLE t2 PARTITION OF t FOR VALUES FROM (100) TO (200);
    CREATE TABLE t4 PARTITION OF t FOR VALUES FROM (300) TO (400);
    INSERT INTO t VALUES (1, 'a'), (2, 'b'), (101, 'c'), (301, 'd');
    CREATE TABLE t3 (id int PRIMARY KEY, name text); INSERT INTO t3 VALUES (201, 'x');
    CREATE PUBLICATION app FOR TABLE t WITH (publish_via_partition_root = true)
    """

  private static var options: PostgresReplica.Options {
    var options = PostgresReplica.Options()
    options.minimumBackoff = .milliseconds(1)
    options.maximumBackoff = .milliseconds(20)
    options.statusInterval = .milliseconds(200)
    return options
  }

  private func withReplica(
    _ setup: String, _ body: (PostgresReplica, SQLClient) async throws -> Void
  ) async throws {
    try await TestServer.shared().withDatabase { database in
      let client = try await database.connect()
      try await client.execute(setup)
      let replica = try await PostgresReplica.start(
        database.connectionString, publication: "app", options: Self.options
      ) {
        Replicated("t", Row.self)
        Local(Mark.self)
        Local(Detail.self)
      }
      try await body(replica, client)
      await replica.close()
    }
  }

  private func rows(_ replica: PostgresReplica) -> [String] {
    replica.store.fetch(Row.sorted(by: \.id)).map { "\($0.id)\($0.name)" }
  }

  private func synced(_ replica: PostgresReplica, _ client: SQLClient) async throws {
    try await replica.synced(to: try #require(LogSequenceNumber(try await client.position())))
  }

  // MARK: Keys

  @Test(arguments: [
    ("UPDATE t SET id = 4 - id", ["1c", "2b", "3a"]), ("UPDATE t SET id = id + 1", ["2a", "3b", "4c"]),
    ("BEGIN; INSERT INTO t VALUES (1, 'new'); DELETE FROM t WHERE name = 'a'; COMMIT", ["1new", "2b", "3c"]),
    ("BEGIN; TRUNCATE t; INSERT INTO t VALUES (2, 'x'), (9, 'y'); COMMIT", ["2x", "9y"]),
  ])
  func `a statement may move ids as long as they are different in the end`(
    statement: String, expected: [String]
  )
    async throws
  {
    try await withReplica(Self.deferrable) { replica, client in
      try await client.execute(statement)
      try await synced(replica, client)
      #expect(rows(replica) == expected)
      #expect(replica.status.copies == 1 && replica.status.reconnections == 0)
    }
  }

  @Test(arguments: [
    "BEGIN; DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (1, 'eu'); COMMIT",
    "BEGIN; TRUNCATE t; INSERT INTO t VALUES (1, 'eu'); COMMIT",
    "UPDATE t SET name = 'eu' WHERE id = 1",
  ])
  func `a row that is replaced, or moves to another partition, keeps what links to it`(statement: String)
    async throws
  {
    try await withReplica(
      """
      CREATE TABLE t (id int, name text, PRIMARY KEY (id, name)) PARTITION BY LIST (name);
      CREATE TABLE te PARTITION OF t FOR VALUES IN ('eu'); CREATE TABLE tu PARTITION OF t FOR VALUES IN ('us');
      CREATE UNIQUE INDEX ON te (id); CREATE UNIQUE INDEX ON tu (id); INSERT INTO t VALUES (1, 'us');
      CREATE PUBLICATION app FOR TABLE t WITH (publish_via_partition_root = true)
      """
    ) { replica, client in
      try await replica.store.write { tx in
        try tx.insert(Mark(id: 1, row: Ref(1)))
        try tx.insert(Detail(id: 1, row: Ref(1)))
      }
      try await client.execute(statement)
      try await synced(replica, client)
      #expect(await isReached { rows(replica) == ["1eu"] })
      #expect(replica.store.fetch(Mark.all).first?.row?.id == 1)
      #expect(replica.store.count(Detail.all) == 1)
    }
  }

  @Test(arguments: [
    (
      "CREATE TABLE t (tenant int, id int, name text, PRIMARY KEY (tenant, id))",
      "has no unique index of its own"
    ),
    (
      "CREATE TABLE t (id int, name text); CREATE UNIQUE INDEX ON t (id) WHERE id > 0; ALTER TABLE t REPLICA IDENTITY FULL",
      "has no unique index of its own"
    ),
    (
      "CREATE TABLE t (id int, name text NOT NULL, other int NOT NULL, UNIQUE (other) INCLUDE (id)); ALTER TABLE t REPLICA IDENTITY USING INDEX t_other_id_key",
      "is not part of the replica identity"
    ),
    (
      "CREATE TABLE t (id int UNIQUE DEFERRABLE, name text, other int PRIMARY KEY)",
      "is not part of the replica identity"
    ),
  ])
  func `an id that is not the key of its table is refused before anything is copied`(
    setup: String, reason: String
  )
    async throws
  {
    try await TestServer.shared().withDatabase { database in
      let client = try await database.connect()
      try await client.execute(setup + "; CREATE PUBLICATION app FOR TABLE t")
      let error = await #expect(throws: PostgresError.self) {
        try await PostgresReplica.start(
          database.connectionString, publication: "app", options: Self.options
        ) { Replicated("t", Row.self) }
      }
      #expect(error?.code == PostgresError.invalidTable && error?.column == "id")
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
  }

  @Test(arguments: [UnreadableRows.stopTable, .leaveOut])
  func `two texts that are one id in Swift are refused, in the stream as in a copy`(
    unreadable: UnreadableRows
  ) async throws {
    try await TestServer.shared().withDatabase { database in
      let client = try await database.connect()
      try await client.execute(
        #"CREATE TABLE t (id text PRIMARY KEY, name text); INSERT INTO t VALUES (U&'\00E9', 'nfc'); CREATE PUBLICATION app FOR TABLE t"#
      )
      func start() async throws -> PostgresReplica {
        try await PostgresReplica.start(database.connectionString, publication: "app", options: Self.options)
        {
          Replicated("t", TextRow.self, unreadable: unreadable)
        }
      }
      let replica = try await start()
      try await client.execute(#"INSERT INTO t VALUES (U&'e\0301', 'nfd')"#)
      #expect(
        await isReached {
          let error = replica.status.stoppedTables["public.t"]
          return error?.table == "public.t" && error?.message.contains("canonically equivalent") == true
        })
      let error = await #expect(throws: PostgresError.self) { try await start() }
      #expect(error?.code == PostgresError.invalidTable)
      // The row is mended at the server.
      try await client.execute(#"DELETE FROM t WHERE id = U&'e\0301'"#)
      #expect(await isReached { replica.status.copies == 2 && replica.status.state == .streaming })
      #expect(replica.store.fetch(TextRow.all).map(\.name) == ["nfc"] && replica.status.stoppedTables.isEmpty)
      await replica.close()
    }
  }

  // MARK: Partitions

  @Test(arguments: [
    (
      "ALTER TABLE t ATTACH PARTITION t3 FOR VALUES FROM (200) TO (300)",
      ["1a", "2b", "101c", "201x", "301d"]
    ),
    ("TRUNCATE t4", ["1a", "2b", "101c"]),
    ("BEGIN; TRUNCATE t4; INSERT INTO t VALUES (303, 'n'); COMMIT", ["1a", "2b", "101c", "303n"]),
    ("ALTER TABLE t DETACH PARTITION t2", ["1a", "2b", "301d"]), ("DROP TABLE t1", ["101c", "301d"]),
    ("ALTER TABLE t DETACH PARTITION t2 CONCURRENTLY", ["1a", "2b", "301d"]),
    // Its rows are sent as those of the table, and it is none of the table's partitions at any look at the catalog.
    (
      "BEGIN; CREATE TABLE n PARTITION OF t FOR VALUES FROM (1000) TO (9000); INSERT INTO t VALUES (1001, 'n'); ALTER TABLE t DETACH PARTITION n; COMMIT",
      ["1a", "2b", "101c", "301d"]
    ),
    (
      "BEGIN; CREATE TABLE n PARTITION OF t FOR VALUES FROM (1000) TO (9000); INSERT INTO t SELECT n, repeat('n', 100) FROM generate_series(1001, 8000) n; DROP TABLE n; COMMIT",
      ["1a", "2b", "101c", "301d"]
    ),
  ])
  func `what is done to a partition is known soon`(statement: String, expected: [String]) async throws {
    try await withReplica(Self.partitioned) { replica, client in
      try await client.execute(statement)
      #expect(await isReached { rows(replica) == expected && replica.status.copies == 2 }, "\(rows(replica))")
      // Nothing is copied once more.
      try await client.execute("INSERT INTO t VALUES (399, 'z')")
      try await synced(replica, client)
      #expect(rows(replica) == expected + ["399z"] && replica.status.copies == 2)
    }
  }

  /// Each row has the statement that happens between two looks at the catalog, or while a table is locked.
  @Test(arguments: [
    (
      "BEGIN; ALTER TABLE t DETACH PARTITION t1; INSERT INTO t1 VALUES (9, 'i'); DELETE FROM t1 WHERE id = 1; ALTER TABLE t ATTACH PARTITION t1 FOR VALUES FROM (0) TO (100); COMMIT",
      ["2b", "9i", "101c", "301d"]
    ),
    ("VACUUM FULL t1", ["1a", "2b", "101c", "301d"]),
  ])
  func `what was done to a partition while it was not attached is copied`(
    statement: String, expected: [String]
  )
    async throws
  {
    try await withReplica(Self.partitioned) { replica, client in
      try await client.execute(statement)
      #expect(await isReached { rows(replica) == expected && replica.status.copies == 2 }, "\(rows(replica))")
    }
  }

  @Test func `a partition that is locked holds up nothing, and an index that is made again needs no copy`()
    async throws
  {
    try await withReplica(Self.partitioned) { replica, client in
      try await client.execute("BEGIN; LOCK TABLE t4 IN ACCESS EXCLUSIVE MODE")
      try await client.execute("SELECT pg_sleep(0.5); COMMIT")
      try await client.execute("REINDEX TABLE CONCURRENTLY t1")
      try await client.execute("INSERT INTO t VALUES (3, 'n')")
      try await synced(replica, client)
      try await client.execute("SELECT pg_sleep(0.3)")
      #expect(rows(replica) == ["1a", "2b", "3n", "101c", "301d"])
      #expect(replica.status.copies == 1 && replica.status.reconnections == 0)
    }
  }

  @Test func `a new partition without the replica identity of its table is refused soon`() async throws {
    let full = ["t", "t1", "t2", "t4"].map { "ALTER TABLE \($0) REPLICA IDENTITY FULL" }.joined(
      separator: "; ")
    try await withReplica(Self.partitioned + "; " + full) { replica, client in
      try await client.execute("CREATE TABLE n PARTITION OF t FOR VALUES FROM (1000) TO (2000)")
      #expect(
        await isReached {
          guard case .disconnected(let error, _) = replica.status.state else { return false }
          return error.message.contains("its partition public.n has not")
        })
      try await client.execute("ALTER TABLE n REPLICA IDENTITY FULL; INSERT INTO t VALUES (1001, 'n')")
      #expect(await isReached { rows(replica) == ["1a", "2b", "101c", "301d", "1001n"] })
    }
  }

  @Test func `of two rows of one id the one is updated whose key is sent`() async throws {
    try await withReplica(
      """
      CREATE TABLE t (id int, name text, k text, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
      CREATE TABLE te PARTITION OF t FOR VALUES IN ('eu'); CREATE TABLE tu PARTITION OF t FOR VALUES IN ('us');
      CREATE UNIQUE INDEX ON te (id); CREATE UNIQUE INDEX ON tu (id); INSERT INTO t VALUES (1, 'a', 'us');
      CREATE PUBLICATION app FOR TABLE t WITH (publish_via_partition_root = true)
      """
    ) { replica, client in
      try await client.execute(
        "BEGIN; INSERT INTO t VALUES (1, 'b', 'eu'); UPDATE t SET name = 'c' WHERE k = 'eu'; DELETE FROM t WHERE k = 'us'; COMMIT"
      )
      try await synced(replica, client)
      #expect(rows(replica) == ["1c"])
    }
  }

  @Test func `a member that is added to a composite type is known soon`() async throws {
    try await withReplica(
      """
      CREATE TYPE c AS (x int, y int); CREATE TABLE t (id int PRIMARY KEY, name c); INSERT INTO t VALUES (1, (1, 2));
      CREATE PUBLICATION app FOR TABLE t
      """
    ) { replica, client in
      #expect(rows(replica) == ["1(1,2)"])
      try await client.execute("ALTER TYPE c ADD ATTRIBUTE z int")
      #expect(await isReached { rows(replica) == ["1(1,2,)"] })
    }
  }

  @Test func `a table that is truncated, and a partition without rows, need no copy`() async throws {
    try await withReplica(Self.partitioned) { replica, client in
      for round in 1...3 {
        try await client.execute("TRUNCATE t; INSERT INTO t VALUES (1, 'r\(round)')")
        try await synced(replica, client)
        #expect(rows(replica) == ["1r\(round)"])
        let (low, high) = (1_000 * round, 1_000 * (round + 1))
        try await client.execute(
          "CREATE TABLE n\(round) PARTITION OF t FOR VALUES FROM (\(low)) TO (\(high))")
        // Until the catalog has been looked at.
        let asked = try #require(LogSequenceNumber(try await client.position()))
        try await client.execute("INSERT INTO t VALUES (5, 'y'); DELETE FROM t WHERE id = 5")
        #expect(await isReached { replica.status.serverLSN > asked })
        try await client.execute("SELECT pg_sleep(0.3)")
      }
      try await client.execute("INSERT INTO t VALUES (1001, 'p'), (3001, 'q')")
      try await synced(replica, client)
      #expect(rows(replica) == ["1r3", "1001p", "3001q"])
      #expect(replica.status.copies == 1 && replica.status.reconnections == 0)
    }
  }

  @Test func `a partition without the replica identity of its table is refused by its name`() async throws {
    try await TestServer.shared().withDatabase { database in
      let client = try await database.connect()
      try await client.execute(Self.partitioned + "; ALTER TABLE t REPLICA IDENTITY FULL")
      let error = await #expect(throws: PostgresError.self) {
        try await PostgresReplica.start(
          database.connectionString, publication: "app", options: Self.options
        ) { Replicated("t", Row.self) }
      }
      #expect(error?.message.contains("its partition public.t1 has not") == true, "\(error?.message ?? "")")
    }
  }

  // MARK: Types

  @Test func `a label that is renamed is known soon, and one that is added needs no copy`() async throws {
    try await withReplica(
      """
      CREATE TYPE s AS ENUM ('open', 'done'); CREATE DOMAIN ds AS s; CREATE TABLE t (id int PRIMARY KEY, name ds);
      INSERT INTO t VALUES (1, 'open'), (2, 'done'); CREATE PUBLICATION app FOR TABLE t
      """
    ) { replica, client in
      try await client.execute("ALTER TYPE s RENAME VALUE 'open' TO 'active'")
      #expect(await isReached { rows(replica) == ["1active", "2done"] && replica.status.copies == 2 })
      try await client.execute("ALTER TYPE s ADD VALUE 'new' BEFORE 'done'")
      try await client.execute("INSERT INTO t VALUES (3, 'new')")
      try await synced(replica, client)
      try await client.execute("SELECT pg_sleep(0.3)")
      #expect(rows(replica) == ["1active", "2done", "3new"] && replica.status.copies == 2)
    }
  }

  // The server describes the type between the table and its partition.
  @Test func `a partition with an enumeration that comes and goes between two looks leaves no row`()
    async throws
  {
    try await withReplica(
      """
      CREATE TYPE s AS ENUM ('open', 'done'); CREATE TABLE t (id int PRIMARY KEY, name s) PARTITION BY RANGE (id);
      CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (100); INSERT INTO t VALUES (1, 'open');
      CREATE PUBLICATION app FOR TABLE t WITH (publish_via_partition_root = true)
      """
    ) { replica, client in
      try await client.execute(
        "BEGIN; CREATE TABLE n PARTITION OF t FOR VALUES FROM (1000) TO (9000); INSERT INTO t VALUES (1001, 'done'); ALTER TABLE t DETACH PARTITION n; COMMIT"
      )
      try await client.execute("INSERT INTO t VALUES (2, 'done')")
      #expect(await isReached { rows(replica) == ["1open", "2done"] && replica.status.copies == 2 })
    }
  }

  @Test(arguments: [
    ("s", "'open'", "'new'", "open", "newer"), ("c", "('open', 1)", "('new', 2)", "(open,1)", "(newer,2)"),
  ])
  func `a label that is added, used and renamed between two looks is the one of the server`(
    type: String, old: String, new: String, first: String, second: String
  ) async throws {
    try await withReplica(
      """
      CREATE TYPE s AS ENUM ('open', 'done'); CREATE TYPE c AS (x s, y int); CREATE TABLE t (id int PRIMARY KEY, name \(type));
      INSERT INTO t VALUES (1, \(old)); CREATE PUBLICATION app FOR TABLE t
      """
    ) { replica, client in
      for statement in [
        "ALTER TYPE s ADD VALUE 'new'", "INSERT INTO t VALUES (3, \(new))",
        "ALTER TYPE s RENAME VALUE 'new' TO 'newer'",
      ] { try await client.execute(statement) }
      #expect(await isReached { rows(replica) == ["1\(first)", "3\(second)"] })
    }
  }
}
