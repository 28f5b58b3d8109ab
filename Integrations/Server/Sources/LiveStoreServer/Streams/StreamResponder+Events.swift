import HTTPTypes
import Hummingbird
import LiveStore
import Metrics
import NIOCore

extension StreamResponder {
  /// Server-sent events, until the client goes, stops reading, or has had its time.
  func events(_ request: Request) throws -> Response {
    let place = try server.streams.take()
    let membership = try server.hubs.join(source)
    var headers: HTTPFields = [
      .contentType: "text/event-stream", .cacheControl: "no-store", .connection: "close",
    ]
    // Proxies must not collect events before they pass them on.
    headers[.xAccelBuffering] = "no"
    let body = request.body
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        defer { withExtendedLifetime((place, membership)) {} }
        let stream = EventStream(responder: self, hub: membership.hub)
        try await stream.run(body, &writer)
      })
  }
}

extension HTTPField.Name {
  fileprivate static var xAccelBuffering: Self { Self(token: "X-Accel-Buffering") }
}

/// One client's server-sent events.
private struct EventStream: Sendable {
  let responder: StreamResponder
  let hub: StreamHub

  private var limits: StreamLimits { responder.server.limits }
  private static var bytesAtOnce: Int { 65_536 }

  /// Writes events; ends without an error when the client should connect again.
  ///
  /// - Throws: when the client is gone, or too slow.
  func run(_ body: RequestBody, _ writer: inout any ResponseBodyWriter) async throws {
    try await WatchedWriter.with(
      body, &writer, writeTimeout: limits.idleTime, atMost: limits.streamDuration + limits.snapshotDuration
    ) { out in
      do {
        try await write(to: out)
      } catch let error as WatchedWriter.Failure {
        throw error
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        // The head of the response has gone out, so the error is an event.
        responder.server.metrics.errors.increment()
        try await out.write(errorEvent(ServerError(of: error, responder.server.logger)))
      }
    }
  }

  private func errorEvent(_ error: ServerError) -> ByteBuffer {
    ByteBuffer(string: "event: error\ndata: \(error.body)\n\n")
  }

  private func write(to out: WatchedWriter) async throws {
    let end = ContinuousClock.now + limits.streamDuration
    var version = await responder.version(in: hub)
    var (lastWrite, hasMark): (ContinuousClock.Instant?, Bool) = (nil, false)
    let start = ContinuousClock.now
    while true {
      switch try await hub.next(after: version, waits: hasMark) {
      case .behind:
        try Task.checkCancellation()
        hasMark = true
      case .idle(let newest):
        try Task.checkCancellation()
        version = newest.offset.version
        // At the next time to look it would be too late.
        let isDue =
          lastWrite.map { ContinuousClock.now - $0 > limits.bookmarkInterval - limits.pace.tick } ?? true
        if isDue {
          try await out.write(ByteBuffer(string: control(newest)))
          (lastWrite, hasMark) = (ContinuousClock.now, true)
        }
      case .steps(let steps):
        // Each has a mark of its own, from which a client goes on whose connection breaks behind it.
        // A client that is behind gets several with one write.
        var rest = steps[...]
        while let first = rest.popFirst() {
          var (buffer, last) = (event(first, isUpToDate: rest.isEmpty), first)
          while buffer.readableBytes < Self.bytesAtOnce, let next = rest.popFirst() {
            buffer.writeImmutableBuffer(event(next, isUpToDate: rest.isEmpty))
            last = next
          }
          try await out.write(buffer)
          version = last.mark.offset.version
        }
        (lastWrite, hasMark) = (ContinuousClock.now, true)
      case .snapshot(let result, let newest):
        let place: Place
        do throws(ServerError) {
          place = try responder.server.readers.take()
        } catch {
          // Its client would take a longer silence for a broken connection.
          if ContinuousClock.now - (lastWrite ?? start) > limits.bookmarkInterval { throw error }
          await hub.wait()
          try Task.checkCancellation()
          continue
        }
        defer { withExtendedLifetime(place) {} }
        let isReset = version != nil || responder.parameters.start != .beginning
        try await snapshot(result, newest, isReset: isReset, out)
        (version, lastWrite, hasMark) = (newest.offset.version, ContinuousClock.now, true)
      case .end(.ended): return
      case .end(let end):
        return try await out.write(errorEvent(StreamResponder.error(end)))
      }
      if ContinuousClock.now >= end { return }
    }
  }

  private func control(_ mark: StreamMark) -> String {
    mark.control(isUpToDate: true, after: responder.parameters.cursor)
  }

  private func event(_ step: EncodedStep, isUpToDate: Bool) -> ByteBuffer {
    let cursor = responder.parameters.cursor
    if isUpToDate, cursor == nil { return step.event }
    return EncodedStep.event(step.messages, step.mark, isUpToDate: isUpToDate, after: cursor)
  }

  private func snapshot(
    _ result: StreamResult, _ mark: StreamMark, isReset: Bool, _ out: WatchedWriter
  ) async throws {
    if isReset { responder.server.metrics.resets.increment() }
    var parts = SnapshotParts(
      result, mark, isReset: isReset, prefix: "event: data\ndata: ", line: "\ndata: ",
      suffix: "\n\n" + control(mark))
    let first = try parts.next()
    try await responder.write(first, parts, to: out)
  }
}
