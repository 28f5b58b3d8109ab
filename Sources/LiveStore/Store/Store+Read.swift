// Single reads of the newest version.

extension Store {
  /// The object with an id in the newest version, or nil.
  ///
  /// ```swift
  /// let user = store[User.self, id]
  /// ```
  /// This is `snapshot()[type, id]`: each read uses the version that is then the newest. For several reads that must
  /// agree, take one ``snapshot()``. To read and write without a commit in between, use a transaction.
  /// - Parameters:
  ///   - type: the entity. Reading one that the store was not made with fails in debug builds.
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
  /// This is `snapshot().fetch(query)`: each read uses the version that is then the newest. For several reads that
  /// must agree, take one ``snapshot()``. To be called when the result changes, observe the query.
  /// - Parameter query: the query to evaluate.
  /// - Returns: the rows; none if the query cannot be evaluated, and ``Results/error`` says why.
  /// - Complexity: as that of a snapshot; never waits for a writer.
  public func fetch<Element: Entity>(_ query: Query<Element>) -> Results<Element> {
    snapshot().fetch(query)
  }

  /// How many rows a query has in the newest version; 0 if its filter exceeds a limit, which ``fetch(_:)`` reports.
  ///
  /// ```swift
  /// let unread = store.count(Message.where { $0.isUnread })
  /// ```
  /// This is `snapshot().count(query)`: each read uses the version that is then the newest.
  /// - Parameter query: the query to count. Its window applies, so the count is never above its limit.
  /// - Complexity: as that of a snapshot; never waits for a writer.
  public func count<Element: Entity>(_ query: Query<Element>) -> Int { snapshot().count(query) }
}
