import Foundation
import HTTPTypes
import LiveStore
import LiveStoreServer
import Synchronization
import Testing

@Suite("Who may see what")
struct AccessTests {
  private struct Member: Sendable { let name: String }

  /// A server that shows authors their own posts.
  private static func ownPosts(_ store: Store) throws -> StoreServer<Member> {
    try StoreServer(
      store, configuration: ServerConfiguration(limits: .ofTests), logger: .silent,
      authenticate: { head in head.headerFields[.authorization].map { Member(name: $0) } }
    ) {
      Expose(Post.self, fields: [\.title]) { request in
        let name = request.identity.name
        return Post.where { $0.author.name == name }
      }
    }
  }

  @Test("an entity that is not exposed is not there")
  func unknownStream() async throws {
    try await TestServer.with(try makeStore(posts: 1)) { server in
      for target in ["/streams/Tag", "/streams/post", "/streams/Post%00"] {
        let reply = try await server.request(target)
        #expect(reply.status == 404)
        #expect(try reply.error["code"] == "notFound")
      }
    }
  }

  @Test(
    "a filter or a sort may not name what is not exposed",
    arguments: [
      "where=secret%20==%20'a'", "where=author.id%20==%201", "where=author%20==%201",
      "where=SELF%20TEXT%20'a'", "where=ANY%20author.id%20==%201", "where=author.@count%20%3E%200",
      "where=secret%20==%5Bcd%5D%20'a'", "where=secret.length%20%3E%200", "where=abs(author.id)%20%3E%200",
      "where=SUBQUERY(author,%20$a,%20$a.name%20==%20'a').@count%20%3E%200", "sort=secret", "sort=author",
      "sort=SELF",
      "sort=title)%20LIMIT(1", "where=TRUEPREDICATE%20SORT(secret)",
    ])
  func hiddenPaths(query: String) async throws {
    try await TestServer.with(try makeStore(posts: 1)) { server in
      let reply = try await server.request("/streams/Post?" + query)
      #expect(reply.status == 400)
      #expect(["invalidFilter", "invalidSort"].contains(try reply.error["code"]?.text))
      #expect(try reply.error["parameter"]?.text == String(query.prefix(while: { $0 != "=" })))
    }
  }

  @Test(
    "rows that a closure chooses begin with a snapshot each time, since no offset says which closure it was")
  func closures() async throws {
    let store = try makeStore(posts: 4)
    let server = try StoreServer(store, logger: .silent) {
      Expose(Post.self, fields: [\.title]) { _ in Post.filter { (post: Post) in post.id > 2 } }
    }
    try await TestServer.with(server) { server in
      let first = try await server.request("/streams/Post")
      #expect(try first.messages.compactMap(\.key) == ["3", "4"])
      let second = try await server.request("/streams/Post?offset=" + first.nextOffset)
      #expect(try second.messages.first?.headers.control == .reset)
    }
  }

  @Test("the error of a filter says the column")
  func column() async throws {
    try await TestServer.with(try makeStore(posts: 1)) { server in
      let reply = try await server.request("/streams/Post?where=likeCount%20%3E")
      #expect(reply.status == 400)
      #expect(reply.headers["content-type"] == "application/json")
      #expect(try reply.error["code"] == "invalidFilter")
      #expect(try reply.error["column"] == 12)
    }
  }

  @Test("a filter that visits too many rows is refused")
  func expensiveFilter() async throws {
    var limits = StreamLimits.ofTests
    limits.visits = 10
    try await TestServer.with(try makeStore(posts: 100), limits: limits) { server in
      for live in ["", "&offset=-1&live=sse", "&offset=-1&live=long-poll"] {
        let reply = try await server.request("/streams/Post?where=title%20CONTAINS%20'7'" + live)
        #expect(reply.status == 400)
        #expect(try reply.error["code"] == "filterTooExpensive")
      }
    }
  }

  @Test("each client has the rows that its identity may see, and what they are filtered by is not lost")
  func rowsByIdentity() async throws {
    let store = try makeStore(posts: 6)
    try await TestServer.with(try Self.ownPosts(store)) { server in
      let refused = try await server.request("/streams/Post")
      #expect(refused.status == 401)
      let first = try await server.request("/streams/Post", headers: ["Authorization": "Author 1"])
      #expect(try first.messages.compactMap(\.key) == ["3", "6"])
      let filtered = try await server.request(
        "/streams/Post?where=title%20!=%20'Post%203'%20OR%20TRUEPREDICATE&sort=title:desc&limit=5",
        headers: ["Authorization": "Author 1"])
      #expect(try filtered.messages.compactMap(\.key) == ["6", "3"])
      let second = try await server.request(
        "/streams/Post?offset=\(first.nextOffset)", headers: ["Authorization": "Author 2"])
      #expect(try second.messages.first?.headers.control == .reset)
      #expect(try second.messages.compactMap(\.key) == ["1", "4"])
    }
  }

