import Foundation
import LiveStore
import LiveStoreServer
import Testing

@Suite("A place of those that read much")
struct ReaderTests {
  /// A client that asks for a whole result and reads nothing.
  private func stalledReader(_ server: TestServer) async throws -> RawConnection {
    let reader = try await onThread { try RawConnection(port: server.port) }
    reader.setSmallBuffer()
    reader.send("GET /streams/Post HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(await eventually { server.state.readerCount == 1 })
    return reader
  }

  @Test("is waited for by a stream of events that needs a snapshot")
  func waiting() async throws {
    var limits = StreamLimits.ofTests
    limits.readers = 1
    limits.bookmarkInterval = .seconds(20)
    try await TestServer.with(try makeStore(posts: 40_000), limits: limits) { server in
      let reader = try await stalledReader(server)
      let stream = try await server.open("/streams/Author?offset=-1&live=sse")
      #expect(await eventually { server.state.streamCount == 1 })
      reader.end()
      let messages = try await stream.event("data").messages
      #expect(messages.compactMap(\.key) == ["1", "2", "3"])
      #expect(await eventually { server.state.readerCount == 0 })
    }
  }

  @Test("that does not come free in time is an error of a stream of events, which ends")
  func refusal() async throws {
    var limits = StreamLimits.ofTests
    limits.readers = 1
    limits.bookmarkInterval = .milliseconds(200)
    try await TestServer.with(try makeStore(posts: 40_000), limits: limits) { server in
      let reader = try await stalledReader(server)
      let stream = try await server.open("/streams/Author?offset=-1&live=sse")
      let event = try #require(try await stream.event())
      #expect(event.name == "error")
      #expect(try event.control["error"]?["code"] == "tooManyStreams")
      #expect(try await stream.event() == nil)
      #expect(await eventually { server.state.streamCount == 0 })
      withExtendedLifetime(reader) {}
    }
  }

  /// A client that asks for a difference of four megabytes and reads nothing but the head, behind which nothing is computed.
  private func stalledDifference(_ server: TestServer, after offset: String) async throws -> RawConnection {
    let reader = try await onThread { try RawConnection(port: server.port) }
    reader.setSmallBuffer()
    reader.send("GET /streams/Post?offset=\(offset) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(try await reader.head().contains(" 200 "))
    return reader
  }

  private func addLargePost(_ store: Store) async throws {
    let text = String(repeating: "x", count: 4_000_000)
    try await store.write { tx in try tx.insert(Post(id: 1, title: text)) }
  }

  @Test("is held while a large difference is written, and is free when its client goes")
  func largeDifference() async throws {
    let store = try makeStore()
    try await TestServer.with(store) { server in
      let start = try await server.request("/streams/Post").nextOffset
      try await addLargePost(store)
      let reader = try await stalledDifference(server, after: start)
      #expect(server.state.readerCount == 1)
      reader.end()
      #expect(await eventually { server.state.readerCount == 0 })
      let reply = try await server.request("/streams/Post?offset=\(start)")
      #expect(reply.headers["content-length"] == "\(reply.body.utf8.count)")
      #expect(reply.body.utf8.count > 4_000_000 && reply.body.hasSuffix("]"))
    }
  }

  @Test("of a client that reads nothing of a large difference is free after a while")
  func stalledDifference() async throws {
    let store = try makeStore()
    var limits = StreamLimits.ofTests
    limits.idleTime = .milliseconds(200)
    try await TestServer.with(store, limits: limits) { server in
      let start = try await server.request("/streams/Post").nextOffset
      try await addLargePost(store)
      let reader = try await stalledDifference(server, after: start)
      #expect(await eventually { server.state.readerCount == 0 })
      withExtendedLifetime(reader) {}
    }
  }
}
