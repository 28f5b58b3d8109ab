public import Foundation
public import LiveStore

/// A user, who writes posts and comments, and follows others.
public struct User: Entity, Hashable {
  /// The user's id.
  public let id: UUID
  /// The name that posts and comments show.
  public var name: String
  /// The address to sign in with; no two users have the same.
  public var email: String
  /// What the user says about themselves.
  public var bio: String?
  /// When the account was made.
  public var joined: Date
  /// The users whose posts this user wants to see. When one of them is deleted, the set loses the entry.
  public var follows: RefSet<User>

  /// The properties.
  public static let schema = Schema<User> {
    \.name
    Property(\.email, .unique)
    \.bio
    \.joined
    Relation(\.follows)
  }

  /// A user, who follows no other user by default.
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
  /// The users that a user follows, in the order in which they joined the store.
  public static func followed(by id: User.ID) -> Query<User> { User.linked(from: \User.follows, of: id) }

  /// The followers of a user. They are not stored: these are the backlinks.
  public static func followers(of id: User.ID) -> Query<User> {
    User.linking(to: Ref(id), by: \.follows)
  }

  /// The followers of a user whom the user follows, too.
  public static func mutuals(of id: User.ID) -> Query<User> {
    followed(by: id).where { $0.follows.contains(Ref(id)) }
  }

  /// Authors by the likes of all their published posts, best first.
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
