public import Foundation
public import LiveStore

/// Somebody who writes posts and comments, and follows others.
public struct User: Entity, Hashable {
  /// Who this is.
  public let id: UUID
  /// The name that posts and comments show.
  public var name: String
  /// The address to sign in with; no two users have the same.
  public var email: String
  /// What the user says about themselves.
  public var bio: String?
  /// When the account was made.
  public var joined: Date
  /// Whose posts this user wants to see. When one of them goes, the set loses the entry.
  public var follows: RefSet<User>

  /// The properties.
  public static let schema = Schema<User> {
    \.name
    Property(\.email, .unique)
    \.bio
    \.joined
    Relation(\.follows)
  }

  /// A user, who follows nobody unless told.
  public init(
    id: UUID = UUID(), name: String, email: String, bio: String? = nil, joined: Date,
    follows: RefSet<User> = []
  ) {
    self.id = id
    self.name = name
    self.email = email
    self.bio = bio
    self.joined = joined
    self.follows = follows
  }
}

extension User {
  /// Whom a user follows, in the order in which they joined the store.
  public static func followed(by id: User.ID) -> Query<User> { User.in(\User.follows, of: id) }

  /// Who follows a user: nobody stores them, these are the links back.
  public static func followers(of id: User.ID) -> Query<User> {
    User.linking(to: Ref(id), by: \.follows)
  }

  /// Those who follow a user and are followed by them.
  public static func mutuals(of id: User.ID) -> Query<User> {
    followed(by: id).where { $0.follows.contains(Ref(id)) }
  }

  /// Authors by the likes of all they have published, best first.
  public static func popular(limit: Int) -> Query<User> {
    User.where { $0.totalLikes > 0 }.sorted(by: \.totalLikes, .descending).limit(limit)
  }
}

/// A value that is computed from other objects becomes a member of the row; then filters, sorts and live
/// queries can name it like a property.
extension Row<User> {
  /// The likes of all posts that the user has published.
  public var totalLikes: Expr<Int> {
    linking(\Post.author).where { $0.status == .published }.sum(\.likeCount)
  }
}
