public import LiveStore

extension Store {
  /// The changes of a query, as a publisher.
  ///
  /// The first event is `.initial`; each one after it starts from exactly what this subscriber was given.
  /// - Parameters:
  ///   - query: what to observe.
  ///   - initial: whether the first event is the result at the start.
  ///   - properties: the only properties whose difference is a modification for these subscribers; nil for
  ///     all listed ones. Deletions, insertions and moves always come.
  ///   - origins: origins whose commits are not delivered.
  ///   - mode: merged, or commit by commit from the store's bounded history; a subscriber that wants nothing for too
  ///     long then fails with `historyTruncated`.
  /// - Complexity: an event O(*d* log *m*) for *d* differences in *m* rows.
  public func publisher<Element: Entity>(
    for query: Query<Element>, initial: InitialDelivery = .deliver, properties: RowPaths<Element>? = nil,
    excluding origins: Set<String> = [], mode: DeliveryMode = .latest
  ) -> StorePublisher<CollectionChange<Element>> {
    StorePublisher(
      changes(of: query, initial: initial, properties: properties, excluding: origins, mode: mode))
  }

  /// The changes of anything that can be observed, as a publisher: counts, aggregates, groups, sections.
  public func publisher<Source: LiveSource>(
    for source: Source, initial: InitialDelivery = .deliver, excluding origins: Set<String> = [],
    mode: DeliveryMode = .latest
  ) -> StorePublisher<Source.Change> where Source.Change: FailableChange {
    StorePublisher(changes(of: source, initial: initial, excluding: origins, mode: mode))
  }

  /// The changes of one object, as a publisher that outlives the object's deletion.
  public func publisher<Element: Entity>(
    for type: Element.Type, _ id: Element.ID, initial: InitialDelivery = .deliver,
    properties: RowPaths<Element>? = nil, excluding origins: Set<String> = []
  ) -> StorePublisher<ObjectChange<Element>> {
    StorePublisher(changes(of: type, id, initial: initial, properties: properties, excluding: origins))
  }

  /// The changes of several sources, always at one version, as a publisher.
  public func publisher<First: LiveSource, Second: LiveSource, each Other: LiveSource>(
    for first: First, _ second: Second, _ others: repeat each Other
  ) -> StorePublisher<
    SourcesChange<
      (First.Value, Second.Value, repeat (each Other).Value),
      (First.Change, Second.Change, repeat (each Other).Change)
    >
  > {
    StorePublisher(changes(of: first, second, repeat each others))
  }

  /// The newest value of anything that can be observed, as a publisher: results, a number, an object.
  ///
  /// ```swift
  /// store.valuePublisher(for: Post.all.count).replaceError(with: 0).assign(to: \.count, on: model)
  /// ```
  /// Values that come while the subscriber wants none are skipped: it always gets the newest.
  public func valuePublisher<Source: LiveSource>(for source: Source) -> StorePublisher<Source.Value> {
    StorePublisher(values(of: source))
  }

  /// Every commit after a version, one by one, with old and new objects.
  ///
  /// The store's history is bounded: a subscriber that falls behind it fails with `historyTruncated`, with the
  /// oldest version to go on from in the error's `oldest`; there is never a silent gap.
  public func commitPublisher(after version: Version) -> StorePublisher<Commit> {
    StorePublisher(commits(after: version))
  }
}
