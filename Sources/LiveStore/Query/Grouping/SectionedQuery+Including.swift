extension SectionedQuery {
  /// The same sections; sections of some keys exist even without rows: the columns of a board.
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
