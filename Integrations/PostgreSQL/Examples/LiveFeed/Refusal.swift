import HTTPTypes
import Hummingbird
import LiveStore
import LiveStorePostgreSQL

/// Why a request is refused, in words for the user.
struct Refusal: Error {
  let code: HTTPResponse.Status
  let message: String

  init(_ code: HTTPResponse.Status, _ message: String) { (self.code, self.message) = (code, message) }

  static let noSuchPost = Refusal(.notFound, "There is no such post.")

  /// What an error of a write means; nil if it is a fault of the service.
  init?(_ error: any Error, of request: Request) {
    switch error {
    case let refusal as Refusal:
      self = refusal
    case let error as any HTTPResponseError where error.status == .notFound:
      self.init(.notFound, "There is no \(request.method.rawValue) \(request.uri.path).")
    case let error as any HTTPResponseError where error.status == .contentTooLarge:
      self.init(.contentTooLarge, "The body must have at most 16,384 bytes.")
    case is DecodingError:
      self.init(.badRequest, "The body must have the texts \"author\" and \"title\".")
    case StoreError.notFound:
      self = .noSuchPost
    case let error as PostgresError
    where error.code == PostgresError.mismatch || ["22", "23"].contains(error.sqlState?.prefix(2)):
      // A text that is no text of PostgreSQL, or that breaks a constraint; no client can break others.
      self.init(.unprocessableContent, "An author has 1 to 40 characters, and a title 1 to 200.")
    case let error as PostgresError:
      // Its details are for the operator alone.
      log("\(error)")
      self.init(.serviceUnavailable, "The database cannot do that now. Please try again.")
    default:
      return nil
    }
  }
}

/// Answers what is thrown with the status code that it means, and requests of pages of other sites, whose names may be made to
/// lead to this machine, with a refusal.
struct Refusals: RouterMiddleware {
  @concurrent func handle(
    _ request: Request, context: BasicRequestContext,
    next: @concurrent (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    do {
      guard Self.isLocal(request.head.authority) else {
        throw Refusal(.misdirectedRequest, "The service is for this machine alone.")
      }
      return try await next(request, context)
    } catch {
      guard let refusal = Refusal(error, of: request) else { throw error }
      // An answer to HEAD has no body.
      if request.method == .head { return Response(status: refusal.code) }
      return try .json(refusal.code, ["error": refusal.message])
    }
  }

  /// Whether a host, with its port, is this machine by a name that no other host can have.
  private static func isLocal(_ host: String?) -> Bool {
    let name = host.map { String($0.unicodeScalars.prefix { $0 != ":" }).lowercased() }
    return name == "127.0.0.1" || name == "localhost"
  }
}
