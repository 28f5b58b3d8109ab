public import Foundation
public import LiveStore

/// What a user says about a post, or in reply to another comment on it.
public struct Comment: Entity, Hashable {
  /// Which comment this is.
  public let id: UUID
  /// What is said.
  public var text: String
  /// When it was said.
  public var createdAt: Date
  /// Its author. A user with comments cannot be deleted before these are: a comment needs an author, and deleting it
  /// silently would delete the replies of others.
  public var author: Ref<User>
  /// The post that it is about. When the post is deleted, its comments are, too.
  public var post: Ref<Post>
  /// The comment that it replies to, if any. When that is deleted, its replies are, too, and theirs.
  public var parent: Ref<Comment>?

  /// The properties.
  public static let schema = Schema<Comment> {
    \.text
    \.createdAt
    Relation(\.author, onDelete: .restrict)
    Relation(\.post, onDelete: .cascade)
    Relation(\.parent, onDelete: .cascade)
  }

  /// A comment on a post, or a reply to a comment on it.
  public init(
    id: UUID = UUID(), text: String, author: Ref<User>, post: Ref<Post>, parent: Ref<Comment>? = nil,
    createdAt: Date
  ) {
    self.id = id
    self.text = text
    self.createdAt = createdAt
    self.author = author
    self.post = post
    self.parent = parent
  }
}

extension Comment {
  /// All comments on a post, replies included, the oldest first.
  public static func on(_ post: Post.ID) -> Query<Comment> {
    Comment.linking(to: Ref(post), by: \.post).sorted(by: \.createdAt)
  }

  /// All that a user said.
  public static func written(by author: User.ID) -> Query<Comment> {
    Comment.linking(to: Ref(author), by: \.author)
  }

  /// How many comments each post has; posts without any are not among them.
  public static var countByPost: GroupAggregate<Comment, Ref<Post>, Int> {
    Comment.all.grouped(by: \.post).count
  }
}
