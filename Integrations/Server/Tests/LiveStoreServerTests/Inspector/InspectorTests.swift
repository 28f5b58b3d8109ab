import Foundation
import Hummingbird
import LiveStore
import LiveStoreServer
import Logging
import NIOCore
import Testing

@Suite("The inspector over HTTP")
struct InspectorTests {
  @Test("is not there unless it is asked for")
  func offByDefault() async throws {
    try await TestServer.with(try makeStore(posts: 1)) { server async throws in
      for path in [
        "/inspector", "/inspector/", "/inspector/state", "/inspector/events", "/inspector/streams/Post",
      ] {
        #expect(try await server.request(path).status == 404)
      }
    }
  }

  @Test("is not among the routes of an app, unless the app adds it where it wants")
  func ownRouter() async throws {
    let server = try StoreServer(
      try makeStore(posts: 1), configuration: .inspected, logger: .silent
    ) { Expose(Post.self, fields: [\.title]) }
    let plain = Router()
    server.addRoutes(to: plain)
    try await TestServer.with(plain, state: server.state) { app async throws in
      #expect(try await app.request("/streams/Post").status == 200)
      #expect(try await app.request("/inspector/state").status == 404)
    }
    let admin = Router()
    server.addRoutes(to: admin)
    server.addInspector(to: admin.group("admin"), at: "/look")
    try await TestServer.with(admin, state: server.state) { app async throws in
      #expect(try await app.request("/admin/look/state").status == 200)
      #expect(try await app.request("/admin/look").headers["location"] == "./look/")
      #expect(try await app.request("/inspector/state").status == 404)
    }
  }

  @Test("the page and its files have nothing inline and may load nothing foreign")
  func page() async throws {
    try await TestServer.withInspector(try makeStore(posts: 1)) { server async throws in
      let redirect = try await server.request("/inspector")
      #expect(redirect.status == 307)
      #expect(redirect.headers["location"] == "./inspector/")
      let page = try await server.request("/inspector/")
      #expect(page.headers["content-type"] == "text/html; charset=utf-8")
      let policy = try #require(page.headers["content-security-policy"])
      for rule in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"] {
        #expect(policy.contains(rule))
      }
      #expect(!policy.contains("unsafe"))
      for part in [" style=", "<style", " onclick=", "//"] { #expect(!page.body.contains(part)) }
      let files = page.body.matches(of: /(?:src|href)="([a-z.]+)"/).map { String($0.1) }
      #expect(files.count == 2)
      for file in files + ["rows.js", "table.js", "views.js", "livestore.js"] {
        let reply = try await server.request("/inspector/" + file)
        #expect(reply.status == 200, "\(file)")
        #expect(reply.headers["x-content-type-options"] == "nosniff")
        #expect(!reply.body.contains("https://"), "\(file)")
        #expect(!reply.body.contains("innerHTML"), "\(file)")
      }
      #expect(try await server.request("/inspector/other.js").status == 404)
    }
  }

  @Test("the state has entities, live queries with where they were made, reports, and the process")
  func state() async throws {
    let store = try makeStore(posts: 3)
    let token = store.observe(queue: DispatchQueue(label: "test"), Post.where { $0.likeCount > 10 }) { _ in }
    try await store.settled()
    var inspector = StoreInspector()
    inspector.report("file") { ["durable version": "\(store.version)"] }
    try await TestServer.withInspector(store, inspector) { server async throws in
      let state = try InspectorState(Data(try await server.request("/inspector/state").body.utf8))
      #expect(state.store.version == store.version)
      #expect(state.store.entities.map(\.name) == ["Author", "Post"])
      #expect(state.store.entities.map(\.rows) == [3, 3])
      #expect(state.process.id == ProcessInfo.processInfo.processIdentifier)
      #expect(state.fields["Post"]?.names == ["title", "likeCount", "secret", "author"])
      #expect(state.reports.map(\.name) == ["file"])
      #expect(state.reports[0].figures == [.init(name: "durable version", value: "\(store.version)")])
      let query = try #require(state.store.queries.first)
      #expect(query.results == 2)
      #expect(query.observers.first?.location?.hasPrefix("InspectorTests.swift:") == true)
      let plan = try await server.request("/inspector/plan?query=\(query.number)")
      #expect(plan.body.contains("likeCount"))
      #expect(try await server.request("/inspector/plan?query=999999").status == 404)
      #expect(try await server.request("/inspector/plan?query=x").status == 400)
    }
    token.invalidate()
  }

