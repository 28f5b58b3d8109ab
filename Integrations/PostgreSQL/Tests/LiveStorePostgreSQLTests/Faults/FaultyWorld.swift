import PostgreSQLTestSupport

/// A server, a database and a network that fail: what histories of faults have, one after another.
struct FaultyWorld: Sendable {
  let server: TestServer
  let database: TestDatabase
  let proxy: FaultyProxy

  init() async throws {
    server = try await TestServer.own(["wal_sender_timeout": "5s"])
    database = try await server.createDatabase()
    proxy = try FaultyProxy(to: server.port)
  }

  func stop() async throws {
    proxy.shutDown()
    try await server.stop()
  }
}
