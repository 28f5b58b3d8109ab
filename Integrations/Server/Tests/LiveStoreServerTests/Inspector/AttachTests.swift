import Foundation
import LiveStore
import LiveStoreServer
import LiveStoreTool
import Testing

@Suite("livestore attach")
struct AttachTests {
  /// Serves a store with an inspector on a socket.
  private static func withSocket(
    _ store: Store, _ body: @Sendable (String) async throws -> Void
  ) async throws {
    let path = FileManager.default.temporaryDirectory.appending(
      path: "attach-\(UUID().uuidString.prefix(8)).sock"
    )
    .path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var configuration = ServerConfiguration.inspected
    configuration.inspector?.report("\u{9B}31m") { ["\u{1B}": "\u{7F}"] }
    let server = try StoreServer(store, configuration: configuration, logger: .silent) {
      Expose(Post.self, fields: [\.title])
    }
    try await TestServer.with(server, socket: path) { _ in try await body(path) }
  }

  @Test("prints one state as JSON, or as text without a terminal")
  func once() async throws {
    let store = try makeStore(posts: 3)
    try await Self.withSocket(store) { path async throws in
      let json = try AttachedProcess(["attach", path, "--json"])
      #expect(try await json.status() == 0)
      #expect(await json.waits { $0.hasSuffix("\n") })
      let state = try InspectorState(Data(json.output.utf8))
      #expect(state.store.version == store.version)
      // What a terminal would obey is escaped, and read as it was.
      #expect(!json.output.dropLast().unicodeScalars.contains { $0.value < 0x20 || 0x7F..<0xA0 ~= $0.value })
      #expect(state.reports == [.init(name: "\u{9B}31m", figures: [.init(name: "\u{1B}", value: "\u{7F}")])])
      let text = try AttachedProcess(["attach", path])
      #expect(try await text.status() == 0)
      #expect(await text.waits { $0.contains("version 1  rows 6") && $0.contains("Author") })
      #expect(!text.output.contains("\u{1B}"))
    }
  }

  @Test("says what is missing where there is no server, no inspector, or no access")
  func failures() async throws {
    #expect(try await AttachedProcess(["attach", "/nowhere/store.sock"]).status() == 69)
    #expect(try await AttachedProcess(["attach", "http://"]).status() == 64)
    try await TestServer.with(try makeStore(posts: 1)) { server async throws in
      #expect(try await AttachedProcess(["attach", "http://localhost:\(server.port)"]).status() == 69)
    }
    var access = AccessRules()
    access.token = "sesame"
    try await TestServer.withInspector(try makeStore(posts: 1), access: access) { server async throws in
      #expect(
        try await AttachedProcess(["attach", "http://localhost:\(server.port)", "--json"]).status() == 77)
      let file = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID())")
      try Data("sesame\n".utf8).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let arguments = ["attach", "http://localhost:\(server.port)", "--json", "--token-file", file.path]
      #expect(try await AttachedProcess(arguments).status() == 0)
    }
  }

  @Test("shows rows live in a terminal, follows its size, and leaves the terminal as it was")
  func terminal() async throws {
    let store = try makeStore(posts: 2)
    try await Self.withSocket(store) { path async throws in
      let process = try AttachedProcess(["attach", path], hasTerminal: true)
      #expect(await process.waits { $0.contains("Author") })
      #expect(!process.hasUsualTerminal)
      try process.type("\u{1B}[B\r")
      #expect(await process.waits { $0.contains("Post 2") })
      try await store.write { tx in try tx.insert(Post(id: 7, title: "\u{1B}[2J came")) }
      #expect(await process.waits { $0.contains("\\u001b[2J came") })
      let length = process.output.utf8.count
      process.resize(width: 40, height: 10)
      // What was shown before says nothing of the new size.
      #expect(
        await process.waits { output in
          let new = String(decoding: output.utf8.dropFirst(length), as: UTF8.self)
          return new.components(separatedBy: "\u{1B}[H").dropFirst().contains { screen in
            guard let end = screen.range(of: "\u{1B}[J") else { return false }
            let lines = screen[..<end.lowerBound].components(separatedBy: "\r\n")
            return lines.count == 10
              && lines.allSatisfy { $0.replacing(/\u{1B}\[\d*[mK]/, with: "").displayWidth <= 40 }
          }
        })
      try process.type("q")
      #expect(try await process.status() == 0)
      #expect(await process.waits { $0.hasSuffix("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l") })
    }
    #expect(await eventually { !store.inspection.isRecording })
  }

  @Test("ends as signals ask, with the terminal restored", arguments: [SIGTERM, SIGHUP])
  func signals(number: Int32) async throws {
    try await Self.withSocket(try makeStore(posts: 1)) { path async throws in
      let process = try AttachedProcess(["attach", path], hasTerminal: true)
      #expect(await process.waits { $0.contains("Author") })
      process.send(number)
      #expect(try await process.status() == 128 + number)
      #expect(await process.waits { $0.hasSuffix("\u{1B}[?1049l") })
    }
  }

  @Test("serves the page of a socket on this machine, to whoever has the secret of its URL")
  func web() async throws {
    let store = try makeStore(posts: 2)
    try await Self.withSocket(store) { path async throws in
      let process = try AttachedProcess(["attach", path, "--web"])
      #expect(await process.waits { $0.hasSuffix("\n") })
      let match = try #require(
        process.output.firstMatch(of: /http:\/\/localhost:(\d+)\/inspector\/#token=([0-9a-f]{64})\n/))
      let proxy = TestServer(port: try #require(Int(match.1)), state: ServerState(.ofTests, .silent))
      let access = ["Authorization": "Bearer \(match.2)"]
      let page = try await proxy.request("/inspector/")
      #expect(page.status == 200)
      #expect(page.headers["content-security-policy"] != nil)
      #expect(try await proxy.request("/inspector/inspector.js").status == 200)
      for target in [
        "/inspector/state", "/inspector/events", "/inspector/streams/Post", "/inspector/streams/Post.x",
        "/inspector/state#.x", "/inspector/events#.x", "/inspector/state#/inspector.js",
        "/inspector/state?#.x", "/inspector/other.js",
      ] {
        #expect(try await proxy.request(target).status == 401)
        #expect(try await proxy.request(target, host: "evil.example", headers: access).status == 403)
      }
      #expect(try await proxy.request("/inspector/state#.x", headers: access).status == 400)
      #expect(try await proxy.request("/inspector/state?a=#.x", headers: access).status == 400)
      let origin = access.merging(["Origin": "https://evil.example"]) { $1 }
      #expect(try await proxy.request("/inspector/state", headers: origin).status == 403)
      let state = try await proxy.request("/inspector/state", headers: access)
      #expect(try InspectorState(Data(state.body.utf8)).store.version == store.version)
      let rows = try await proxy.request("/inspector/streams/Post?sort=id:desc", headers: access)
      #expect(try rows.messages.compactMap(\.key) == ["2", "1"])
      let events = try await proxy.open("/inspector/events", headers: access)
      _ = try await events.event("state")
      try await store.write { tx in try tx.delete(Post.self, 1) }
      while try InspectorState(Data(try await events.event("state").data.utf8)).store.version < store.version
      {}
      events.end()
      process.send(SIGTERM)
      #expect(try await process.status() == 143)
    }
  }
}
