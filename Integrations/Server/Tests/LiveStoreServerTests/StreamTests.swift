import Foundation
import LiveStore
import LiveStoreServer
import Testing

@Suite("A stream that is read once")
struct StreamTests {
  @Test("from the beginning it is a snapshot in the order of the query, with the count of its rows")
  func snapshot() async throws {
    let store = try makeStore(posts: 5)
    try await TestServer.with(store) { server in
      let reply = try await server.request(
        "/streams/Post?where=likeCount%20%3E%2010&sort=likeCount:desc&limit=2")
      #expect(reply.status == 200)
      #expect(reply.headers["content-type"] == "application/json")
      #expect(reply.headers["stream-up-to-date"] == "true")
      #expect(reply.headers["stream-row-count"] == "2")
      let messages = try reply.messages
      #expect(messages.map(\.headers.control) == [.snapshotStart, nil, nil, .snapshotEnd])
      #expect(messages.compactMap(\.key) == ["5", "4"])
      #expect(messages.compactMap(\.headers.index) == [0, 1])
      #expect(messages[1].value == ["title": "Post 5", "likeCount": 50, "author.name": "Author 3"])
      #expect(messages[1].type == "Post")
      #expect(messages[1].headers.txid == "1")
      #expect(messages[3].headers.rowCount == 2)
      var rows = StreamRows()
      try rows.apply(messages)
      #expect(rows.rows.map(\.key) == ["5", "4"])
      #expect(rows.version == store.version)
    }
  }

  @Test("from an offset it is the merged difference, with deletions, moves, insertions and replaced rows")
  func difference() async throws {
    let store = try makeStore(posts: 5)
    try await TestServer.with(store) { server in
      let target = "/streams/Post?sort=likeCount:asc"
      let first = try await server.request(target)
      var rows = StreamRows()
      try rows.apply(first.messages)
      try await store.write { tx in try tx.delete(Post.self, 2) }
      try await store.write { tx in
        try tx.update(Post.self, 1) { $0.likeCount = 1_000 }
        try tx.insert(Post(id: 9, title: "New \"one\"\n", likeCount: 35))
        try tx.update(Post.self, 3) { $0.title = "Third" }
      }
      let second = try await server.request(target + "&offset=\(first.nextOffset)")
      let messages = try second.messages
      #expect(messages.map(\.headers.operation) == [.delete, .update, .insert, .update])
      #expect(messages.map(\.key) == ["2", "3", "9", "1"])
      #expect(messages.map(\.headers.from) == [1, nil, nil, 0])
      #expect(messages.allSatisfy { $0.headers.txid == "3" })
      try rows.apply(messages)
      #expect(rows.rows.map(\.key) == ["3", "9", "4", "5", "1"])
      let fresh = try await server.request(target)
      var expected = StreamRows()
      try expected.apply(fresh.messages)
      #expect(rows == expected)
      let none = try await server.request(target + "&offset=\(second.nextOffset)")
      #expect(none.body == "[]")
      #expect(none.nextOffset == second.nextOffset)
    }
  }

  @Test("one commit has its origin, commits of several writers have none")
  func origin() async throws {
    let store = try makeStore(posts: 2)
    try await TestServer.with(store) { server in
      let start = try await server.request("/streams/Post").nextOffset
      try await store.write(origin: "ui") { tx in try tx.update(Post.self, 1) { $0.likeCount += 1 } }
      let one = try await server.request("/streams/Post?offset=\(start)")
      #expect(try one.messages.map(\.headers.origin) == ["ui"])
      try await store.write(origin: "import") { tx in try tx.update(Post.self, 1) { $0.likeCount += 1 } }
      let two = try await server.request("/streams/Post?offset=\(start)")
      #expect(try two.messages.map(\.headers.origin) == [nil])
    }
  }

  @Test("a property that is not shown changes nothing that a client sees")
  func hiddenProperty() async throws {
    let store = try makeStore(posts: 2)
    try await TestServer.with(store) { server in
      let start = try await server.request("/streams/Post")
      #expect(!start.body.contains("hidden"))
      try await store.write { tx in try tx.update(Post.self, 1) { $0.secret = "other" } }
      let after = try await server.request("/streams/Post?offset=\(start.nextOffset)")
      #expect(after.body == "[]")
      #expect(after.nextOffset > start.nextOffset)
    }
  }

  @Test("a linked value that is shown changes its row")
  func linkedValue() async throws {
    let store = try makeStore(posts: 2)
    try await TestServer.with(store) { server in
      let start = try await server.request("/streams/Post").nextOffset
      try await store.write { tx in try tx.update(Author.self, 2) { $0.name = "Ann" } }
      let after = try await server.request("/streams/Post?offset=\(start)")
      #expect(try after.messages.map(\.key) == ["1"])
      #expect(try after.messages.first?.value == ["title": "Post 1", "likeCount": 10, "author.name": "Ann"])
    }
  }

