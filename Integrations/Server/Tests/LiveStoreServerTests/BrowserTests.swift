import Foundation
import LiveStore
import LiveStoreServer
import Testing

@Suite("The module for pages")
struct BrowserTests {
  @Test("is served beside the streams, also to a page without a token, but not to a foreign one")
  func served() async throws {
    var access = AccessRules()
    access.token = "secret"
    try await TestServer.with(try makeStore(), access: access) { server in
      let reply = try await server.request(
        "/streams/livestore.js", headers: ["Origin": "http://localhost:80"])
      #expect(reply.status == 200)
      #expect(reply.headers["content-type"] == "text/javascript; charset=utf-8")
      #expect(reply.headers["access-control-allow-origin"] == "http://localhost:80")
      let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/LiveStoreServer/Browser/livestore.js")
      #expect(reply.body == (try String(contentsOf: file, encoding: .utf8)))
      let foreign = ["Origin": "https://example.com"]
      #expect(try await server.request("/streams/livestore.js", headers: foreign).status == 403)
      #expect(try await server.request("/streams/livestore.js", host: "example.com").status == 403)
      #expect(try await server.request("/streams/Post").status == 401)
    }
  }

  @Test(
    "sends a token, ends at a refusal, begins again where an offset is none, and survives an error of its page",
    .enabled(if: Interpreter.isThere("node", "--version"), "node is not installed"))
  func lifecycle() async throws {
    var access = AccessRules()
    access.token = "secret"
    let store = try makeStore(posts: 3)
    try await TestServer.with(store, access: access) { server in
      let output = try await onThread {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        process.arguments = ["node", folder.appending(path: "lifecycle.mjs").path, "\(server.port)"]
        process.standardOutput = pipe
        try process.run()
        let end = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: end)
        defer { end.cancel() }
        return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      }
      #expect(
        output.split(separator: "\n") == [
          "without a token: failed, status 401, 0 rows",
          "with a wrong filter: failed, status 400, 0 rows",
          "with a token: live, 3 rows, 1 change with 3 insertions",
          "with saved rows: live, 3 rows, 1 change with 1 deletions, 1 insertions, 1 modifications, 1 moves",
          "of several entities: failed, follow one entity with each stream, 0 rows",
          "after an error of the page: live, 3 rows",
          "after close: closed",
        ])
    }
  }
}
