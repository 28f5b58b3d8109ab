extension SectionedQuery {
  /// The same sections, with those of some keys existing even without rows: the columns of a board.
  ///
  /// ```swift
  /// let board = Card.sorted(by: \.rank).sectioned(by: \.status).including(Status.allCases)
  /// ```
  /// All sections are in the order of their keys. Included ones are never among a change set's section deletions and
  /// insertions.
  /// - Parameter keys: the keys, in any order; duplicates count once. A second call adds keys.
  /// - Complexity: results of a query cost O(*k* log *s*) for *k* keys among *s* sections.
  public func including(_ keys: some Sequence<Key>) -> SectionedQuery {
    var query = self
    query.included = (included + keys).sorted { key.rule.compare($0, $1) < 0 }
    for index in query.included.indices.dropFirst().reversed()
    where key.rule.compare(query.included[index - 1], query.included[index]) == 0 {
      query.included.remove(at: index)
    }
    return query
  }

  /// The same sections over another window of the rows.
  package func window(offset: Int, limit: Int?) -> SectionedQuery {
    SectionedQuery(query: query.window(offset: offset, limit: limit), key: key, included: included)
  }
}

extension Query {
  /// Divides the rows into sections by a property; the sections of some keys exist even without rows.
  ///
  /// ```swift
  /// let board = Card.sorted(by: \.rank).sectioned(by: \.status, including: Status.allCases)
  /// ```
  /// Sections of other keys exist as long as they have rows.
  /// - Parameters:
  ///   - keyPath: the common property of a section's rows, also over links: `\.author.name`.
  ///   - keys: the keys of the sections that always exist, in any order; duplicates count once.
  /// - Complexity: as ``SectionedQuery/including(_:)``.
  public func sectioned<Key: Comparable & Hashable & Sendable>(
    by keyPath: KeyPath<Row<Element>, Expr<Key>>, including keys: some Sequence<Key>
  ) -> SectionedQuery<Element, Key> {
    sectioned(by: keyPath).including(keys)
  }

  /// Divides the rows into sections by an optional property; the sections of some keys exist even without rows.
  ///
  /// - Parameters:
  ///   - keyPath: the common property of a section's rows.
  ///   - keys: the keys of the sections that always exist; nil may be one of them.
  /// - Complexity: as ``SectionedQuery/including(_:)``.
  public func sectioned<Key: Comparable & Hashable & Sendable>(
    by keyPath: KeyPath<Row<Element>, Expr<Key?>>, including keys: some Sequence<Key?>
  ) -> SectionedQuery<Element, Key?> {
    sectioned(by: keyPath).including(keys)
  }

  /// Divides the rows into sections by an enumeration, in the order in which its cases are declared; the sections of
  /// some cases exist even without rows.
  ///
  /// - Parameters:
  ///   - keyPath: the common property of a section's rows.
  ///   - keys: the cases whose sections always exist, in any order: `Status.allCases` for all.
  /// - Complexity: as ``SectionedQuery/including(_:)``.
  @_disfavoredOverload
  public func sectioned<Key: OrderedCases>(
    by keyPath: KeyPath<Row<Element>, Expr<Key>>, including keys: some Sequence<Key>
  ) -> SectionedQuery<Element, Key> {
    sectioned(by: keyPath).including(keys)
  }

  /// Divides the rows into sections by an optional enumeration, nil first; the sections of some keys exist even
  /// without rows.
  ///
  /// - Parameters:
  ///   - keyPath: the common property of a section's rows.
  ///   - keys: the cases whose sections always exist; nil may be one of them.
  /// - Complexity: as ``SectionedQuery/including(_:)``.
  @_disfavoredOverload
  public func sectioned<Key: OrderedCases>(
    by keyPath: KeyPath<Row<Element>, Expr<Key?>>, including keys: some Sequence<Key?>
  ) -> SectionedQuery<Element, Key?> {
    sectioned(by: keyPath).including(keys)
  }

  /// Divides the rows into sections by a Boolean property, false first; both may exist without rows.
  ///
  /// - Parameters:
  ///   - keyPath: the common property of a section's rows.
  ///   - keys: the values whose sections always exist: `[false, true]` for both.
  /// - Complexity: as ``SectionedQuery/including(_:)``.
  public func sectioned(
    by keyPath: KeyPath<Row<Element>, Expr<Bool>>, including keys: some Sequence<Bool>
  ) -> SectionedQuery<Element, Bool> {
    sectioned(by: keyPath).including(keys)
  }

  /// Divides the rows into sections by the result of a closure; the sections of some keys exist even without rows.
  ///
  /// The closure must be pure. It equals only itself, so reuse the sectioned query to share the maintained result.
  /// - Parameters:
  ///   - keys: the keys of the sections that always exist, in any order; duplicates count once.
  ///   - key: the key of an object's section.
  /// - Complexity: as ``SectionedQuery/including(_:)``; upkeep calls the closure for each changed row, before and
  ///   after.
  public func sectioned<Key: Comparable & Hashable & Sendable>(
    including keys: some Sequence<Key>, by key: @escaping @Sendable (Element) -> Key
  ) -> SectionedQuery<Element, Key> {
    sectioned(by: key).including(keys)
  }

  /// Divides the rows into sections by the case that a closure returns, in the order in which the cases are declared;
  /// the sections of some cases exist even without rows.
  ///
  /// ```swift
  /// let agenda = Card.sorted(by: \.title).sectioned(including: Due.allCases) { (card: Card) in
  ///   card.due.map { $0 < tomorrow ? Due.today : .later } ?? .someDay
  /// }
  /// ```
  /// The closure must be pure. It equals only itself, so reuse the sectioned query to share the maintained result.
  /// - Parameters:
  ///   - keys: the keys of the sections that always exist, in any order; duplicates count once.
  ///   - key: the key of an object's section.
  /// - Complexity: as ``SectionedQuery/including(_:)``; upkeep calls the closure for each changed row, before and
  ///   after.
  @_disfavoredOverload
  public func sectioned<Key: OrderedCases>(
    including keys: some Sequence<Key>, by key: @escaping @Sendable (Element) -> Key
  ) -> SectionedQuery<Element, Key> {
    sectioned(by: key).including(keys)
  }
}
