import Synchronization

extension Store {
  /// A cursor over the history.
  func commitCursor(after version: Version) -> CommitCursor {
    // An observer does not keep the store open.
    CommitCursor(engine, after: version) { [weak self] version in
      guard let self else { return .none }
      return core.withLock { core in
        if let record = core.history.record(after: version) { return .record(record) }
        if version >= core.current.version { return .none }
        return .truncated(oldest: core.history.oldest ?? core.current.version)
      }
    }
  }

  /// Every commit after a version, one by one, with old and new objects.
  ///
  /// The history is bounded (``Configuration``). A consumer that falls behind it gets the error `historyTruncated`,
  /// whose `oldest` is the version to continue from; there is never a silent gap.
  public func commits(after version: Version) -> LiveValues<Commit> {
    LiveValues {
      let cursor = self.commitCursor(after: version)
      return Feed(EventSource(cursor) { result in result.map { Commit(record: $0) } })
    }
  }
}
