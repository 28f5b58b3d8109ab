import Foundation
import LiveStore
import LiveStoreServer
import Testing

@Suite("A stream of server-sent events")
struct EventTests {
  @Test("begins with the snapshot, and goes on with each change")
  func changes() async throws {
    let store = try makeStore(posts: 3)
    try await TestServer.with(store) { server in
      let connection = try await server.open("/streams/Post?sort=likeCount:desc&offset=-1&live=sse")
      var rows = StreamRows()
      try rows.apply(try await connection.event("data").messages)
      #expect(rows.rows.map(\.key) == ["3", "2", "1"])
      let control = try await connection.event("control").control
      #expect(control["upToDate"] == true)
      #expect(control["rowCount"] == 3)
      #expect(control["streamCursor"] != nil)
      for step in 0..<5 {
        try await store.write { tx in try tx.update(Post.self, 1) { $0.likeCount = step * 20 } }
        try rows.apply(try await connection.event("data").messages)
        #expect(rows.version == store.version)
        let snapshot = store.snapshot()
        #expect(
          rows.rows.map(\.value)
            == snapshot.fetch(Post.sorted(by: \.likeCount, .descending)).map { $0.shown(in: snapshot) })
      }
    }
  }

  @Test("goes on from the offset of its last mark")
  func resume() async throws {
    let store = try makeStore(posts: 3)
    try await TestServer.with(store) { server in
      let first = try await server.open("/streams/Post?offset=-1&live=sse")
      var rows = StreamRows()
      try rows.apply(try await first.event("data").messages)
      let offset = try #require(try await first.event("control").control["streamNextOffset"]?.text)
      first.end()
      try await store.write { tx in try tx.delete(Post.self, 2) }
      let second = try await server.open("/streams/Post?offset=\(offset)&live=sse")
      try rows.apply(try await second.event("data").messages)
      #expect(rows.rows.map(\.key) == ["1", "3"])
    }
  }

  @Test("from now begins with a mark")
  func now() async throws {
    let store = try makeStore(posts: 3)
    try await TestServer.with(store) { server in
      let connection = try await server.open("/streams/Post?offset=now&live=sse")
      let event = try #require(try await connection.event())
      #expect(event.name == "control")
      #expect(try event.control["upToDate"] == true)
    }
  }

  @Test("without changes has marks, whose offsets follow the store")
  func bookmarks() async throws {
    let store = try makeStore(posts: 3)
    var limits = StreamLimits.ofTests
    limits.bookmarkInterval = .milliseconds(100)
    try await TestServer.with(store, limits: limits) { server in
      let connection = try await server.open("/streams/Post?offset=now&live=sse")
      _ = try await connection.event("control")
      try await store.write { tx in try tx.insert(Author(id: 9, name: "Not shown")) }
      var versions: [Version] = []
      while versions.last != store.version, versions.count < 50 {
        let event = try #require(try await connection.event())
        #expect(event.name == "control")
        versions.append(try #require(StreamOffset(event.control["streamNextOffset"]?.text ?? "")).version)
      }
      #expect(versions.last == store.version)
      #expect(versions == versions.sorted())
    }
  }

  @Test("ends after its time, so that its client connects again")
  func duration() async throws {
    let store = try makeStore(posts: 3)
    var limits = StreamLimits.ofTests
    limits.streamDuration = .milliseconds(100)
    try await TestServer.with(store, limits: limits) { server in
      let connection = try await server.open("/streams/Post?offset=-1&live=sse")
      while try await connection.event() != nil {}
      #expect(await eventually { server.state.streamCount == 0 })
    }
  }

  @Test("ends when its store is closed")
  func closed() async throws {
    let store = try makeStore(posts: 3)
    try await TestServer.with(store) { server in
      let connection = try await server.open("/streams/Post?offset=-1&live=sse")
      _ = try await connection.event("control")
      store.close()
      while try await connection.event() != nil {}
    }
  }

  @Test("of a client that goes gives its place back")
  func departure() async throws {
    let store = try makeStore(posts: 3)
    try await TestServer.with(store) { server in
      let connection = try await server.open("/streams/Post?offset=-1&live=sse")
      _ = try await connection.event("control")
      #expect(server.state.streamCount == 1)
      connection.end()
      #expect(await eventually { server.state.streamCount == 0 && server.state.hubCount == 0 })
    }
  }

  @Test("texts with new lines, quotation marks and any scalars come as they are")
  func texts() async throws {
    let store = try makeStore(posts: 1)
    try await TestServer.with(store) { server in
      let connection = try await server.open("/streams/Post?offset=-1&live=sse")
      _ = try await connection.event("control")
      for text in ["a\nb\r\n\ndata: x\n\n", "\"\\\u{1}\u{7F}\u{2028}", "e\u{301}👩‍👩‍👧", "</script>"] {
        try await store.write { tx in try tx.update(Post.self, 1) { $0.title = text } }
        let message = try #require(try await connection.event("data").messages.first)
        #expect(message.value?["title"].text.map { Array($0.utf8) } == Array(text.utf8))
      }
    }
  }
}
