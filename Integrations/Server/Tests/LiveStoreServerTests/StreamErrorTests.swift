import Foundation
import LiveStore
import LiveStoreServer
import Testing

@Suite("An error in the middle of a stream")
struct StreamErrorTests {
  @Test(
    "of a filter that has become too expensive is an event, a status of long polls, and one of later requests"
  )
  func expensiveFilter() async throws {
    let store = try makeStore(posts: 10)
    var limits = StreamLimits.ofTests.polling(.seconds(20))
    limits.visits = 50
    try await TestServer.with(store, limits: limits) { server in
      let target = "/streams/Post?where=title%20CONTAINS%20'7'"
      let start = try await server.request(target).nextOffset
      let stream = try await server.open(target + "&offset=\(start)&live=sse")
      _ = try await stream.event("control")
      async let poll = server.request(target + "&offset=\(start)&live=long-poll")
      #expect(await eventually { server.state.streamCount == 2 })
      try await store.write { tx in
        for id in 100..<400 { try tx.insert(Post(id: id, title: "Post \(id)")) }
      }
      let event = try #require(try await stream.event())
      #expect(event.name == "error")
      #expect(try event.control["error"]?["code"] == "filterTooExpensive")
      #expect(try event.control["error"]?["parameter"] == "where")
      #expect(try await stream.event() == nil)
      let replies = [try await poll, try await server.request(target + "&offset=\(start)")]
      for reply in replies {
        #expect(reply.status == 400)
        #expect(try reply.error["code"] == "filterTooExpensive")
      }
      #expect(await eventually { server.state.hubCount == 0 && server.state.streamCount == 0 })
    }
  }

  @Test("of a value without a JSON form is an event or a status, and its clients go on when it has one")
  func unencodableValue() async throws {
    let (store, _) = try makeNotes(1...3)
    try await TestServer.with(notes: store, limits: .ofTests.polling(.seconds(20))) { server in
      let start = try await server.request("/streams/Note").nextOffset
      let stream = try await server.open("/streams/Note?offset=\(start)&live=sse")
      _ = try await stream.event("control")
      async let poll = server.request("/streams/Note?offset=\(start)&live=long-poll")
      #expect(await eventually { server.state.streamCount == 2 })
      try await store.write { tx in try tx.update(Note.self, 2) { $0.text.hasForm = false } }
      let replies = [
        try await poll, try await server.request("/streams/Note?offset=\(start)"),
        try await server.request("/streams/Note"),
        try await server.request("/streams/Note?offset=\(start)&live=long-poll"),
      ]
      for reply in replies {
        #expect(reply.status == 500)
        #expect(try reply.error["code"] == "internal")
      }
      let streams = [
        stream, try await server.open("/streams/Note?offset=-1&live=sse"),
        try await server.open("/streams/Note?offset=\(start)&live=sse"),
      ]
      for stream in streams {
        let event = try #require(try await stream.event())
        #expect(event.name == "error")
        #expect(try event.control["error"]?["code"] == "internal")
        #expect(try await stream.event() == nil)
      }
      let late = try await server.open("/streams/Note?offset=now&live=sse")
      _ = try await late.event("control")
      try await store.write { tx in
        try tx.update(Note.self, 2) {
          $0.text.text = "mended"
          $0.text.hasForm = true
        }
      }
      let again = try await server.open("/streams/Note?offset=\(start)&live=sse")
      for stream in [late, again] {
        #expect(try await stream.event("data").messages.map(\.value) == [["text": "mended"]])
      }
    }
  }

  @Test("behind the first rows of a snapshot breaks the connection before the array ends")
  func brokenSnapshot() async throws {
    let (store, _) = try makeNotes(1...3_000)
    try await store.write { tx in try tx.update(Note.self, 3_000) { $0.text.hasForm = false } }
    try await TestServer.with(notes: store) { server in
      let reply = try await server.request("/streams/Note")
      #expect(reply.status == 200)
      #expect(reply.body.hasPrefix("[") && !reply.body.hasSuffix("]"))
      let stream = try await server.open("/streams/Note?offset=-1&live=sse")
      let text = try await onThread { stream.readToEnd() }
      #expect(text.contains("event: data"))
      #expect(!text.contains("event: control") && !text.contains("event: error"))
      #expect(stream.isClosed)
      #expect(await eventually { server.state.streamCount == 0 && server.state.readerCount == 0 })
    }
  }
}
