import Foundation
import LiveStore
import LiveStoreFollower
import LiveStoreServer
import Testing

@Suite("A follower of a server that does not do as it should", .timeLimit(.minutes(2)))
struct FollowedServerTests {
  private static let identity = UUID()

  private static func offset(_ version: UInt64) -> String { "\(StreamOffset(identity, 7, Version(version)))" }

  private static func control(_ version: UInt64, rows: Int) -> String {
    "event: control\ndata: {\"streamNextOffset\":\"\(offset(version))\",\"upToDate\":true,\"rowCount\":\(rows)}\n\n"
  }

  private static func mark(_ control: String, _ version: UInt64) -> String {
    "{\"headers\":{\"control\":\"\(control)\",\"offset\":\"\(offset(version))\",\"txid\":\"\(version)\"}}"
  }

  private static func row(
    _ operation: String, _ id: Int, _ places: String, _ version: UInt64, name: String = "Name"
  ) -> String {
    "{\"type\":\"Author\",\"key\":\"\(id)\",\"value\":{\"id\":\(id),\"name\":\"\(name)\"},"
      + "\"headers\":{\"operation\":\"\(operation)\",\(places),\"txid\":\"\(version)\"}}"
  }

  private static func snapshot(_ ids: [Int], _ version: UInt64) -> String {
    let rows = ids.enumerated().map { row("insert", $1, "\"index\":\($0)", version) }
    let messages = [mark("snapshot-start", version)] + rows + [mark("snapshot-end", version)]
    return "event: data\ndata: [\(messages.joined(separator: ",\ndata: "))]\n\n"
  }

  private func connect(
    _ server: ScriptedServer, _ change: (inout FollowerOptions) -> Void = { _ in }
  ) async throws -> StoreFollower {
    var options = FollowerOptions.ofTests
    change(&options)
    return try await StoreFollower.connect(to: server.url, Author.self, options: options)
  }

  @Test(
    "begins again, with what differs as one commit, where its rows are not those of the server",
    arguments: [
      (ScriptedServer.data(row("delete", 2, "\"from\":0", 2)), 2),
      (ScriptedServer.data(row("delete", 2, "\"from\":9", 2)), 2),
      (ScriptedServer.data(row("insert", 1, "\"index\":3", 2)), 4),
      (ScriptedServer.data(row("insert", 4, "\"index\":9", 2)), 4),
      (ScriptedServer.data(row("update", 3, "\"index\":0", 2)), 3),
      (ScriptedServer.data(row("update", 3, "\"index\":7", 2)), 3),
      (ScriptedServer.data(row("update", 1, "\"index\":0,\"from\":2", 2)), 3),
      (ScriptedServer.data(row("delete", 1, "\"from\":0", 2), row("delete", 1, "\"from\":0", 2)), 2),
      // A count that is not that of the rows.
      (ScriptedServer.data(row("insert", 4, "\"index\":3", 2)), 9), ("", 4),
    ])
  func divergence(step: String, count: Int) async throws {
    let server = try ScriptedServer([
      ScriptedServer.events(
        Self.snapshot([1, 2, 3], 1), Self.control(1, rows: 3), step, Self.control(2, rows: count)),
      ScriptedServer.events(Self.snapshot([3, 2, 4], 5), Self.control(5, rows: 3)),
    ])
    defer { server.end() }
    let follower = try await connect(server)
    defer { follower.close() }
    try await follower.caughtUp(to: Version(5))
    #expect(follower.store.fetch(Author.all).map(\.id) == [3, 2, 4])
    // The first snapshot and the second: nothing between.
    #expect(follower.store.version == Version(2))
    #expect(server.targets.prefix(2).allSatisfy { $0.contains("offset=-1") })
    #expect(await eventually { server.targets.count > 2 })
    #expect(server.targets.dropFirst(2).first?.contains("offset=" + Self.offset(5)) == true)
  }

