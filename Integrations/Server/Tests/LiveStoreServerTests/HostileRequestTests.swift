import Foundation
import LiveStore
import LiveStoreServer
import Testing

@Suite("Requests that are made to hurt")
struct HostileRequestTests {
  @Test(
    "parameters that are none have the status 400, with the parameter's name",
    arguments: [
      ("offset=1", "offset"), ("offset=%2Fetc", "offset"), ("offset=", "offset"), ("offset=-2", "offset"),
      ("offset=00000000000000000000000000000000_0000000000000000_000000000000000G", "offset"),
      ("limit=-1", "limit"), ("limit=1e3", "limit"), ("limit=99999999999999999999", "limit"),
      ("live=yes&offset=-1", "live"),
      ("live=sse", "offset"), ("sort=title:up", "sort"), ("sort=", "sort"), ("sort=title,,title", "sort"),
      ("where=", "where"), ("limit=1&limit=2", "limit"), ("offset=-1&offset=now", "offset"),
    ])
  func parameters(query: String, parameter: String) async throws {
    try await TestServer.with(try makeStore(posts: 1)) { server in
      let reply = try await server.request("/streams/Post?" + query)
      #expect(reply.status == 400)
      #expect(try reply.error["parameter"]?.text == parameter)
    }
  }

  @Test(
    "a query that is not encoded as URLs are has the status 400",
    arguments: ["where=%FF%FE", "where=%zz", "%=1", "where=%-0", "where=%+1", "where=%4"])
  func encoding(query: String) async throws {
    try await TestServer.with(try makeStore(posts: 1)) { server in
      let reply = try await server.request("/streams/Post?" + query)
      #expect(reply.status == 400)
    }
  }

  @Test("a filter that is too long or too deep has the status 400")
  func largeFilters() async throws {
    try await TestServer.with(try makeStore(posts: 1)) { server in
      for filter in [
        String(repeating: "a", count: 3_000), String(repeating: "(", count: 500),
        String(repeating: "NOT%20", count: 300), String(repeating: "a", count: 10_000),
      ] {
        let reply = try await server.request("/streams/Post?where=" + filter)
        #expect(reply.status == 400)
      }
      // Longer than a URL may be: whatever the answer is, it is none, and others are served.
      let target = "/streams/Post?where=" + String(repeating: "a", count: 500_000)
      let answer = try await onThread {
        let connection = try RawConnection(port: server.port)
        connection.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return connection.readToEnd()
      }
      #expect(!answer.contains(" 200 "))
      #expect(try await server.request("/streams/Post").status == 200)
    }
  }

  @Test("a pattern that others match in exponential time is matched at once")
  func costlyPattern() async throws {
    let store = try makeStore(posts: 1)
    try await store.write { tx in
      try tx.update(Post.self, 1) { $0.title = String(repeating: "a", count: 5_000) }
    }
    try await TestServer.with(store) { server in
      let reply = try await server.request("/streams/Post?where=title%20MATCHES%20'(a*)*b'")
      #expect(reply.status == 200)
      #expect(try reply.messages.compactMap(\.key).isEmpty)
    }
  }

  @Test(
    "a limit of no rows gives none, and one of all that a number can say gives all", arguments: [0, Int.max])
  func limits(limit: Int) async throws {
    try await TestServer.with(try makeStore(posts: 3)) { server in
      let reply = try await server.request("/streams/Post?limit=\(limit)")
      #expect(reply.status == 200)
      #expect(try reply.messages.compactMap(\.key).count == min(limit, 3))
    }
  }

  @Test("what HTTP allows beside is answered as if it were not there")
  func otherRequests() async throws {
    try await TestServer.with(try makeStore(posts: 2)) { server in
      for headers in [["Range": "bytes=0-3"], ["Upgrade": "websocket"], ["Expect": "nothing"]] {
        let reply = try await server.request("/streams/Post", headers: headers)
        #expect(reply.status == 200)
        #expect(try reply.messages.compactMap(\.key) == ["1", "2"])
      }
    }
  }

  @Test("headers without end are refused, and garbage ends its connection")
  func garbage() async throws {
    try await TestServer.with(try makeStore(posts: 1)) { server in
      for text in [
        "GET /streams/Post HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "x", count: 100_000)
          + "\r\n\r\n",
        "GET /streams/Post HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: "X: y\r\n", count: 5_000)
          + "\r\n",
        "\u{0}\u{1}\u{2}\r\n\r\n", "GET\r\n\r\n", "GET /streams/Post HTTP/9.9\r\n\r\n",
        String(repeating: "GET ", count: 50_000),
      ] {
        let answer = try await onThread {
          let connection = try RawConnection(port: server.port)
          connection.send(text)
          return connection.read(through: "\r\n\r\n")
        }
        #expect(!answer.contains(" 200 "))
      }
      #expect(try await server.request("/streams/Post").status == 200)
    }
  }

  @Test("half a request, and a connection without one, are ended")
  func idleConnections() async throws {
    var limits = StreamLimits.ofTests
    limits.idleTime = .milliseconds(200)
    try await TestServer.with(try makeStore(posts: 1), limits: limits) { server in
      for text in ["", "GET /streams/Post HTTP/1.1\r\nHost: loc", "GET "] {
        let answer = try await onThread {
          let connection = try RawConnection(port: server.port)
          connection.send(text)
          return connection.readToEnd()
        }
        #expect(!answer.contains(" 200 "))
      }
    }
  }

  @Test("the end of a stream closes its connection, whatever the client has sent meanwhile")
  func pipelined() async throws {
    var limits = StreamLimits.ofTests
    limits.streamDuration = .milliseconds(100)
    try await TestServer.with(try makeStore(posts: 1), limits: limits) { server in
      let (answer, isClosed) = try await onThread {
        let connection = try RawConnection(port: server.port)
        for target in ["/streams/Post?offset=-1&live=sse", "/streams/Post"] {
          connection.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        }
        return (connection.readToEnd(), connection.isClosed)
      }
      #expect(answer.contains("text/event-stream") && isClosed)
    }
  }

  @Test("many clients that break off leave nothing behind")
  func brokenOff() async throws {
    let store = try makeStore(posts: 2_000)
    try await TestServer.with(store) { server in
      var generator = SeededGenerator(5)
      for _ in 0..<60 {
        let mode = ["", "&live=sse", "&live=long-poll"].randomElement(using: &generator) ?? ""
        let connection = try await server.open("/streams/Post?offset=-1" + mode)
        let count = Int.random(in: 0...20, using: &generator)
        try await onThread { for _ in 0..<count { _ = connection.read(through: "}") } }
        connection.end()
      }
      #expect(await eventually { server.state.streamCount == 0 && server.state.hubCount == 0 })
      #expect(try await server.request("/streams/Post").status == 200)
    }
  }

  @Test("a thousand idle connections leave the server to others")
  func thousandConnections() async throws {
    try await TestServer.with(try makeStore(posts: 1)) { server in
      let idle = try await onThread { try (0..<1_000).map { _ in try RawConnection(port: server.port) } }
      #expect(try await server.request("/streams/Post").status == 200)
      withExtendedLifetime(idle) {}
    }
  }
}
