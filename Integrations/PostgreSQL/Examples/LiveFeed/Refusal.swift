import FlyingFox
import LiveStore
import LiveStorePostgreSQL

/// Why a request is refused, in words for the user.
struct Refusal: Error {
  let code: HTTPStatusCode
  let message: String

  init(_ code: HTTPStatusCode, _ message: String) { (self.code, self.message) = (code, message) }

  static let noSuchPost = Refusal(.notFound, "There is no such post.")

  /// What an error of a write means; nil if it is a fault of the service.
  init?(_ error: any Error) {
    switch error {
    case let refusal as Refusal:
      self = refusal
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
