import Synchronization

/// Follows the store's bounded history, commit by commit.
///
/// State: `version`, the last commit given; guarded by its mutex, touched by one consumer at a time.
final class CommitCursor: Sendable {
  private let engine: LiveEngine
  private let history: @Sendable (Version) -> HistoryStep
  let watcher: UInt64
  private let version: Mutex<Version>

  enum HistoryStep {
    case record(CommitRecord)
    /// The newest version was given.
    case none
    case truncated(oldest: Version)
  }

  init(_ engine: LiveEngine, after version: Version, _ history: @escaping @Sendable (Version) -> HistoryStep)
  {
    self.engine = engine
    self.history = history
    self.version = Mutex(version)
    watcher = engine.addWatcher()
  }

  deinit { engine.removeWatcher(watcher) }

  enum Step {
    case record(CommitRecord)
    case none
    case ended
    case failed(StoreError)
  }

  /// The commit after the last one given.
  func poll() -> Step {
    switch engine.isWatching(watcher) {
    case .refused: return .failed(Store.closedError())
    case .ended: return .ended
    case .watching: break
    }
    let version = version.withLock { $0 }
    switch history(version) {
    case .record(let record):
      self.version.withLock { $0 = record.version }
      return .record(record)
    case .none:
      return .none
    case .truncated(let oldest):
      var error = StoreError(
        StoreError.historyTruncated,
        "The history no longer holds the commits after version \(version); the oldest it can go on from is \(oldest). Start again from a snapshot, or allow a longer history."
      )
      error.oldest = oldest
      return .failed(error)
    }
  }

  func wait() async { await engine.wait(watcher) }
}

extension LiveEngine {
  enum WatcherState {
    case watching, ended, refused
  }

  func addWatcher() -> UInt64 {
    state.withLock { engine in
      let id = engine.makeID()
      let watcher = Follower()
      watcher.isRefused = engine.isClosed
      engine.watchers[id] = watcher
      engine.activate(inbox)
      return id
    }
  }

  func removeWatcher(_ id: UInt64) {
    var wakes = Wakes()
    let freed = state.withLock { engine -> [AnyObject] in
      if let watcher = engine.watchers.removeValue(forKey: id) { wakes.release(watcher, &engine.settling) }
      return engine.deactivateIfIdle(inbox)
    }
    wakes.perform()
    withExtendedLifetime(freed) {}
  }

  /// Whether the watcher goes on; forgets that it was marked.
  func isWatching(_ id: UInt64) -> WatcherState {
    state.withLock { engine in
      guard let watcher = engine.watchers[id] else { return .ended }
      watcher.isMarked = false
      return watcher.isRefused ? .refused : watcher.isEnded ? .ended : .watching
    }
  }
}

extension Store {
  /// A cursor over the history.
  func commitCursor(after version: Version) -> CommitCursor {
    // A follower does not keep the store open.
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
  /// The history is bounded (``Configuration``): falling behind it is `historyTruncated`, with the oldest
  /// version to go on from in the error's `oldest`; never a silent gap.
  public func commits(after version: Version) -> LiveValues<Commit> {
    LiveValues {
      let cursor = self.commitCursor(after: version)
      return Feed {
        switch cursor.poll() {
        case .record(let record): return .event(.success(Commit(record: record)))
        case .none: await cursor.wait()
        case .ended: return .end
        case .failed(let error): return .last(.failure(error))
        }
        return .nothing
      }
    }
  }
}
