extension Store {
  /// The changes of a query, as a sequence.
  ///
  /// ```swift
  /// for await change in store.changes(of: Post.where { $0.likeCount >= 10 }) {
  ///   if case .update(let posts, let changes) = change { … }
  /// }
  /// ```
  /// - Parameters:
  ///   - query: what to observe.
  ///   - initial: whether the first element is the result at the start.
  ///   - properties: the only properties whose difference is a modification for this observer; nil for all listed ones.
  ///     A path through a link, such as `\.author.name`, covers the link and the value behind it: the post is modified
  ///     when it gets another author, even one of the same name, and when its author is renamed. Deletions, insertions
  ///     and moves are always delivered.
  ///   - origins: origins whose commits are not delivered; they are in the `previous` of the next event.
  ///   - mode: merged, or commit by commit.
  ///   - fileID: where the observer is made, for ``Store/inspection``; leave it out.
  ///   - line: the line in that file; leave it out.
  public func changes<Element: Entity>(
    of query: Query<Element>, initial: InitialDelivery = .deliver,
    properties: RowPaths<Element>? = nil, excluding origins: Set<String> = [],
    mode: DeliveryMode = .latest, fileID: StaticString = #fileID, line: UInt = #line
  ) -> LiveChanges<CollectionChange<Element>> {
    changes(
      query.definition(properties: properties), initial, origins, mode, ObserverSite(.stream, fileID, line))
  }

  /// The changes of any source, as a sequence.
  public func changes<Source: LiveSource>(
    of source: Source, initial: InitialDelivery = .deliver, excluding origins: Set<String> = [],
    mode: DeliveryMode = .latest, fileID: StaticString = #fileID, line: UInt = #line
  ) -> LiveChanges<Source.Change> {
    changes(source.liveDefinition, initial, origins, mode, ObserverSite(.stream, fileID, line))
  }

  /// The changes of a source since a version that a client has kept, with ``identity``: the first is the
  /// difference between that version and the newest.
  ///
  /// ```swift
  /// // "Last-Event-ID: 1042"
  /// for await change in try store.changes(of: posts, since: Version(1042)) { … }
  /// ```
  /// The ``Configuration`` says how far back the history goes: by default 1,000 commits. There is no
  /// `.initial` event: the client has that value.
  /// - Parameters:
  ///   - source: what to observe, as the client did.
  ///   - version: the version that the client has. It is held as long as the sequence, and until the first change.
  ///   - mode: merged, or commit by commit.
  ///   - fileID: where the observer is made, for ``Store/inspection``; leave it out.
  ///   - line: the line in that file; leave it out.
  /// - Throws: `historyTruncated` if the history does not reach back to the version, or the store has no such
  ///   version: then begin again with the results.
  /// - Complexity: that of fetching the source, unless it is observed already, and O(*k* log *n*) for *k* rows that were
  ///   written since.
  public func changes<Source: LiveSource>(
    of source: Source, since version: Version, mode: DeliveryMode = .latest,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws(StoreError) -> LiveChanges<Source.Change> {
    let (definition, state) = (source.liveDefinition, try state(at: version))
    let site = ObserverSite(.stream, fileID, line)
    if mode == .everyCommit {
      return LiveChanges {
        EventSubscription(
          EventSource(
            EveryCommitCursor(
              definition, self.commitCursor(after: version, site), from: state, skipsInitial: true),
            failure: definition.failure
          ) { $0 })
      }
    }
    return LiveChanges {
      let handle = self.engine.makeCursor([definition.query], excluding: [], from: state, site)
      return EventSubscription(EventSource(handle, EventFilter(definition)))
    }
  }

  /// The changes of one object, as a sequence that continues after the object's deletion.
  public func changes<Element: Entity>(
    of type: Element.Type, _ id: Element.ID, initial: InitialDelivery = .deliver,
    properties: RowPaths<Element>? = nil, excluding origins: Set<String> = [],
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> LiveChanges<ObjectChange<Element>> {
    changes(
      ObjectQuery<Element>(id: id, properties: properties).liveDefinition,
      initial, origins, .latest, ObserverSite(.stream, fileID, line))
  }

  /// The newest value of any source, as a sequence: results, a number, an object.
  ///
  /// ```swift
  /// for try await count in store.values(of: Post.all.count) { … }
  /// ```
  public func values<Source: LiveSource>(
    of source: Source, fileID: StaticString = #fileID, line: UInt = #line
  ) -> LiveValues<Source.Value> {
    let (definition, site) = (source.liveDefinition, ObserverSite(.stream, fileID, line))
    return LiveValues {
      let handle = self.engine.makeCursor([definition.query], excluding: [], site)
      return EventSubscription(
        EventSource(valuesOf: handle) { step in
          if let old = step.old, definition.change(old[0], step.new[0]) == nil { return nil }
          return definition.value(step.new[0])
        })
    }
  }

  /// The results now, and the changes that follow.
  ///
  /// Evaluates the query on the calling thread unless it is already observed.
  /// - Returns: the results at the newest version, and a sequence for one consumer that starts from exactly these
  ///   results.
  /// - Throws: `unknownEntity`, `invalidSchema` for a query that cannot be observed, `filterTooExpensive`
  ///   if its filter exceeds a limit, `closed`.
  public func subscribe<Source: LiveSource>(
    _ source: Source, excluding origins: Set<String> = [], fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws(StoreError) -> (value: Source.Value, changes: LiveChanges<Source.Change>) {
    let definition = source.liveDefinition
    let handle = engine.makeCursor(
      [definition.query], excluding: origins, ObserverSite(.stream, fileID, line))
    switch handle.poll() {
    case .event(let step, _):
      let feed = EventSubscription(EventSource(handle, EventFilter(definition, excluding: origins)))
      return (definition.value(step.new[0]), LiveChanges { feed })
    case .failed(let error): throw error
    case .skipped, .none, .ended: throw StoreError.storeClosed()
    }
  }
}

extension Store {
  func changes<Value, Change>(
    _ definition: LiveDefinition<Value, Change>, _ initial: InitialDelivery, _ origins: Set<String>,
    _ mode: DeliveryMode, _ site: ObserverSite
  ) -> LiveChanges<Change> {
    LiveChanges { [self] in EventSubscription(events(definition, initial, origins, mode, site)) }
  }

  /// Begins a subscription to one source.
  ///
  /// - Parameter isRewindable: whether an event that was not delivered may be undone.
  func events<Value, Change>(
    _ definition: LiveDefinition<Value, Change>, _ initial: InitialDelivery, _ origins: Set<String>,
    _ mode: DeliveryMode, _ site: ObserverSite, isRewindable: Bool = false
  ) -> EventSource<Change> {
    if mode == .everyCommit {
      let state = current
      return EventSource(
        EveryCommitCursor(
          definition, commitCursor(after: state.version, site), from: state,
          skipsInitial: initial == .skip, excluding: origins),
        failure: definition.failure
      ) { $0 }
    }
    let skipsInitial = initial == .skip
    let handle = engine.makeCursor(
      [definition.query], excluding: origins, startsAtNewest: skipsInitial,
      isRewindable: isRewindable || definition.accumulates, site)
    // Excluded commits must be applied one by one from the start on.
    if skipsInitial && !origins.isEmpty { handle.attach() }
    return EventSource(handle, EventFilter(definition, excluding: origins))
  }
}
