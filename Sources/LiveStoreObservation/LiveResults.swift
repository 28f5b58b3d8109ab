public import LiveStore
public import Observation

/// A query's results for a view: always the newest, observable, on the main actor.
///
/// ```swift
/// @MainActor @Observable final class PostListModel {
///   let posts: LiveResults<Post>
///   init(store: Store) {
///     posts = LiveResults(store, Post.where { $0.isPublished == true }.sorted(by: \.createdAt, .descending))
///   }
///   func search(_ text: String) {
///     posts.query = Post.where { $0.title.contains(text, options: [.caseInsensitive]) }
///   }
/// }
/// ```
/// Nothing starts before a property is first read, so making one costs nothing: it may be a view's `@State`, a
/// member of a model of yours, or be used without any view. One event of the store invalidates its readers once,
/// and each reader only by what it reads.
///
/// For other actors than the main one there is ``LiveModel``, of which this is made.
@MainActor @Observable
public final class LiveResults<Element: Entity> {
  private let model: LiveModel<Results<Element>, CollectionChange<Element>>
  @ObservationIgnored private let pageSize: Int?

  /// Makes live results; the store is not asked before they are first read.
  ///
  /// - Parameters:
  ///   - store: where the objects are.
  ///   - query: what to show.
  ///   - initial: whether the first read finds the results at once, so that a first frame is never empty, or
  ///     begins to load them.
  ///   - origin: what edits through this model are tagged with.
  public init(
    _ store: Store, _ query: Query<Element>, initial: InitialValue = .deferred,
    origin: String = Store.interfaceOrigin
  ) {
    self.query = query
    pageSize = query.limit
    model = LiveModel(store, FollowedSources(paging: query), initial, origin, MainActor.shared)
  }

  /// What is shown. Setting it keeps the old results until the new ones are there; the change between them is a
  /// change set too.
  public var query: Query<Element> {
    didSet { if query != oldValue { model.follow(FollowedSources(paging: query)) } }
  }

  /// The newest results, pinned to their version; empty until the first have come.
  public var elements: Results<Element> { model.value ?? model.store.emptyResults() }

  /// What led from the results before to these; nil for the first ones, and after what code on the main actor wrote.
  public var lastChange: ChangeSet<Element>? { model.lastChange?.changes }

  /// The version of the results; nil until the first have come.
  public var version: Version? { model.version }

  /// Whether the first results, or the first of another query, have not come yet.
  public var isLoading: Bool { model.isLoading }

  /// Why there will be no more results, until ``refresh()`` asks anew.
  public var error: StoreError? { model.error }

  /// The object with an id, if it is among the results. Its reader is invalidated when this object comes, goes or
  /// changes, and by nothing else.
  ///
  /// ```swift
  /// struct PostRow: View {
  ///   let posts: LiveResults<Post>, id: Post.ID
  ///   var body: some View { Text(posts[id: id]?.title ?? "") }
  /// }
  /// ```
  /// - Complexity: O(log *n*).
  public subscript(id id: Element.ID) -> Element? {
    model.access(part: id)
    return model.state.value?[id: id]
  }
}

// MARK: The window

extension LiveResults {
  /// How many results are shown at most; nil for all. Another window of the same rows is there at once.
  ///
  /// A number below 0 counts as 0.
  public var limit: Int? {
    get { query.limit }
    set { query = query.window(offset: query.offset, limit: newValue) }
  }

  /// How many results are skipped before the first that is shown; 0 for none.
  public var offset: Int {
    get { query.offset }
    set { query = query.window(offset: newValue, limit: query.limit) }
  }

  /// How many results there are without the window, however few are shown; 0 until the first have come.
  ///
  /// Never older than ``elements``: what happens beside the window changes it alone. Its reader is invalidated when
  /// the number changes.
  /// - Complexity: O(1) to read. Following it keeps all rows of the query up to date, not only those of the window:
  ///   O(*k* log *m*) for *k* rows that changed.
  public var totalCount: Int { model.total ?? 0 }

  /// Whether there are results behind those shown, which ``loadMore(_:)`` would show; false until the first have come.
  ///
  /// It says nothing of those that ``offset`` skips. Its reader is invalidated when results come or go, as that of
  /// ``elements``, and when ``totalCount`` changes.
  ///
  /// ```swift
  /// List(posts.elements) { … }
  /// if posts.hasMore { Button("More of \(posts.totalCount)") { posts.loadMore() } }
  /// ```
  public var hasMore: Bool {
    elements.window.ranks.upperBound < totalCount
  }

  /// Shows more results at the end, if the query has a limit; without one it does nothing.
  ///
  /// - Parameter count: how many more; one below 0 counts as 0. Nil for as many as the first query's limit, so that
  ///   without that limit nothing happens.
  /// - Complexity: O(1): all rows are maintained already, and the longer window is there at once.
  public func loadMore(_ count: Int? = nil) {
    guard let limit, let more = count ?? pageSize else { return }
    let (sum, isOver) = limit.addingReportingOverflow(max(0, more))
    self.limit = isOver ? .max : sum
  }
}

// MARK: Control

extension LiveResults {
  /// Keeps the results as they are until ``resume()``.
  public func pause() { model.pause() }

  /// Brings the results up to date with one merged change, and goes on.
  public func resume() { model.resume() }

  /// Brings the results up to date at once, as before a write that depends on them.
  public func refresh() { model.refresh() }

  /// Writes by the origin given to these results. As after any write of code on the main actor, every model of this
  /// store on the main actor shows the edit when this returns, and it is no ``lastChange``.
  ///
  /// ```swift
  /// try posts.edit { tx in try tx.delete(Post.self, id) }
  /// ```
  /// - Parameter body: what to write.
  /// - Returns: what the body returns.
  /// - Throws: whatever the body throws, unchanged, and what a blocking `write` does; then nothing changed.
  @discardableResult
  public func edit<Result>(_ body: (inout WriteTransaction) throws -> Result) throws -> Result {
    try model.edit(body)
  }

  /// The same, where nothing is to be given back: the last line may be any, such as a deletion.
  public func edit(_ body: (inout WriteTransaction) throws -> Void) throws { try model.edit(body) }
}
