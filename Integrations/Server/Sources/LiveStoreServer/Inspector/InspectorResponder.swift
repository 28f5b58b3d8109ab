import Foundation
import HTTPTypes
import Hummingbird
import LiveStore
import NIOCore

/// Answers the requests of the inspector's page.
struct InspectorResponder: Sendable {
  private typealias RowStream = @Sendable (Request, StreamParameters, ServerState) async throws -> Response

  private let store: Store
  private let access: AccessRules
  private let server: ServerState
  private let streams: [String: RowStream]
  private let makeState: @Sendable () -> InspectorState
  let feed: InspectorFeed

  init(_ store: Store, _ configuration: ServerConfiguration, _ server: ServerState) {
    var (fields, streams): ([String: InspectorState.Fields], [String: RowStream]) = ([:], [:])
    func add<Element: Entity>(_: Element.Type) {
      let writer = MessageWriter(JSONFields<Element>.described())
      fields["\(Element.self)"] = InspectorState.Fields(
        names: writer.fields.names, described: writer.fields.describedNames.sorted())
      streams["\(Element.self)"] = { request, parameters, server in
        let part = try EntityPart(writer, Element.all, parameters, server.limits, naming: nil)
        let source = StreamSource(store, [part])
        return try await StreamResponder(source: source, parameters: parameters, server: server).response(
          to: request)
      }
    }
    for type in store.entities { add(type) }
    let (inspector, names) = (configuration.inspector ?? StoreInspector(), fields)
    let makeState: @Sendable () -> InspectorState = { InspectorState(store, names, inspector, server) }
    (self.store, self.access, self.server, self.streams) = (
      store, configuration.access, server, streams
    )
    self.makeState = makeState
    feed = InspectorFeed(store, makeState)
  }

  /// The page, or a file of it.
  func page(_ request: Request, _ name: String?) async -> Response {
    // A browser sends no token with these, and they have nothing of the store in them.
    await answer(request, needsToken: false) {
      guard let name else {
        // Names in the page are relative, so that an app may put it anywhere.
        guard request.uri.path.utf8.last != UInt8(ascii: "/") else { return try file("index.html") }
        let last =
          request.uri.path.utf8.split(separator: UInt8(ascii: "/")).last.map { String($0) ?? "" } ?? ""
        return Response(status: .temporaryRedirect, headers: [.location: "./\(last)/"])
      }
      return try file(name)
    }
  }

  private func file(_ name: String) throws(ServerError) -> Response {
    guard let file = InspectorPage.files[name] else {
      throw ServerError(.notFound, "notFound", "The inspector has no file of this name.")
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: file.type, .cacheControl: "no-cache",
        .contentSecurityPolicy: InspectorPage.policy,
      ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
  }

  /// One state.
  func state(_ request: Request) async -> Response {
    await answer(request) { Self.json(try makeState().text()) }
  }

  /// How a live query is evaluated.
  func plan(_ request: Request) async -> Response {
    await answer(request) {
      guard let number = request.uri.queryParameters.get("query", as: Int.self) else {
        throw ServerError(.badRequest, "invalidParameter", "The query is no number.", parameter: "query")
      }
      guard let plan = store.plan(ofQuery: number) else {
        throw ServerError(.notFound, "notFound", "This query is not observed any more.")
      }
      return Self.json(Data("{\"plan\":\(jsonText(plan))}".utf8))
    }
  }

  /// States as server-sent events, until the client goes, stops reading, or has had its time.
  func events(_ request: Request) async -> Response {
    await answer(request) {
      let place = try server.streams.take()
      let (body, limits, feed) = (request.body, server.limits, feed)
      return Response(
        status: .ok,
        headers: [.contentType: "text/event-stream", .cacheControl: "no-store", .connection: "close"],
        body: ResponseBody { writer in
          defer { withExtendedLifetime(place) {} }
          try await WatchedWriter.with(
            body, &writer, writeTimeout: limits.idleTime, atMost: limits.streamDuration + limits.idleTime
          ) { out in
            let end = ContinuousClock.now + limits.streamDuration
            for await state in feed.states() {
              try await out.write(state)
              if ContinuousClock.now >= end { return }
            }
          }
        })
    }
  }

  /// The rows of an entity.
  func rows(_ request: Request, _ entity: String?) async -> Response {
    await answer(request) {
      guard let entity, let name = StreamParameters.decoded(entity.utf8, plusIsSpace: false),
        let stream = streams[name]
      else {
        throw ServerError(.notFound, "notFound", "There is no entity of this name.")
      }
      return try await stream(request, StreamParameters(query: request.uri.query ?? ""), server)
    }
  }

  private static func json(_ text: Data) -> Response {
    Response(
      status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: text)))
  }

  private func answer(
    _ request: Request, needsToken: Bool = true, _ body: () async throws -> Response
  ) async -> Response {
    var response: Response
    do {
      if let refusal = access.refusalByInspector(of: request.head, needsToken: needsToken) { throw refusal }
      response = try await body()
    } catch {
      response = ServerError(of: error, server.logger).response
    }
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[.referrerPolicy] = "no-referrer"
    response.headers[.crossOriginResourcePolicy] = "same-origin"
    response.headers[.crossOriginOpenerPolicy] = "same-origin"
    return response
  }
}

extension HTTPField.Name {
  fileprivate static var contentSecurityPolicy: Self { Self(token: "Content-Security-Policy") }
  fileprivate static var referrerPolicy: Self { Self(token: "Referrer-Policy") }
  fileprivate static var crossOriginResourcePolicy: Self { Self(token: "Cross-Origin-Resource-Policy") }
  fileprivate static var crossOriginOpenerPolicy: Self { Self(token: "Cross-Origin-Opener-Policy") }
}
