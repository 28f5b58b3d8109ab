import Foundation
import LiveStore
import LiveStoreServer
import Testing

@Suite("A long poll")
struct LongPollTests {
  @Test("waits for a change and gives it")
  func change() async throws {
    let store = try makeStore(posts: 2)
    try await TestServer.with(store, limits: .ofTests.polling(.seconds(20))) { server in
      let start = try await server.request("/streams/Post").nextOffset
      async let reply = server.request("/streams/Post?offset=\(start)&live=long-poll")
      #expect(await eventually { server.state.streamCount == 1 })
      try await store.write(origin: "ui") { tx in try tx.update(Post.self, 2) { $0.likeCount = 7 } }
      let answer = try await reply
      #expect(answer.status == 200)
      #expect(try answer.messages.map(\.key) == ["2"])
      #expect(try answer.messages.map(\.headers.origin) == ["ui"])
      #expect(answer.headers["stream-cursor"] != nil)
      #expect(answer.headers["etag"] != nil)
      #expect(answer.nextOffset > start)
    }
  }

  @Test("of what is behind answers at once")
  func behind() async throws {
    let store = try makeStore(posts: 2)
    try await TestServer.with(store) { server in
      let start = try await server.request("/streams/Post").nextOffset
      try await store.write { tx in try tx.delete(Post.self, 1) }
      let reply = try await server.request("/streams/Post?offset=\(start)&live=long-poll")
      #expect(try reply.messages.map(\.headers.operation) == [.delete])
    }
  }

  @Test("of what its client has, by its tag, has the status 304, and waits no longer")
  func notModified() async throws {
    let store = try makeStore(posts: 2)
    try await TestServer.with(store, limits: .ofTests.polling(.seconds(20))) { server in
      let start = try await server.request("/streams/Post").nextOffset
      try await store.write { tx in try tx.delete(Post.self, 1) }
      let target = "/streams/Post?offset=\(start)&live=long-poll"
      let first = try await server.request(target)
      let tag = try #require(first.headers["etag"])
      let again = try await server.request(target, headers: ["If-None-Match": "W/" + tag])
      #expect(again.status == 304)
      #expect(again.nextOffset == first.nextOffset)
      try await store.write { tx in try tx.delete(Post.self, 2) }
      let changed = try await server.request(target, headers: ["If-None-Match": tag])
      #expect(try changed.messages.count == 2)
    }
  }

  @Test("that sees no change has the status 204, with the newest offset and a cursor that goes on")
  func timeout() async throws {
    let store = try makeStore(posts: 2)
    try await TestServer.with(store) { server in
      let start = try await server.request("/streams/Post").nextOffset
      try await store.write { tx in try tx.insert(Author(id: 9, name: "Not shown")) }
      let reply = try await server.request("/streams/Post?offset=\(start)&live=long-poll")
      #expect(reply.status == 204)
      #expect(reply.body == "")
      #expect(StreamOffset(reply.nextOffset)?.version == store.version)
      #expect(reply.headers["stream-up-to-date"] == "true")
      let cursor = try #require(reply.headers["stream-cursor"].flatMap { Int($0) })
      let next = try await server.request(
        "/streams/Post?offset=\(reply.nextOffset)&live=long-poll&cursor=\(cursor + 5)")
      #expect(try #require(next.headers["stream-cursor"].flatMap { Int($0) }) > cursor + 5)
    }
  }

  @Test("from now waits for the next change")
  func now() async throws {
    let store = try makeStore(posts: 2)
    try await TestServer.with(store, limits: .ofTests.polling(.seconds(20))) { server in
      async let reply = server.request("/streams/Post?offset=now&live=long-poll")
      #expect(await eventually { server.state.hubCount == 1 })
      #expect(await eventually { server.state.streamCount == 1 })
      // It may begin before or behind this commit, and sees the one that is made until it does.
      let writer = Task {
        while !Task.isCancelled {
          try await store.write { tx in try tx.update(Post.self, 1) { $0.likeCount += 1 } }
          await Task.yield()
        }
      }
      let messages = try await reply.messages
      writer.cancel()
      #expect(messages.allSatisfy { $0.key == "1" && $0.headers.operation == .update })
      #expect(!messages.isEmpty)
    }
  }

  @Test("ends when the store is closed")
  func closed() async throws {
    let store = try makeStore(posts: 2)
    try await TestServer.with(store, limits: .ofTests.polling(.seconds(20))) { server in
      let start = try await server.request("/streams/Post").nextOffset
      async let reply = server.request("/streams/Post?offset=\(start)&live=long-poll")
      #expect(await eventually { server.state.streamCount == 1 })
      store.close()
      #expect(try await reply.status == 503)
    }
  }
}

extension StreamLimits {
  func polling(_ duration: Duration) -> StreamLimits {
    var limits = self
    limits.pollDuration = duration
    return limits
  }
}
