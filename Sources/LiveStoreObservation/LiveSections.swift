public import LiveStore
public import Observation

/// A query's rows in sections, for a view with headers.
///
/// ```swift
/// let byStatus = LiveSections(store, Post.sorted(by: \.title).sectioned(by: \.status))
/// for section in byStatus.sections { … }
/// ```
/// Nothing starts before the first read.
@MainActor @Observable
public final class LiveSections<Key: Hashable & Sendable, Element: Entity> {
  @ObservationIgnored private let pageSize: Int?
  private let model: LiveModel<SectionedResults<Key, Element>, SectionedChange<Key, Element>>

  /// Makes live sections; the store is not asked before they are first read.
  ///
  /// - Parameters:
  ///   - store: where the objects are.
  ///   - query: what to show.
  ///   - initial: whether the first read finds the sections at once, or begins to load them.
  ///   - origin: what edits through this model are tagged with.
  public init(
    _ store: Store, _ query: SectionedQuery<Element, Key>, initial: InitialValue = .deferred,
    origin: String = Store.interfaceOrigin
  ) {
    self.query = query
    pageSize = query.query.limit
    model = LiveModel(store, FollowedSources(paging: query), initial, origin, MainActor.shared)
  }

  /// What is shown. Setting it keeps the old sections until the new ones are there.
  public var query: SectionedQuery<Element, Key> {
    didSet { if query != oldValue { model.follow(FollowedSources(paging: query)) } }
  }

  /// The newest sections, pinned to their version; none until the first have come.
  public var sections: SectionedResults<Key, Element> { model.value ?? model.store.emptySections(query) }

  /// What led from the sections before to these; nil for the first ones, and after what code on the main actor wrote.
  public var lastChange: SectionedChangeSet<Key, Element>? { model.lastChange?.changes }

  /// The version of the sections; nil until the first have come.
  public var version: Version? { model.version }

  /// Whether the first sections, or the first of another query, have not come yet.
  public var isLoading: Bool { model.isLoading }

  /// Why there will be no more sections; `closed` once the store is.
  public var error: StoreError? { model.error }

  /// The object with an id, if it is in a section. Its reader is invalidated when this object comes, goes or
  /// changes, and by nothing else.
  ///
  /// - Complexity: O(log *n*).
  public subscript(id id: Element.ID) -> Element? {
    model.access(part: id)
    return model.state.value?.results[id: id]
  }

  /// Keeps the sections as they are until ``resume()``.
  public func pause() { model.pause() }

  /// Brings the sections up to date with one merged change, and goes on.
  public func resume() { model.resume() }

  /// Brings the sections up to date at once.
  public func refresh() { model.refresh() }
}

// MARK: The window

extension LiveSections {
  /// How many rows are shown at most, in all sections together; nil for all, and a number below 0 counts as 0.
  ///
  /// The rows of another window come as those of another query do: soon after, or by ``refresh()`` at once.
  public var limit: Int? {
    get { query.query.limit }
    set { query = query.window(offset: query.query.offset, limit: newValue) }
  }

  /// How many rows there are without the window, however few are shown; 0 until the first have come.
  ///
  /// Never older than ``sections``: what happens beside the window changes it alone. Its reader is invalidated when
  /// the number changes. Rows are counted, not sections.
  /// - Complexity: O(1) to read. Following it keeps all rows of the query up to date, not only those of the window:
  ///   O(*k* log *m*) for *k* rows that changed.
  public var totalCount: Int { model.total ?? 0 }

  /// Whether there are rows behind those shown, which ``loadMore(_:)`` would show; false until the first have come.
  ///
  /// Its reader is invalidated when rows come or go, as that of ``sections``, and when ``totalCount`` changes.
  public var hasMore: Bool {
    // Not read of `query`: whether it is another matters only when its sections are there. An offset beyond all rows
    // has nothing behind it.
    let (end, isOver) = _query.query.offset.addingReportingOverflow(sections.results.count)
    return !isOver && end < totalCount
  }

  /// Shows more rows at the end of the query's order, if it has a limit; without one it does nothing.
  ///
  /// - Parameter count: how many more, in all sections together; one below 0 counts as 0. Nil for as many as the first
  ///   query's limit, so that without that limit nothing happens.
  public func loadMore(_ count: Int? = nil) {
    guard let limit, let more = count ?? pageSize else { return }
    let (sum, isOver) = limit.addingReportingOverflow(max(0, more))
    self.limit = isOver ? .max : sum
  }
}

// MARK: Editing

extension LiveSections {
  /// Writes by the origin given to these sections. As after any write of code on the main actor, every model of this
  /// store on the main actor shows the edit when this returns, and it is no ``lastChange``.
  ///
  /// ```swift
  /// try board.edit { tx in try tx.update(Card.self, id) { $0.status = .done } }
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
