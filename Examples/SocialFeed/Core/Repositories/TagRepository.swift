public import LiveStore

/// Tags.
public struct TagRepository: Repository {
  /// The store of the tags.
  public let store: Store

  /// The tags of a store.
  public init(store: Store) { self.store = store }

  /// Tags have a name.
  public func validate(_ tag: Tag, in tx: borrowing WriteTransaction) throws {
    if tag.key.isEmpty { throw SocialError.empty(property: "name") }
  }

  /// The tag of a name, however it is capitalised.
  public func find(name: String) -> Tag? { fetch(Tag.named(name)).first }

  /// The tag of a name, however it is capitalised; created if it does not exist.
  ///
  /// Lookup and creation are one transaction, so two tasks that want the same new tag get the same one.
  public func findOrCreate(_ name: String) async throws -> Tag {
    try await store.write { tx in try findOrCreate(name, in: tx) }
  }

  /// The tags of some names, in their order.
  public func findOrCreate(_ names: [String]) async throws -> [Tag] {
    try await store.write { tx in try names.map { try findOrCreate($0, in: tx) } }
  }

  /// The same as part of a transaction, which sees the tags that it has created itself.
  public func findOrCreate(_ name: String, in tx: borrowing WriteTransaction) throws -> Tag {
    if let tag = tx.fetch(Tag.named(name)).first { return tag }
    let tag = Tag(name: name)
    try tx.insert(tag)
    try validate(tag, in: tx)
    return tag
  }
}

// MARK: Figures

/// A tag, and how many posts have it.
public struct TagUse: Hashable, Sendable {
  /// The tag.
  public var tag: Tag
  /// How many posts have it.
  public var count: Int
}

extension TagRepository {
  /// The tags of the most posts, with their number.
  public func mostUsed(limit: Int = 10) -> [TagUse] {
    let snapshot = store.snapshot()
    return snapshot.fetch(Tag.mostUsed(limit: limit)).map { tag in
      TagUse(tag: tag, count: snapshot.backlinks(to: tag, from: \Post.tags).count)
    }
  }
}
