import Foundation
import PostgreSQLTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Faulty proxies` {
  private func withProxy(_ body: (FaultyProxy, TestDatabase) async throws -> Void) async throws {
    let server = try await TestServer.shared()
    try await server.withDatabase { database in
      let proxy = try FaultyProxy(to: server.port)
      try await body(proxy, database)
      proxy.shutDown()
    }
  }

  @Test func `a proxy forwards what both sides say, and counts`() async throws {
    try await withProxy { proxy, database in
      let client = try await SQLClient(database.connectionString(port: proxy.port))
      let text = try await client.value("SELECT repeat('é', 300000)")
      #expect(text?.count == 300_000)
      #expect(proxy.connectionCount == 1)
      #expect(proxy.forwarded(.toClient) > 600_000)
      #expect(proxy.forwarded(.toServer) > 20)
      #expect(proxy.cutCount == 0)
    }
  }

  @Test(arguments: FaultyProxy.Direction.allCases, FaultyProxy.Ending.allCases)
  func `a connection is cut after exactly so many bytes`(
    direction: FaultyProxy.Direction, ending: FaultyProxy.Ending
  ) async throws {
    try await withProxy { proxy, database in
      for bytes in [1, 5, 17, 100] {
        let client = try await SQLClient(database.connectionString(port: proxy.port))
        let text = String(repeating: "x", count: 200)
        #expect(try await client.value("SELECT '\(text)'") == text)
        let before = proxy.forwarded(direction)
        proxy.cut(after: bytes, direction, ending)
        let error = await #expect(throws: SQLError.self) { try await client.execute("SELECT '\(text)'") }
        #expect(error?.state == "")
        #expect(proxy.forwarded(direction) == before + bytes)
      }
      #expect(proxy.cutCount == 4)
      let client = try await SQLClient(database.connectionString(port: proxy.port))
      #expect(try await client.value("SELECT 1") == "1")
    }
  }

  @Test func `a proxy that refuses gives no connection, until it is healed`() async throws {
    try await withProxy { proxy, database in
      proxy.isRefusing = true
      await #expect(throws: SQLError.self) {
        try await SQLClient(database.connectionString(port: proxy.port))
      }
      #expect(proxy.connectionCount == 0)
      proxy.heal()
      let client = try await SQLClient(database.connectionString(port: proxy.port))
      #expect(try await client.value("SELECT 1") == "1")
    }
  }

  @Test func `a dead network forwards nothing, and everything when it is alive again`() async throws {
    try await withProxy { proxy, database in
      let client = try await SQLClient(database.connectionString(port: proxy.port))
      let before = proxy.forwarded(.toServer)
      proxy.isFrozen = true
      async let value = client.value("SELECT 7")
      let other = try await database.connect()
      #expect(try await other.value("SELECT 8") == "8")
      #expect(proxy.forwarded(.toServer) == before)
      proxy.isFrozen = false
      #expect(try await value == "7")
    }
  }

  @Test func `a slow network is late by its delay`() async throws {
    try await withProxy { proxy, database in
      let client = try await SQLClient(database.connectionString(port: proxy.port))
      proxy.delay = .milliseconds(30)
      let start = ContinuousClock.now
      #expect(try await client.value("SELECT 7") == "7")
      #expect(start.duration(to: .now) >= .milliseconds(60))
    }
  }

  @Test func `all connections are cut at once`() async throws {
    try await withProxy { proxy, database in
      let clients = [
        try await SQLClient(database.connectionString(port: proxy.port)),
        try await SQLClient(database.connectionString(port: proxy.port)),
      ]
      #expect(proxy.openCount == 2)
      proxy.cutAll()
      for client in clients { await #expect(throws: SQLError.self) { try await client.execute("SELECT 1") } }
    }
  }
}
