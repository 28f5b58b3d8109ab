import Synchronization

extension Store {
  /// A cursor over the history.
  func commitCursor(after version: Version) -> CommitCursor {
    // An observer does not keep the store open.
    CommitCursor(engine, after: version) { [weak self] version in
      guard let self else { return .none }
      return core.withLock { core in
        if let record = core.history.record(after: version) { return .record(record) }
        if version == core.current.version { return .none }
        return .truncated(oldest: core.history.oldest ?? core.current.version)
      }
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

  /// Every commit after a version, one by one, with old and new objects.
  ///
  /// The history is bounded (``Configuration``). A consumer that falls behind it gets the error `historyTruncated`,
  /// whose `oldest` is the version to continue from; there is never a silent gap. A version that the store has not is the
  /// same error.
  public func commits(after version: Version) -> LiveValues<Commit> {
    LiveValues {
      let cursor = self.commitCursor(after: version)
      return EventSubscription(EventSource(cursor) { result in result.map { Commit(record: $0) } })
    }
  }
}