  @Test("a new state comes with each change while a client is there, and times are recorded only then")
  func events() async throws {
    let store = try makeStore(posts: 1)
    try await TestServer.withInspector(store) { server async throws in
      #expect(!store.inspection.isRecording)
      let connection = try await server.open("/inspector/events")
      let first = try InspectorState(Data(try await connection.event("state").data.utf8))
      #expect(first.store.isRecording)
      try await store.write(origin: "ui") { tx in try tx.update(Post.self, 1) { $0.likeCount += 1 } }
      var state = first
      while state.store.version < store.version {
        state = try InspectorState(Data(try await connection.event("state").data.utf8))
      }
      let commit = try #require(state.store.commits.last)
      #expect(commit.version == store.version)
      #expect(commit.origin == "ui")
      #expect(commit.rows == ["Post": 1])
      connection.end()
      #expect(await eventually { !store.inspection.isRecording })
    }
  }

  @Test("a client that does not read has one state waiting, the newest")
  func slowClient() async throws {
    let store = try makeStore(posts: 1)
    let feed = InspectorFeed(store) { Self.state(of: store) }
    let (slow, fast) = (feed.states(), feed.states())
    #expect(feed.clientCount == 2)
    var iterator = fast.makeAsyncIterator()
    for _ in 0..<3 {
      try await store.write { tx in try tx.update(Post.self, 1) { $0.likeCount += 1 } }
      while let event = await iterator.next(),
        try event == InspectorFeed.comment || Self.version(event) < store.version
      {}
    }
    var late = slow.makeAsyncIterator()
    let event = try #require(await late.next())
    #expect(try Self.version(event) == store.version)
  }

  @Test("a client that comes again after its stream has ended in time still sees the commits of before")
  func reconnecting() async throws {
    let store = try makeStore(posts: 1)
    var configuration = ServerConfiguration.inspected
    configuration.limits.streamDuration = .milliseconds(1)
    let server = try StoreServer(store, configuration: configuration, logger: .silent) {
      Expose(Post.self, fields: [\.title])
    }
    try await TestServer.with(server) { server async throws in
      /// The state of a stream that ends behind it.
      func state() async throws -> InspectorState {
        let connection = try await server.open("/inspector/events")
        let state = try InspectorState(Data(try await connection.event("state").data.utf8))
        while try await connection.event() != nil {}
        return state
      }
      #expect(try await state().store.isRecording)
      #expect(await eventually { server.state.streamCount == 0 })
      try await store.write(origin: "ui") { tx in try tx.update(Post.self, 1) { $0.likeCount += 1 } }
      let version = store.version
      var newest = try await state()
      for _ in 0..<2_000 where newest.store.version < version { newest = try await state() }
      #expect(newest.store.commits.map(\.version) == [version])
    }
  }

  @Test("without clients no times are recorded, once the time is over for which one might come again")
  func linger() async throws {
    let store = try makeStore(posts: 1)
    let feed = InspectorFeed(store, linger: .milliseconds(1)) { Self.state(of: store) }
    var states: InspectorFeed.States? = feed.states()
    #expect(await eventually { store.inspection.isRecording })
    _ = states
    states = nil
    #expect(await eventually { feed.clientCount == 0 && !store.inspection.isRecording })
  }

  @Test("between two states that cost much, clients get comments")
  func comments() async throws {
    let store = try makeStore(posts: 1)
    let feed = InspectorFeed(store, longestSilence: .milliseconds(20)) { Self.state(of: store) }
    var iterator = feed.states().makeAsyncIterator()
    let first = try #require(await iterator.next())
    #expect(try Self.version(first) == store.version)
    // A state comes where this task rests long between two of its steps.
    var next = await iterator.next()
    while let event = next, event != InspectorFeed.comment { next = await iterator.next() }
    #expect(next == InspectorFeed.comment)
  }

  private static func state(of store: Store) -> InspectorState {
    InspectorState(
      process: .init(name: "test", id: 1), server: .init(streams: 0, readers: 0, queries: 0),
      store: store.inspection, fields: [:], reports: [])
  }

