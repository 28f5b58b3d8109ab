extension Store {
  /// What differs from a version on: first from it to the newest version, then from there to the newest, and so on.
  ///
  /// For what follows the store at its own pace. A slow consumer gets several commits as one difference; it holds
  /// nothing but the version that it took last, and delays no writer. For each commit by itself, see ``commits(after:)``.
  ///
  /// ```swift
  /// for try await difference in store.differences(since: snapshot) {
  ///   for change in difference.changes(of: Post.self) { … }
  ///   saved = difference.after.version
  /// }
  /// ```
  /// When the store is closed, what was committed before comes as the last difference.
  /// - Parameter snapshot: the version that the consumer has, of this store; it is held until the first difference.
  /// - Returns: a sequence that throws `differentStores` if the snapshot is of another store, and `closed` if the store
  ///   was closed before.
  public func differences(since snapshot: Snapshot) -> LiveValues<StoreDifference> {
    LiveValues {
      // From the last version taken to the newest (Y2), when the store has been closed, too.
      let cursor = CommitCursor<StoreState, StoreDifference>(self.engine, at: snapshot.state) {
        [weak self] (last, _) throws(StoreError) in
        guard let newest = self?.current else { return nil }
        try newest.requireSameStore(as: last)
        if newest.version == last.version { return nil }
        let difference = StoreDifference(before: Snapshot(last), after: Snapshot(newest))
        return (difference, newest, newest.version)
      }
      return EventSubscription(EventSource(valuesOf: cursor) { $0 })
    }
  }
}
