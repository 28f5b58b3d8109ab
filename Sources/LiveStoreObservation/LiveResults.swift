public import LiveStore
public import Observation

/// A query's results for a view: always current, observable, on the main actor.
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
/// The first read has rows already, unless many are visited to find them (``InitialValue``). Nothing starts before a
/// property is first read, so creating one is cheap: it may be a view's `@State`, a member of another model, or be used
/// without a view. One event of the store invalidates each reader once at most, and only by what the reader reads.
///
/// For actors other than the main actor, use ``LiveModel``.
@MainActor @Observable
public final class LiveResults<Element: Entity> {
  private let model: LiveModel<Results<Element>, CollectionChange<Element>>
  @ObservationIgnored private let pageSize: Int?

  /// Makes live results. The store is not read before the model is.
  ///
  /// - Parameters:
  ///   - store: where the objects are.
  ///   - query: the query to show.
  ///   - initial: whether the first read loads the results at once, or in the background; by default at once where few rows
  ///     are visited, so that a first frame is not empty: see ``InitialValue/automatic``.
  ///   - origin: the origin of edits through this model.
  ///   - fileID: where the model is made, for `Store.inspection`; leave it out.
  ///   - line: the line in that file; leave it out.
  public init(
    _ store: Store, _ query: Query<Element>, initial: InitialValue = .automatic,
    origin: String = Store.interfaceOrigin, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    self.query = query
    pageSize = query.limit
    model = LiveModel(store, ModelSources(paging: query), initial, origin, MainActor.shared, fileID, line)
  }

  /// The query shown. Setting it keeps the old results until the new ones have arrived; the change between them is a
  /// change set, too.
  public var query: Query<Element> {
    didSet { if query != oldValue { model.follow(ModelSources(paging: query)) } }
  }

  /// The newest results, pinned to their version; empty until the first have arrived.
  public var elements: Results<Element> { model.value ?? model.store.emptyResults() }

  /// The change from the previous results to these; nil for the first ones, and after a write by code on the main
  /// actor.
  public var lastChange: ChangeSet<Element>? { model.lastChange?.changes }

  /// The version of the results; nil until the first have arrived.
  public var version: Version? { model.version }

  /// Whether the first results, or the first of another query, have not arrived yet.
  public var isLoading: Bool { model.isLoading }

  /// The reason why no more results follow, until ``refresh()`` retries.
  public var error: StoreError? { model.error }

  /// The object with an id, if it is among the results. Its reader is invalidated only when this object is inserted,
  /// deleted or modified.
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
  /// The maximum number of results shown; nil for all. Another window of the same rows is available at once.
  ///
  /// A number below 0 counts as 0.
  public var limit: Int? {
    get { query.limit }
    set { query = query.window(offset: query.offset, limit: newValue) }
  }

  /// How many results are skipped before the first one shown; 0 for none.
  public var offset: Int {
    get { query.offset }
    set { query = query.window(offset: newValue, limit: query.limit) }
  }

  /// How many results there are without the window; 0 until the first have arrived.
  ///
  /// Never older than ``elements``: changes outside the window only change this number. Its reader is invalidated
  /// when the number changes.
  /// - Complexity: O(1) to read. It keeps all rows of the query maintained, not only those of the window: O(*k* log
  ///   *m*) for *k* changed rows.
  public var totalCount: Int { model.total ?? 0 }

  /// Whether there are results after those shown, which ``loadMore(_:)`` would show; false until the first have
  /// arrived.
  ///
  /// It does not count the results that ``offset`` skips. Its reader is invalidated when results are inserted or
  /// deleted, like that of ``elements``, and when ``totalCount`` changes.
  ///
  /// ```swift
  /// List(posts.elements) { … }
  /// if posts.hasMore { Button("More of \(posts.totalCount)") { posts.loadMore() } }
  /// ```
  public var hasMore: Bool {
    elements.window.ranks.upperBound < totalCount
  }

  /// Shows more results at the end if the query has a limit; otherwise does nothing.
  ///
  /// - Parameter count: how many more; a negative count is 0. Nil for as many as the first query's limit; without
  ///   that limit, nothing happens.
  /// - Complexity: O(1): all rows are maintained already, and the longer window is available at once.
  public func loadMore(_ count: Int? = nil) {
    guard let limit, let more = count ?? pageSize else { return }
    let (sum, isOver) = limit.addingReportingOverflow(max(0, more))
    self.limit = isOver ? .max : sum
  }
}

// MARK: Control

extension LiveResults {
  /// Holds the results as they are until ``resume()``.
  public func pause() { model.pause() }

  /// Updates the results with one merged change, and continues.
  public func resume() { model.resume() }

  /// Updates the results at once, as before a write that depends on them.
  public func refresh() { model.refresh() }

  /// Writes with the origin of these results. As after any write by code on the main actor, every model of this store
  /// on the main actor shows the edit when this returns, with a ``lastChange`` of nil.
  ///
  /// ```swift
  /// try posts.edit { tx in try tx.delete(Post.self, id) }
  /// ```
  /// - Parameter body: what to write.
  /// - Returns: what the body returns.
  /// - Throws: whatever the body throws, unchanged, and the errors of a blocking `write`; then nothing changed.
  @discardableResult
  public func edit<Result>(_ body: (inout WriteTransaction) throws -> Result) throws -> Result {
    try model.edit(body)
  }

  /// The same for a body without a result. Its last line may be any call, such as a deletion.
  public func edit(_ body: (inout WriteTransaction) throws -> Void) throws { try model.edit(body) }
}
