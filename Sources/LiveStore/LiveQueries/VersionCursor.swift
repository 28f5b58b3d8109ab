import Synchronization

/// Follows the versions of a store (Y2), from the last one taken to the newest: a slow consumer skips those between, and
/// only the last one taken is held.
///
/// State: `last`, the version taken last; guarded by its mutex, touched by one consumer at a time.
final class VersionCursor: Sendable {
  private let engine: LiveEngine
  private let newest: @Sendable () -> StoreState?
  let subscriber: UInt64
  private let last: Mutex<StoreState>

  /// - Parameter newest: the newest state; nil when the store is gone.
  init(_ engine: LiveEngine, since state: StoreState, newest: @escaping @Sendable () -> StoreState?) {
    self.engine = engine
    self.newest = newest
    last = Mutex(state)
    subscriber = engine.addCommitSubscriber()
  }

  deinit { engine.removeCommitSubscriber(subscriber) }

  /// The last version taken and the newest, if that is another. The newest is taken when a store has been closed, too.
  func poll() -> PollResult<Result<(StoreState, StoreState), StoreError>> {
    let watching = engine.isWatching(subscriber)
    if watching == .refused { return .last(.failure(.storeClosed())) }
    if let state = newest() {
      do throws(StoreError) {
        try state.requireSameStore(as: last.withLock { $0 })
      } catch {
        return .last(.failure(error))
      }
      let before = last.withLock { last in
        defer { last = state }
        return last
      }
      if before.version != state.version { return .event(.success((before, state)), state.version) }
    }
    return watching == .ended ? .ended : .none
  }

  func wait() async { await engine.wait(subscriber) }
}
