import Synchronization

/// Who waits for all handlers to have been told of what was committed: a plain value.
///
/// A waiter first waits for upkeep to reach its version, then for the deliveries that were busy at that
/// moment: until each is idle or has delivered its version.
struct Settling {
  private struct Waiter {
    let version: Version
    var continuation: CheckedContinuation<Void, any Error>
    /// Deliveries to wait for; nil until upkeep has reached the version.
    var remaining: Set<UInt64>?
  }

  private var waiters: [UInt64: Waiter] = [:]
  /// Deliveries that have something to deliver or are delivering.
  private var busy: Set<UInt64> = []

  var isWaiting: Bool { !waiters.isEmpty }

  mutating func add(
    _ id: UInt64, _ version: Version, isProcessed: Bool,
    _ continuation: CheckedContinuation<Void, any Error>, _ wakes: inout Wakes
  ) {
    waiters[id] = Waiter(version: version, continuation: continuation, remaining: isProcessed ? busy : nil)
    finish(id, &wakes)
  }

  mutating func remove(_ id: UInt64) -> CheckedContinuation<Void, any Error>? {
    waiters.removeValue(forKey: id)?.continuation
  }

  mutating func markBusy(_ delivery: UInt64) { busy.insert(delivery) }

  /// Upkeep has reached a version; what it woke is busy already.
  mutating func processed(_ version: Version, _ wakes: inout Wakes) {
    for (id, waiter) in waiters where waiter.remaining == nil && waiter.version <= version {
      waiters[id]?.remaining = busy
      finish(id, &wakes)
    }
  }

  /// A delivery is idle, paused or gone, or has delivered a version and goes on.
  mutating func delivered(_ delivery: UInt64, through version: Version?, _ wakes: inout Wakes) {
    if version == nil { busy.remove(delivery) }
    for (id, waiter) in waiters where version.map({ waiter.version <= $0 }) ?? true {
      if waiters[id]?.remaining?.remove(delivery) != nil { finish(id, &wakes) }
    }
  }

  mutating func finishAll(_ wakes: inout Wakes) {
    for waiter in waiters.values { wakes.add(waiter.continuation) }
    waiters = [:]
  }

  private mutating func finish(_ id: UInt64, _ wakes: inout Wakes) {
    guard let waiter = waiters[id], waiter.remaining?.isEmpty == true else { return }
    waiters[id] = nil
    wakes.add(waiter.continuation)
  }
}

extension LiveEngine {
  /// Suspends until the handlers of all tokens have been told of everything up to a version.
  func settle(through version: Version) async throws {
    catchUp()
    let id = state.withLock { $0.makeID() }
    // The last observer may have left meanwhile.
    defer {
      let freed = state.withLock { $0.deactivateIfIdle(inbox) }
      withExtendedLifetime(freed) {}
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        var wakes = Wakes()
        let isDone = state.withLock { engine in
          if engine.isClosed || Task.isCancelled { return true }
          let isProcessed = engine.processed.map { $0.version >= version } ?? true
          engine.settling.add(id, version, isProcessed: isProcessed, continuation, &wakes)
          return false
        }
        if isDone { continuation.resume() }
        wakes.perform()
      }
    } onCancel: {
      state.withLock { $0.settling.remove(id) }?.resume(throwing: CancellationError())
    }
    try Task.checkCancellation()
  }
}
