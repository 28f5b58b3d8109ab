extension Store {
  /// The differences from a version on: from it to the newest, then from there to the newest, and so on.
  ///
  /// For consumers that follow the store at their own pace. A slow one gets several commits as one
  /// difference; it holds only the version that it took last, and delays no writer. For each commit, see
  /// ``commits(after:fileID:line:)``.
  ///
  /// ```swift
  /// for try await difference in store.differences(since: snapshot) {
  ///   for change in difference.changes(of: Post.self) { … }
  ///   saved = difference.after.version
  /// }
  /// ```
  /// When the store is closed, commits that were not delivered yet are the last difference.
  /// - Parameters:
  ///   - snapshot: the version that the consumer has, of this store; it is held until the first difference.
  ///   - fileID: where the observer is made, for ``Store/inspection``; leave it out.
  ///   - line: the line in that file; leave it out.
  /// - Returns: a sequence that throws `differentStores` if the snapshot is of another store, and `closed` if the store
  ///   was closed before.
  public func differences(
    since snapshot: Snapshot, fileID: StaticString = #fileID, line: UInt = #line
  ) -> LiveValues<StoreDifference> {
    let site = ObserverSite(.stream, fileID, line)
    return LiveValues {
      // From the last version taken to the newest (Y2), when the store has been closed, too.
      let cursor = CommitCursor<StoreState, StoreDifference>(
        self.engine, at: snapshot.state, snapshot.version, site
      ) {
        [weak self] (last, _) throws(StoreError) in
        guard let newest = self?.current else { return nil }
        try newest.requireSameStore(as: last)
        if newest.version == last.version { return nil }
        return (StoreDifference(CommitRecord(from: last, to: newest)), newest, newest.version)
      }
      return EventSubscription(EventSource(valuesOf: cursor) { $0 })
    }
  }
}
