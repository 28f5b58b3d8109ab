import Foundation

/// The processor time of this thread for something, the least of three times, in seconds.
package func processorTime(_ body: () throws -> Void) rethrows -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
  var least = Double.infinity
  for _ in 0..<3 {
    let start = now()
    try body()
    least = min(least, now() - start)
  }
  return least
}
