import LiveStore
import Synchronization

/// A serial executor that runs nothing by itself: the test decides when the next job runs.
///
/// A task that was "woken and has not started" is a job that waits here.
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

  /// How many jobs have ever come.
  package var arrived: Int { arrivals.count }

  /// Waits for a job to come, if none is there, and runs it on a thread of its own.
  ///
  /// - Parameter number: which job it is, counted from 1; the ones before must have been run.
  package func run(_ number: Int) async {
    await arrival(number)
    let worker = Worker { [self] in runHere() }
    try? await worker.value()
  }

  /// Waits for a job to come, counted from 1.
  package func arrival(_ number: Int) async { await arrivals.reached(number) }

  /// Runs the first job that waits on the calling thread.
  package func runHere() {
    let job = jobs.withLock { $0.removeFirst() }
    job.runSynchronously(on: asUnownedSerialExecutor())
  }
}

/// An actor whose jobs run when the test says so.
package actor ManualActor {
  package nonisolated let executor = ManualExecutor()

  package init() {}

  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Runs a closure on this actor.
  package func run<Value: Sendable>(
    _ body: @Sendable (isolated ManualActor) async throws -> Value
  ) async rethrows -> Value {
    try await body(self)
  }
}
