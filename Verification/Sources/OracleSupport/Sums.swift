import LiveStore

/// Exact sums, as the contract has them: rounded once.
enum Sums {
  /// The integer nearest to the sum.
  static func integers(_ values: [Int]) -> Int {
    var (high, low) = (0, UInt(0))
    for value in values {
      let (sum, carry) = low.addingReportingOverflow(UInt(bitPattern: value))
      low = sum
      high += (value < 0 ? -1 : 0) + (carry ? 1 : 0)
    }
    if high == 0, low <= UInt(Int.max) { return Int(low) }
    if high == -1, low > UInt(Int.max) { return Int(bitPattern: low) }
    return high < 0 ? .min : .max
  }

  /// The double nearest to the exact sum.
  static func doubles(_ values: [Double]) -> Double {
    if values.contains(where: \.isNaN) { return .nan }
    let infinities = Set(values.filter(\.isInfinite))
    if infinities.count == 2 { return .nan }
    if let infinity = infinities.first { return infinity }
    // Positive and negative parts as fixed point numbers of base 2^16, the lowest bit worth 2^-1074.
    var limbs = [Int](repeating: 0, count: 140)
    for value in values where value != 0 {
      let shift = value.isNormal ? Int(value.exponent) + 1022 : 0
      var bits = value.significandBitPattern | (value.isNormal ? 1 << 52 : 0)
      var index = shift / 16
      let first = Int(bits & ((1 << 32) - 1)) << (shift % 16)
      bits >>= 32
      let second = Int(bits) << (shift % 16)
      for (part, offset) in [(first, 0), (second, 2)] {
        index = shift / 16 + offset
        var part = part
        while part > 0 {
          limbs[index] += (value < 0 ? -1 : 1) * (part & 0xFFFF)
          part >>= 16
          index += 1
        }
      }
    }
    var carry = 0
    for index in limbs.indices {
      let sum = limbs[index] + carry
      carry = sum >> 16
      limbs[index] = sum & 0xFFFF
    }
    let isNegative = carry < 0
    if isNegative {
      var borrow = 1
      for index in limbs.indices {
        let sum = (~limbs[index] & 0xFFFF) + borrow
        limbs[index] = sum & 0xFFFF
        borrow = sum >> 16
      }
    }
    let magnitude = rounded(limbs)
    return isNegative ? -magnitude : magnitude
  }

  /// The double nearest to a fixed point number, ties to even.
  private static func rounded(_ limbs: [Int]) -> Double {
    func bit(_ index: Int) -> UInt64 { index < 0 ? 0 : UInt64(limbs[index / 16] >> (index % 16)) & 1 }
    guard let top = (0..<limbs.count * 16).last(where: { bit($0) == 1 }) else { return 0 }
    let lowest = max(0, top - 52)
    var significand: UInt64 = 0
    for index in stride(from: top, through: lowest, by: -1) { significand = significand << 1 | bit(index) }
    if lowest > 0, bit(lowest - 1) == 1 {
      let isTie = !(0..<lowest - 1).contains { bit($0) == 1 }
      if !isTie || significand & 1 == 1 { significand += 1 }
    }
    return Double(significand) * Double(sign: .plus, exponent: lowest - 1074, significand: 1)
  }
}
