import Synchronization

extension Store {
  /// A cursor over the history.
  func commitCursor(after version: Version, _ site: ObserverSite) -> CommitCursor<Version, CommitRecord> {
    // An observer does not keep the store open.
    CommitCursor(engine, at: version, version, site) { [weak self] (version, isEnded) throws(StoreError) in
      guard let self, !isEnded else { return nil }
      let (record, newest, oldest) = core.withLock { core in
        (core.history.record(after: version), core.current.version, core.history.oldest)
      }
      if let record { return (record, record.version, record.version) }
      if version == newest { return nil }
      throw .historyTruncated(after: version, oldest: oldest ?? newest)
    }
  }

  /// The state of a version that the history reaches back to, or of the newest.
  ///
  /// - Throws: `historyTruncated`.
  func state(at version: Version) throws(StoreError) -> StoreState {
    let (state, oldest) = core.withLock { core in
      (
        version == core.current.version ? core.current : core.history.record(after: version)?.before,
        core.history.oldest ?? core.current.version
      )
    }
    guard let state else { throw .historyTruncated(after: version, oldest: oldest) }
    return state
  }

  /// The store at an earlier version that the history reaches back to, or at the newest.
  ///
  /// ```swift
  /// let before = try store.snapshot(at: Version(1_042)).fetch(posts)
  /// let changes = before.changes(to: store.fetch(posts))
  /// ```
  /// The ``Configuration`` says how far back the history goes: by default 1,000 commits.
  /// - Throws: `historyTruncated` if it does not reach back to the version, or the store has no such version.
  /// - Complexity: O(1).
  public func snapshot(at version: Version) throws(StoreError) -> Snapshot {
    Snapshot(try state(at: version))
  }

  /// Every commit after a version, one by one, with old and new objects.
  ///
  /// The history is bounded (``Configuration``). A consumer that falls behind it gets the error
  /// `historyTruncated`, whose `oldest` is the version to continue from; there is never a silent gap. A
  /// version that the store does not have gives the same error.
  public func commits(
    after version: Version, fileID: StaticString = #fileID, line: UInt = #line
  ) -> LiveValues<Commit> {
    let site = ObserverSite(.stream, fileID, line)
    return LiveValues {
      EventSubscription(
        EventSource(valuesOf: self.commitCursor(after: version, site)) { StoreDifference($0) })
    }
  }
}
