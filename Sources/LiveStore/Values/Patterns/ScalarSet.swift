/// A set of Unicode scalars, such as the class of a regular expression.
struct ScalarSet: Sendable {
  private let test: ScalarTest
  /// Whether the other cases of a scalar matter to it.
  private let isCaseInsensitive: Bool
  /// A bit for each ASCII scalar.
  private let low: UInt64
  private let high: UInt64
  /// As how many steps of a matcher it counts to ask for a scalar that is not ASCII.
  let steps: Int

  init(_ test: ScalarTest, isCaseInsensitive: Bool) {
    self.test = test
    self.isCaseInsensitive = isCaseInsensitive
    func bits(_ range: Range<UInt32>) -> UInt64 {
      if !isCaseInsensitive, case .ranges(let ranges) = test {
        return ranges.reduce(0) { bits, members in
          members.clamped(to: ClosedRange(range)).reduce(bits) { members ~= $1 ? $0 | 1 << ($1 % 64) : $0 }
        }
      }
      return range.reduce(0) { bits, value in
        Self.contains(value, test, isCaseInsensitive) ? bits | 1 << (value % 64) : bits
      }
    }
    low = bits(0..<64)
    high = bits(64..<128)
    steps = test.steps * (isCaseInsensitive ? 4 : 1)
  }

  func containsASCII(_ value: UInt32) -> Bool { (value < 64 ? low : high) >> UInt64(value & 63) & 1 == 1 }

  func contains(_ value: UInt32) -> Bool {
    if value < 0x80 { return containsASCII(value) }
    return Self.contains(value, test, isCaseInsensitive)
  }

  private static func contains(_ value: UInt32, _ test: ScalarTest, _ isCaseInsensitive: Bool) -> Bool {
    guard let scalar = Unicode.Scalar(value) else { return false }
    if !isCaseInsensitive { return test.members(of: [scalar]) == 1 }
    let cases = ScalarCases.of(scalar)
    guard let index = cases.firstIndex(of: scalar) else { return false }
    return test.members(of: cases) >> index & 1 == 1
  }
}

/// Which scalars are in a set.
indirect enum ScalarTest: Sendable {
  /// Those in one of the ranges, which are ascending and do not overlap.
  case ranges([ClosedRange<UInt32>])
  case property(@Sendable (Unicode.Scalar) -> Bool)
  /// Those of which any case is in the set.
  case anyCase(ScalarTest)
  case inverted(ScalarTest)
  /// The steps from the first to the last, beginning with the empty set.
  case steps([Step])

  struct Step: Sendable {
    let operation: Operation
    let test: ScalarTest
  }

  enum Operation: Sendable { case union, intersection, difference }

  /// The union of ranges in any order.
  init(ranges: [ClosedRange<UInt32>]) {
    var merged: [ClosedRange<UInt32>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound...Swift.max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    self = .ranges(merged)
  }

  /// As how many steps of a matcher it counts to ask it for a scalar: to look up a property takes as long as some.
  fileprivate var steps: Int {
    switch self {
    case .ranges: 1
    case .property: 8
    case .anyCase(let test), .inverted(let test): test.steps
    case .steps(let steps): steps.reduce(1) { $0 + $1.test.steps }
    }
  }

  /// A bit for each scalar that is in the set. The scalars are one, or all cases of one: so nested sets are asked
  /// once, however many of them consider case.
  func members(of scalars: [Unicode.Scalar]) -> UInt64 {
    let all = UInt64(1) << scalars.count - 1
    switch self {
    case .ranges(let ranges): return Self.bits(scalars) { Self.contains($0.value, ranges) }
    case .property(let test): return Self.bits(scalars, test)
    case .anyCase(let test): return test.members(of: scalars) == 0 ? 0 : all
    case .inverted(let test): return test.members(of: scalars) ^ all
    case .steps(let steps):
      return steps.reduce(0) { members, step in
        let others = step.test.members(of: scalars)
        return switch step.operation {
        case .union: members | others
        case .intersection: members & others
        case .difference: members & ~others
        }
      }
    }
  }

  private static func bits(_ scalars: [Unicode.Scalar], _ test: (Unicode.Scalar) -> Bool) -> UInt64 {
    var bits: UInt64 = 0
    for (index, scalar) in scalars.enumerated() where test(scalar) { bits |= 1 << index }
    return bits
  }

  private static func contains(_ value: UInt32, _ ranges: [ClosedRange<UInt32>]) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].lowerBound <= value
  }
}
