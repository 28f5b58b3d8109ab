public import LiveStore

/// The whole domain: a store, and a repository for each entity.
///
/// ```swift
/// let feed = try SocialFeed()
/// let ann = try await feed.users.create(User(name: "Ann", email: "ann@example.org", joined: now))
/// try await feed.posts.create(Post(slug: "hello", title: "Hello", author: ann.ref, createdAt: now))
/// for await change in feed.store.changes(of: Post.feed(of: ann.id)) { … }
/// ```
public struct SocialFeed: Sendable {
  /// The store of all objects.
  public let store: Store

  /// An empty store of these entities.
  public init() throws(StoreError) {
    store = try Store(User.self, Tag.self, Post.self, Comment.self)
  }

  /// Users, and who follows whom.
  public var users: UserRepository { UserRepository(store: store) }
  /// Tags.
  public var tags: TagRepository { TagRepository(store: store) }
  /// Posts, and lists of them.
  public var posts: PostRepository { PostRepository(store: store) }
  /// Comments, and their trees.
  public var comments: CommentRepository { CommentRepository(store: store) }
}