  @Test("a state has bounded texts and lists, and of the versions that are held the oldest")
  func bounds() throws {
    let store = try makeStore(posts: 1)
    var inspection = store.inspection
    let holders = (0..<50).map { #"{"kind":"observer","query":1,"observer":\#($0)}"# }.joined(separator: ",")
    let pins = (1...30).map { #"{"first":\#($0),"last":\#($0),"count":1,"holders":[\#(holders)]}"# }
    inspection.pins = try decode(
      [StoreInspection.PinnedVersions].self, "[" + pins.joined(separator: ",") + "]")
    inspection.metrics.lags = Array(repeating: 1, count: 30)
    let observer =
      #"{"number":1,"kind":"token","isPaused":false,"excludedOrigins":[],"offset":0,"location":""#
      + String(repeating: "早", count: 3_000) + #""}"#
    inspection.commitObservers = try decode([StoreInspection.ObserverReport].self, "[\(observer)]")
    inspection.limit(to: 10)
    #expect(inspection.pins.map(\.first.number) == Array(1...10))
    #expect(inspection.pins.allSatisfy { $0.holders.count == 20 })
    #expect(inspection.metrics.lags.count == 10)
    #expect(inspection.commitObservers.first?.location?.unicodeScalars.count == 2_001)
  }

  @Test("a live query of a stream is named as the server's own")
  func ownQuery() async throws {
    try await TestServer.withInspector(try makeStore(posts: 1)) { server async throws in
      let stream = try await server.open("/streams/Post?offset=-1&live=sse")
      _ = try await stream.event("control")
      let state = try InspectorState(Data(try await server.request("/inspector/state").body.utf8))
      #expect(state.store.queries.flatMap(\.observers).map(\.location) == ["a stream of this server"])
      stream.end()
    }
  }

  private static func version(_ event: ByteBuffer) throws -> Version {
    try InspectorState(event.readableBytesView.dropFirst("event: state\ndata: ".utf8.count)).store.version
  }

  @Test(
    "of very many live queries the state has those that cost most, and a number that says how many there are")
  func manyQueries() async throws {
    let store = try makeStore(posts: 3)
    let queue = DispatchQueue(label: "test")
    let tokens = (0..<1_100).map { number in
      store.observe(queue: queue, Post.where { $0.likeCount == number + 1_000 }, initial: .skip) { _ in }
    }
    let costly = store.observe(queue: queue, Post.filter { (post: Post) in post.likeCount < 0 }) { _ in }
    // They are up to date with the version before the commit.
    try await store.settled()
    try await store.write { tx in try tx.update(Post.self, 1) { $0.likeCount = 1 } }
    try await store.settled()
    try await TestServer.withInspector(store) { server async throws in
      let state = try InspectorState(Data(try await server.request("/inspector/state").body.utf8))
      #expect(state.store.queries.count == 1_000)
      #expect(state.store.metrics.liveQueries == 1_101)
      #expect(state.store.queries.contains { $0.rowsTested > 0 && !$0.isRouted })
    }
    (tokens + [costly]).forEach { $0.invalidate() }
  }

  @Test("rows have all properties, those without a JSON form as texts that describe them")
  func rows() async throws {
    let store = try Store(Place.self)
    try await store.write { tx in try tx.insert(Place(id: 1, name: "Here", point: Place.Point(x: 1, y: 2))) }
    try await TestServer.withInspector(store) { server async throws in
      let messages = try await server.request("/inspector/streams/Place").messages
      #expect(messages.compactMap(\.value) == [["name": "Here", "point": "Point(x: 1, y: 2)"]])
      let state = try InspectorState(Data(try await server.request("/inspector/state").body.utf8))
      #expect(state.fields["Place"] == .init(names: ["name", "point"], described: ["point"]))
      #expect(try await server.request("/inspector/streams/Post").status == 404)
    }
  }

  @Test("a filter of rows may follow links, and the error of one says the column")
  func filter() async throws {
    try await TestServer.withInspector(try makeStore(posts: 6)) { server async throws in
      let found = try await server.request(
        "/inspector/streams/Post?where=author.name%20==%20'Author%201'&limit=1")
      #expect(try found.messages.compactMap(\.key) == ["3"])
      let wrong = try await server.request("/inspector/streams/Post?where=likeCount%20%3E")
      #expect(wrong.status == 400)
      #expect(try wrong.error["column"] == 12)
    }
  }

  @Test(
    "a host that is not this machine is refused, also if streams answer for any",
    arguments: [
      ("localhost:1", 200), ("127.0.0.1", 200), ("evil.example", 403), ("localhost.evil.example", 403),
    ])
  func hosts(host: String, status: Int) async throws {
    var access = AccessRules()
    access.hosts = nil
    try await TestServer.withInspector(try makeStore(posts: 1), access: access) { server async throws in
      for path in ["/inspector/", "/inspector/state", "/inspector/streams/Post", "/inspector/plan?query=1"] {
        let reply = try await server.request(path, host: host)
        #expect(reply.status == status || status == 200 && reply.status == 404)
      }
      #expect(try await server.request("/streams/Post", host: host).status == 200)
    }
  }

  @Test("no page but its own may read from it, also none that may read streams")
  func origins() async throws {
    var access = AccessRules()
    access.origins = nil
    try await TestServer.withInspector(try makeStore(posts: 1), access: access) { server async throws in
      for path in ["/inspector/state", "/inspector/events", "/inspector/streams/Post"] {
        for headers in [
          ["Origin": "http://localhost:3000"], ["Origin": "https://evil.example"], ["Origin": "null"],
          ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
        ] {
          let reply = try await server.request(path, headers: headers)
          #expect(reply.status == 403, "\(headers)")
          #expect(reply.headers["access-control-allow-origin"] == nil)
        }
      }
      let own = ["Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"]
      #expect(try await server.request("/inspector/state", headers: own).status == 200)
      // A link on another page may lead to it.
      #expect(
        try await server.request("/inspector/", headers: ["Sec-Fetch-Site": "cross-site"]).status == 200)
    }
  }

  @Test("all but the files of the page need the token")
  func token() async throws {
    var access = AccessRules()
    access.token = "sesame"
    try await TestServer.withInspector(try makeStore(posts: 1), access: access) { server async throws in
      #expect(try await server.request("/inspector/").status == 200)
      #expect(try await server.request("/inspector/inspector.js").status == 200)
      for path in [
        "/inspector/state", "/inspector/events", "/inspector/streams/Post", "/inspector/plan?query=1",
      ] {
        #expect(try await server.request(path).status == 401)
      }
      let reply = try await server.request("/inspector/state", headers: ["Authorization": "Bearer sesame"])
      #expect(reply.status == 200)
    }
  }
}

/// An entity with a property that has no JSON form.
struct Place: Entity {
  struct Point: Equatable, Sendable {
    var x = 0
    var y = 0
  }

