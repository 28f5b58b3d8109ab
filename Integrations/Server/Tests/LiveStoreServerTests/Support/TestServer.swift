import Foundation
import LiveStore
import LiveStoreServer
import Logging
import Testing

/// A server in this process, on a port of its own, while a body runs.
struct TestServer: Sendable {
  let port: Int
  let state: ServerState

  /// Runs a server that exposes posts and authors.
  static func with(
    _ store: Store, limits: StreamLimits = .ofTests, access: AccessRules = AccessRules(),
    _ body: @Sendable (TestServer) async throws -> Void
  ) async throws {
    let server = try StoreServer(
      store, configuration: ServerConfiguration(access: access, limits: limits), logger: .silent
    ) {
      Expose(Post.self, fields: [\.title, \.likeCount, \.author.name])
      Expose(Author.self, fields: [\.name])
    }
    try await with(server, body)
  }

  /// - Parameter socket: where it runs; nil for a free port.
  static func with<Identity>(
    _ server: StoreServer<Identity>, socket: String? = nil,
    _ body: @Sendable (TestServer) async throws -> Void
  ) async throws {
    let (ports, source) = AsyncStream<Int>.makeStream()
    let address = socket.map { ServerAddress.unixSocket($0) } ?? .loopback(port: 0)
    let running = Task {
      defer { source.finish() }
      try await server.run(on: address) { source.yield($0 ?? 0) }
    }
    defer { running.cancel() }
    var iterator = ports.makeAsyncIterator()
    let port = try #require(await iterator.next())
    try await body(TestServer(port: port, state: server.state))
    running.cancel()
    _ = await running.result
  }

  /// Sends a request and reads the whole answer.
  func request(
    _ target: String, method: String = "GET", host: String = "localhost", headers: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Reply {
    try await onThread {
      let connection = try RawConnection(port: port)
      var text = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
      for (name, value) in headers { text += "\(name): \(value)\r\n" }
      connection.send(text + "\r\n")
      return try connection.reply(hasBody: method != "HEAD")
    }
  }

  /// Begins a request whose answer does not end.
  func open(_ target: String, headers: [String: String] = [:]) async throws -> RawConnection {
    try await onThread {
      let connection = try RawConnection(port: port)
      let more = headers.map { "\($0): \($1)\r\n" }.joined()
      connection.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(more)\r\n")
      return connection
    }
  }
}

extension StreamLimits {
  /// Times that tests need not wait for.
  static var ofTests: StreamLimits {
    var limits = StreamLimits()
    limits.pollDuration = .milliseconds(400)
    limits.linger = .zero
    return limits
  }
}

extension Logger {
  static var silent: Logger { Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() } }
}

/// Runs what blocks on a thread of its own.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}

/// Waits until a condition holds, at most twenty seconds.
func eventually(_ condition: @Sendable () async -> Bool) async -> Bool {
  let end = ContinuousClock.now + .seconds(20)
  while ContinuousClock.now < end {
    if await condition() { return true }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return false
}
