import Synchronization

/// An observer in a task of its own, which records when each of its events arrives.
final class Receiver: Sendable {
  private struct State {
    var arrivals: [ContinuousClock.Instant] = []
    var waiting: CheckedContinuation<ContinuousClock.Instant?, Never>?
    var isEnded = false
  }

  private let state = Mutex(State())
  private let task = Mutex<Task<Void, any Error>?>(nil)

  /// - Parameter observe: receives events until it is cancelled, and calls the closure for each.
  init(_ observe: @escaping @Sendable (_ arrived: @Sendable () -> Void) async throws -> Void) {
    task.withLock { task in
      task = Task { [self] in
        defer { end() }
        try await observe { arrive() }
      }
    }
  }

  /// A receiver whose events are reported by `arrive`.
  init() {}

  func cancel() { task.withLock { $0?.cancel() } }

  /// The time of the next event.
  func arrival() async throws -> ContinuousClock.Instant {
    let instant = await withCheckedContinuation { continuation in
      let next: (ready: Bool, value: ContinuousClock.Instant?) = state.withLock { state in
        if !state.arrivals.isEmpty { return (true, state.arrivals.removeFirst()) }
        if state.isEnded { return (true, nil) }
        state.waiting = continuation
        return (false, nil)
      }
      if next.ready { continuation.resume(returning: next.value) }
    }
    guard let instant else { throw Failure.noEvent }
    return instant
  }

  /// The time from the start of `body` to the event that it causes.
  func time(_ body: () async throws -> Void) async throws -> Duration {
    let start = ContinuousClock.now
    try await body()
    return try await arrival() - start
  }

  func arrive() {
    let instant = ContinuousClock.now
    let waiting = state.withLock { state in
      let waiting = state.waiting.take()
      if waiting == nil { state.arrivals.append(instant) }
      return waiting
    }
    waiting?.resume(returning: instant)
  }

  private func end() {
    let waiting = state.withLock { state in
      state.isEnded = true
      return state.waiting.take()
    }
    waiting?.resume(returning: nil)
  }
}
