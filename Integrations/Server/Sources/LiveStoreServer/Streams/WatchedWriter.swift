import Hummingbird
import NIOCore
import ServiceLifecycle
import Synchronization

/// Writes a response's body for a client that may go, or stop reading.
///
/// State: `start`, when the write began that has not ended, guarded by its mutex; `writer`, which one task uses.
final class WatchedWriter: Sendable {
  // The task that `with` makes for its body alone uses it, and that has ended when `with` returns.
  nonisolated(unsafe) private var writer: any ResponseBodyWriter
  private let start = Mutex<ContinuousClock.Instant?>(nil)

  private init(_ writer: any ResponseBodyWriter) { self.writer = writer }

  /// Runs a body that writes, ends the response, and cancels both when the client goes, does not read for too long, or the server
  /// stops.
  ///
  /// - Parameters:
  ///   - request: the body of the request, whose end shows that the client has gone; nil for an answer that is written also while
  ///     the server stops, and behind which the client may send another request.
  ///   - writeTimeout: how long one write may take.
  ///   - limit: how long all of it may take.
  /// - Throws: what the body throws; `CancellationError` if it was cancelled.
  static func with(
    _ request: RequestBody?, _ writer: inout any ResponseBodyWriter, writeTimeout: Duration,
    atMost limit: Duration, _ body: @escaping @Sendable (WatchedWriter) async throws -> Void
  ) async throws {
    let watched = WatchedWriter(writer)
    @Sendable func run(_ body: @escaping @Sendable (WatchedWriter) async throws -> Void) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try await body(watched)
          try await watched.finish()
        }
        group.addTask { try await watched.watch(writeTimeout, atMost: limit) }
        defer { group.cancelAll() }
        try await group.next()
      }
    }
    guard let request else { return try await run(body) }
    let (inboundClosed, source) = AsyncStream<Void>.makeStream()
    try await request.consumeWithInboundCloseHandler { _ in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try await run { out in try await cancelWhenGracefulShutdown { try await body(out) } }
        }
        group.addTask {
          for await _ in inboundClosed {}
          throw CancellationError()
        }
        defer { group.cancelAll() }
        try await group.next()
      }
    } onInboundClosed: {
      source.finish()
    }
  }

  /// The connection failed while something was written.
  struct Failure: Error {}

  /// Writes bytes; returns when there is room for more.
  ///
  /// - Throws: ``Failure``.
  func write(_ buffer: ByteBuffer) async throws {
    try await timed { try await writer.write(buffer) }
  }

  private func finish() async throws {
    try await timed { try await writer.finish(nil) }
  }

  private func timed(_ write: () async throws -> Void) async throws {
    start.withLock { $0 = ContinuousClock.now }
    defer { start.withLock { $0 = nil } }
    do {
      try await write()
    } catch {
      throw Failure()
    }
  }

  private func watch(_ timeout: Duration, atMost limit: Duration) async throws {
    let end = ContinuousClock.now + limit
    while true {
      try await Task.sleep(for: min(timeout, limit) / 4)
      if ContinuousClock.now > end { throw CancellationError() }
      if let start = start.withLock({ $0 }), ContinuousClock.now - start > timeout {
        throw CancellationError()
      }
    }
  }
}
