import Foundation
import LiveStore

/// Updates one row at a time, at a steady rate, on a thread of its own.
struct Writer: Sendable {
  let store: Store
  let rows: Int
  let rate: Int

  /// What writes cost.
  struct Cost: CustomStringConvertible {
    var writes = 0
    var elapsed = 0.0
    /// Time of the processor for each write, in microseconds, ascending.
    var processor: [Double] = []

    var description: String {
      let mean = processor.reduce(0, +) / Double(max(1, processor.count))
      let rate = String(format: "%.0f", Double(writes) / elapsed)
      let costs = [mean, processor[processor.count / 2], processor[processor.count * 99 / 100]]
        .map { String(format: "%.1f", $0) }
      return
        "\(rate) writes/s, processor of a write: mean \(costs[0]) µs, p50 \(costs[1]) µs, p99 \(costs[2]) µs"
    }
  }

  /// Writes for some time.
  func run(seconds: Int, eachSecond: @escaping @Sendable (Int) -> Void) async throws -> Cost {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try write(seconds, eachSecond) }) }
    }
  }

  private func write(_ seconds: Int, _ eachSecond: (Int) -> Void) throws -> Cost {
    let start = monotonicNanoseconds()
    let interval = 1_000_000_000 / rate
    var cost = Cost()
    for number in 0..<rate * seconds {
      let due = start + number * interval
      let now = monotonicNanoseconds()
      if due > now { Thread.sleep(forTimeInterval: Double(due - now) / 1e9) }
      if number > 0, number % rate == 0 { eachSecond(number / rate) }
      let before = threadNanoseconds()
      try store.write { tx in
        try tx.update(Reading.self, number % rows) { $0.at = monotonicNanoseconds() }
      }
      cost.processor.append(Double(threadNanoseconds() - before) / 1_000)
    }
    cost.writes = rate * seconds
    cost.elapsed = Double(monotonicNanoseconds() - start) / 1e9
    cost.processor.sort()
    return cost
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
