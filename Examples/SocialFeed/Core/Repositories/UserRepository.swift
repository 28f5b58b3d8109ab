public import LiveStore

/// Users, and the follows between them.
public struct UserRepository: Repository {
  /// The store of the users.
  public let store: Store

  /// The users of a store.
  public init(store: Store) { self.store = store }

  /// Users have a name and do not follow themselves.
  public func validate(_ user: User, in tx: borrowing WriteTransaction) throws {
    if user.name.isEmpty { throw SocialError.empty(property: "name") }
    if user.follows.contains(user.ref) { throw SocialError.followsOneself }
  }

  /// The user with an email address.
  public func find(email: String) -> User? { fetch(User.where { $0.email == email }).first }

  /// Deletes a user with all their comments and the replies to these; their posts stay.
  ///
  /// Without this, ``Repository/delete(_:)`` refuses to delete a user who has commented.
  @discardableResult
  public func deleteWithComments(_ id: User.ID) async throws -> Bool {
    try await store.write { tx in
      try tx.delete(Comment.written(by: id))
      return try tx.delete(User.self, id)
    }
  }
}

// MARK: Following

extension UserRepository {
  /// Makes a user follow another; false if they already did.
  ///
  /// - Throws: `notFound` if the follower does not exist, `missingLinkTarget` if the other does not,
  ///   `followsOneself`.
  @discardableResult
  public func follow(_ other: User.ID, by id: User.ID) async throws -> Bool {
    if other == id { throw SocialError.followsOneself }
    return try await store.write { tx in
      try tx.update(User.self, id) { $0.follows.insert(Ref(other)).inserted }
    }
  }

  /// Makes a user stop following another; false if they did not follow.
  @discardableResult
  public func unfollow(_ other: User.ID, by id: User.ID) async throws -> Bool {
    try await store.write { tx in
      try tx.update(User.self, id) { $0.follows.remove(Ref(other)) != nil }
    }
  }

  /// The users that a user follows.
  public func following(_ id: User.ID) -> Results<User> { fetch(User.followed(by: id)) }

  /// The followers of a user.
  public func followers(of id: User.ID) -> Results<User> { fetch(User.followers(of: id)) }

  /// The followers of a user whom the user follows, too.
  public func mutuals(of id: User.ID) -> Results<User> { fetch(User.mutuals(of: id)) }

  /// The published posts of the users that a user follows, the latest first.
  public func feed(of id: User.ID, limit: Int = 20) -> Results<Post> {
    store.snapshot().fetch(Post.feed(of: id).limit(limit))
  }
}

// MARK: Figures

/// The numbers in a user's profile.
public struct UserCounts: Hashable, Sendable {
  /// How many posts are published.
  public var published: Int
  /// How many are not yet.
  public var drafts: Int
  /// How many likes the published ones have.
  public var likes: Int
  /// How many comments the user wrote.
  public var comments: Int
  /// How many follow the user.
  public var followers: Int
  /// How many the user follows.
  public var following: Int
}

extension UserRepository {
  /// The numbers in a user's profile, all at one version.
  public func counts(of id: User.ID) -> UserCounts {
    let snapshot = store.snapshot()
    let published = Post.written(by: id).where { $0.status == .published }
    return UserCounts(
      published: snapshot.count(published), drafts: snapshot.count(Post.drafts(of: id)),
      likes: snapshot.value(of: Post.likes(of: id)),
      comments: snapshot.count(Comment.written(by: id)),
      followers: snapshot.count(User.followers(of: id)), following: snapshot.count(User.followed(by: id)))
  }

  /// The authors whose posts most people like, best first.
  public func popular(limit: Int = 10) -> Results<User> { fetch(User.popular(limit: limit)) }
}
