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
      let cursor = VersionCursor(self.engine, since: snapshot.state) { [weak self] in self?.snapshot().state }
      return EventSubscription(
        EventSource(cursor) { result in
          result.map { StoreDifference(before: Snapshot($0), after: Snapshot($1)) }
        })
    }
  }
}
