public import LiveStore
public import Observation

/// Several queries for one view, always at one version.
///
/// ```swift
/// let feed = LiveSources(store, drafts, published, published.count)
/// if let (drafts, published, count) = feed.values { … }
/// ```
/// Its types are tuples: the sources' values, and their changes, which are empty for sources that did not
/// change. A property that stores a `LiveSources` spells out the types:
/// ```swift
/// let feed: LiveSources<(Results<Post>, Int), (CollectionChange<Post>, ValueChange<Int>)>
/// ```
///
/// Nothing starts before the first read.
@MainActor
public final class LiveSources<Values: Sendable, Changes: Sendable>: Observable {
  private let model: LiveModel<Values, SourcesChange<Values, Changes>>

  /// Makes a model of several sources. The store is not read before the model is.
  ///
  /// - Parameters:
  ///   - store: where the sources are.
  ///   - first: the first source to show.
  ///   - second: the second source to show.
  ///   - others: further sources.
  ///   - initial: whether the first read loads the values at once, or in the background; by default at once where few rows
  ///     are visited, so that a first frame is not empty: see ``InitialValue/automatic``.
  ///   - origin: the origin of edits through this model.
  ///   - fileID: where the model is made, for `Store.inspection`; leave it out.
  ///   - line: the line in that file; leave it out.
  public init<First: LiveSource, Second: LiveSource, each Other: LiveSource>(
    _ store: Store, _ first: First, _ second: Second, _ others: repeat each Other,
    initial: InitialValue = .automatic, origin: String = Store.interfaceOrigin,
    fileID: StaticString = #fileID, line: UInt = #line
  )
  where
    Values == (First.Value, Second.Value, repeat (each Other).Value),
    Changes == (First.Change, Second.Change, repeat (each Other).Change)
  {
    let sources = ModelSources<Values, SourcesChange<Values, Changes>>(first, second, repeat each others)
    model = LiveModel(store, sources, initial, origin, MainActor.shared, fileID, line)
  }

  /// The newest values; nil until the first have arrived.
  public var values: Values? { model.value }

  /// The changes from the previous values to these; nil for the first ones, and after a write by code on the main
  /// actor.
  public var lastChanges: Changes? {
    if case .update(let changes) = model.lastChange { changes } else { nil }
  }

  /// The version of the values; nil until the first have arrived.
  public var version: Version? { model.version }

  /// Whether the first values have not arrived yet.
  public var isLoading: Bool { model.isLoading }

  /// The reason why no more values follow; `closed` once the store is.
  public var error: StoreError? { model.error }

  /// Holds the values as they are until ``resume()``.
  public func pause() { model.pause() }

  /// Updates the values with one merged change, and continues.
  public func resume() { model.resume() }

  /// Updates the values at once.
  public func refresh() { model.refresh() }
}
