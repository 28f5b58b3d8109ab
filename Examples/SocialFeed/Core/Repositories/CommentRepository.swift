public import LiveStore

/// Comments, and their trees.
public struct CommentRepository: Repository {
  /// The store of the comments.
  public let store: Store

  /// The comments of a store.
  public init(store: Store) { self.store = store }

  /// Comments have a text, and replies are on the post of the comment that they reply to.
  public func validate(_ comment: Comment, in tx: borrowing WriteTransaction) throws {
    if comment.text.isEmpty { throw SocialError.empty(property: "text") }
    if let parent = tx[comment.parent], parent.post != comment.post { throw SocialError.replyToAnotherPost }
  }

  /// All comments on a post, the oldest first.
  public func on(_ post: Post.ID) -> Results<Comment> { fetch(Comment.on(post)) }

  /// The comments on a post as a tree: each followed by its replies, siblings by date.
  public func tree(of post: Post.ID) -> CommentTree { CommentTree(on(post)) }

  /// How many comments a post has.
  public func count(on post: Post.ID) -> Int { store.snapshot().count(Comment.on(post)) }

  /// How many comments each post has, without the posts that have none.
  public func countByPost() -> [Ref<Post>: Int] {
    let groups = store.value(of: Comment.countByPost)
    return Dictionary(uniqueKeysWithValues: groups.map { ($0.key, $0.value) })
  }

  /// Deletes a comment with all replies below it, and returns the number of deleted comments.
  ///
  /// The schema does the work: a reply is deleted with its parent.
  @discardableResult
  public func deleteSubtree(_ id: Comment.ID) async throws -> Int {
    try await store.write { tx in
      let before = tx.count(Comment.all)
      try tx.delete(Comment.self, id)
      return before - tx.count(Comment.all)
    }
  }
}
