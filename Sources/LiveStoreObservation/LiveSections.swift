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
  private let model: LiveModel<SectionedResults<Key, Element>, SectionedChange<Key, Element>>

  /// Makes live sections; the store is not asked before they are first read.
  ///
  /// - Parameters:
  ///   - store: where the objects are.
  ///   - query: what to show.
  ///   - initial: whether the first read finds the sections at once, or begins to load them.
  ///   - origin: that of the user's own edits through models; they are shown and are no ``lastChange``.
  public init(
    _ store: Store, _ query: SectionedQuery<Element, Key>, initial: InitialValue = .deferred,
    origin: String = Store.interfaceOrigin
  ) {
    self.query = query
    model = LiveModel(store, FollowedSources(query), initial, origin, MainActor.shared)
  }

  /// What is shown. Setting it keeps the old sections until the new ones are there.
  public var query: SectionedQuery<Element, Key> {
    didSet { if query != oldValue { model.follow(query) } }
  }

  /// The newest sections, pinned to their version; none until the first have come.
  public var sections: SectionedResults<Key, Element> { model.value ?? model.store.emptySections(query) }

  /// What led from the sections before to these; nil for the first ones, and after the user's own edits.
  public var lastChange: SectionedChangeSet<Key, Element>? { model.lastChange?.changes }

  /// The version of the sections; nil until the first have come.
  public var version: Version? { model.version }

  /// Whether the first sections, or the first of another query, have not come yet.
  public var isLoading: Bool { model.isLoading }

  /// Why there will be no more sections.
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
