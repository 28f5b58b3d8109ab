/// The store at one version: immutable, consistent over all tables, shared freely between tasks and threads.
///
/// ```swift
/// let snapshot = store.snapshot()
/// let post = snapshot[Post.self, id]
/// let drafts = snapshot.fetch(Post.where { $0.status == .draft })
/// ```
/// Taking one costs O(1) and never waits for a writer. A version lives as long as something holds it, and shares all
/// unchanged parts with later versions.
public struct Snapshot: StoreReader, Sendable {
  @usableFromInline package let state: StoreState

  @usableFromInline
  package init(_ state: StoreState) { self.state = state }

  /// The version.
  public var version: Version { state.version }

  /// The object with an id at this version, or nil.
  @inlinable
  public subscript<Element: Entity>(_ type: Element.Type, _ id: Element.ID) -> Element? {
    // The pointer leads into the state, and this may be the state's last use.
    withExtendedLifetime(state) { $0.object(type, id)?.pointee }
  }

  /// The rows of a query at this version.
  public func fetch<Element: Entity>(_ query: Query<Element>) -> Results<Element> {
    Results(state: state, window: state.context.evaluate(query))
  }

  /// How many rows a query has at this version; 0 if its filter exceeds a limit.
  public func count<Element: Entity>(_ query: Query<Element>) -> Int {
    state.catalog.assertKnows(Element.self)
    return state.context.count(query)
  }

  /// The value of any source at this version.
  public func value<Source: LiveSource>(of source: Source) -> Source.Value {
    let definition = source.liveDefinition
    return definition.direct?(state.context) ?? definition.value(definition.query.evaluate(at: state))
  }

  /// A page of a query's rows at this version.
  public func page<Element: Entity>(
    of query: Query<Element>, after cursor: PageCursor? = nil, first count: Int
  ) throws(StoreError) -> ResultPage<Element> {
    try state.context.page(of: query, after: cursor, first: count, in: state)
  }

  /// As ``count(_:)``, but a filter that exceeds a limit is an error.
  ///
  /// - Throws: `filterTooExpensive`, `cancelled`.
  package func tryToCount<Element: Entity>(_ query: Query<Element>) throws(StoreError) -> Int {
    guard query.stages.needsRun else { return count(query) }
    let window = state.context.evaluate(query)
    if let error = window.failure { throw error }
    return window.count
  }
}

extension Results {
  /// The store at that version.
  public var snapshot: Snapshot { Snapshot(state) }
}
