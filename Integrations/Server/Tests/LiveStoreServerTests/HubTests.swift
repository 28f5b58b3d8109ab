import Foundation
import LiveStore
import LiveStoreServer
import Testing

@Suite("Clients of one query")
struct HubTests {
  @Test("share a hub, get the same, and leave nothing behind")
  func sharing() async throws {
    let store = try makeStore(posts: 3)
    try await TestServer.with(store) { server in
      var connections: [RawConnection] = []
      for _ in 0..<30 {
        connections.append(try await server.open("/streams/Post?sort=likeCount&offset=-1&live=sse"))
      }
      for connection in connections { _ = try await connection.event("control") }
      #expect(server.state.hubCount == 1)
      #expect(server.state.streamCount == 30)
      try await store.write { tx in try tx.update(Post.self, 1) { $0.likeCount = 99 } }
      var texts: Set<String> = []
      for connection in connections { texts.insert(try await connection.event("data").data) }
      #expect(texts.count == 1)
      for connection in connections { connection.end() }
      #expect(await eventually { server.state.hubCount == 0 && server.state.streamCount == 0 })
      #expect(await eventually { store.metrics.liveQueries == 0 })
    }
  }

  @Test("that does not read costs the others nothing, and gets merged changes when it reads")
  func slowClient() async throws {
    let store = try makeStore(posts: 200)
    try await TestServer.with(store) { server in
      let slow = try await onThread { try RawConnection(port: server.port) }
      slow.send("GET /streams/Post?offset=-1&live=sse HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let quick = try await server.open("/streams/Post?offset=-1&live=sse")
      var rows = StreamRows()
      try rows.apply(try await quick.event("data").messages)
      let text = String(repeating: "x", count: 50_000)
      for round in 0..<100 {
        try await store.write { tx in
          for id in 1...4 { try tx.update(Post.self, id) { $0.title = "\(round) \(text)" } }
        }
        while rows.version != store.version { try rows.apply(try await quick.event("data").messages) }
      }
      var (slowRows, steps) = (StreamRows(), 0)
      while slowRows.version != store.version {
        try slowRows.apply(try await slow.event("data").messages)
        steps += 1
      }
      #expect(slowRows == rows)
      #expect(steps < 100)
    }
  }

  @Test("that reads nothing at all is ended")
  func stalledClient() async throws {
    let store = try makeStore(posts: 1_000)
    let text = String(repeating: "x", count: 20_000)
    try await store.write { tx in try tx.update(Post.all) { $0.title = text } }
    var limits = StreamLimits.ofTests
    limits.idleTime = .milliseconds(200)
    try await TestServer.with(store, limits: limits) { server in
      let stalled = try await onThread { try RawConnection(port: server.port) }
      stalled.setSmallBuffer()
      // A thread of its own does not miss the moment when other tests have all others.
      async let hasBegun = onThread {
        let end = ContinuousClock.now + .seconds(20)
        while server.state.streamCount == 0, ContinuousClock.now < end { usleep(1_000) }
        return server.state.streamCount == 1
      }
      stalled.send("GET /streams/Post?offset=-1&live=sse HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(try await hasBegun)
      #expect(await eventually { server.state.streamCount == 0 })
    }
  }

  @Test("more different queries than may be followed get the status 429, and one that is followed does not")
  func manyQueries() async throws {
    var limits = StreamLimits.ofTests
    limits.queries = 1
    try await TestServer.with(try makeStore(posts: 1), limits: limits) { server in
      let first = try await server.open("/streams/Post?offset=-1&live=sse")
      defer { withExtendedLifetime(first) {} }
      #expect(await eventually { server.state.hubCount == 1 })
      let other = try await server.request("/streams/Author?offset=now&live=long-poll")
      #expect(other.status == 429)
      #expect(try other.error["code"] == "tooManyQueries")
      #expect(try await server.request("/streams/Post?offset=now&live=long-poll").status == 204)
    }
  }

  @Test("one that takes too long for a whole result is ended, however little it reads at a time")
  func slowReader() async throws {
    var limits = StreamLimits.ofTests
    limits.snapshotDuration = .milliseconds(200)
    try await TestServer.with(try makeStore(posts: 40_000), limits: limits) { server in
      let slow = try await onThread { try RawConnection(port: server.port) }
      slow.setSmallBuffer()
      slow.send("GET /streams/Post HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(await eventually { server.state.readerCount == 1 })
      #expect(await eventually { server.state.readerCount == 0 })
      withExtendedLifetime(slow) {}
    }
  }

  @Test("more than there may be get the status 429")
  func tooManyStreams() async throws {
    let store = try makeStore(posts: 1)
    var limits = StreamLimits.ofTests
    limits.streams = 2
    try await TestServer.with(store, limits: limits) { server in
      let first = try await server.open("/streams/Post?offset=-1&live=sse")
      _ = try await first.event("control")
      let second = try await server.open("/streams/Author?offset=-1&live=sse")
      _ = try await second.event("control")
      let third = try await server.request("/streams/Post?offset=-1&live=sse")
      #expect(third.status == 429)
      #expect(third.headers["retry-after"] == "1")
      #expect(try await server.request("/streams/Post").status == 200)
      first.end()
      #expect(await eventually { server.state.streamCount == 1 })
    }
  }

  @Test("behind the steps that are kept get the difference from their own version")
  func behindTheRing() async throws {
    let store = try makeStore(posts: 3)
    try await TestServer.with(store) { server in
      let start = try await server.request("/streams/Post").nextOffset
      let keeper = try await server.open("/streams/Post?offset=-1&live=sse")
      _ = try await keeper.event("control")
      for count in 0..<100 {
        try await store.write { tx in try tx.update(Post.self, 1) { $0.likeCount = count } }
        _ = try await keeper.event("data")
      }
      let late = try await server.open("/streams/Post?offset=\(start)&live=sse")
      let messages = try await late.event("data").messages
      #expect(messages.map(\.key) == ["1"])
      #expect(messages.first?.value?["likeCount"] == 99)
    }
  }
}
