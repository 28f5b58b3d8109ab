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
public final class LiveSections<Element: Entity, Key: Hashable & Sendable> {
  @ObservationIgnored private let pageSize: Int?
  private let model: LiveModel<SectionedResults<Element, Key>, SectionedChange<Element, Key>>

  /// Makes live sections. The store is not read before the model is.
  ///
  /// - Parameters:
  ///   - store: where the objects are.
  ///   - query: the query to show.
  ///   - initial: whether the first read loads the sections at once, or in the background; by default at once where few rows
  ///     are visited, so that a first frame is not empty: see ``InitialValue/automatic``.
  ///   - origin: the origin of edits through this model.
  ///   - fileID: where the model is made, for `Store.inspection`; leave it out.
  ///   - line: the line in that file; leave it out.
  public init(
    _ store: Store, _ query: SectionedQuery<Element, Key>, initial: InitialValue = .automatic,
    origin: String = Store.interfaceOrigin, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    self.query = query
    pageSize = query.query.limit
    model = LiveModel(store, ModelSources(paging: query), initial, origin, MainActor.shared, fileID, line)
  }

  /// The query shown. Setting it keeps the old sections until the new ones have arrived.
  public var query: SectionedQuery<Element, Key> {
    didSet { if query != oldValue { model.follow(ModelSources(paging: query)) } }
  }

  /// The newest sections, pinned to their version; none until the first have arrived.
  public var sections: SectionedResults<Element, Key> { model.value ?? model.store.emptySections(query) }

  /// The change from the previous sections to these; nil for the first ones, and after a write by code on the main
  /// actor.
  public var lastChange: SectionedChangeSet<Element, Key>? { model.lastChange?.changes }

  /// The version of the sections; nil until the first have arrived.
  public var version: Version? { model.version }

  /// Whether the first sections, or the first of another query, have not arrived yet.
  public var isLoading: Bool { model.isLoading }

  /// The reason why no more sections follow; `closed` once the store is.
  public var error: StoreError? { model.error }

  /// The object with an id, if it is in a section. Its reader is invalidated only when this object is inserted,
  /// deleted or modified.
  ///
  /// - Complexity: O(log *n*).
  public subscript(id id: Element.ID) -> Element? {
    model.access(part: id)
    return model.state.value?.results[id: id]
  }

  /// Holds the sections as they are until ``resume()``.
  public func pause() { model.pause() }

  /// Updates the sections with one merged change, and continues.
  public func resume() { model.resume() }

  /// Updates the sections at once.
  public func refresh() { model.refresh() }
}

// MARK: The window

extension LiveSections {
  /// The maximum number of rows shown in all sections together; nil for all. A negative number is 0.
  ///
  /// The rows of another window arrive like those of another query: soon after, or at once with ``refresh()``.
  public var limit: Int? {
    get { query.query.limit }
    set { query = query.window(offset: query.query.offset, limit: newValue) }
  }

  /// How many rows there are without the window; 0 until the first have arrived.
  ///
  /// Never older than ``sections``: changes outside the window only change this number. Its reader is invalidated
  /// when the number changes. Rows are counted, not sections.
  /// - Complexity: O(1) to read. It keeps all rows of the query maintained, not only those of the window: O(*k* log
  ///   *m*) for *k* changed rows.
  public var totalCount: Int { model.total ?? 0 }

  /// Whether there are rows after those shown, which ``loadMore(_:)`` would show; false until the first have arrived.
  ///
  /// Its reader is invalidated when rows are inserted or deleted, like that of ``sections``, and when ``totalCount``
  /// changes.
  public var hasMore: Bool {
    // Not read from `query`: another query matters only when its sections have arrived. An offset beyond all rows has
    // no rows after it.
    let (end, isOver) = _query.query.offset.addingReportingOverflow(sections.results.count)
    return !isOver && end < totalCount
  }

  /// Shows more rows at the end of the query's order if it has a limit; otherwise does nothing.
  ///
  /// - Parameter count: how many more, in all sections together; a negative count is 0. Nil for as many as the first
  ///   query's limit; without that limit, nothing happens.
  public func loadMore(_ count: Int? = nil) {
    guard let limit, let more = count ?? pageSize else { return }
    let (sum, isOver) = limit.addingReportingOverflow(max(0, more))
    self.limit = isOver ? .max : sum
  }
}

// MARK: Editing

extension LiveSections {
  /// Writes with the origin of these sections. As after any write by code on the main actor, every model of this
  /// store on the main actor shows the edit when this returns, with a ``lastChange`` of nil.
  ///
  /// ```swift
  /// try board.edit { tx in try tx.update(Card.self, id) { $0.status = .done } }
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
