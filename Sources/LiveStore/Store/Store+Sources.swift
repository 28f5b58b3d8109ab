extension Store {
  /// The changes of several sources, always at one version.
  ///
  /// ```swift
  /// for await change in store.changes(of: drafts, published, published.count) {
  ///   switch change {
  ///   case .initial((let drafts, let published, let count)): …
  ///   case .update((let drafts, let published, let count)): …
  ///   case .error(let error): …
  ///   }
  /// }
  /// ```
  public func changes<First: LiveSource, Second: LiveSource, each Other: LiveSource>(
    of first: First, _ second: Second, _ others: repeat each Other,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> LiveChanges<
    SourcesChange<
      (First.Value, Second.Value, repeat (each Other).Value),
      (First.Change, Second.Change, repeat (each Other).Change)
    >
  > {
    let sources = ModelSources(first, second, repeat each others)
    let site = ObserverSite(.stream, fileID, line)
    return LiveChanges {
      let handle = self.engine.makeCursor(sources.queries, excluding: [], site)
      return EventSubscription(
        EventSource(handle, failure: { .error($0) }) { step in
          step.old.map { sources.change($0, step.new) } ?? .initial(sources.value(step.new))
        })
    }
  }

  /// The values of sources that are known at run time alone, always at one version.
  ///
  /// ```swift
  /// for try await values in store.values(ofEach: [drafts, published.count]) {
  ///   let drafts = values[0] as? Results<Post>
  /// }
  /// ```
  /// An element comes at the start, and when one of the sources may have another value; it may be equal to the one before.
  /// - Parameters:
  ///   - sources: one at least.
  ///   - tolerance: how much later than a commit a value may come, from nothing to an hour. For consumers whom some
  ///     milliseconds do not matter, such as clients of a server: while all observers of the store have a tolerance,
  ///     a commit looks up no query and wakes no thread, and costs what it costs without observers.
  ///   - fileID: where this is called, for ``Store/inspection``; leave it out.
  ///   - line: where this is called; leave it out.
  /// - Returns: the sources' values, in their order.
  public func values(
    ofEach sources: [any LiveSource], tolerance: Duration = .zero, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> LiveValues<[any Sendable]> {
    precondition(!sources.isEmpty, "values(ofEach:) needs a source; without one there is nothing to wait for")
    func member<Source: LiveSource>(_ source: Source) -> (
      ObservedQuery, @Sendable (ResultSide) -> any Sendable
    ) {
      let definition = source.liveDefinition
      return (definition.query, { definition.value($0) })
    }
    let members = sources.map { member($0) }
    let tolerance = min(max(tolerance, .zero), .seconds(3_600))
    let site = ObserverSite(.stream, fileID, line)
    return LiveValues {
      let handle = self.engine.makeCursor(
        members.map(\.0), excluding: [], tolerance: tolerance, site)
      return EventSubscription(
        EventSource(valuesOf: handle) { step in zip(members, step.new).map { $0.1($1) } })
    }
  }
}
