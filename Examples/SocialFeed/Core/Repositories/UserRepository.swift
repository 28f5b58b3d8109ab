public import LiveStore

/// Users, and who follows whom.
public struct UserRepository: Repository {
  /// Where they are kept.
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

  /// Deletes a user together with all they said, and with that the replies to it; their posts stay.
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
  /// Has a user follow another; false if they did already.
  ///
  /// - Throws: `notFound` without the one, `missingLinkTarget` without the other, `followsOneself`.
  @discardableResult
  public func follow(_ other: User.ID, by id: User.ID) async throws -> Bool {
    if other == id { throw SocialError.followsOneself }
    return try await store.write { tx in
      try tx.update(User.self, id) { $0.follows.insert(Ref(other)).inserted }
    }
  }

  /// Has a user follow another no more; false if they did not.
  @discardableResult
  public func unfollow(_ other: User.ID, by id: User.ID) async throws -> Bool {
    try await store.write { tx in
      try tx.update(User.self, id) { $0.follows.remove(Ref(other)) != nil }
    }
  }

  /// Whom a user follows.
  public func following(_ id: User.ID) -> Results<User> { fetch(User.followed(by: id)) }

  /// Who follows a user.
  public func followers(of id: User.ID) -> Results<User> { fetch(User.followers(of: id)) }

  /// Those who follow a user and are followed by them.
  public func mutuals(of id: User.ID) -> Results<User> { fetch(User.mutuals(of: id)) }

  /// What those whom a user follows have published, the latest first.
  public func feed(of id: User.ID, limit: Int = 20) -> Results<Post> {
    store.snapshot().fetch(Post.feed(of: id).limit(limit))
  }
}

// MARK: Figures

/// What a profile shows of a user.
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
  /// What a profile shows of a user, all at one version.
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
