import Synchronization

/// Follows the commits of a store: each commit wakes the cursor, which reads on from its position. A slow
/// consumer holds that position and nothing else.
///
/// State: `position` and the version there; guarded by its mutex, touched by one consumer at a time.
final class CommitCursor<Position: Sendable, Step: Sendable>: EventCursor {
  /// The step after a position, with the position and the version that it leads to; nil while there is none.
  typealias Reader =
    @Sendable (Position, _ isEnded: Bool) throws(StoreError) -> (step: Step, position: Position, Version)?

  let engine: LiveEngine
  let subscriber: UInt64
  private let read: Reader
  private let position: Mutex<(value: Position, version: Version)>

  init(
    _ engine: LiveEngine, at position: Position, _ version: Version, _ site: ObserverSite,
    _ read: @escaping Reader
  ) {
    self.engine = engine
    self.read = read
    self.position = Mutex((position, version))
    subscriber = engine.update { registry, _ in
      let id = registry.addCommitSubscriber(site, at: version)
      engine.inbox.withLock { $0.tolerance = registry.tolerance }
      engine.activate(&registry)
      return id
    }
  }

  deinit {
    engine.updateAndDeactivateIfIdle { [subscriber] registry, wakes in
      registry.removeCommitSubscriber(subscriber, &wakes)
    }
  }

  func poll() -> PollResult<Step> {
    let position = position.withLock { $0 }
    let (isEnded, isRefused) = engine.registry.withLock { registry in
      guard let subscriber = registry.commitSubscribers[subscriber] else { return (true, false) }
      subscriber.isMarked = false
      subscriber.version = position.version
      return (subscriber.isEnded, subscriber.isRefused)
    }
    if isRefused { return .failed(.storeClosed()) }
    do throws(StoreError) {
      guard let (step, next, version) = try read(position.value, isEnded) else {
        return isEnded ? .ended : .none
      }
      self.position.withLock { $0 = (next, version) }
      withExtendedLifetime(position) {}
      return .event(step, version)
    } catch {
      return .failed(error)
    }
  }
}

extension StoreError {
  /// The error that the history no longer has the commits after a version.
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
