extension Snapshot {
  /// The first row of a query at this version, or nil; nil if its filter exceeds a limit, too, which ``fetch(_:)`` reports.
  ///
  /// ```swift
  /// let newest = snapshot.first(Post.sorted(by: \.date, .descending))
  /// ```
  /// - Complexity: O(log *n*) for a table, or one sorted by an indexed property. A filter is tested until a row passes,
  ///   unless an index serves it or the sort, which is then read for all rows.
  public func first<Element: Entity>(_ query: Query<Element>) -> Element? { fetch(query.limit(1)).first }

  /// Whether a query has a row at this version; false if its filter exceeds a limit, which ``fetch(_:)`` reports.
  ///
  /// ```swift
  /// if snapshot.exists(User.where { $0.name == "Ann" }) { … }
  /// ```
  /// - Complexity: as counting, but it ends at the first row.
  public func exists<Element: Entity>(_ query: Query<Element>) -> Bool { count(query.limit(1)) > 0 }

  /// A page of a query's rows at this version.
  ///
  /// ```swift
  /// let posts = Post.sorted(by: \.date, .descending)
  /// let page = try store.page(of: posts, first: 20)
  /// let more = try store.page(of: posts, after: page.next, first: 20)
  /// ```
  /// Pages may be of different versions: a row that stays in its place is on exactly one of them, whatever is inserted
  /// or deleted before it. A query's own limit and offset apply first, at the page's version.
  /// - Parameters:
  ///   - query: the query; for each page with the same sort.
  ///   - cursor: where the page begins, from the page before; nil for the first.
  ///   - count: how many rows the page has at most, at least 1.
  /// - Returns: the rows, and the cursor of the next page if there is one. If the query cannot be evaluated,
  ///   ``Results/error`` of the rows says why.
  /// - Throws: `invalidCursor` if the cursor is one of another entity or sort, or a value that the query sorts by is
  ///   not `Codable`.
  /// - Complexity: O(log *n*) plus the page without a sort, or sorted by one indexed property; with a filter, plus the
  ///   rows that it is tested for. Otherwise, and with a window, as that of fetching the query.
  public func page<Element: Entity>(
    of query: Query<Element>, after cursor: PageCursor? = nil, first count: Int
  ) throws(StoreError) -> ResultPage<Element> {
    try state.context.page(of: query, after: cursor, first: count, in: state)
  }
}

extension Store {
  /// The first row of a query in the newest version, or nil; as ``Snapshot/first(_:)``.
  ///
  /// - Complexity: as that of a snapshot; never waits for a writer.
  public func first<Element: Entity>(_ query: Query<Element>) -> Element? { snapshot().first(query) }

  /// Whether a query has a row in the newest version; as ``Snapshot/exists(_:)``.
  ///
  /// - Complexity: as that of a snapshot; never waits for a writer.
  public func exists<Element: Entity>(_ query: Query<Element>) -> Bool { snapshot().exists(query) }

  /// A page of a query's rows in the newest version; as ``Snapshot/page(of:after:first:)``.
  ///
  /// - Parameters:
  ///   - query: the query; for each page with the same sort.
  ///   - cursor: where the page begins, from the page before; nil for the first.
  ///   - count: how many rows the page has at most, at least 1.
  /// - Throws: `invalidCursor`.
  /// - Complexity: as that of a snapshot; never waits for a writer.
  public func page<Element: Entity>(
    of query: Query<Element>, after cursor: PageCursor? = nil, first count: Int
  ) throws(StoreError) -> ResultPage<Element> {
    try snapshot().page(of: query, after: cursor, first: count)
  }
}

extension WriteTransaction {
  /// The first row of a query, including what this transaction has written; as ``Snapshot/first(_:)``.
  public func first<Element: Entity>(_ query: Query<Element>) -> Element? { fetch(query.limit(1)).first }

  /// Whether a query has a row, including what this transaction has written; as ``Snapshot/exists(_:)``.
  public func exists<Element: Entity>(_ query: Query<Element>) -> Bool { count(query.limit(1)) > 0 }

  /// A page of a query's rows, including what this transaction has written; as ``Snapshot/page(of:after:first:)``.
  ///
  /// An optimistic transaction that reads a page depends on all rows of the query. If the sort has ties, read
  /// the next page in the same transaction: another transaction may give the places of its rows to other
  /// rows.
  /// - Parameters:
  ///   - query: the query; for each page with the same sort.
  ///   - cursor: where the page begins, from the page before; nil for the first.
  ///   - count: how many rows the page has at most, at least 1.
  /// - Throws: `invalidCursor`.
  public func page<Element: Entity>(
    of query: Query<Element>, after cursor: PageCursor? = nil, first count: Int
  ) throws(StoreError) -> ResultPage<Element> {
    if let trace = state.trace { trace.read(query, state.results(of: query)) }
    let frozen = state.asState
    return try frozen.context.page(
      of: query, after: cursor, first: count, in: frozen, transaction: state.identity)
  }
}
