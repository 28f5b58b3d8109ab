public import Foundation
public import LiveStore

/// Posts, and lists of them.
public struct PostRepository: Repository {
  /// The store of the posts.
  public let store: Store

  /// The posts of a store.
  public init(store: Store) { self.store = store }

  /// Posts have a title and a slug.
  public func validate(_ post: Post, in tx: borrowing WriteTransaction) throws {
    if post.title.isEmpty { throw SocialError.empty(property: "title") }
    if post.slug.isEmpty { throw SocialError.empty(property: "slug") }
  }

  /// The post with a slug.
  public func find(slug: String) -> Post? { fetch(Post.where { $0.slug == slug }).first }
}

// MARK: Changing

extension PostRepository {
  /// Lets all users see a post, and returns it.
  @discardableResult
  public func publish(_ id: Post.ID, at date: Date) async throws -> Post {
    try await update(id) { $0.publish(at: date) }
  }

  /// Publishes all drafts of a user, and returns their number.
  @discardableResult
  public func publishDrafts(of author: User.ID, at date: Date) async throws -> Int {
    try await store.write { tx in
      try tx.update(Post.drafts(of: author)) { $0.publish(at: date) }
    }
  }

  /// Archives a post, which removes it from lists and feeds, and returns it.
  @discardableResult
  public func archive(_ id: Post.ID) async throws -> Post {
    try await update(id) { $0.status = .archived }
  }

  /// Counts a like, and returns how many there are now.
  ///
  /// - Throws: `notFound`; `notPublished` when the post is a draft or archived.
  @discardableResult
  public func like(_ id: Post.ID) async throws -> Int {
    try await store.write { tx in
      try tx.update(Post.self, id) { post in
        guard post.status == .published else { throw SocialError.notPublished(slug: post.slug) }
        post.likeCount += 1
        return post.likeCount
      }
    }
  }

  /// Counts a view of a post, and returns the number of views.
  @discardableResult
  public func view(_ id: Post.ID) async throws -> Int {
    try await update(id) { $0.viewCount += 1 }.viewCount
  }

  /// Gives a post tags by their names, creating those that do not exist, and returns the post.
  @discardableResult
  public func tag(_ id: Post.ID, _ names: [String]) async throws -> Post {
    try await store.write { tx in
      let tags = try names.map { try TagRepository(store: store).findOrCreate($0, in: tx) }
      return try update(id, in: tx) { post in
        for tag in tags where !post.tags.contains(tag.ref) { post.tags.append(tag.ref) }
      }
    }
  }
}

// MARK: Lists

extension PostRepository {
  /// The posts most people like.
  public func popular(limit: Int = 10) -> Results<Post> { fetch(Post.popular(limit: limit)) }

  /// The posts published last.
  public func recent(limit: Int = 10) -> Results<Post> { fetch(Post.recent.limit(limit)) }

  /// The posts that are most talked about at a time; see ``Post/heat(at:halfLife:)``.
  public func trending(
    at now: Date, halfLife: TimeInterval = 24 * 60 * 60, limit: Int = 10
  ) -> [Post] {
    let posts = fetch(Post.recent.where { $0.publishedAt <= now })
    let heated = posts.map { (post: $0, heat: $0.heat(at: now, halfLife: halfLife)) }
    // Slugs are unique, so the order is the same each time.
    let ordered = heated.sorted { $0.heat != $1.heat ? $0.heat > $1.heat : $0.post.slug < $1.post.slug }
    return ordered.prefix(max(0, limit)).map(\.post)
  }

  /// Everything that a user wrote, in the order of writing.
  public func written(by author: User.ID) -> Results<Post> { fetch(Post.written(by: author)) }

  /// What a user has not published yet.
  public func drafts(of author: User.ID) -> Results<Post> { fetch(Post.drafts(of: author)) }

  /// What all users can see under a tag.
  public func tagged(_ tag: Tag.ID) -> Results<Post> { fetch(Post.tagged(tag)) }

  /// How many posts each author has published; the key nil is for posts without an author.
  public func countByAuthor() -> [Ref<User>?: Int] {
    let groups = store.value(of: Post.countByAuthor)
    return Dictionary(uniqueKeysWithValues: groups.map { ($0.key, $0.value) })
  }

  /// A page of the published posts that hold all words of a text; see ``Post/matching(_:)``.
  public func search(_ text: String, page: Int = 1, size: Int = 10) throws(SocialError) -> Page<Post> {
    try Page(Post.matching(text), in: store.snapshot(), number: page, size: size)
  }

  /// A page of the published posts, the latest first.
  public func page(_ number: Int, size: Int = 10) throws(SocialError) -> Page<Post> {
    try Page(Post.recent, in: store.snapshot(), number: number, size: size)
  }
}
