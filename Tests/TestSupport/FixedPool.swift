import Foundation
package import LiveStore
import Synchronization

/// A pool of a fixed number of threads for tasks that prefer it, as the cooperative pool is by contract.
///
/// (On Linux the standard pool starts more threads after a while when its own are blocked, which hides a
/// deadlock; this one does not.)
///
/// State: `state`, guarded by the condition; the threads and `enqueue` change it.
package final class FixedPool: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var running = 0
    var isClosed = false
    var whenIdle: [CheckedContinuation<Void, Never>] = []
  }

  private let condition = NSCondition()
  private let state = Mutex(State())

  package init(threads: Int) {
    for _ in 0..<threads {
      Thread.detachNewThread { [self] in work() }
    }
  }

  /// A configuration for a store that evaluates and delivers on these threads.
  package var configuration: Store.Configuration {
    var configuration = Store.Configuration()
    configuration.executor = self
    return configuration
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.lock()
    state.withLock { $0.jobs.append(job) }
    condition.signal()
    condition.unlock()
  }

  /// Ends the threads.
  package func close() {
    condition.lock()
    state.withLock { $0.isClosed = true }
    condition.broadcast()
    condition.unlock()
  }

  /// Suspends until no job waits and none runs: every task of the pool is suspended or has ended.
  package func idle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.jobs.isEmpty, state.running == 0 { return true }
        state.whenIdle.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }

  private func work() {
    while let job = next() {
      job.runSynchronously(on: asUnownedTaskExecutor())
      let waiters = state.withLock { state in
        state.running -= 1
        guard state.jobs.isEmpty, state.running == 0 else { return [CheckedContinuation<Void, Never>]() }
        defer { state.whenIdle = [] }
        return state.whenIdle
      }
      for waiter in waiters { waiter.resume() }
    }
  }

  private func next() -> UnownedJob? {
    condition.lock()
    defer { condition.unlock() }
    while true {
      let (job, isClosed) = state.withLock { state -> (UnownedJob?, Bool) in
        if state.jobs.isEmpty { return (nil, state.isClosed) }
        state.running += 1
        return (state.jobs.removeFirst(), false)
      }
      if job != nil || isClosed { return job }
      condition.wait()
    }
  }
}

/// Runs a body on two threads of its own.
///
/// For what a thread in a loop runs beside: a task of the standard pool may wait for those of all other tests, and the loop
/// takes their processor meanwhile.
package func onOwnThreads(_ body: @Sendable () async throws -> Void) async rethrows {
  let pool = FixedPool(threads: 2)
  defer { pool.close() }
  try await withTaskExecutorPreference(pool) { try await body() }
}
