public import HTTPTypes

/// A client's request, for the code that says which rows it may see.
///
/// ```swift
/// Expose(User.self, fields: [\.name]) { request in User.where { $0.team == request.identity.team } }
/// ```
public struct StreamRequest<Identity: Sendable>: Sendable {
  /// Who asks, as the server's `authenticate` found it.
  public let identity: Identity
  /// The method, the path and the headers.
  public let head: HTTPRequest
}

/// The identity of clients of a server that does not ask who they are.
public struct Anonymous: Sendable {
  /// The only one.
  public init() {}
}
