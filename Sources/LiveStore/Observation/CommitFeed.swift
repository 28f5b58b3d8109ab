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
    case .refused: return .failed(.storeClosed())
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
