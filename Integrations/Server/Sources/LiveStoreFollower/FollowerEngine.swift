import Foundation
import LiveStore
import LiveStoreStreams
import Synchronization

/// What a follower and its task share.
///
/// State: `state`, guarded by its mutex, under which nothing waits and no code of the user's runs.
final class FollowerEngine: Sendable {
  /// A caller that waits for a version.
  private struct Waiter {
    let version: Version
    /// Of which store; nil for the one that the server has when the wait begins.
    let identity: UUID?
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var status = FollowerStatus()
    /// When the store had all that the server was known to have.
    var caughtUp = ContinuousClock.now
    var isUpToDate = false
    /// The error of the last attempt.
    var lastError: FollowerError?
    var waiters: [UInt64: Waiter] = [:]
    /// The identities of the last stores that the server had before.
    var formerStores: [UUID] = []
    var observers: [UInt64: AsyncStream<FollowerStatus>.Continuation] = [:]
    var lastNumber: UInt64 = 0
    var task: Task<Void, Never>?

    /// The reason why no more follows, if there is one.
    var end: FollowerError? {
      switch status.state {
      case .stopped(let error): error
      case .closed: FollowerError(.closed, "The follower was closed.")
      default: nil
      }
    }

    var current: FollowerStatus {
      var status = status
      status.lag = status.state == .following && isUpToDate ? .zero : .now - caughtUp
      return status
    }

    mutating func number() -> UInt64 {
      lastNumber += 1
      return lastNumber
    }

    mutating func removeWaiters(
      where isRemoved: (Waiter) -> Bool
    ) -> [CheckedContinuation<Void, any Error>] {
      let removed = waiters.filter { isRemoved($0.value) }
      for number in removed.keys { waiters[number] = nil }
      return removed.values.map(\.continuation)
    }
  }

  let store: Store
  let options: FollowerOptions
  private let state = Mutex(State())

  init(_ store: Store, _ options: FollowerOptions) { (self.store, self.options) = (store, options) }

  // MARK: Reading

  var status: FollowerStatus { state.withLock { $0.current } }

  var statuses: AsyncStream<FollowerStatus> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: FollowerStatus.self, bufferingPolicy: .bufferingNewest(1))
    let number: UInt64? = state.withLock { state in
      continuation.yield(state.current)
      if state.status.state == .closed { return nil }
      let number = state.number()
      state.observers[number] = continuation
      return number
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.observers.removeValue(forKey: number) }
    }
    return stream
  }

  func caughtUp(to version: Version, of identity: UUID?) async throws {
    let number = state.withLock { $0.number() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let outcome: Result<Void, any Error>? = state.withLock { state in
          if let identity, state.formerStores.contains(identity) { return .failure(Self.otherStore) }
          if let known = state.status.version, known >= version,
            identity == nil || identity == state.status.identity
          {
            return .success(())
          }
          if let end = state.end { return .failure(end) }
          if Task.isCancelled { return .failure(CancellationError()) }
          state.waiters[number] = Waiter(version: version, identity: identity, continuation: continuation)
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  // MARK: What the task does

  /// Starts the task that follows the server.
  func start(_ run: @escaping @Sendable () async -> Void) {
    state.withLock { $0.task = Task { await run() } }
  }

  /// Bytes have come, whose meaning is not known yet.
  func receive() { state.withLock { $0.isUpToDate = false } }

  /// The store has what the server had at an offset.
  ///
  /// - Parameters:
  ///   - isUpToDate: whether that is all that the server had.
  ///   - isSnapshot: whether a snapshot led to it; nil if there was no change.
  func reach(_ offset: StreamOffset, isUpToDate: Bool, isSnapshot: Bool?) {
    var others: [CheckedContinuation<Void, any Error>] = []
    let reached = state.withLock { state in
      if let former = state.status.identity, former != offset.identity {
        state.formerStores = (state.formerStores + [former]).suffix(16).filter { $0 != offset.identity }
        others = state.removeWaiters { $0.identity == nil || $0.identity == former }
      }
      (state.status.identity, state.status.version) = (offset.identity, offset.version)
      state.isUpToDate = isUpToDate
      if isUpToDate { state.caughtUp = .now }
      if isSnapshot == true { state.status.snapshots += 1 }
      if isSnapshot == false { state.status.steps += 1 }
      return state.removeWaiters {
        $0.version <= offset.version && ($0.identity == nil || $0.identity == offset.identity)
      }
    }
    for waiter in others { waiter.resume(throwing: Self.otherStore) }
    set(.following)
    options.onStep?(status, store.snapshot())
    for waiter in reached { waiter.resume() }
  }

  /// An attempt has failed; the next one comes later.
  func fail(_ error: FollowerError, retryIn delay: Duration) {
    state.withLock { state in
      state.lastError = error
      state.isUpToDate = false
      state.status.failures += 1
    }
    set(.disconnected(error, retryIn: delay))
  }

  /// Nothing more can follow.
  func stop(_ error: FollowerError) {
    let waiters = state.withLock { state in
      state.lastError = error
      return state.removeWaiters { _ in true }
    }
    set(.stopped(error))
    for waiter in waiters { waiter.resume(throwing: error) }
  }

  /// Ends the wait for the first snapshot, unless it has come.
  func giveUp() {
    let (status, error, waiters, observers) = state.withLock { state in
      let error =
        state.lastError ?? FollowerError(.timedOut, "The server did not send its objects in time.")
      guard state.status.version == nil, state.status.state != .closed else {
        return (
          state.current, error, [CheckedContinuation<Void, any Error>](),
          [AsyncStream<FollowerStatus>.Continuation]()
        )
      }
      state.status.state = .stopped(error)
      return (state.current, error, state.removeWaiters { _ in true }, Array(state.observers.values))
    }
    for observer in observers { observer.yield(status) }
    for waiter in waiters { waiter.resume(throwing: error) }
  }

  private static var otherStore: FollowerError {
    FollowerError(
      .otherStore, "The server has another store now. Whether it has what was written is not known.")
  }

  private func set(_ new: FollowerStatus.State) {
    let (status, observers) = state.withLock { state in
      if state.status.state != .closed { state.status.state = new }
      return (state.current, Array(state.observers.values))
    }
    for observer in observers { observer.yield(status) }
  }

  // MARK: Closing

  func close() {
    let (status, task, waiters, observers) = state.withLock { state in
      state.status.state = .closed
      defer { (state.task, state.observers) = (nil, [:]) }
      return (
        state.current, state.task, state.removeWaiters { _ in true }, Array(state.observers.values)
      )
    }
    task?.cancel()
    for waiter in waiters { waiter.resume(throwing: FollowerError(.closed, "The follower was closed.")) }
    for observer in observers {
      observer.yield(status)
      observer.finish()
    }
    store.close()
  }
}
