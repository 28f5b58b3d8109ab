import Foundation
import HTTPTypes
import Hummingbird
import LiveStore
import LiveStorePostgreSQL
import LiveStoreServer
import NIOCore

/// What the service has beside the streams: the page, and writing.
struct FeedRoutes: Sendable {
  let replica: PostgresReplica
  let server: StoreServer<Anonymous>

  func add(to router: some RouterMethods<BasicRequestContext>) {
    router.get("/") { _, _ in page }
    router.get("posts") { _, _ in
      try Response.json(.ok, Array(replica.store.fetch(Post.feed)))
    }
    router.get("status") { _, _ in
      try Response.json(.ok, StatusMessage(replica, subscribers: server.streamCount))
    }
    router.post("posts") { request, _ in try await add(request) }
    router.post("posts/:id/like") { request, context in
      try await like(request, context.parameters.get("id"))
    }
  }

  private var page: Response {
    let headers: HTTPFields = [
      .contentType: "text/html; charset=utf-8",
      // Nothing from elsewhere is loaded or run, should text ever get into the page as more than text.
      .contentSecurityPolicy:
        "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'",
    ]
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.index_html)))
  }

  /// Adds a post, and answers with it once all clients of this process can see it.
  ///
  /// It is not optimistic: the server makes the id and the date, and may refuse the text.
  private func add(_ request: Request) async throws -> Response {
    let post = try JSON.decode(NewPost.self, from: try await body(of: request))
    let id = try await replica.write { sql in
      let rows = try await sql.query(
        "INSERT INTO posts (author, title) VALUES (\(post.author), \(post.title)) RETURNING id")
      return try rows.first?.decode("id", as: Int.self)
    }
    // Nil if another client of the database has deleted it already.
    return try .json(.created, id.flatMap { replica.store[Post.self, $0] })
  }

  /// Adds a like, which all clients of this process see before the server has it.
  private func like(_ request: Request, _ text: String?) async throws -> Response {
    _ = try await body(of: request)
    guard let id = text.flatMap({ Int($0) }) else { throw Refusal.noSuchPost }
    try await replica.write(optimistically: { tx in
      try tx.update(Post.self, id) { $0.likeCount += 1 }
    }) { sql in
      let count = try await sql.execute("UPDATE posts SET like_count = like_count + 1 WHERE id = \(id)")
      if count == 0 { throw Refusal.noSuchPost }
    }
    return Response(status: .noContent)
  }

  /// The body of a request that writes.
  ///
  /// It must be of JSON, which pages of other sites cannot send without being asked for permission first, and small.
  private func body(of request: Request) async throws -> Data {
    guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
      throw Refusal(.unsupportedMediaType, "The body must be application/json.")
    }
    return Data(try await request.body.collect(upTo: 16_384).readableBytesView)
  }
}

extension Response {
  /// An answer of JSON.
  static func json(_ status: HTTPResponse.Status, _ body: some Encodable) throws -> Response {
    Response(
      status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: try JSON.encode(body))))
  }
}
