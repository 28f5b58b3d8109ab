public import LiveStore
public import Observation

/// Several queries for one view, always at one version.
///
/// ```swift
/// let feed = LiveGroup(store, drafts, published, published.count)
/// if let (drafts, published, count) = feed.values { … }
/// ```
/// Its types are tuples: what the members come to, and what changed of each, empty where nothing did. A property that
/// keeps one spells them:
/// ```swift
/// let feed: LiveGroup<(Results<Post>, Int), (CollectionChange<Post>, ValueChange<Int>)>
/// ```
///
/// Nothing starts before the first read.
@MainActor
public final class LiveGroup<Values: Sendable, Changes: Sendable>: Observable {
  private let model: LiveModel<Values, GroupChange<Values, Changes>>

  /// Makes a live group; the store is not asked before it is first read.
  ///
  /// - Parameters:
  ///   - store: where the sources are.
  ///   - first: what to show.
  ///   - second: what to show beside it.
  ///   - others: more of it.
  ///   - initial: whether the first read finds the values at once, or begins to load them.
  ///   - origin: what edits through this model are tagged with.
  public init<First: LiveSource, Second: LiveSource, each Other: LiveSource>(
    _ store: Store, _ first: First, _ second: Second, _ others: repeat each Other,
    initial: InitialValue = .deferred, origin: String = Store.interfaceOrigin
  )
  where
    Values == (First.Value, Second.Value, repeat (each Other).Value),
    Changes == (First.Change, Second.Change, repeat (each Other).Change)
  {
    let sources = FollowedSources<Values, GroupChange<Values, Changes>>(first, second, repeat each others)
    model = LiveModel(store, sources, initial, origin, MainActor.shared)
  }

  /// The newest values; nil until the first have come.
  public var values: Values? { model.value }

  /// What led from the values before to these; nil for the first ones, and after what code on the main actor wrote.
  public var lastChanges: Changes? {
    if case .update(let changes) = model.lastChange { changes } else { nil }
  }

  /// The version of the values; nil until the first have come.
  public var version: Version? { model.version }

  /// Whether the first values have not come yet.
  public var isLoading: Bool { model.isLoading }

  /// Why there will be no more values; `closed` once the store is.
  public var error: StoreError? { model.error }

  /// Keeps the values as they are until ``resume()``.
  public func pause() { model.pause() }

  /// Brings the values up to date with one merged change, and goes on.
  public func resume() { model.resume() }

  /// Brings the values up to date at once.
  public func refresh() { model.refresh() }
}
