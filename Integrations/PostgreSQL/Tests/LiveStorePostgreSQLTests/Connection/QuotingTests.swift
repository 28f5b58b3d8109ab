import Foundation
import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

private struct Item: Entity, Codable {
  let id: Int
  var label: String
  static let schema = Schema<Item> { \.label }
}

/// Bug: special characters were looked for by Character, and one with a combining mark, a joiner or a variation selector
/// behind it is another Character. The server reads bytes.
@Suite(.timeLimit(.minutes(5))) struct `Quoting for the server` {
  private static let marks = ["", "\u{301}", "\u{200D}", "\u{FE0F}"]

  private static let texts: [String] = {
    var texts: [String] = []
    for special in ["\"", "'", "\\", ",", "{", "}", "\n", "\\\"", "''", "\\'", ";"] {
      for mark in marks {
        texts += ["a\(special)\(mark)b", "\(special)\(mark)", "\(mark)\(special)\(special)\(mark)"]
      }
    }
    return texts
  }()

  /// A name as the server reads it, written down a second time.
  private static func quoted(_ name: String) -> String {
    "\"" + String(decoding: name.utf8.flatMap { $0 == 0x22 ? [$0, $0] : [$0] }, as: UTF8.self) + "\""
  }

  private func connection() async throws -> PostgresConnection {
    try await PostgresConnection.connect(try await TestServer.shared().connectionString(to: "postgres"))
  }

  @Test func `a text is one name, one literal and one element of an array to the server`() async throws {
    let connection = try await connection()
    for text in Self.texts {
      let name: SQL = "\(identifier: text)"
      #expect(
        try await connection.query("SELECT (parse_ident($1))[1]", [name.text])[0, 0].map { Array($0.utf8) }
          == Array(text.utf8), "the name \(text.debugDescription)")
      for setting in ["on", "off"] {
        _ = try await connection.execute("SET standard_conforming_strings = \(setting)")
        let results = try await connection.execute("SELECT \(SQL.literal(text))")
        #expect(results.count == 1)
        #expect(
          results[0][0, 0].map { Array($0.utf8) } == Array(text.utf8), "the literal \(text.debugDescription)")
      }
      let array = try #require(try [text, "x"].sqlParameter.text)
      let elements = try await connection.query("SELECT unnest($1::text[])", [array])
      #expect(elements.rowCount == 2)
      #expect(
        elements[0, 0].map { Array($0.utf8) } == Array(text.utf8), "the element \(text.debugDescription)")
    }
    connection.finish()
  }

  /// Bug: the owner of a published table gave a column a name that ended the statement of the copy, and then its
  /// transaction, and ran a function of his own as the role of the replica.
  @Test(arguments: ["\u{301}", "\u{200D}", "\u{FE0F}"])
  func `the name of a published column is no statement`(mark: String) async throws {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    let name = "id\"\(mark) FROM items)TO STDOUT(FORMAT binary);COMMIT;SELECT f()--"
    // The server quotes it here.
    let column = "\"id\"\"\(mark) FROM items)TO STDOUT(FORMAT binary);COMMIT;SELECT f()--\""
    #expect(name.utf8.count <= 63)
    try await client.execute(
      """
      CREATE TABLE items (id int PRIMARY KEY, label text NOT NULL, \(column) int);
      CREATE TABLE ran (role text);
      CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'INSERT INTO ran VALUES (current_user); SELECT 1';
      INSERT INTO items VALUES (1, 'a', 7);
      CREATE PUBLICATION app FOR TABLE items
      """)
    var labels: [String] = []
    do {
      let replica = try await PostgresReplica.start(database.connectionString, publication: "app") {
        Replicated("items", Item.self)
      }
      labels = replica.store.fetch(Item.all).map(\.label)
      await replica.close()
    } catch { Issue.record(error) }
    #expect(try await client.value("SELECT count(*) FROM ran") == "0")
    #expect(labels == ["a"])
  }

  @Test func `a table and a publication may have any name`() async throws {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    let (schema, table, publication) = ("s\"\u{301}.x", "t'\u{301}\\\".y", "p\"\u{301}'\\x")
    try await client.execute(
      """
      CREATE SCHEMA \(Self.quoted(schema));
      CREATE TABLE \(Self.quoted(schema)).\(Self.quoted(table)) (id int PRIMARY KEY, label text NOT NULL);
      INSERT INTO \(Self.quoted(schema)).\(Self.quoted(table)) VALUES (1, 'a');
      CREATE PUBLICATION \(Self.quoted(publication)) FOR TABLE \(Self.quoted(schema)).\(Self.quoted(table))
      """)
    let name = "\(Self.quoted(schema)).\(Self.quoted(table))"
    let replica = try await PostgresReplica.start(database.connectionString, publication: publication) {
      Replicated(name, Item.self)
    }
    #expect(replica.store.fetch(Item.all).map(\.label) == ["a"])
    await replica.close()
  }

  /// Bug: a table whose name is equal to Swift, and not to the server, was taken for the one that is followed, which was
  /// copied again and again.
  @Test func `a table with a name that looks the same is another`() async throws {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    try await client.execute(
      """
      CREATE TABLE "\u{E9}" (id int PRIMARY KEY, label text NOT NULL);
      INSERT INTO "\u{E9}" VALUES (1, 'a');
      CREATE PUBLICATION app FOR ALL TABLES
      """)
    let replica = try await PostgresReplica.start(database.connectionString, publication: "app") {
      Replicated("\u{E9}", Item.self)
    }
    try await client.execute(
      """
      CREATE TABLE "e\u{301}" (id int PRIMARY KEY, label text NOT NULL);
      INSERT INTO "e\u{301}" VALUES (7, 'x');
      INSERT INTO "\u{E9}" VALUES (2, 'b')
      """)
    let position = try #require(try await client.value("SELECT pg_current_wal_flush_lsn()"))
    try await replica.synced(to: try #require(LogSequenceNumber(position)))
    #expect(replica.store.fetch(Item.all).map(\.label) == ["a", "b"] && replica.status.copies == 1)
    await replica.close()
  }

  @Test(arguments: marks) func `a password is hidden in what libpq and the server say, whatever it has`(
    mark: String
  ) {
    let secret = "se\"\(mark)cr\n et"
    let text =
      "connection to server at \"h\" failed: FATAL:  28P01: no role \"\(secret)\(mark)\" here\n"
      + "LOCATION:  auth_failed, auth.c:336\n"
    let (reason, state) = PostgresError.reason(of: text, hiding: ["se\"", secret])
    #expect(state == "28P01")
    #expect(!reason.contains("cr") && !reason.contains("et\""), "\(reason)")
    #expect(!reason.contains("LOCATION") && reason.contains("FATAL: no role"), "\(reason)")
  }
}
