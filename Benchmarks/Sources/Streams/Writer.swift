import Foundation
import LiveStore

/// Updates one row at a time, at a steady rate, on a thread of its own.
///
/// It does the same to a store that nothing follows, at the same rate in a random order: so both find the caches and the
/// processors in the same state, and the costs of their writes can be compared.
struct Writer: Sendable {
  let followed: Store
  let alone: Store
  let rows: Int
  let rate: Int

  /// What writes to the two stores cost.
  struct Costs: CustomStringConvertible {
    fileprivate(set) var followed = Times()
    fileprivate(set) var alone = Times()
    fileprivate(set) var elapsed = 0.0

    var description: String {
      let rate = String(format: "%.0f", Double(followed.values.count) / elapsed)
      let ratio = String(format: "%.3f", followed.typical / alone.typical)
      return """
        \(rate) writes/s, processor of a write
          followed: \(followed)
          alone:    \(alone)
          ratio of the means of the middle half: \(ratio)
        """
    }
  }

  /// Times of the processor, in microseconds.
  struct Times: CustomStringConvertible {
    fileprivate(set) var values: [Double] = []

    /// The mean of the middle half, which interrupts do not change.
    var typical: Double {
      let middle = values.sorted()[values.count / 4..<values.count * 3 / 4]
      return middle.reduce(0, +) / Double(middle.count)
    }

    var description: String {
      let sorted = values.sorted()
      let figures = [
        sorted.reduce(0, +) / Double(sorted.count), sorted[sorted.count / 2], sorted[sorted.count * 99 / 100],
      ].map { String(format: "%.1f", $0) }
      return "mean \(figures[0]) µs, p50 \(figures[1]) µs, p99 \(figures[2]) µs"
    }
  }

  /// Writes for some time.
  func run(seconds: Int, eachSecond: @escaping @Sendable (Int) -> Void) async throws -> Costs {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try write(seconds, eachSecond) }) }
    }
  }

  private func write(_ seconds: Int, _ eachSecond: (Int) -> Void) throws -> Costs {
    let start = monotonicNanoseconds()
    let interval = 1_000_000_000 / (2 * rate)
    var costs = Costs()
    for number in 0..<2 * rate * seconds {
      let due = start + number * interval
      let now = monotonicNanoseconds()
      if due > now { Thread.sleep(forTimeInterval: Double(due - now) / 1e9) }
      if number > 0, number % (2 * rate) == 0 { eachSecond(number / (2 * rate)) }
      let isFollowed = Bool.random()
      let time = try write(to: isFollowed ? followed : alone, number % rows)
      if isFollowed { costs.followed.values.append(time) } else { costs.alone.values.append(time) }
    }
    costs.elapsed = Double(monotonicNanoseconds() - start) / 1e9
    return costs
  }

  private func write(to store: Store, _ row: Int) throws -> Double {
    let before = threadNanoseconds()
    try store.write { tx in
      try tx.update(Reading.self, row) { $0.at = monotonicNanoseconds() }
    }
    return Double(threadNanoseconds() - before) / 1_000
  }
}

/// Nanoseconds of a clock that all processes of the machine share.
func monotonicNanoseconds() -> Int { nanoseconds(CLOCK_MONOTONIC) }

/// Time of the processor that this thread has had.
private func threadNanoseconds() -> Int { nanoseconds(CLOCK_THREAD_CPUTIME_ID) }

private func nanoseconds(_ clock: clockid_t) -> Int {
  var time = timespec()
  clock_gettime(clock, &time)
  return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
}
