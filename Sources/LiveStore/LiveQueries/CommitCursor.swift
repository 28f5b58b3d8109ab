import Synchronization

/// Follows the store's bounded history, commit by commit.
///
/// State: `version`, the last commit delivered; guarded by its mutex, touched by one consumer at a time.
final class CommitCursor: Sendable {
  private let engine: LiveEngine
  private let history: @Sendable (Version) -> HistoryRead
  let subscriber: UInt64
  private let version: Mutex<Version>

  /// What the history has after a version.
  enum HistoryRead {
    case record(CommitRecord)
    /// The newest version was delivered.
    case none
    case truncated(oldest: Version)
  }

  init(_ engine: LiveEngine, after version: Version, _ history: @escaping @Sendable (Version) -> HistoryRead)
  {
    self.engine = engine
    self.history = history
    self.version = Mutex(version)
    subscriber = engine.addCommitSubscriber()
  }

  deinit { engine.removeCommitSubscriber(subscriber) }

  /// The commit after the last one delivered.
  func poll() -> PollResult<Result<CommitRecord, StoreError>> {
    switch engine.isWatching(subscriber) {
    case .refused: return .last(.failure(.storeClosed()))
    case .ended: return .ended
    case .watching: break
    }
    let version = version.withLock { $0 }
    switch history(version) {
    case .record(let record):
      self.version.withLock { $0 = record.version }
      return .event(.success(record), record.version)
    case .none:
      return .none
    case .truncated(let oldest):
      return .last(.failure(.historyTruncated(after: version, oldest: oldest)))
    }
  }

  func wait() async { await engine.wait(subscriber) }
}

extension LiveEngine {
  enum WatcherState {
    case watching, ended, refused
  }

  func addCommitSubscriber() -> UInt64 {
    update { registry, _ in
      let id = registry.makeID()
      registry.addCommitSubscriber(Wakeable(), id)
      activate(&registry)
      return id
    }
  }

  func removeCommitSubscriber(_ id: UInt64) {
    updateAndDeactivateIfIdle { registry, wakes in registry.removeCommitSubscriber(id, &wakes) }
  }

  /// Whether the subscriber goes on; forgets that it was marked.
  func isWatching(_ id: UInt64) -> WatcherState {
    registry.withLock { registry in
      guard let subscriber = registry.commitSubscribers[id] else { return .ended }
      subscriber.isMarked = false
      return subscriber.isRefused ? .refused : subscriber.isEnded ? .ended : .watching
    }
  }
}

extension StoreError {
  /// The error that a store cannot tell what came after a version.
  static func historyTruncated(after version: Version, oldest: Version) -> StoreError {
    let reason =
      version < oldest
      ? "The history no longer holds the commits after version \(version); the oldest version from which it can continue is \(oldest). Start again from a snapshot, or allow a longer history."
      : "The store has no version \(version): it is one of another store, or was not yet in a file when its process ended. Start again from a snapshot; the oldest version from which it can continue is \(oldest)."
    var error = StoreError(StoreError.historyTruncated, reason)
    error.oldest = oldest
    return error
  }
}
