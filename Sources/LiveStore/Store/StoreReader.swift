/// What objects are read from: a ``Store``, a ``Snapshot`` or a ``WriteTransaction``.
///
/// ```swift
/// func unread(_ reader: borrowing some StoreReader & ~Copyable) -> Int {
///   reader.count(Message.where { $0.isUnread })
/// }
/// ```
/// - A snapshot reads its version.
/// - A store reads the version that is the newest at each call, and never waits for a writer. For several reads that must
///   agree, take one ``Store/snapshot()``; to read and write without a commit in between, use a transaction.
/// - A transaction reads what it has written, too, including in indexes. Later writes do not change what it has read.
///
/// An entity that the store was not made with has no objects: ``fetch(_:)`` says so in ``Results/error``, and looking one
/// up by its id fails in debug builds.
///
/// The library provides all conforming types. Do not declare others.
public protocol StoreReader: ~Copyable {
  /// The object with an id, or nil.
  ///
  /// ```swift
  /// let user = store[User.self, id]
  /// ```
  /// - Complexity: O(log *n*), in practice one to three times a dictionary's lookup, and up to
  ///   about five where most rows were deleted or replaced at random.
  subscript<Element: Entity>(_ type: Element.Type, _ id: Element.ID) -> Element? { get }

  /// The existing objects that a list, a set or any sequence of references leads to, in its order.
  ///
  /// ```swift
  /// for tag in snapshot[post.tags] { print(tag.name) }
  /// ```
  /// To look up some of them as they are needed, use `list.lazy.compactMap { snapshot[$0] }`.
  /// - Complexity: O(*k* log *n*) for *k* references.
  subscript<Target: Entity>(_ references: some Sequence<Ref<Target>>) -> [Target] { get }

  /// The existing objects of a map of references, by name.
  ///
  /// - Complexity: O(*k* log *n*) for *k* names.
  subscript<Target: Entity>(_ map: RefMap<Target>) -> [String: Target] { get }

  /// The rows of a query.
  ///
  /// ```swift
  /// let drafts = store.fetch(Post.where { $0.status == .draft })
  /// ```
  /// To be called when the result changes, observe the query.
  /// - Returns: the rows; none if the query cannot be evaluated, and ``Results/error`` says why.
  /// - Complexity: O(1) for a whole table; otherwise as ``Query/explain(in:)`` shows.
  func fetch<Element: Entity>(_ query: Query<Element>) -> Results<Element>

  /// How many rows a query has; 0 if its filter exceeds a limit, which ``fetch(_:)`` reports.
  ///
  /// ```swift
  /// let unread = store.count(Message.where { $0.isUnread })
  /// ```
  /// The query's window applies, so the count is never above its limit.
  func count<Element: Entity>(_ query: Query<Element>) -> Int

  /// The value of any source: groups, sections, an aggregate, a count, an object.
  ///
  /// ```swift
  /// let likes = snapshot.value(of: Post.all.sum(\.likeCount))
  /// let counts = snapshot.value(of: Post.all.grouped(by: \.status).count)
  /// ```
  /// If the filter exceeds a limit there are no rows. Results, sections and groups say so in `error`;
  /// aggregates and counts have their value for no rows.
  /// - Complexity: that of fetching the query; for groups and sections O(*m*) for *m* rows when nothing must be
  ///   sorted, else O(*m* log *m*): for sections, extremes and keys without an order.
  func value<Source: LiveSource>(of source: Source) -> Source.Value

  /// A page of a query's rows.
  ///
  /// ```swift
  /// let posts = Post.sorted(by: \.date, .descending)
  /// let page = try store.page(of: posts, first: 20)
  /// let more = try store.page(of: posts, after: page.next, first: 20)
  /// ```
  /// Pages may be of different versions: a row that stays in its place is on exactly one of them, whatever is inserted
  /// or deleted before it. A query's own limit and offset apply first, at the page's version.
  ///
  /// An optimistic transaction that reads a page depends on all rows of the query. If the sort has ties, a transaction
  /// reads the next page itself: another one may give the places of its rows to other rows.
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
  func page<Element: Entity>(
    of query: Query<Element>, after cursor: PageCursor?, first count: Int
  ) throws(StoreError) -> ResultPage<Element>
}

extension StoreReader where Self: ~Copyable {
  /// The object that a reference leads to; nil when it does not exist.
  ///
  /// - Complexity: O(log *n*).
  @inlinable
  public subscript<Target: Entity>(_ reference: Ref<Target>) -> Target? { self[Target.self, reference.id] }

  /// The object that an optional reference leads to; nil when there is none.
  ///
  /// - Complexity: O(log *n*).
  @inlinable
  public subscript<Target: Entity>(_ reference: Ref<Target>?) -> Target? {
    if let reference { self[Target.self, reference.id] } else { nil }
  }

  /// The existing objects that references lead to, in their order.
  @inlinable
  public subscript<Target: Entity>(_ references: some Sequence<Ref<Target>>) -> [Target] {
    references.compactMap { self[Target.self, $0.id] }
  }

  /// The existing objects of a map of references, by name.
  public subscript<Target: Entity>(_ map: RefMap<Target>) -> [String: Target] {
    Dictionary(uniqueKeysWithValues: map.compactMap { name, reference in self[reference].map { (name, $0) } })
  }

  /// The first row of a query, or nil; nil if its filter exceeds a limit, too, which ``fetch(_:)`` reports.
  ///
  /// ```swift
  /// let newest = snapshot.first(Post.sorted(by: \.date, .descending))
  /// ```
  /// - Complexity: O(log *n*) for a table, or one sorted by an indexed property. A filter is tested until a row passes,
  ///   unless an index serves it or the sort, which is then read for all rows.
  public func first<Element: Entity>(_ query: Query<Element>) -> Element? { fetch(query.limit(1)).first }

  /// Whether a query has a row; false if its filter exceeds a limit, which ``fetch(_:)`` reports.
  ///
  /// ```swift
  /// if snapshot.exists(User.where { $0.name == "Ann" }) { … }
  /// ```
  /// - Complexity: as counting, but it ends at the first row.
  public func exists<Element: Entity>(_ query: Query<Element>) -> Bool { count(query.limit(1)) > 0 }

  /// The objects that link to an object by a property, each once, in insertion order.
  ///
  /// ```swift
  /// let posts = snapshot.backlinks(to: user, from: \Post.author)
  /// ```
  /// - Complexity: O(*k* log *n*) for *k* such objects; nothing is scanned.
  public func backlinks<Source: Entity, Value: RelationValue>(
    to target: Value.Target, from property: SendableKeyPath<Source, Value>
  ) -> Results<Source> {
    fetch(Source.linking(to: target.ref, by: property))
  }

  /// The objects that link to an object by a property of any of an array of embedded values.
  ///
  /// ```swift
  /// let orders = snapshot.backlinks(to: product, from: \Order.items, each: \.product)
  /// ```
  /// - Complexity: O(*k* log *n*) for *k* such objects; nothing is scanned.
  public func backlinks<Source: Entity, Nested, Value: RelationValue>(
    to target: Value.Target, from property: SendableKeyPath<Source, [Nested]>,
    each link: SendableKeyPath<Nested, Value>
  ) -> Results<Source> {
    fetch(Source.linking(to: target.ref, by: property, each: link))
  }
}
