import Foundation
import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Synchronization
import Testing

private enum Mood: String, Codable, Sendable { case calm, keen }

private struct Measure: Codable, Equatable, Sendable { var size: Double }

private struct Part: Entity, Codable {
  let id: Int
  var price: Decimal
  var measure: Measure?
  var mood: Mood?
  var text: String?
  static let schema = Schema<Part> {
    \.price
    \.measure
    \.mood
    \.text
  }
}

private struct Order: Entity, Codable {
  let id: Int
  var part: Ref<Part>?
  static let schema = Schema<Order> { Relation(\.part) }
}

/// Encodes less than it decodes.
private struct Paper: Entity, Codable {
  let id: Int
  var title: String
  var body: String
  static let schema = Schema<Paper> {
    \.title
    \.body
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(id, forKey: .id)
    try members.encode(title, forKey: .title)
  }
}

/// One value that cannot be held, and what becomes of its row, its table and the others.
@Suite(.timeLimit(.minutes(5))) struct `Rows that cannot be held` {
  private static let setup = """
    CREATE TYPE mood AS ENUM ('calm', 'keen', 'new');
    CREATE TABLE parts (id int PRIMARY KEY, price numeric NOT NULL, measure jsonb, mood mood, text text);
    CREATE TABLE orders (id int PRIMARY KEY, part int);
    INSERT INTO parts VALUES (1, 1), (2, 2); INSERT INTO orders VALUES (1, 1);
    CREATE PUBLICATION app FOR TABLE parts, orders
    """

  private func withReplica(
    _ unreadable: UnreadableRows, _ more: String = "", isDurable: Bool = false,
    onWarning: @escaping @Sendable (String) -> Void = { _ in },
    _ body: (PostgresReplica, SQLClient) async throws -> Void
  ) async throws {
    try await TestServer.shared().withDatabase { database in
      let client = try await database.connect()
      try await client.execute(Self.setup)
      if !more.isEmpty { try await client.execute(more) }
      var options = PostgresReplica.Options()
      options.minimumBackoff = .milliseconds(1)
      options.maximumBackoff = .milliseconds(20)
      options.statusInterval = .milliseconds(200)
      options.onWarning = onWarning
      let replica = try await PostgresReplica.start(
        database.connectionString, publication: "app",
        slot: isDurable ? .durable(name: "slot_\(database.name)") : .temporary, options: options
      ) {
        Replicated("parts", Part.self, unreadable: unreadable)
        Replicated("orders", Order.self)
      }
      try await body(replica, client)
      await replica.close()
    }
  }

  private func synced(_ replica: PostgresReplica, _ client: SQLClient) async throws {
    try await replica.synced(to: try #require(LogSequenceNumber(try await client.position())))
  }

  private func parts(_ store: Store) -> [String] {
    store.fetch(Part.sorted(by: \.id)).map { "\($0.id):\($0.price)" }
  }

  private func orders(_ replica: PostgresReplica) -> [Int] {
    replica.store.fetch(Order.sorted(by: \.id)).map(\.id)
  }

  // MARK: Tables that stop

  // All tables stood still, and were copied at each backoff.
  @Test(arguments: [
    ("price", "price = 'Infinity'"), ("price", "price = 123456789012345678901234567890123456789"),
    ("measure", #"measure = '{"size": 1e400}'"#), ("mood", "mood = 'new'"),
  ])
  func `a value that cannot be held stops its table alone, until its row is mended`(
    column: String, value: String
  ) async throws {
    let warnings = Mutex<[String]>([])
    try await withReplica(.stopTable, onWarning: { text in warnings.withLock { $0.append(text) } }) {
      replica, client in
      let second = try await replica.addStore()
      try await client.execute(
        "BEGIN; INSERT INTO orders VALUES (2, 2); INSERT INTO parts VALUES (3, 3); UPDATE parts SET \(value) WHERE id = 1; COMMIT"
      )
      try await synced(replica, client)
      let error = try #require(replica.status.stoppedTables["public.parts"])
      #expect(error.code == PostgresError.mismatch && error.column == column && error.value != nil)
      #expect(error.message.contains("The id of the row is 1."), "\(error.message)")
      #expect(replica.status.stoppedTables.count == 1)
      // Other rows, and changes that leave it as it is, are no reason to copy.
      try await client.execute(
        "INSERT INTO parts VALUES (4, 4); UPDATE parts SET text = 'x'; DELETE FROM parts WHERE id = 2; INSERT INTO orders VALUES (3, 4)"
      )
      try await synced(replica, client)
      try await client.execute("SELECT pg_sleep(0.3)")
      #expect(parts(replica.store) == ["1:1", "2:2"] && parts(second) == ["1:1", "2:2"])
      #expect(orders(replica) == [1, 2, 3] && second.count(Order.all) == 3)
      #expect(replica.status.copies == 1 && replica.status.reconnections == 0)
      #expect(replica.status.state == .streaming && warnings.withLock { $0.count } == 1)

      try await client.execute("UPDATE parts SET price = 9, measure = NULL, mood = 'keen' WHERE id = 1")
      #expect(await isReached { replica.status.copies == 2 && replica.status.stoppedTables.isEmpty })
      #expect(parts(replica.store) == ["1:9", "3:3", "4:4"] && parts(second) == ["1:9", "3:3", "4:4"])
      #expect(replica.status.copyReasons == [PostgresError.mismatch: 1])
      #expect(warnings.withLock { $0.last }?.contains("copied again") == true)
      try await client.execute("INSERT INTO parts VALUES (5, 5)")
      try await synced(replica, client)
      #expect(parts(replica.store) == ["1:9", "3:3", "4:4", "5:5"] && replica.status.copies == 2)
    }
  }

  @Test(arguments: [
    (["DELETE FROM parts WHERE id = 1"], ["2:2"]),
    (["BEGIN; TRUNCATE parts; INSERT INTO parts VALUES (1, 7); COMMIT"], ["1:7"]),
    (["UPDATE parts SET id = 8, price = 8 WHERE id = 1"], ["2:2", "8:8"]),
    // Under its new id it is refused as before.
    (["UPDATE parts SET id = 8 WHERE id = 1", "UPDATE parts SET price = 8 WHERE id = 8"], ["2:2", "8:8"]),
    (["BEGIN; DELETE FROM parts WHERE id = 1; INSERT INTO parts VALUES (1, 6); COMMIT"], ["1:6", "2:2"]),
  ])
  func `a table that is stopped resumes when the row is deleted, truncated or moved`(
    statement: [String], expected: [String]
  ) async throws {
    try await withReplica(.stopTable) { replica, client in
      try await client.execute(
        "UPDATE parts SET price = 'NaN' WHERE id = 1; UPDATE parts SET price = '-Infinity' WHERE id = 1")
      #expect(await isReached { replica.status.stoppedTables.count == 1 })
      for statement in statement { try await client.execute(statement) }
      #expect(await isReached { replica.status.copies == 2 && parts(replica.store) == expected })
      #expect(replica.status.stoppedTables.isEmpty)
    }
  }

  @Test func `a copy that meets the row stops its table again, and replaces the others`() async throws {
    try await withReplica(.stopTable) { replica, client in
      try await client.execute("UPDATE parts SET price = 'Infinity' WHERE id = 2")
      #expect(await isReached { replica.status.stoppedTables.count == 1 })
      try await client.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'walsender'"
      )
      try await client.execute("INSERT INTO parts VALUES (3, 3); INSERT INTO orders VALUES (2, 3)")
      #expect(await isReached { replica.status.copies == 2 && replica.status.state == .streaming })
      try await synced(replica, client)
      try await client.execute("SELECT pg_sleep(0.3)")
      #expect(replica.status.copies == 2 && replica.status.copyReasons == [PostgresError.connectionFailed: 1])
      #expect(replica.status.stoppedTables["public.parts"]?.message.contains("row is 2.") == true)
      #expect(parts(replica.store) == ["1:1", "2:2"] && orders(replica) == [1, 2])
      // A change of another row is none of it.
      try await client.execute("UPDATE parts SET price = 5 WHERE id = 1")
      try await synced(replica, client)
      #expect(replica.status.copies == 2)
      try await client.execute("UPDATE parts SET price = 4 WHERE id = 2")
      #expect(await isReached { parts(replica.store) == ["1:5", "2:4", "3:3"] })
    }
  }

  // The second update does not send the large value, which is no longer the one that was refused.
  @Test func `a row that is mended and changed once more in one transaction resumes its table`() async throws
  {
    let large = "jsonb_build_object('size', %, 'more', repeat('x', 9000))"
    try await withReplica(.stopTable, "ALTER TABLE parts ALTER measure SET STORAGE EXTERNAL") {
      replica, client in
      try await client.execute(
        "UPDATE parts SET measure = \(large.replacing("%", with: "1e400::numeric")) WHERE id = 1")
      #expect(await isReached { replica.status.stoppedTables.count == 1 })
      try await client.execute("UPDATE parts SET price = 3 WHERE id = 1")
      try await synced(replica, client)
      #expect(replica.status.copies == 1 && replica.status.stoppedTables.count == 1)
      try await client.execute(
        "BEGIN; UPDATE parts SET measure = \(large.replacing("%", with: "2")) WHERE id = 1; UPDATE parts SET price = 4 WHERE id = 1; COMMIT"
      )
      #expect(await isReached { replica.status.copies == 2 && replica.status.stoppedTables.isEmpty })
      #expect(parts(replica.store) == ["1:4", "2:2"] && replica.store[Part.self, 1]?.measure?.size == 2)
    }
  }

  @Test func `where it is chosen, all tables stop for a row, and resume with it`() async throws {
    try await withReplica(.stopReplica) { replica, client in
      try await client.execute("INSERT INTO orders VALUES (2)")
      try await client.execute("UPDATE parts SET price = 'Infinity' WHERE id = 1")
      try await client.execute("INSERT INTO orders VALUES (3)")
      try await synced(replica, client)
      #expect(replica.status.stoppedTables.keys.sorted() == ["public.orders", "public.parts"])
      #expect(orders(replica) == [1, 2] && replica.status.copies == 1)
      try await client.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'walsender'"
      )
      #expect(await isReached { replica.status.copies == 2 && replica.status.state == .streaming })
      #expect(orders(replica) == [1, 2] && replica.status.stoppedTables.count == 2)
      try await client.execute("UPDATE parts SET price = 3 WHERE id = 1")
      #expect(await isReached { replica.status.copies == 3 && replica.status.stoppedTables.isEmpty })
      #expect(orders(replica) == [1, 2, 3] && parts(replica.store) == ["1:3", "2:2"])
    }
  }

  @Test func `a row that cannot be held is an error of the start, with its id`() async throws {
    let error = await #expect(throws: PostgresError.self) {
      try await withReplica(
        .stopTable,
        "UPDATE parts SET price = 'NaN' WHERE id = 2; UPDATE parts SET price = 'Infinity' WHERE id = 2"
      ) { _, _ in }
    }
    #expect(error?.column == "price" && error?.message.contains("The id of the row is 2.") == true)
  }

  @Test func `a table that is stopped stays so over a lost connection, and in large transactions`()
    async throws
  {
    try await withReplica(.stopTable, isDurable: true) { replica, client in
      try await client.execute(
        "BEGIN; INSERT INTO orders SELECT n, 1 FROM generate_series(2, 5000) n; UPDATE parts SET price = 'Infinity'; COMMIT"
      )
      try await synced(replica, client)
      #expect(orders(replica).count == 5_000 && replica.status.stoppedTables.count == 1)
      try await client.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'walsender'"
      )
      try await client.execute("DELETE FROM orders WHERE id > 2; INSERT INTO parts VALUES (3, 3)")
      try await synced(replica, client)
      #expect(orders(replica) == [1, 2] && parts(replica.store) == ["1:1", "2:2"])
      #expect(replica.status.copies == 1 && replica.status.reconnections == 1)
      #expect(replica.status.stoppedTables.count == 1)
      // Of two rows, the second is met by the copy that the first one's change makes. A copy may have another cause: the
      // server may end a stream that it cannot decode (`TestServer.undecodedStreams`).
      func mended(_ count: Int) -> Bool {
        let status = replica.status
        return status.copyReasons[PostgresError.mismatch] == count && status.state == .streaming
      }
      for id in 1...2 {
        try await client.execute("UPDATE parts SET price = 7 WHERE id = \(id)")
        #expect(await isReached { mended(id) }, "\(replica.status)")
        try await synced(replica, client)
        #expect(replica.status.stoppedTables.count == 2 - id, "\(replica.status)")
      }
      #expect(parts(replica.store) == ["1:7", "2:7", "3:3"] && mended(2), "\(replica.status)")
      try await replica.dropSlot()
    }
  }

  @Test(arguments: [UnreadableRows.stopTable, .leaveOut])
  func `a row whose id cannot be read stops its table until it is deleted`(unreadable: UnreadableRows)
    async throws
  {
    try await withReplica(unreadable, "ALTER TABLE parts ALTER id TYPE numeric") { replica, client in
      try await client.execute("INSERT INTO parts VALUES (1e30, 1)")
      try await synced(replica, client)
      #expect(replica.status.stoppedTables["public.parts"]?.column == "id")
      try await client.execute("DELETE FROM parts WHERE id = 1; UPDATE parts SET price = 3 WHERE id = 1e30")
      try await synced(replica, client)
      #expect(parts(replica.store) == ["1:1", "2:2"] && replica.status.copies == 1)
      try await client.execute("DELETE FROM parts WHERE id = 1e30")
      #expect(await isReached { parts(replica.store) == ["2:2"] && replica.status.copies == 2 })
    }
  }

  @Test(arguments: [UnreadableRows.stopTable, .leaveOut])
  func `a row that keeps the value for which it is refused is no reason to copy`(unreadable: UnreadableRows)
    async throws
  {
    try await withReplica(
      unreadable,
      #"""
      ALTER TABLE parts ALTER measure SET STORAGE EXTERNAL;
      UPDATE parts SET measure = jsonb_build_object('size', 1, 'more', repeat('x', 9000)) WHERE id = 1
      """#
    ) { replica, client in
      try await client.execute("INSERT INTO parts VALUES (3, 3); UPDATE parts SET mood = 'new' WHERE id = 1")
      // The large value before the mood is not sent, and there is no object that has it.
      for text in ["a", "b"] { try await client.execute("UPDATE parts SET text = '\(text)' WHERE id = 1") }
      try await synced(replica, client)
      try await client.execute("SELECT pg_sleep(0.1)")
      #expect(replica.status.copies == 1 && replica.status.reconnections == 0)
      try await client.execute("UPDATE parts SET mood = 'calm' WHERE id = 1")
      #expect(
        await isReached { replica.status.copies == 2 && parts(replica.store) == ["1:1", "2:2", "3:3"] })
      #expect(replica.store[Part.self, 1]?.measure?.size == 1 && replica.store[Part.self, 1]?.text == "b")
    }
  }

  @Test(arguments: [UnreadableRows.stopTable, .leaveOut])
  func `a large value that is not sent, and that no object encodes, comes by a copy`(
    unreadable: UnreadableRows
  )
    async throws
  {
    try await TestServer.shared().withDatabase { database in
      let client = try await database.connect()
      try await client.execute(
        """
        CREATE TABLE papers (id int PRIMARY KEY, title text, body text); CREATE PUBLICATION app FOR TABLE papers;
        ALTER TABLE papers ALTER body SET STORAGE EXTERNAL; INSERT INTO papers VALUES (1, 'a', repeat('x', 9000))
        """)
      var options = PostgresReplica.Options()
      options.minimumBackoff = .milliseconds(1)
      let replica = try await PostgresReplica.start(
        database.connectionString, publication: "app", options: options
      ) { Replicated("papers", Paper.self, unreadable: unreadable) }
      try await client.execute("UPDATE papers SET title = 'b'")
      #expect(await isReached { replica.status.copies == 2 && replica.store[Paper.self, 1]?.title == "b" })
      #expect(replica.status.stoppedTables.isEmpty && replica.status.leftOutCount == 0)
      await replica.close()
    }
  }

  // MARK: Rows that are left out

  @Test func `a row that is left out is listed, and is inserted when it can be read`() async throws {
    try await withReplica(.leaveOut, "UPDATE parts SET price = 'Infinity' WHERE id = 2") { replica, client in
      func expect(
        _ expected: [String], _ leftOut: Set<String>, _ statement: String, line: Int = #line
      ) async throws {
        try await client.execute(statement)
        try await synced(replica, client)
        let status = replica.status
        #expect(parts(replica.store) == expected, "line \(line)")
        let listed = status.leftOutRows.map { String($0.message.split(separator: " ").last ?? "") }
        #expect(Set(listed) == leftOut && status.leftOutCount == leftOut.count, "line \(line)")
        #expect(status.copies == 1 && status.reconnections == 0 && status.stoppedTables.isEmpty)
      }
      let second = try await replica.addStore()
      try await expect(["1:1"], ["2."], "INSERT INTO orders VALUES (2, 2)")
      #expect(replica.store[Order.self, 2]?.part?.id == 2)
      try await expect(["1:1", "2:5"], [], "UPDATE parts SET price = 5 WHERE id = 2")
      #expect(parts(second) == ["1:1", "2:5"])
      try await expect(["2:5"], ["1."], "UPDATE parts SET price = 'Infinity' WHERE id = 1")
      try await expect(["2:5"], ["7."], "UPDATE parts SET id = 7 WHERE id = 1")
      try await expect(["2:5", "8:8"], [], "UPDATE parts SET id = 8, price = 8 WHERE id = 7")
      try await expect(["2:5", "8:8"], ["9."], "INSERT INTO parts VALUES (9, 'Infinity')")
      try await expect(["2:5", "8:8"], [], "DELETE FROM parts WHERE id = 9")
      try await expect(["8:8"], ["2."], "UPDATE parts SET mood = 'new' WHERE id = 2")
      try await expect(
        ["2:6", "8:8"], [],
        "BEGIN; DELETE FROM parts WHERE id = 2; INSERT INTO parts VALUES (2, 6); COMMIT")
      try await expect(
        ["8:8"], ["2."],
        "BEGIN; DELETE FROM parts WHERE id = 2; INSERT INTO parts VALUES (2, 'Infinity'); COMMIT")
      try await expect(
        ["3:3"], ["4."],
        "BEGIN; TRUNCATE parts; INSERT INTO parts VALUES (3, 3), (4, 'Infinity'); COMMIT")
      try await expect([], [], "TRUNCATE parts")
      #expect(parts(second) == [])
    }
  }

  @Test func `a row that is unreadable within a transaction keeps its place and its links`() async throws {
    try await withReplica(.leaveOut) { replica, client in
      try await client.execute(
        "BEGIN; UPDATE parts SET price = 'Infinity' WHERE id = 1; UPDATE parts SET price = 4 WHERE id = 1; COMMIT"
      )
      try await synced(replica, client)
      #expect(replica.store.fetch(Part.all).map(\.id) == [1, 2] && replica.status.leftOutCount == 0)
      #expect(replica.store[Part.self, 1]?.price == 4)
    }
  }

  @Test func `a row that is left out, and whose update leaves out a large value, comes by one copy`()
    async throws
  {
    try await withReplica(
      .leaveOut,
      "ALTER TABLE parts ALTER text SET STORAGE EXTERNAL; UPDATE parts SET text = repeat('x', 9000), price = 'Infinity' WHERE id = 1"
    ) { replica, client in
      // The reason of it is not sent, or sent as it was.
      try await client.execute("UPDATE parts SET mood = 'keen' WHERE id = 1")
      try await synced(replica, client)
      #expect(replica.status.copies == 1 && replica.status.leftOutCount == 1)
      try await client.execute("UPDATE parts SET price = 4 WHERE id = 1")
      #expect(await isReached { parts(replica.store) == ["1:4", "2:2"] && replica.status.copies == 2 })
      #expect(replica.store[Part.self, 1]?.text?.utf8.count == 9_000 && replica.status.leftOutCount == 0)
      try await client.execute("UPDATE parts SET price = 5 WHERE id = 1")
      try await synced(replica, client)
      #expect(parts(replica.store) == ["1:5", "2:2"] && replica.status.copies == 2)
    }
  }

  @Test func `a copy lists what it leaves out, and takes in what can be read since`() async throws {
    try await withReplica(.leaveOut, "UPDATE parts SET price = 'Infinity' WHERE id = 2") { replica, client in
      try await client.execute(
        "BEGIN; ALTER TABLE parts ALTER price TYPE numeric USING CASE WHEN id = 1 THEN 'Infinity'::numeric ELSE 6 END; INSERT INTO parts VALUES (3, 3); COMMIT"
      )
      #expect(await isReached { replica.status.copies == 2 })
      try await synced(replica, client)
      #expect(parts(replica.store) == ["2:6", "3:3"] && replica.status.leftOutCount == 1)
      #expect(replica.status.copyReasons == [PostgresError.definitionChanged: 1])
    }
  }
}
