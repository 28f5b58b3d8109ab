/// Adds up the time of what a contestant marks as its work, so that preparation does not count.
final class Stopwatch {
  /// Nanoseconds for one operation, one entry for each call of `time`.
  private(set) var laps: [Double] = []
  /// Nanoseconds in all.
  private(set) var total = 0.0
  private var operations = 0
  private let clock = ContinuousClock()

  /// Nanoseconds for one operation, over all calls of `time`.
  var mean: Double { total / Double(max(1, operations)) }

  /// Measures `body` as a number of operations.
  @inline(__always)
  func time<Result>(_ operations: Int = 1, _ body: () throws -> Result) rethrows -> Result {
    let start = clock.now
    let result = try body()
    add(clock.now - start, operations)
    return result
  }

  /// The same for a body that suspends.
  @inline(__always)
  func time<Result>(_ operations: Int = 1, _ body: () async throws -> Result) async rethrows -> Result {
    let start = clock.now
    let result = try await body()
    add(clock.now - start, operations)
    return result
  }

  /// Adds a time that was measured elsewhere.
  func add(_ duration: Duration, _ operations: Int = 1) {
    let nanoseconds = duration / .nanoseconds(1)
    total += nanoseconds
    self.operations += operations
    laps.append(nanoseconds / Double(operations))
  }
}