  let id: Int
  var name: String
  var point: Point
  static let schema = Schema<Place> {
    \.name
    \.point
  }
}

extension ServerConfiguration {
  /// A server with an inspector.
  static var inspected: ServerConfiguration {
    var configuration = ServerConfiguration(limits: .ofTests)
    configuration.inspector = StoreInspector()
    return configuration
  }
}

extension TestServer {
  /// Runs a server that has an inspector, and exposes the titles of posts if there are any.
  static func withInspector(
    _ store: Store, _ inspector: StoreInspector = StoreInspector(), access: AccessRules = AccessRules(),
    _ body: @Sendable (TestServer) async throws -> Void
  ) async throws {
    var configuration = ServerConfiguration(access: access, limits: .ofTests)
    configuration.inspector = inspector
    let server = try StoreServer(store, configuration: configuration, logger: .silent) {
      if store.entities.contains(where: { $0 == Post.self }) { Expose(Post.self, fields: [\.title]) }
    }
    try await with(server, body)
  }

  /// Runs the routes of an app.
  static func with<Context: RequestContext>(
    _ router: Hummingbird.Router<Context>, state: ServerState,
    _ body: @Sendable (TestServer) async throws -> Void
  ) async throws where Context.Source == ApplicationRequestContextSource {
    let (ports, source) = AsyncStream<Int>.makeStream()
    let app = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { source.yield($0.localAddress?.port ?? 0) }, logger: .silent)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { source.finish() }
        try await app.run()
      }
      var iterator = ports.makeAsyncIterator()
      let port = try #require(await iterator.next())
      try await body(TestServer(port: port, state: state))
      group.cancelAll()
    }
  }
}
