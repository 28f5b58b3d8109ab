import HTTPTypes
import Hummingbird
import LiveStore
import Logging
import NIOCore

/// An answer to a request that cannot be met: a status, and a body that programs and people can read.
struct ServerError: Error, Sendable {
  let status: HTTPResponse.Status
  let code: String
  let message: String
  var parameter: String?
  var column: Int?
  var headers: HTTPFields = [:]

  init(_ status: HTTPResponse.Status, _ code: String, _ message: String, parameter: String? = nil) {
    (self.status, self.code, self.message, self.parameter) = (status, code, message, parameter)
  }

  static let unauthorized: ServerError = {
    var error = ServerError(.unauthorized, "unauthorized", "This server needs a token that it knows.")
    error.headers[.wwwAuthenticate] = "Bearer"
    return error
  }()

  static let tooManyStreams: ServerError = {
    var error = ServerError(
      .tooManyRequests, "tooManyStreams", "The server has as many streams as it may have.")
    error.headers[.retryAfter] = "1"
    return error
  }()

  static let tooManyQueries: ServerError = {
    var error = ServerError(
      .tooManyRequests, "tooManyQueries", "The server follows as many different queries as it may.")
    error.headers[.retryAfter] = "1"
    return error
  }()

  /// The error of a client's filter.
  ///
  /// - Parameter parameter: the parameter that has the filter.
  init(filter error: StoreError, parameter: String) {
    self.init(.badRequest, "\(error.code)", error.message, parameter: parameter)
    column = error.column
  }

  /// The error of a query that the client's filter is part of.
  init(query error: StoreError) {
    switch error {
    case StoreError.filterTooExpensive: self.init(filter: error, parameter: "where")
    case StoreError.closed: self.init(.serviceUnavailable, "closed", "The store is closed.")
    default: self.init(.internalServerError, "internal", "The query cannot be evaluated.")
    }
  }

  /// What a client gets to know of an error.
  init(of error: any Error, _ logger: Logger) {
    switch error {
    case let error as ServerError: self = error
    case let error as StoreError: self.init(query: error)
    case is CancellationError: self.init(.serviceUnavailable, "stopping", "The server stops.")
    default:
      // What an app's code throws is not for clients, and may have values in it.
      logger.error("A request failed", metadata: ["error": "\(type(of: error))"])
      self.init(.internalServerError, "internal", "The request cannot be answered.")
    }
  }

  /// The error as JSON text.
  var body: String {
    var text = "{\"error\":{\"code\":\(jsonText(code)),\"message\":\(jsonText(message))"
    if let parameter { text += ",\"parameter\":\(jsonText(parameter))" }
    if let column { text += ",\"column\":\(column)" }
    return text + "}}"
  }

  var response: Response {
    var headers = headers
    headers[.contentType] = "application/json"
    headers[.cacheControl] = "no-store"
    return Response(
      status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
  }
}
