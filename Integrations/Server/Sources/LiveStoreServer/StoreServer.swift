public import HTTPTypes
public import Hummingbird
public import LiveStore
public import Logging
import Metrics
import NIOCore
import ServiceLifecycle

/// Shows live queries of a store to clients over HTTP.
///
/// ```swift
/// let server = try StoreServer(store) {
///   Expose(Post.self, fields: [\.title, \.likeCount, \.author.name])     // nothing is visible that is not named
/// }
/// try await server.run(on: .loopback(port: 4321))
/// ```
/// ```sh
/// curl -N 'localhost:4321/streams/Post?where=likeCount%20%3E%2010&sort=likeCount:desc&limit=20&offset=-1&live=sse'
/// ```
/// A stream is a query: `/streams/Post`, with `where`, `sort` and `limit`; or several entities: `/streams/Post,User`. It speaks the read side of the Durable Streams
/// protocol, with the State Protocol as its messages: see ``StreamMessage``.
public struct StoreServer<Identity: Sendable>: Sendable {
  let store: Store
  private let entities: [String: ExposedEntity<Identity>]
  let configuration: ServerConfiguration
  private let authenticate: @Sendable (HTTPRequest) async throws -> Identity?
  package let state: ServerState

  /// A server that knows who its clients are.
  ///
  /// ```swift
  /// let server = try StoreServer(store, authenticate: { try await sessions.user(of: $0.headerFields[.cookie]) }) {
  ///   Expose(User.self, fields: [\.name]) { request in User.where { $0.team == request.identity.team } }
  /// }
  /// ```
  /// - Parameters:
  ///   - store: the store.
  ///   - configuration: limits, and who may ask.
  ///   - logger: where it says what it does; values of rows and filters are never in it.
  ///   - authenticate: who asks; nil for a client that gets the status 401. If it throws, so it does, too.
  ///   - exposures: what clients may see, each entity once.
  /// - Throws: `invalidSchema` for a field that has no JSON form, `unknownEntity` if the store was made without the entity.
  public init(
    _ store: Store, configuration: ServerConfiguration = ServerConfiguration(),
    logger: Logger = Logger(label: "LiveStoreServer"),
    authenticate: @escaping @Sendable (HTTPRequest) async throws -> Identity?,
    @ExposureBuilder<Identity> exposing exposures: () -> [Expose<Identity>]
  ) throws(StoreError) {
    var entities: [String: ExposedEntity<Identity>] = [:]
    for exposure in exposures() {
      precondition(entities[exposure.name] == nil, "\(exposure.name) is exposed twice; list its fields once")
      entities[exposure.name] = try exposure.entity(store)
    }
    (self.store, self.entities) = (store, entities)
    (self.configuration, self.authenticate) = (configuration, authenticate)
    state = ServerState(configuration.limits, logger)
  }

  /// Adds the server's routes to those of an app.
  ///
  /// ```swift
  /// let router = Router()
  /// server.addRoutes(to: router)
  /// try await Application(router: router).run()
  /// ```
  /// - Parameters:
  ///   - router: the app's router, or a group of it.
  ///   - path: where the streams are: `/streams/Post`, and the module for pages, `/streams/livestore.js`.
  public func addRoutes<Context>(to router: some RouterMethods<Context>, at path: RouterPath = "/streams") {
    let group = router.group(path)
    group.get("livestore.js") { request, _ in browserModule(request) }
    group.get(":entity") { request, context in
      await answer(request, context.parameters.get("entity"))
    }
    group.head(":entity") { request, context in
      await answer(request, context.parameters.get("entity"))
    }
    group.on(":entity", method: .options) { request, _ in preflight(request) }
    for method in [HTTPRequest.Method.post, .put, .patch, .delete] {
      group.on(":entity", method: method) { request, _ in
        var error = ServerError(.methodNotAllowed, "readOnly", "Streams are read; an app's own routes write.")
        error.headers[.allow] = "GET, HEAD, OPTIONS"
        return shared(error.response, with: request)
      }
    }
  }

  /// Serves until the task is cancelled, or the service group shuts down.
  ///
  /// - Parameters:
  ///   - address: where clients connect.
  ///   - onRunning: called once clients can connect, with the port; nil for a socket.
  /// - Throws: the error of the system if the address cannot be used, or a socket cannot be left to its owner alone.
  public func run(
    on address: ServerAddress, onRunning: @escaping @Sendable (_ port: Int?) async -> Void = { _ in }
  ) async throws {
    try await run(on: address, restricting: { try $0.restrict() }, onRunning: onRunning)
  }

