/// A set of Unicode scalars: a class of a regular expression, or an escape such as `\d`.
struct ScalarSet: Sendable {
  /// Whether a scalar has a property.
  typealias Test = @Sendable (Unicode.Scalar) -> Bool

  /// Ascending, and without overlaps.
  private let ranges: [ClosedRange<UInt32>]
  private let tests: [Test]
  /// Whether the members are the scalars that are in none of the ranges and for which no test holds.
  private let isInverted: Bool
  /// Whether a scalar counts as each of its cases.
  private let isCaseInsensitive: Bool
  /// A bit for each ASCII scalar.
  private var low: UInt64 = 0
  private var high: UInt64 = 0
  /// The cost of testing a scalar that is not ASCII, in steps of a matcher: a test takes as long as some.
  let steps: Int

  /// The union of ranges in any order, and of the scalars for which a test holds; or all other scalars.
  init(
    ranges: [ClosedRange<UInt32>] = [], tests: [Test] = [], isInverted: Bool = false,
    isCaseInsensitive: Bool = false
  ) {
    self.ranges = Self.merged(ranges)
    (self.tests, self.isInverted, self.isCaseInsensitive) = (tests, isInverted, isCaseInsensitive)
    steps = (1 + 8 * tests.count) * (isCaseInsensitive ? 4 : 1)
    if isInverted || isCaseInsensitive || !tests.isEmpty {
      for value in 0..<128 as Range<UInt32> where holds(value) { addASCII(value) }
    } else {
      for range in self.ranges where range.lowerBound < 128 {
        range.clamped(to: 0...127).forEach { addASCII($0) }
      }
    }
  }

  private static func merged(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
    var merged: [ClosedRange<UInt32>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    return merged
  }

  private mutating func addASCII(_ value: UInt32) {
    if value < 64 { low |= 1 << UInt64(value) } else { high |= 1 << UInt64(value - 64) }
  }

  func containsASCII(_ value: UInt32) -> Bool { (value < 64 ? low : high) >> UInt64(value & 63) & 1 == 1 }

  func contains(_ value: UInt32) -> Bool { value < 0x80 ? containsASCII(value) : holds(value) }

  private func holds(_ value: UInt32) -> Bool {
    guard let scalar = Unicode.Scalar(value) else { return false }
    let isMember = isCaseInsensitive ? ScalarCases.of(scalar).contains(where: isListed) : isListed(scalar)
    return isMember != isInverted
  }

  private func isListed(_ scalar: Unicode.Scalar) -> Bool {
    ranges.cover(scalar.value) || tests.contains { $0(scalar) }
  }
}
