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
}
