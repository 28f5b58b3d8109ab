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

  /// A client of a Unix socket, which has a small buffer always, that asks for a difference of four megabytes and reads nothing but
  /// the head, behind which nothing is computed.
  private func withStalledDifference(
    _ limits: StreamLimits = .ofTests, _ body: @Sendable (TestServer, RawConnection) async throws -> Void
  ) async throws {
    let store = try makeStore(posts: 1)
    let server = try StoreServer(
      store, configuration: ServerConfiguration(limits: limits), logger: .silent
    ) {
      Expose(Post.self, fields: [\.title])
    }
    let path = FileManager.default.temporaryDirectory.appending(
      path: "livestore-\(UUID().uuidString.prefix(8)).sock"
    ).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await TestServer.with(server, socket: path) { server in
      let request = { @Sendable (offset: String) in
        "GET /streams/Post?offset=\(offset) HTTP/1.1\r\nHost: localhost\r\n\r\n"
      }
      let start = try await onThread {
        let first = try RawConnection(socket: path)
        first.send(request("now"))
        return try first.reply().nextOffset
      }
      let text = String(repeating: "x", count: 4_000_000)
      try await store.write { tx in try tx.update(Post.self, 1) { $0.title = text } }
      let reader = try await onThread { try RawConnection(socket: path) }
      reader.send(request(start))
      #expect(try await reader.head().contains(" 200 "))
      try await body(server, reader)
    }
  }

  @Test("is held while a large difference is written", arguments: [true, false])
  func largeDifference(clientGoes: Bool) async throws {
    try await withStalledDifference { server, reader in
      #expect(server.state.readerCount == 1)
      if clientGoes {
        reader.end()
      } else {
        let text = try await onThread { reader.read(through: "]") }
        #expect(text.utf8.count > 4_000_000)
      }
      #expect(await eventually { server.state.readerCount == 0 })
    }
  }

  @Test("of a client that reads nothing of a large difference is free after a while")
  func stalledDifference() async throws {
    var limits = StreamLimits.ofTests
    limits.idleTime = .seconds(1)
    try await withStalledDifference(limits) { server, reader in
      #expect(await eventually { server.state.readerCount == 0 })
      withExtendedLifetime(reader) {}
    }
  }
}
