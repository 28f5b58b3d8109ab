/// How often something took how long: counts by classes of durations, in a size that does not grow with time.
///
/// Durations below 8 ns have classes of their own; above, eight classes cover each doubling. So a percentile, the
/// upper end of its class, is at most an eighth too large. The array ends with the highest class that was used, of
/// 496 at most.
package struct DurationCounts: Sendable {
  private var counts: [UInt32] = []
  package private(set) var count = 0
  package private(set) var longest = Duration.zero

  package init() {}

  /// - Complexity: O(1).
  package mutating func add(_ duration: Duration) {
    let duration = max(.zero, duration)
    let number = Self.classNumber(of: UInt64(clamping: duration.nanoseconds))
    if number >= counts.count { counts += repeatElement(0, count: number + 1 - counts.count) }
    if counts[number] < .max { counts[number] += 1 }
    count += 1
    longest = max(longest, duration)
  }

  /// The least upper end of a class below which a part of the durations is.
  ///
  /// - Parameter part: from 0 to 1.
  /// - Complexity: O(1): there are 496 classes at most.
  package func percentile(_ part: Double) -> Duration {
    let wanted = (Double(count) * part).rounded(.up)
    var sum = 0.0
    for (number, count) in counts.enumerated() {
      sum += Double(count)
      if count > 0, sum >= wanted { return min(longest, .nanoseconds(Self.last(inClass: number))) }
    }
    return longest
  }

  private static func classNumber(of nanoseconds: UInt64) -> Int {
    if nanoseconds < 8 { return Int(nanoseconds) }
    let exponent = 63 - nanoseconds.leadingZeroBitCount
    return (exponent - 2) * 8 + Int(nanoseconds >> (exponent - 3)) & 7
  }

  /// The longest duration of a class, in nanoseconds.
  private static func last(inClass number: Int) -> UInt64 {
    if number < 8 { return UInt64(number) }
    let shift = number / 8 - 1
    return (UInt64(8 + number % 8) << shift) + ((1 << shift) - 1)
  }
}

extension Duration {
  fileprivate static func nanoseconds(_ count: UInt64) -> Duration { .nanoseconds(Int64(clamping: count)) }
}
