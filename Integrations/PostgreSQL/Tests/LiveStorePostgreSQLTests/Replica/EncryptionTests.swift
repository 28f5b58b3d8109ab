import Foundation
import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

private struct Document: Entity, Codable {
  let id: Int
  var text: String
  static let schema = Schema<Document> { \.text }
}

@Suite(.timeLimit(.minutes(5))) struct `Replicas over encrypted connections` {
  /// A server with a certificate of its own, which is also what clients may check it by.
  private static func server() async throws -> (server: TestServer, certificate: String) {
    let server = try await TestServer.own()
    let (certificate, key) = ("\(server.folder)/data/server.crt", "\(server.folder)/data/server.key")
    let made = try ChildProcess.run(
      "openssl",
      [
        "req", "-new", "-x509", "-days", "2", "-nodes", "-newkey", "rsa:2048", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost", "-out", certificate, "-keyout", key,
      ])
    try #require(made.end == .status(0), "openssl: \(made.output)")
    // A key that is root's may be read by the server's group, else it must be the server's own.
    if geteuid() == 0,
      let owner = try FileManager.default.attributesOfItem(atPath: "\(server.folder)/data")[.ownerAccountID]
    {
      try FileManager.default.setAttributes([.ownerAccountID: owner], ofItemAtPath: key)
      try FileManager.default.setAttributes([.ownerAccountID: owner], ofItemAtPath: certificate)
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    let client = try await SQLClient(server.connectionString(to: "postgres"))
    for setting in ["ssl_cert_file = 'server.crt'", "ssl_key_file = 'server.key'", "ssl = on"] {
      try await client.execute("ALTER SYSTEM SET \(setting)")
    }
    try await server.shutDown()
    try await server.restart()
    return (server, certificate)
  }

  @Test func `addresses of this machine need no encryption`() {
    for address in ["", "/run/postgresql", "127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"] {
      #expect(PostgresConnection.isLocal(address), "\(address)")
    }
    for address in ["10.0.0.1", "128.127.0.1", "::2", "fe80::1", "2001:db8::127"] {
      #expect(!PostgresConnection.isLocal(address), "\(address)")
    }
  }

  @Test(arguments: ["require", "verify-full"])
  func `a replica copies and follows, large values too`(mode: String) async throws {
    let (server, certificate) = try await Self.server()
    let client = try await SQLClient(server.connectionString(to: "postgres"))
    try await client.execute(
      """
      CREATE TABLE documents (id int PRIMARY KEY, text text NOT NULL); CREATE PUBLICATION app FOR TABLE documents;
      INSERT INTO documents SELECT n, repeat(md5(n::text), n % 3000) FROM generate_series(1, 200) n
      """)
    let replica = try await PostgresReplica.start(
      """
      host=localhost hostaddr=127.0.0.1 port=\(server.port) user=postgres dbname=postgres sslmode=\(mode)
      sslrootcert=\(mode == "require" ? "/nonexistent" : certificate)
      """, publication: "app"
    ) {
      Replicated("documents", Document.self)
    }
    #expect(
      try await client.value(
        "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_replication USING (pid) WHERE ssl") == "1")
    for size in [1, 100, 8_000, 8_192, 16_384, 16_400, 100_000, 3_000_000] {
      try await replica.write { sql in
        _ = try await sql.execute("UPDATE documents SET text = repeat('x', \(size)) WHERE id = 7")
      }
      #expect(replica.store[Document.self, 7]?.text.utf8.count == size)
    }
    let lengths = replica.store.fetch(Document.all).reduce(0) { $0 + $1.text.utf8.count }
    #expect(try await client.value("SELECT sum(length(text)) FROM documents") == "\(lengths)")
    await replica.close()
    try await server.stop()
  }

  @Test func `a server whose certificate is unknown is refused`() async throws {
    let (server, _) = try await Self.server()
    let client = try await SQLClient(server.connectionString(to: "postgres"))
    try await client.execute(
      "CREATE TABLE documents (id int PRIMARY KEY, text text NOT NULL); CREATE PUBLICATION app FOR TABLE documents"
    )
    let (other, unknown) = try await Self.server()
    for mode in ["verify-ca", "verify-full"] {
      let error = await #expect(throws: PostgresError.self) {
        try await PostgresReplica.start(
          """
          host=localhost hostaddr=127.0.0.1 port=\(server.port) user=postgres dbname=postgres sslmode=\(mode)
          sslrootcert=\(unknown)
          """, publication: "app"
        ) {
          Replicated("documents", Document.self)
        }
      }
      #expect(
        error?.isTransient == false && error?.code == PostgresError.encryptionFailed,
        "\(error.map { "\($0)" } ?? "")")
    }
    try await other.stop()
    try await server.stop()
  }
}