  @Test("an offset that the history does not reach is answered by a reset and a snapshot")
  func truncatedHistory() async throws {
    let store = try makeStore(posts: 2, history: 3)
    try await TestServer.with(store) { server in
      let start = try await server.request("/streams/Post")
      var rows = StreamRows()
      try rows.apply(start.messages)
      for _ in 0..<5 { try await store.write { tx in try tx.update(Post.self, 1) { $0.likeCount += 1 } } }
      let after = try await server.request("/streams/Post?offset=\(start.nextOffset)")
      #expect(try after.messages.map(\.headers.control) == [.reset, .snapshotStart, nil, nil, .snapshotEnd])
      try rows.apply(after.messages)
      #expect(rows.rows.map(\.value["likeCount"]) == [15, 20])
    }
  }

  @Test("an offset of another store, of a later version, or of another query is answered by a reset")
  func foreignOffsets() async throws {
    let (store, other) = (try makeStore(posts: 2), try makeStore(posts: 2))
    try await TestServer.with(store) { server in
      let own = try #require(StreamOffset(try await server.request("/streams/Post").nextOffset))
      let offsets = [
        StreamOffset(other.identity, own.fingerprint, own.version),
        StreamOffset(own.identity, own.fingerprint, Version(own.version.number + 1)),
        StreamOffset(own.identity, own.fingerprint &+ 1, own.version),
      ]
      for offset in offsets {
        let reply = try await server.request("/streams/Post?offset=\(offset)")
        #expect(try reply.messages.first?.headers.control == .reset)
      }
    }
  }

  @Test("the offset now is an empty array at the newest version, which no cache keeps")
  func now() async throws {
    let store = try makeStore(posts: 2)
    try await TestServer.with(store) { server in
      let reply = try await server.request("/streams/Post?offset=now")
      #expect(reply.body == "[]")
      #expect(reply.headers["cache-control"] == "no-store")
      #expect(StreamOffset(reply.nextOffset)?.version == store.version)
      #expect(reply.headers["stream-up-to-date"] == "true")
    }
  }

  @Test("the same again is answered by the status 304, until something changes")
  func notModified() async throws {
    let store = try makeStore(posts: 2)
    try await TestServer.with(store) { server in
      for query in ["", "?offset=\(try await server.request("/streams/Post").nextOffset)"] {
        let tag = try #require(try await server.request("/streams/Post" + query).headers["etag"])
        let again = try await server.request("/streams/Post" + query, headers: ["If-None-Match": tag])
        #expect(again.status == 304)
        #expect(again.body == "")
        try await store.write { tx in try tx.update(Post.self, 1) { $0.likeCount += 1 } }
        let changed = try await server.request("/streams/Post" + query, headers: ["If-None-Match": tag])
        #expect(changed.status == 200)
      }
    }
  }

  @Test(
    "the same is recognised by its tag in a list, as a weak one, and by an asterisk, and not by what is no tag",
    arguments: [
      ("W/TAG", 304), ("\"other\", TAG", 304), ("\"a,b\" ,W/TAG,W/\"c\"", 304), ("*", 304),
      ("\"other\"", 200), ("W/\"\"", 200), ("NAME", 200), ("\"NAME", 200), ("\"xNAME\"", 200),
      ("\"\"NAME", 200),
    ])
  func tags(field: String, status: Int) async throws {
    try await TestServer.with(try makeStore(posts: 2)) { server in
      for query in ["", "?offset=\(try await server.request("/streams/Post").nextOffset)"] {
        let tag = try #require(try await server.request("/streams/Post" + query).headers["etag"])
        let value = field.replacing("TAG", with: tag).replacing("NAME", with: tag.dropFirst().dropLast())
        let reply = try await server.request("/streams/Post" + query, headers: ["If-None-Match": value])
        #expect(reply.status == status)
        #expect(reply.headers["etag"] == tag)
      }
    }
  }

  @Test("HEAD gives the newest offset and no body")
  func head() async throws {
    let store = try makeStore(posts: 2)
    try await TestServer.with(store) { server in
      let reply = try await server.request("/streams/Post", method: "HEAD")
      #expect(reply.status == 200)
      #expect(StreamOffset(reply.nextOffset)?.version == store.version)
      #expect(reply.headers["cache-control"] == "no-store")
    }
  }

  @Test("a result of many parts is one array")
  func manyRows() async throws {
    let store = try makeStore(posts: 1_700)
    try await TestServer.with(store) { server in
      var rows = StreamRows()
      try rows.apply(try await server.request("/streams/Post").messages)
      let snapshot = store.snapshot()
      #expect(rows.rows.map(\.value) == snapshot.fetch(Post.all).map { $0.shown(in: snapshot) })
    }
  }

  @Test("a query without rows is a snapshot of none")
  func noRows() async throws {
    try await TestServer.with(try makeStore()) { server in
      let reply = try await server.request("/streams/Post")
      #expect(try reply.messages.map(\.headers.control) == [.snapshotStart, .snapshotEnd])
    }
  }
}
