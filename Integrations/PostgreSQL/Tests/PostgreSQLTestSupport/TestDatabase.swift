import Foundation

/// A database of a ``TestServer``.
package final class TestDatabase: Sendable {
  package let server: TestServer
  package let name: String

  init(server: TestServer, name: String) { (self.server, self.name) = (server, name) }

  /// A connection string through the server's socket.
  package var connectionString: String { server.connectionString(to: name) }

  /// A connection string through a port of 127.0.0.1, as that of a ``FaultyProxy``.
  package func connectionString(port: Int) -> String {
    "postgresql://postgres@127.0.0.1:\(port)/\(name)?sslmode=disable&gssencmode=disable"
  }

  /// A client of the database.
  package func connect() async throws -> SQLClient { try await SQLClient(connectionString) }

  /// Drops the database with its replication slots, and ends all connections to it.
  package func drop() async throws {
    let client = try await SQLClient(server.connectionString(to: "postgres"))
    let end = ContinuousClock.now + .seconds(30)
    while true {
      // An active slot is in the way, until the process that uses it has ended.
      try await client.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
      do {
        try await client.execute(
          """
          SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots
          WHERE database = '\(name)' AND NOT active
          """)
        try await client.execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
        return
      } catch let error as SQLError where ContinuousClock.now < end && !error.state.isEmpty {
        try await client.execute("SELECT pg_sleep(0.01)")
      }
    }
  }
}