  @Test("clients whose identities have other rows follow no common query, though they ask the same")
  func liveRowsByIdentity() async throws {
    let store = try makeStore(posts: 6)
    try await TestServer.with(try Self.ownPosts(store)) { server in
      var streams: [RawConnection] = []
      for (number, keys) in [(1, ["3", "6"]), (2, ["1", "4"])] {
        let stream = try await server.open(
          "/streams/Post?offset=-1&live=sse", headers: ["Authorization": "Author \(number)"])
        #expect(try await stream.event("data").messages.compactMap(\.key) == keys)
        streams.append(stream)
      }
      #expect(server.state.hubCount == 2)
      try await store.write { tx in try tx.update(Post.all) { $0.title += "!" } }
      for (stream, keys) in zip(streams, [["3", "6"], ["1", "4"]]) {
        #expect(try await stream.event("data").messages.compactMap(\.key) == keys)
      }
    }
  }

  @Test("a token is asked for, and another one is not enough")
  func token() async throws {
    var access = AccessRules()
    access.token = "sesame"
    try await TestServer.with(try makeStore(posts: 1), access: access) { server in
      for header in [[:], ["Authorization": "Bearer sesam"], ["Authorization": "Bearer sesamf"]] {
        let reply = try await server.request("/streams/Post", headers: header)
        #expect(reply.status == 401)
        #expect(reply.headers["www-authenticate"] == "Bearer")
      }
      let reply = try await server.request("/streams/Post", headers: ["Authorization": "Bearer sesame"])
      #expect(reply.status == 200)
    }
  }

  @Test(
    "a host that is not this machine is refused, unless it is listed",
    arguments: [
      ("localhost", 200), ("127.0.0.1:80", 200), ("[::1]:80", 200), ("feed.example.com:8080", 200),
      ("evil.example", 403),
      ("localhost.evil.example", 403),
    ])
  func hosts(host: String, status: Int) async throws {
    var access = AccessRules()
    access.hosts = ["feed.example.com"]
    try await TestServer.with(try makeStore(posts: 1), access: access) { server in
      let reply = try await server.request("/streams/Post", host: host)
      #expect(reply.status == status)
    }
  }

  @Test(
    "a page of another origin is refused, and one of this machine may read what it gets",
    arguments: [
      ("http://localhost:3000", 200), ("https://127.0.0.1", 200), ("https://example.com", 200),
      ("https://evil.example", 403),
      ("null", 403), ("http://localhost.evil.example", 403),
    ])
  func origins(origin: String, status: Int) async throws {
    var access = AccessRules()
    access.origins = ["https://example.com"]
    try await TestServer.with(try makeStore(posts: 1), access: access) { server in
      let reply = try await server.request("/streams/Post", headers: ["Origin": origin])
      #expect(reply.status == status)
      #expect(reply.headers["access-control-allow-origin"] == (status == 200 ? origin : nil))
      let preflight = try await server.request(
        "/streams/Post", method: "OPTIONS", headers: ["Origin": origin])
      #expect(preflight.status == (status == 200 ? 204 : 403))
    }
  }

  @Test("writing is not offered", arguments: ["POST", "PUT", "DELETE", "PATCH"])
  func writing(method: String) async throws {
    try await TestServer.with(try makeStore(posts: 1)) { server in
      let reply = try await server.request("/streams/Post", method: method)
      #expect(reply.status == 405)
      #expect(reply.headers["allow"] == "GET, HEAD, OPTIONS")
    }
  }

  @Test("a field without a JSON form, or given twice, is an error when it is exposed")
  func invalidFields() throws {
    let store = try makeStore()
    #expect(throws: StoreError.self) {
      _ = try StoreServer(store) { Expose(Post.self, fields: [\.title, \.title]) }
    }
    #expect(throws: StoreError.self) {
      _ = try StoreServer(try Store(Author.self)) { Expose(Post.self, fields: [\.title]) }
    }
  }

  @Test("a Unix socket is its owner's alone")
  func unixSocket() async throws {
    let path = FileManager.default.temporaryDirectory.appending(
      path: "livestore-\(UUID().uuidString.prefix(8)).sock"
    ).path
    let server = try StoreServer(try makeStore(posts: 1), logger: .silent) {
      Expose(Post.self, fields: [\.title])
    }
    let (running, source) = AsyncStream<Void>.makeStream()
    let task = Task { try await server.run(on: .unixSocket(path)) { _ in source.finish() } }
    for await _ in running {}
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let reply = try await onThread {
      let connection = try RawConnection(socket: path)
      connection.send("GET /streams/Post HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      return try connection.reply()
    }
    #expect(try reply.messages.compactMap(\.key) == ["1"])
    task.cancel()
    _ = await task.result
    try? FileManager.default.removeItem(atPath: path)
  }

  @Test(
    "a socket that cannot be left to its owner is removed, and the server ends with the error",
    .timeLimit(.minutes(1)))
  func unrestrictedSocket() async throws {
    let path = FileManager.default.temporaryDirectory.appending(
      path: "livestore-\(UUID().uuidString.prefix(8)).sock"
    ).path
    let server = try StoreServer(try makeStore(posts: 1), logger: .silent) {
      Expose(Post.self, fields: [\.title])
    }
    let hasRun = Mutex(false)
    await #expect(throws: Failure("not permitted")) {
      try await server.run(on: .unixSocket(path)) { _ in
        #expect(FileManager.default.fileExists(atPath: path))
        throw Failure("not permitted")
      } onRunning: { _ in
        hasRun.withLock { $0 = true }
      }
    }
    #expect(!hasRun.withLock { $0 })
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
