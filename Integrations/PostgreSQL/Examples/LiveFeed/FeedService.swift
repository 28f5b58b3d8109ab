import FlyingFox
import FlyingSocks
import Foundation
import LiveStore
import LiveStorePostgreSQL

/// The routes of the service.
struct FeedService: Sendable {
  let replica: PostgresReplica
  let streams: StreamLimit

  /// A server of the routes on a port of this machine alone: the service knows no users, so a proxy that does should
  /// stand before it.
  func server(port: UInt16) async throws -> HTTPServer {
    // A write is answered when its effect is visible here. On a busy machine that can take longer than the usual 15 s, after
    // which the client would be told of a failure although its post is there.
    let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port), timeout: 60, logger: .disabled)
    // Pages of other sites, whose names may be made to lead to this machine.
    await server.appendRoute("*") { request in
      let isLocal = Self.isLocal(request.headers[.host])
      // Only the routes that write read a body.
      if !isLocal || request.method != .POST { try await skipBody(of: request) }
      // An answer to it has no body, whatever its route would say.
      if request.method.rawValue == "HEAD" { return HTTPResponse(statusCode: .methodNotAllowed) }
      if isLocal { throw HTTPUnhandledError() }
      return try await answer {
        throw Refusal(.misdirectedRequest, "The service is for this machine alone.")
      }
    }
    await server.appendRoute("GET /") { _ in page }
    await server.appendRoute("GET /events") { _ in try await answer { try events() } }
    await server.appendRoute("GET /posts") { _ in
      try response(.ok, Array(replica.store.fetch(Post.feed)))
    }
    await server.appendRoute("GET /status") { _ in
      try response(.ok, StatusMessage(replica))
    }
    await server.appendRoute("POST /posts") { request in
      try await answer { try await add(request) }
    }
    await server.appendRoute("POST /posts/:id/like") { request in
      try await answer { try await like(request) }
    }
    await server.appendRoute("*") { request in
      try await answer {
        if request.method == .POST { try await skipBody(of: request) }
        throw Refusal(.notFound, "There is no \(request.method.rawValue) \(request.path).")
      }
    }
    return server
  }

  /// Whether a host, with its port, is this machine by a name that no other host can have.
  private static func isLocal(_ host: String?) -> Bool {
    let name = host.map { String($0.unicodeScalars.prefix { $0 != ":" }).lowercased() }
    return name == "127.0.0.1" || name == "localhost"
  }

  // MARK: Reading

  private var page: HTTPResponse {
    let headers: HTTPHeaders = [
      .contentType: "text/html; charset=utf-8",
      // Nothing from elsewhere is loaded or run, should text ever get into the page as more than text.
      HTTPHeader("Content-Security-Policy"):
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'",
    ]
    return HTTPResponse(statusCode: .ok, headers: headers, body: Data(PackageResources.index_html))
  }

  private func events() throws -> HTTPResponse {
    guard let place = streams.place() else {
      throw Refusal(
        .serviceUnavailable, "All \(streams.maximum) streams of events are taken. Please try again later.")
    }
    // An event is one write to the socket: the system holds back the rest of several until the client has acknowledged
    // the first, which can take 40 ms.
    let body = HTTPBodySequence(
      from: FeedEvents(store: replica.store, place: place), suggestedBufferSize: 1 << 20)
    return HTTPResponse(
      statusCode: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"], body: body)
  }

  private func response(_ code: HTTPStatusCode, _ body: some Encodable) throws -> HTTPResponse {
    HTTPResponse(
      statusCode: code, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: try JSON.encode(body))
  }

  // MARK: Writing

  /// Adds a post, and answers with it once all clients of this process can see it.
  ///
  /// It is not optimistic: the server makes the id and the date, and may refuse the text.
  private func add(_ request: HTTPRequest) async throws -> HTTPResponse {
    let post = try JSON.decode(NewPost.self, from: try await body(of: request))
    let id = try await replica.write { sql in
      let rows = try await sql.query(
        "INSERT INTO posts (author, title) VALUES (\(post.author), \(post.title)) RETURNING id")
      return try rows.first?.decode("id", as: Int.self)
    }
    // Nil if another client of the database has deleted it already.
    return try response(.created, id.flatMap { replica.store[Post.self, $0] })
  }

  /// Adds a like, which all clients of this process see before the server has it.
  private func like(_ request: HTTPRequest) async throws -> HTTPResponse {
    _ = try await body(of: request)
    guard let id = request.routeParameters["id"].flatMap({ Int($0) }) else { throw Refusal.noSuchPost }
    try await replica.write(optimistically: { tx in
      try tx.update(Post.self, id) { $0.likeCount += 1 }
    }) { sql in
      let count = try await sql.execute("UPDATE posts SET like_count = like_count + 1 WHERE id = \(id)")
      if count == 0 { throw Refusal.noSuchPost }
    }
    return HTTPResponse(statusCode: .noContent)
  }

  /// The body of a request that writes.
  ///
  /// It must be of JSON, which pages of other sites cannot send without being asked for permission first, and small.
  private func body(of request: HTTPRequest) async throws -> Data {
    guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
      try await skipBody(of: request)
      throw Refusal(.unsupportedMediaType, "The body must be application/json.")
    }
    guard let count = request.bodySequence.count, count <= 16_384 else {
      try await skipBody(of: request)
      throw Refusal(.payloadTooLarge, "The body must have at most 16,384 bytes, and say how many.")
    }
    return try await request.bodyData
  }

  /// Reads a body and drops it: the server would take what is left for the next request of the connection.
  private func skipBody(of request: HTTPRequest) async throws {
    for try await _ in request.bodySequence {}
  }

  /// Answers what a write throws with the status code that it means.
  private func answer(_ write: () async throws -> HTTPResponse) async throws -> HTTPResponse {
    do {
      return try await write()
    } catch {
      guard let refusal = Refusal(error) else { throw error }
      return try response(refusal.code, ["error": refusal.message])
    }
  }
}
