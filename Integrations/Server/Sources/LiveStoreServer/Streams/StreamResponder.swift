import HTTPTypes
import Hummingbird
import LiveStore
import Logging
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
  private func headers(_ mark: StreamMark, etag: EntityTag? = nil) -> HTTPFields {
    var headers: HTTPFields = [
      .contentType: "application/json", .streamNextOffset: "\(mark.offset)", .streamUpToDate: "true",
      // What a client may see depends on who it is, and a later version may be there: caches ask again, with the tag.
      .cacheControl: etag == nil ? "no-store" : "private, no-cache",
    ]
    headers[.streamRowCount] = mark.rowCount.map(String.init)
    if let etag { headers[.eTag] = etag.text }
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
      let etag = EntityTag(from: "\(offset)", to: mark)
      if etag.isIn(request) { return notModified(mark, etag) }
      if source.mayContinue(from: offset) {
        let place = try server.readers.take()
        let limit = server.limits.pace.bytesInStep
        if let messages = try await source.difference(from: offset.version, to: result, limit: limit) {
          return Response(
            status: .ok, headers: headers(mark, etag: etag), body: array(messages, holding: place))
        }
      }
      isReset = true
    }
    let etag = EntityTag(isReset: isReset, mark)
    if etag.isIn(request) { return notModified(mark, etag) }
    return try snapshot((result, mark), isReset: isReset, request)
  }

  private func snapshot(
    _ newest: (result: StreamResult, mark: StreamMark), isReset: Bool, _ request: Request
  ) throws -> Response {
    if isReset { server.metrics.resets.increment() }
    let place = try server.readers.take()
    let (body, limits) = (request.body, server.limits)
    var parts = SnapshotParts(newest.result, newest.mark, isReset: isReset)
    // What fails here still has a status of its own.
    let first = try parts.next()
    var headers = headers(newest.mark, etag: EntityTag(isReset: isReset, newest.mark))
    // Watching for the client's end takes what it would send next.
    headers[.connection] = "close"
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { [parts] out in
        defer { withExtendedLifetime(place) {} }
        try await WatchedWriter.with(
          body, &out, writeTimeout: limits.idleTime, atMost: limits.snapshotDuration
        ) { out in
          try await write(first, parts, to: out)
        }
      })
  }

  /// Writes a whole result.
  ///
  /// - Throws: `WatchedWriter.Failure`, also for a value without a JSON form: in the middle of an array there is no room for an
  ///   error, and the connection breaks.
  func write(_ first: ByteBuffer?, _ rest: SnapshotParts, to out: WatchedWriter) async throws {
    var (part, rest) = (first, rest)
    while let bytes = part {
      try await out.write(bytes)
      do {
        part = try rest.next()
      } catch {
        server.metrics.errors.increment()
        server.logger.error("A stream failed", metadata: ["error": "\(type(of: error))"])
        throw WatchedWriter.Failure()
      }
    }
  }

  private func notModified(_ mark: StreamMark, _ etag: EntityTag) -> Response {
    var headers = headers(mark, etag: etag)
    headers[.contentType] = nil
    return Response(status: .notModified, headers: headers)
  }

  private static func body(_ text: String) -> ResponseBody {
    ResponseBody(byteBuffer: ByteBuffer(string: text))
  }

  /// A body that is in memory as text.
  ///
  /// - Parameter place: what the client holds until the body is written.
  private func array(_ messages: some Collection<UInt8>, holding place: Place) -> ResponseBody {
    var buffer = ByteBuffer()
    buffer.reserveCapacity(messages.count + 2)
    buffer.writeString("[")
    buffer.writeBytes(messages)
    buffer.writeString("]")
    return ResponseBody(contentLength: buffer.readableBytes) { [buffer, limits = server.limits] out in
      defer { withExtendedLifetime(place) {} }
      try await WatchedWriter.with(
        nil, &out, writeTimeout: limits.idleTime, atMost: limits.snapshotDuration
      ) { out in
        var rest = buffer
        while let part = rest.readSlice(length: min(rest.readableBytes, 65_536)), part.readableBytes > 0 {
          try await out.write(part)
        }
      }
    }
  }
}

extension StreamResponder {
  private func longPoll(_ request: Request) async throws -> Response {
    let place = try server.streams.take()
    let membership = try server.hubs.join(source)
    defer { withExtendedLifetime((place, membership)) {} }
    let hub = membership.hub
    var version = await version(in: hub)
    let deadline = ContinuousClock.now + server.limits.pollDuration
    while true {
      switch try await hub.next(after: version, waits: ContinuousClock.now < deadline) {
      case .idle(let mark):
        try Task.checkCancellation()
        version = mark.offset.version
        if ContinuousClock.now >= deadline { return noChange(mark) }
      case .behind:
        try Task.checkCancellation()
        if ContinuousClock.now >= deadline, let version {
          return noChange(StreamMark(offset: source.offset(version), rowCount: nil))
        }
      case .steps(let steps):
        guard let last = steps.last else { continue }
        var etag: EntityTag?
        if case .after(let offset) = parameters.start { etag = EntityTag(from: "\(offset)", to: last.mark) }
        if let etag, etag.isIn(request) { return notModified(last.mark, etag) }
        let messages = steps.map { $0.messages.readableBytesView }.joined(separator: [UInt8(ascii: ",")])
        return Response(
          status: .ok, headers: headers(last.mark, etag: etag), body: array(Array(messages), holding: place))
      case .snapshot(let result, let mark):
        return try snapshot((result, mark), isReset: parameters.start != .beginning, request)
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

  /// The version that the client has; nil if it needs the whole result.
  func version(in hub: StreamHub) async -> Version? {
    switch parameters.start {
    case .after(let offset) where source.mayContinue(from: offset): offset.version
    case .now: await hub.newest.mark.offset.version
    case .beginning, .after: nil
    }
  }

  static func error(_ end: StreamEnd) -> ServerError {
    switch end {
    case .ended: ServerError(.serviceUnavailable, "closed", "The store is closed.")
    case .failed(let error): ServerError(query: error)
    case .unencodable: ServerError(.internalServerError, "internal", "A value has no JSON form.")
    }
  }
}