  @Test(
    "applies nothing of a snapshot or step that is cut before its mark",
    arguments: [
      snapshot([1, 2], 4), String(snapshot([1, 2], 4).dropLast(2)), String(snapshot([1, 2], 4).dropLast(90)),
      snapshot([1, 2], 4) + String(control(4, rows: 2).dropLast(1)),
    ])
  func cut(text: String) async throws {
    let server = try ScriptedServer([
      ScriptedServer.events(Self.snapshot([7], 1), Self.control(1, rows: 1)), ScriptedServer.events(text),
      ScriptedServer.events(Self.control(2, rows: 1)),
    ])
    defer { server.end() }
    let follower = try await connect(server)
    defer { follower.close() }
    try await follower.caughtUp(to: Version(2))
    #expect(follower.store.fetch(Author.all).map(\.id) == [7])
    #expect(follower.store.version == Version(1))
  }

  @Test(
    "says what is wrong with a stream, and applies nothing of it",
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi",
      ScriptedServer.events(ScriptedServer.data("7")),
      ScriptedServer.events(ScriptedServer.data("{\"headers\":{\"txid\":\"1\"}}")),
      ScriptedServer.events(ScriptedServer.data("{\"headers\":7}")),
      ScriptedServer.events(ScriptedServer.data("{")),
      ScriptedServer.events(ScriptedServer.data(row("insert", 1, "\"index\":-1", 1))),
      ScriptedServer.events(ScriptedServer.data(row("insert", 1, "\"index\":1e300", 1))),
      ScriptedServer.events(ScriptedServer.data(row("delete", 1, "\"index\":1", 1))),
      ScriptedServer.events(
        ScriptedServer.data(
          row("insert", 1, "\"index\":0", 1).replacingOccurrences(of: "Author", with: "Post"))),
      ScriptedServer.events(ScriptedServer.data(mark("snapshot-start", 1)), control(1, rows: 0)),
      ScriptedServer.events(control(1, rows: 0)),
      ScriptedServer.events("event: control\ndata: {\"streamNextOffset\":\"x\"}\n\n"),
      ScriptedServer.events(
        "event: data\ndata: ["
          + row("insert", 1, "\"index\":0", 1, name: String(repeating: "x", count: 3_000))),
      ScriptedServer.events(),
    ])
  func invalid(answer: String) async throws {
    let server = try ScriptedServer([
      ScriptedServer.events(Self.snapshot([7], 1), Self.control(1, rows: 1)), answer,
    ])
    defer { server.end() }
    let follower = try await connect(server) { $0.maximumRowBytes = 1_000 }
    defer { follower.close() }
    let isRefused = await eventually {
      guard case .disconnected(let error, _) = follower.status.state else { return false }
      return error.code == .invalidStream && server.targets.count > 3
    }
    #expect(isRefused)
    #expect(follower.store.fetch(Author.all).map(\.id) == [7])
  }

  @Test("goes on with a server that ends a stream by an error, or has no place for it")
  func errors() async throws {
    let busy =
      "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 38\r\n\r\n{\"error\":{\"code\":\"x\",\"message\":\"full\"}}"
    let server = try ScriptedServer([
      busy, ScriptedServer.events(Self.snapshot([7], 1), Self.control(1, rows: 1)),
      ScriptedServer.events("event: error\ndata: {\"error\":{\"code\":\"internal\",\"message\":\"no\"}}\n\n"),
      ScriptedServer.events(Self.control(2, rows: 1)),
    ])
    defer { server.end() }
    let follower = try await connect(server)
    defer { follower.close() }
    try await follower.caughtUp(to: Version(2))
    #expect(follower.status.failures >= 2)
    #expect(server.targets.count >= 4)
  }
}

@Suite("The time between attempts")
struct BackoffTests {
  @Test("doubles up to its maximum, and is half of that at the least")
  func times() {
    var backoff = Backoff(minimum: .milliseconds(100), maximum: .milliseconds(500))
    let most = (0..<4).map { _ in backoff.next(1) }
    #expect(most == [.milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(500)])
    #expect(backoff.next(0.5) == .milliseconds(250))
    backoff.reset()
    #expect((50...100).contains(backoff.next() / .milliseconds(1)))
  }
}
