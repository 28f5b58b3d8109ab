import LiveStore
import Synchronization

/// Runs tasks on the thread that drives it, one job at a time, in an order that follows from a seed.
///
/// Nothing runs by itself, so a simulation on one thread has the same course each time.
package final class SeededExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// How many jobs wait to be run.
  package var waiting: Int { jobs.withLock { $0.count } }

  /// Runs one of the waiting jobs; false if there is none.
  package func step(_ random: inout SplitMix64) -> Bool {
    run(
      jobs.withLock { jobs in
        jobs.isEmpty ? nil : jobs.remove(at: random.int(0...(jobs.count - 1)))
      })
  }

  /// Runs the job that has waited longest; false if there is none.
  package func stepInOrder() -> Bool { run(jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }) }

  private func run(_ job: UnownedJob?) -> Bool {
    job?.runSynchronously(on: asUnownedTaskExecutor())
    return job != nil
  }
}
