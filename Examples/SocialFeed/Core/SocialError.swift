public import Foundation

/// The errors of this domain's rules. The store's own errors (two users with one email, a link without a target, a
/// restricted deletion) are `StoreError`s.
public enum SocialError: LocalizedError, Hashable, Sendable {
  /// A required text is empty.
  case empty(property: String)
  /// A user would follow themselves.
  case followsOneself
  /// Only published posts can be liked.
  case notPublished(slug: String)
  /// A reply must be on the post of the comment that it replies to.
  case replyToAnotherPost
  /// Pages are numbered from 1, and have room for at least one object.
  case invalidPage(number: Int, size: Int)
  /// Another user has deleted it.
  case deleted

  /// A sentence for the user.
  public var errorDescription: String? {
    switch self {
    case .empty(let property): "The \(property) is empty."
    case .followsOneself: "Users cannot follow themselves."
    case .notPublished(let slug): "The post \(slug) is not published."
    case .replyToAnotherPost: "The comment replied to is on another post."
    case .invalidPage(let number, let size): "There is no page \(number) of \(size) objects."
    case .deleted: "It has been deleted."
    }
  }
}
