import Synchronization

/// Reports how far one operation is, not too often, and ends it when its task is cancelled.
///
/// State: the progress that was reached, and when the next report is due; guarded by the mutex, which is not held while the
/// closure runs.
package final class ProgressReporter: Sendable {
  /// The time between two reports within a phase; zero in tests, which see each.
  @TaskLocal package static var interval = Duration.milliseconds(100)

  /// How many rows are read from one look at the clock to the next.
  static let stride = 256

  private let report: (@Sendable (StoreFile.Progress) -> Void)?
  private let interval: Duration
  private let state = Mutex(State())

  private struct State {
    var progress = StoreFile.Progress(phase: .reading, unit: .rows)
    var next = ContinuousClock.now
    /// Whether a phase has begun, and has not ended.
    var isWithinPhase = false
  }

  package init(_ report: (@Sendable (StoreFile.Progress) -> Void)?) {
    self.report = report
    interval = Self.interval
  }

  /// How much of the phase has been done.
  var done: Int { state.withLock { $0.progress.done } }

  /// Begins a phase.
  func begin(_ phase: StoreFile.Progress.Phase, _ unit: StoreFile.Progress.Unit, of total: Int?) {
    show { state in
      state.progress = StoreFile.Progress(phase: phase, total: total, unit: unit)
      state.isWithinPhase = true
    }
  }

  /// Takes in how much has been done; less than before changes nothing.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  func advance(to done: @autoclosure () -> Int) throws {
    try Task.checkCancellation()
    guard report != nil, isDue else { return }
    show { state in
      let limit = state.progress.total ?? .max
      state.progress.done = max(state.progress.done, min(done(), limit))
    }
  }

  /// The same for a number of rows that counts each of them: there is a report at every 256th at the most.
  func advance(toRow row: Int, after rowsBefore: Int = 0) throws {
    if row % Self.stride == 0 { try advance(to: rowsBefore + row) }
  }

  /// Takes in that an amount was done for sure, whether or not a report is due.
  func reach(_ done: Int) { state.withLock { $0.progress.done = max($0.progress.done, done) } }

  /// Ends the phase, if there is one: all of it was done.
  func end() {
    guard state.withLock({ $0.isWithinPhase }) else { return }
    show { state in
      state.progress.done = state.progress.total ?? state.progress.done
      state.isWithinPhase = false
    }
  }

  private var isDue: Bool { state.withLock { ContinuousClock.now >= $0.next } }

  private func show(_ change: (inout State) -> Void) {
    guard let report else { return }
    let progress = state.withLock { state in
      change(&state)
      state.next = .now + interval
      return state.progress
    }
    report(progress)
  }
}
