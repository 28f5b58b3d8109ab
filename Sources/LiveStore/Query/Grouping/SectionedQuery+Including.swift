extension SectionedQuery {
  /// The same sections, of which those of some keys are there without rows, too: the columns of a board.
  ///
  /// ```swift
  /// let board = Card.sorted(by: \.rank).sectioned(by: \.status).including(Status.allCases)
  /// ```
  /// They stand in the order of all keys, and are never among the section deletions and insertions of a change set.
  /// - Parameter keys: the keys, in any order; one given twice counts once. Calling this again adds keys.
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

  /// The same sections of another window of the rows.
  package func window(offset: Int, limit: Int?) -> SectionedQuery {
    SectionedQuery(query: query.window(offset: offset, limit: limit), key: key, included: included)
  }
}

extension Query {
  /// Puts the rows in sections by a property; the sections of some keys are there without rows, too.
  ///
  /// ```swift
  /// let board = Card.sorted(by: \.rank).sectioned(by: \.status, including: Status.allCases)
  /// ```
  /// Sections of other keys are there as long as they have rows.
  /// - Parameters:
  ///   - keyPath: the property that rows of one section have in common, also over links: `\.author.name`.
  ///   - keys: the keys of the sections that are always there, in any order; one given twice counts once.
  /// - Complexity: as ``SectionedQuery/including(_:)``.
  public func sectioned<Key: Comparable & Hashable & Sendable>(
    by keyPath: KeyPath<Row<Element>, Expr<Key>>, including keys: some Sequence<Key>
  ) -> SectionedQuery<Element, Key> {
    sectioned(by: keyPath).including(keys)
  }

  /// Puts the rows in sections by an optional property; the sections of some keys are there without rows, too.
  ///
  /// - Parameters:
  ///   - keyPath: the property that rows of one section have in common.
  ///   - keys: the keys of the sections that are always there, nil among them if it is given.
  /// - Complexity: as ``SectionedQuery/including(_:)``.
  public func sectioned<Key: Comparable & Hashable & Sendable>(
    by keyPath: KeyPath<Row<Element>, Expr<Key?>>, including keys: some Sequence<Key?>
  ) -> SectionedQuery<Element, Key?> {
    sectioned(by: keyPath).including(keys)
  }

  /// Puts the rows in sections by an enumeration, in the order in which its cases are declared; those of some cases are
  /// there without rows, too.
  ///
  /// - Parameters:
  ///   - keyPath: the property that rows of one section have in common.
  ///   - keys: the cases whose sections are always there, in any order: `Status.allCases` for all.
  /// - Complexity: as ``SectionedQuery/including(_:)``.
  @_disfavoredOverload
  public func sectioned<Key: OrderedCases>(
    by keyPath: KeyPath<Row<Element>, Expr<Key>>, including keys: some Sequence<Key>
  ) -> SectionedQuery<Element, Key> {
    sectioned(by: keyPath).including(keys)
  }

  /// Puts the rows in sections by an optional enumeration, nil first; the sections of some keys are there without rows,
  /// too.
  ///
  /// - Parameters:
  ///   - keyPath: the property that rows of one section have in common.
  ///   - keys: the cases whose sections are always there, nil among them if it is given.
  /// - Complexity: as ``SectionedQuery/including(_:)``.
  @_disfavoredOverload
  public func sectioned<Key: OrderedCases>(
    by keyPath: KeyPath<Row<Element>, Expr<Key?>>, including keys: some Sequence<Key?>
  ) -> SectionedQuery<Element, Key?> {
    sectioned(by: keyPath).including(keys)
  }

  /// Puts the rows in sections by a Boolean property, false first; both may be there without rows.
  ///
  /// - Parameters:
  ///   - keyPath: the property that rows of one section have in common.
  ///   - keys: the values whose sections are always there: `[false, true]` for both.
  /// - Complexity: as ``SectionedQuery/including(_:)``.
  public func sectioned(
    by keyPath: KeyPath<Row<Element>, Expr<Bool>>, including keys: some Sequence<Bool>
  ) -> SectionedQuery<Element, Bool> {
    sectioned(by: keyPath).including(keys)
  }

  /// Puts the rows in sections by what a closure makes of them; the sections of some keys are there without rows, too.
  ///
  /// The closure must be pure. It equals only itself, so keep the sectioned query to share what is maintained.
  /// - Parameters:
  ///   - keys: the keys of the sections that are always there, in any order; one given twice counts once.
  ///   - key: the key of the section that an object stands in.
  /// - Complexity: as ``SectionedQuery/including(_:)``; upkeep calls the closure for each row that changed, before and
  ///   after.
  public func sectioned<Key: Comparable & Hashable & Sendable>(
    including keys: some Sequence<Key>, by key: @escaping @Sendable (Element) -> Key
  ) -> SectionedQuery<Element, Key> {
    sectioned(by: key).including(keys)
  }

  /// Puts the rows in sections by the case that a closure makes of them, in the order in which the cases are declared;
  /// the sections of some cases are there without rows, too.
  ///
  /// ```swift
  /// let agenda = Card.sorted(by: \.title).sectioned(including: Due.allCases) { (card: Card) in
  ///   card.due.map { $0 < tomorrow ? Due.today : .later } ?? .someDay
  /// }
  /// ```
  /// The closure must be pure. It equals only itself, so keep the sectioned query to share what is maintained.
  /// - Parameters:
  ///   - keys: the keys of the sections that are always there, in any order; one given twice counts once.
  ///   - key: the key of the section that an object stands in.
  /// - Complexity: as ``SectionedQuery/including(_:)``; upkeep calls the closure for each row that changed, before and
  ///   after.
  @_disfavoredOverload
  public func sectioned<Key: OrderedCases>(
    including keys: some Sequence<Key>, by key: @escaping @Sendable (Element) -> Key
  ) -> SectionedQuery<Element, Key> {
    sectioned(by: key).including(keys)
  }
}