  /// - Parameter restrict: leaves a socket to its owner.
  package func run(
    on address: ServerAddress, restricting restrict: @escaping @Sendable (ServerAddress) throws -> Void,
    onRunning: @escaping @Sendable (_ port: Int?) async -> Void
  ) async throws {
    let (failures, failure) = AsyncStream<any Error>.makeStream()
    let router = Router()
    addRoutes(to: router)
    if configuration.inspector != nil { addInspector(to: router) }
    let limits = configuration.limits
    let idle = TimeAmount.nanoseconds(Int64(limits.idleTime / .nanoseconds(1)))
    let app = Application(
      router: router,
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [ClosingHandler()], idleTimeout: idle,
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
            maxHeaderFieldCount: 100))),
      configuration: ApplicationConfiguration(
        address: address.bindAddress,
        availableConnectionsDelegate: .maximum(limits.connections, logger: state.logger)),
      onServerRunning: { channel in
        do {
          try restrict(address)
        } catch {
          // Its permissions would be those of the process's files.
          address.removeSocket()
          failure.yield(error)
          return
        }
        await onRunning(channel.localAddress?.port)
      },
      logger: state.logger)
    var services = ServiceGroupConfiguration(services: [app], logger: state.logger)
    services.maximumGracefulShutdownDuration = limits.idleTime
    let group = ServiceGroup(configuration: services)
    // A connection that is accepted while the task that accepts it is cancelled would end the process, in NIO. So being
    // cancelled is shutting down: no more are accepted, and streams end.
    let task = Task { try await group.run() }
    let failed = Task { () -> (any Error)? in
      for await error in failures {
        await group.triggerGracefulShutdown()
        return error
      }
      return nil
    }
    defer { failure.finish() }
    try await withTaskCancellationHandler {
      try await withGracefulShutdownHandler {
        try await task.value
      } onGracefulShutdown: {
        Task { await group.triggerGracefulShutdown() }
      }
    } onCancel: {
      Task { await group.triggerGracefulShutdown() }
    }
    failure.finish()
    if let error = await failed.value { throw error }
  }
}

extension StoreServer where Identity == Anonymous {
  /// A server that shows the same to each client that may ask.
  ///
  /// ```swift
  /// let server = try StoreServer(store) { Expose(Post.self, fields: [\.title]) }
  /// ```
  /// - Parameters:
  ///   - store: the store.
  ///   - configuration: limits, and who may ask.
  ///   - logger: where it says what it does; values of rows and filters are never in it.
  ///   - exposures: what clients may see, each entity once.
  /// - Throws: `invalidSchema` for a field that has no JSON form, `unknownEntity` if the store was made without the entity.
  public init(
    _ store: Store, configuration: ServerConfiguration = ServerConfiguration(),
    logger: Logger = Logger(label: "LiveStoreServer"),
    @ExposureBuilder<Anonymous> exposing exposures: () -> [Expose<Anonymous>]
  ) throws(StoreError) {
    try self.init(
      store, configuration: configuration, logger: logger, authenticate: { _ in Anonymous() },
      exposing: exposures)
  }
}

extension StoreServer {
  private func answer(_ request: Request, _ entity: String?) async -> Response {
    let response: Response
    do {
      response = try await checkedAnswer(request, entity)
    } catch {
      state.metrics.errors.increment()
      response = ServerError(of: error, state.logger).response
    }
    return shared(response, with: request)
  }

  private func checkedAnswer(_ request: Request, _ entity: String?) async throws -> Response {
    if let refusal = configuration.access.refusal(of: request.head) { throw refusal }
    let identity: Identity?
    do {
      identity = try await authenticate(request.head)
    } catch {
      throw ServerError.unauthorized
    }
    guard let identity else { throw ServerError.unauthorized }
    let parameters = try StreamParameters(query: request.uri.query ?? "")
    let streamRequest = StreamRequest(identity: identity, head: request.head)
    let source = try source(entity ?? "", streamRequest, parameters)
    return try await StreamResponder(source: source, parameters: parameters, server: state).response(
      to: request)
  }

  /// What a client asks for, by the name of an entity, or the names of several with commas between them.
  private func source(
    _ text: String, _ request: StreamRequest<Identity>, _ parameters: StreamParameters
  ) throws -> StreamSource {
    // The router leaves names as they are in the URL, where a comma in the name of a generic type is escaped.
    var names = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      .map { StreamParameters.decoded($0, plusIsSpace: false) }
    if let name = StreamParameters.decoded(text.utf8, plusIsSpace: false), entities[name] != nil {
      names = [name]
    }
    if Set(names).count < names.count {
      throw ServerError(.badRequest, "invalidParameter", "An entity is named twice.")
    }
    let parts = try names.map { name in
      guard let name, let entity = entities[name] else {
        throw ServerError(.notFound, "notFound", "There is no stream of this name.")
      }
      return try entity.part(request, parameters, state.limits)
    }
    if parts.count > 1, let parameter = parameters.nameOfQuery {
      throw ServerError(
        .badRequest, "invalidParameter", "Several entities are streamed as a whole.", parameter: parameter)
    }
    return StreamSource(store, parts)
  }

  /// The answer to a browser that asks whether a page may send a request.
  private func preflight(_ request: Request) -> Response {
    // A browser sends no token here.
    var rules = configuration.access
    rules.token = nil
    if let refusal = rules.refusal(of: request.head) { return refusal.response }
    let headers: HTTPFields = [
      .accessControlAllowMethods: "GET, HEAD", .accessControlAllowHeaders: "authorization, if-none-match",
      .accessControlMaxAge: "600",
    ]
    return shared(Response(status: .noContent, headers: headers), with: request)
  }

  /// The response with what browsers need.
  func shared(_ response: Response, with request: Request) -> Response {
    var response = response
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[.vary] = "Origin, Authorization, Cookie"
    if let origin = request.headers[.origin], configuration.access.allows(origin: origin) {
      response.headers[.accessControlAllowOrigin] = origin
      response.headers[.accessControlExposeHeaders] =
        "ETag, Stream-Next-Offset, Stream-Up-To-Date, Stream-Cursor, Stream-Row-Count"
    }
    return response
  }
}
