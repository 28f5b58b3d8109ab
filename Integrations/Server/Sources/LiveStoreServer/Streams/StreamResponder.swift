import HTTPTypes
import Hummingbird
import LiveStore
import Metrics
import NIOCore
import ServiceLifecycle

extension HTTPField.Name {
  static let streamNextOffset = Self(token: "Stream-Next-Offset")
  static let streamUpToDate = Self(token: "Stream-Up-To-Date")
  static let streamCursor = Self(token: "Stream-Cursor")
  static let streamRowCount = Self(token: "Stream-Row-Count")

  /// - Parameter name: the characters of a token, as the names above are.
  init(token name: StaticString) {
    guard let parsed = Self("\(name)") else { preconditionFailure("\(name) is no name of a header") }
    self = parsed
  }
}

/// Answers one request for a stream.
struct StreamResponder: Sendable {
  let source: StreamSource
  let parameters: StreamParameters
  let server: ServerState

  func response(to request: Request) async throws -> Response {
    if request.method == .head { return try head() }
    switch parameters.live {
    case nil: return try await catchUp(request)
    case .longPoll:
      return try await cancelWhenGracefulShutdown { try await longPoll(request) }
    case .events: return try events(request)
    }
  }

  /// What a response says of where the client is after it.
  private func headers(_ mark: StreamMark, etag: String? = nil) -> HTTPFields {
    var headers: HTTPFields = [
      .contentType: "application/json", .streamNextOffset: "\(mark.offset)", .streamUpToDate: "true",
      // What a client may see depends on who it is, and a later version may be there: caches ask again, with the tag.
      .cacheControl: etag == nil ? "no-store" : "private, no-cache",
    ]
    headers[.streamRowCount] = mark.rowCount.map(String.init)
    if let etag { headers[.eTag] = etag }
    if parameters.live != nil { headers[.streamCursor] = StreamCursor.now(after: parameters.cursor) }
    return headers
  }

  private func head() throws -> Response {
    // Counting would cost as much as the result.
    var headers = headers(StreamMark(offset: source.offset(source.store.version), rowCount: nil))
    headers[.streamUpToDate] = nil
    return Response(status: .ok, headers: headers)
  }

  private func catchUp(_ request: Request) async throws -> Response {
    let result = try source.fetch()
    let mark = source.mark(result)
    var isReset = false
    switch parameters.start {
    case .now: return Response(status: .ok, headers: headers(mark), body: Self.body("[]"))
    case .beginning: break
    case .after(let offset):
      let etag = "\"\(offset):\(mark.offset)\""
      if request.headers[.ifNoneMatch] == etag { return notModified(mark, etag) }
      if source.mayContinue(from: offset),
        let messages = try await difference(from: offset.version, to: result)
      {
        return Response(status: .ok, headers: headers(mark, etag: etag), body: Self.array(messages))
      }
      isReset = true
    }
    let etag = Self.etag(isReset: isReset, mark)
    if request.headers[.ifNoneMatch] == etag { return notModified(mark, etag) }
    return try snapshot((result, mark), isReset: isReset, request)
  }

  /// The messages of one client alone, which are in memory as text.
  private func difference(from version: Version, to result: StreamResult) async throws -> [UInt8]? {
    let place = try server.readers.take()
    defer { withExtendedLifetime(place) {} }
    return try await source.difference(from: version, to: result, limit: server.limits.pace.bytesInStep)
  }

  private static func etag(isReset: Bool, _ mark: StreamMark) -> String {
    "\"\(isReset ? "reset" : "-1"):\(mark.offset)\""
  }

  private func snapshot(
    _ newest: (result: StreamResult, mark: StreamMark), isReset: Bool, _ request: Request
  ) throws -> Response {
    if isReset { server.metrics.resets.increment() }
    let place = try server.readers.take()
    let (body, limits) = (request.body, server.limits)
    var headers = headers(newest.mark, etag: Self.etag(isReset: isReset, newest.mark))
    // Watching for the client's end takes what it would send next.
    headers[.connection] = "close"
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { out in
        defer { withExtendedLifetime(place) {} }
        try await WatchedWriter.with(
          body, &out, writeTimeout: limits.idleTime, atMost: limits.snapshotDuration
        ) { out in
          var parts = SnapshotParts(newest.result, newest.mark, isReset: isReset)
          while let part = try parts.next() { try await out.write(part) }
        }
        try await out.finish(nil)
      })
  }

  private func notModified(_ mark: StreamMark, _ etag: String) -> Response {
    var headers = headers(mark, etag: etag)
    headers[.contentType] = nil
    return Response(status: .notModified, headers: headers)
  }

  private static func body(_ text: String) -> ResponseBody {
    ResponseBody(byteBuffer: ByteBuffer(string: text))
  }

  private static func array(_ messages: some Collection<UInt8>) -> ResponseBody {
    var buffer = ByteBuffer()
    buffer.reserveCapacity(messages.count + 2)
    buffer.writeString("[")
    buffer.writeBytes(messages)
    buffer.writeString("]")
    return ResponseBody(byteBuffer: buffer)
  }
}

extension StreamResponder {
  private func longPoll(_ request: Request) async throws -> Response {
    let place = try server.streams.take()
    let membership = try server.hubs.join(source)
    defer { withExtendedLifetime((place, membership)) {} }
    let hub = membership.hub
    var version: Version
    switch parameters.start {
    case .beginning: return try snapshot(await hub.newest, isReset: false, request)
    case .now: version = await hub.newest.mark.offset.version
    case .after(let offset):
      guard source.mayContinue(from: offset) else {
        return try snapshot(await hub.newest, isReset: true, request)
      }
      version = offset.version
    }
    let start = parameters.start
    let deadline = ContinuousClock.now + server.limits.pollDuration
    while true {
      switch await hub.next(after: version, waits: ContinuousClock.now < deadline) {
      case .idle(let mark):
        try Task.checkCancellation()
        if ContinuousClock.now >= deadline { return noChange(mark) }
      case .behind:
        try Task.checkCancellation()
        if ContinuousClock.now >= deadline {
          return noChange(StreamMark(offset: source.offset(version), rowCount: nil))
        }
      case .steps(let steps):
        guard let last = steps.last else { continue }
        let messages = steps.map { $0.messages.readableBytesView }.joined(separator: [UInt8(ascii: ",")])
        return Response(
          status: .ok, headers: headers(last.mark, etag: etag(start, last.mark)),
          body: Self.array(Array(messages)))
      case .difference(let result, let mark):
        guard let step = try await hub.difference(from: version, to: result, mark) else {
          return try snapshot((result, mark), isReset: true, request)
        }
        if step.messages.readableBytes > 0 {
          return Response(
            status: .ok, headers: headers(mark, etag: etag(start, mark)),
            body: Self.array(step.messages.readableBytesView))
        }
        version = mark.offset.version
      case .end(let end): throw Self.error(end)
      }
    }
  }

  /// The end of a poll in which nothing came.
  private func noChange(_ mark: StreamMark) -> Response {
    var headers = headers(mark)
    headers[.contentType] = nil
    return Response(status: .noContent, headers: headers)
  }

  private func etag(_ start: StreamParameters.Start, _ mark: StreamMark) -> String? {
    guard case .after(let offset) = start else { return nil }
    return "\"\(offset):\(mark.offset)\""
  }

  static func error(_ end: StreamEnd) -> ServerError {
    switch end {
    case .ended: ServerError(.serviceUnavailable, "closed", "The store is closed.")
    case .failed(let error): ServerError(query: error)
    case .unencodable: ServerError(.internalServerError, "internal", "A value has no JSON form.")
    }
  }
}
