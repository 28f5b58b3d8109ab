// Reads of the newest version, each by itself.

extension Store {
  /// The object with an id in the newest version, or nil.
  ///
  /// ```swift
  /// let user = store[User.self, id]
  /// ```
  /// This is `snapshot()[type, id]`: each read by itself is of the version that is the newest then. For several reads
  /// that have to agree take one ``snapshot()``; to read and write without a commit between, use a transaction.
  /// - Parameters:
  ///   - type: the entity. Asking for one that the store was not made with fails in debug builds.
  ///   - id: the object's id.
  /// - Complexity: O(log *n*); never waits for a writer.
  public subscript<Element: Entity>(_ type: Element.Type, _ id: Element.ID) -> Element? {
    snapshot()[type, id]
  }

  /// The rows of a query in the newest version, pinned to it.
  ///
  /// ```swift
  /// let drafts = store.fetch(Post.where { $0.status == .draft })
  /// ```
  /// This is `snapshot().fetch(query)`: each read by itself is of the version that is the newest then. For several
  /// reads that have to agree take one ``snapshot()``; to be called when the result changes, observe the query.
  /// - Parameter query: what to find.
  /// - Returns: the rows. If the query cannot be answered, they are none, and ``Results/error`` says why.
  /// - Complexity: as that of a snapshot; never waits for a writer.
  public func fetch<Element: Entity>(_ query: Query<Element>) -> Results<Element> {
    snapshot().fetch(query)
  }

  /// How many rows a query has in the newest version.
  ///
  /// ```swift
  /// let unread = store.count(Message.where { $0.isUnread })
  /// ```
  /// This is `snapshot().count(query)`: each read by itself is of the version that is the newest then.
  /// - Parameter query: what to count; its window counts, so a query with a limit has no more rows than that.
  /// - Complexity: as that of a snapshot; never waits for a writer.
  public func count<Element: Entity>(_ query: Query<Element>) -> Int { snapshot().count(query) }
}
