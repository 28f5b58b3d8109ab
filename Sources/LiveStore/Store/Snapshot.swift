/// The store at one version: immutable, consistent over all tables, shared freely between tasks and threads.
///
/// ```swift
/// let snapshot = store.snapshot()
/// let post = snapshot[Post.self, id]
/// let drafts = snapshot.fetch(Post.where { $0.status == .draft })
/// ```
/// Taking one costs O(1) and never waits for a writer. A version lives as long as something holds it, and shares all
/// unchanged parts with later versions.
public struct Snapshot: Sendable {
  @usableFromInline package let state: StoreState

  @usableFromInline
  package init(_ state: StoreState) { self.state = state }

  /// The version.
  public var version: Version { state.version }

  /// The object with an id, or nil.
  ///
  /// Reading an entity that the store was not made with gives nil, and fails in debug builds.
  /// - Complexity: O(log *n*), in practice one to three times a dictionary's lookup, and up to
  ///   about five where most rows were deleted or replaced at random.
  @inlinable
  public subscript<Element: Entity>(_ type: Element.Type, _ id: Element.ID) -> Element? {
    // The pointer leads into the state, and this may be the state's last use.
    withExtendedLifetime(state) { $0.object(type, id)?.pointee }
  }

  /// The rows of a query at this version.
  ///
  /// For an entity that the store was not made with there are none, and ``Results/error`` says so.
  /// - Complexity: O(1) for a whole table; otherwise as ``Query/explain(in:)`` shows.
  public func fetch<Element: Entity>(_ query: Query<Element>) -> Results<Element> {
    Results(state: state, window: state.context.evaluate(query))
  }

  /// How many rows a query has at this version; 0 if its filter exceeds a limit, which ``fetch(_:)`` reports.
  ///
  /// Counting an entity that the store was not made with gives 0, and fails in debug builds.
  public func count<Element: Entity>(_ query: Query<Element>) -> Int {
    state.catalog.assertKnows(Element.self)
    return state.context.count(query)
  }

  /// The same, but a filter that exceeds a limit is an error.
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
