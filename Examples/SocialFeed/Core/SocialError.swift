public import Foundation

/// What the rules of this domain forbid. What the store itself forbids (two users with one email, a link that
/// leads nowhere, a deletion that something stands against) is a `StoreError`.
public enum SocialError: LocalizedError, Hashable, Sendable {
  /// A text that must say something is empty.
  case empty(property: String)
  /// A user would follow themselves.
  case followsOneself
  /// Only what is published can be liked.
  case notPublished(slug: String)
  /// A reply belongs to the post of the comment it replies to.
  case replyToAnotherPost
  /// Pages are numbered from 1, and have room for at least one object.
  case invalidPage(number: Int, size: Int)
  /// Somebody deleted it meanwhile.
  case gone

  /// A sentence for the user.
  public var errorDescription: String? {
    switch self {
    case .empty(let property): "The \(property) is empty."
    case .followsOneself: "Users cannot follow themselves."
    case .notPublished(let slug): "The post \(slug) is not published."
    case .replyToAnotherPost: "The comment replied to is on another post."
    case .invalidPage(let number, let size): "There is no page \(number) of \(size) objects."
    case .gone: "It is not there any more."
    }
  }
}
