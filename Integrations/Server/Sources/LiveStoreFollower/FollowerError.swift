public import Foundation

/// Why a follower does not follow.
///
/// ```swift
/// do {
///   let follower = try await StoreFollower.connect(to: url, Post.self)
/// } catch let error as FollowerError where error.code == .unauthorized {
///   …
/// }
/// ```
public struct FollowerError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// What kind of error it is.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code.
    public let description: String

    /// The server has no such entity, or no streams at this URL.
    public static let notFound = Code(description: "notFound")
    /// The server needs a token that it knows, or does not answer for this host.
    public static let unauthorized = Code(description: "unauthorized")
    /// The server refuses the request, or cannot answer it.
    public static let refused = Code(description: "refused")
    /// There is no connection, or it was cut.
    public static let unreachable = Code(description: "unreachable")
    /// Nothing came for too long.
    public static let timedOut = Code(description: "timedOut")
    /// What came is no stream of a server of stores.
    public static let invalidStream = Code(description: "invalidStream")
    /// A row cannot be decoded, so the entity is another one here than at the server.
    public static let undecodable = Code(description: "undecodable")
    /// The rows here were not those of the server.
    public static let diverged = Code(description: "diverged")
    /// The server has another store now, whose versions are others.
    public static let otherStore = Code(description: "otherStore")
    /// The follower was closed.
    public static let closed = Code(description: "closed")
  }

  /// What kind of error it is.
  public let code: Code
  /// A sentence that says what is wrong.
  public let message: String
  /// The status of the server's answer, if it has one.
  public internal(set) var status: Int?

  init(_ code: Code, _ message: String, status: Int? = nil) {
    (self.code, self.message, self.status) = (code, message, status)
  }

  /// The sentence.
  public var errorDescription: String? { message }
  /// The code and the sentence.
  public var description: String { "\(code): \(message)" }
}
