/// One way of doing the work of a figure.
struct Contestant {
  /// What stands for one run: the mean over its operations, or the median of its laps, which leaves out the moments
  /// in which the scheduler did something else.
  enum Statistic { case mean, median }

  let name: String
  let statistic: Statistic
  /// Runs the work once and marks what counts with the stopwatch.
  let run: (Stopwatch) async throws -> Void

  init(_ name: String, _ statistic: Statistic = .mean, run: @escaping (Stopwatch) async throws -> Void) {
    self.name = name
    self.statistic = statistic
    self.run = run
  }

  /// Nanoseconds for one operation. Short work is repeated for 20 ms, after a run that fills the caches and counts only
  /// if it was long.
  func sample() async throws -> Double {
    var watch = Stopwatch()
    try await run(watch)
    if watch.total < 2e6 { watch = Stopwatch() }
    while watch.total < 20e6 { try await run(watch) }
    switch statistic {
    case .mean: return watch.mean
    case .median: return Spread(watch.laps).median
    }
  }
}
