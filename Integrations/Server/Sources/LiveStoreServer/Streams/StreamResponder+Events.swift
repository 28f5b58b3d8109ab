import HTTPTypes
import Hummingbird
import LiveStore
import NIOCore

extension StreamResponder {
  /// Server-sent events, until the client goes, stops reading, or has had its time.
  func events(_ request: Request) throws -> Response {
    let permit = try server.permit()
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
        defer { withExtendedLifetime((permit, membership)) {} }
        let stream = EventStream(responder: self, hub: membership.hub)
        try await stream.run(body, &writer)
        try await writer.finish(nil)
      })
  }
}

extension HTTPField.Name {
  fileprivate static var xAccelBuffering: Self { Self(token: "X-Accel-Buffering") }
}

/// One client's server-sent events.
private struct EventStream<Element: Entity>: Sendable {
  let responder: StreamResponder<Element>
  let hub: StreamHub<Element>

  private var limits: StreamLimits { responder.server.limits }

  /// Writes events; ends without an error when the client should connect again.
  ///
  /// - Throws: when the client is gone, or too slow.
  func run(_ body: RequestBody, _ writer: inout any ResponseBodyWriter) async throws {
    try await WatchedWriter.with(body, &writer, patience: limits.idleTime) { try await write(to: $0) }
  }

  private func write(to out: WatchedWriter) async throws {
    let end = ContinuousClock.now + limits.streamDuration
    var (version, mark) = try await begin(out)
    var lastWrite: ContinuousClock.Instant? = mark == nil ? nil : ContinuousClock.now
    while true {
      switch await hub.next(after: version, waits: lastWrite != nil) {
      case .idle(let newest):
        try Task.checkCancellation()
        (version, mark) = (max(version, newest.offset.version), newest)
        // At the next time to look it would be too late.
        let isDue =
          lastWrite.map { ContinuousClock.now - $0 > limits.bookmarkInterval - limits.pace.tick } ?? true
        if isDue {
          try await out.write(ByteBuffer(string: control(newest)))
          lastWrite = ContinuousClock.now
        }
      case .steps(let steps):
        guard let last = steps.last else { continue }
        try await out.write(event(steps))
        (version, lastWrite) = (last.mark.offset.version, ContinuousClock.now)
      case .difference(let results, let newest):
        if let messages = try await responder.source.difference(from: version, to: results) {
          if !messages.isEmpty {
            var event = ByteBuffer(string: "event: data\ndata: [")
            event.writeBytes(messages)
            event.writeString("]\n\n" + control(newest))
            try await out.write(event)
            lastWrite = ContinuousClock.now
          }
        } else {
          try await snapshot(results, newest, isReset: true, out)
          lastWrite = ContinuousClock.now
        }
        version = newest.offset.version
      case .end: return
      }
      if ContinuousClock.now >= end { return }
    }
  }

  /// Writes what the client needs before it can follow.
  ///
  /// - Returns: the version that the client has, and the mark that it got; nil if it got none.
  private func begin(_ out: WatchedWriter) async throws -> (Version, StreamMark?) {
    switch responder.parameters.start {
    case .after(let offset) where responder.source.mayContinue(from: offset): return (offset.version, nil)
    case .now: return (await hub.newest.mark.offset.version, nil)
    case .beginning, .after:
      let (results, mark) = await hub.newest
      try await snapshot(results, mark, isReset: responder.parameters.start != .beginning, out)
      return (mark.offset.version, mark)
    }
  }

  private func control(_ mark: StreamMark) -> String {
    mark.control(isUpToDate: true, after: responder.parameters.cursor)
  }

  /// Steps as one event and its mark.
  private func event(_ steps: [EncodedStep]) -> ByteBuffer {
    if steps.count == 1, responder.parameters.cursor == nil { return steps[0].event }
    var event = ByteBuffer(string: "event: data\ndata: [")
    for (index, step) in steps.enumerated() {
      if index > 0 { event.writeString(",\ndata: ") }
      event.writeImmutableBuffer(step.messages)
    }
    event.writeString("]\n\n" + control(steps[steps.count - 1].mark))
    return event
  }

  private func snapshot(
    _ results: Results<Element>, _ mark: StreamMark, isReset: Bool, _ out: WatchedWriter
  ) async throws {
    var parts = SnapshotParts(
      responder.source.writer, results, mark, isReset: isReset, prefix: "event: data\ndata: ",
      line: "\ndata: ",
      suffix: "\n\n" + control(mark))
    while let part = try parts.next() { try await out.write(part) }
  }
}
