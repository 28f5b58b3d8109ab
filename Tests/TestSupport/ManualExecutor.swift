import Synchronization

/// A serial executor that runs nothing by itself: the test decides when the next job runs.
///
/// A task that is "woken and has not started" is a job waiting here.
package final class ManualExecutor: SerialExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let arrivals = Recorder<Void>()

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    arrivals.append(())
  }

  /// How many jobs wait to be run.
  package var waiting: Int { jobs.withLock { $0.count } }

  /// Runs the first job that waits, on this thread; false if there was none.
  @discardableResult
  package func runNext() -> Bool {
    guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
    job.runSynchronously(on: asUnownedSerialExecutor())
    return true
  }

  /// Runs what waits, and what that makes wait, until nothing does.
  package func drain() {
    while runNext() {}
  }

  /// Suspends until this many jobs have come, counted from the beginning.
  package func arrived(_ count: Int) async { await arrivals.reached(count) }
}

/// An actor whose jobs run when the test says so.
package actor ManualActor {
  package nonisolated let executor: ManualExecutor

  package init(_ executor: ManualExecutor = ManualExecutor()) { self.executor = executor }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Runs a closure on this actor.
  package func run<Value: Sendable>(
    _ body: @Sendable (isolated ManualActor) async throws -> Value
  ) async rethrows -> Value {
    try await body(self)
  }
}
