/// An exact sum of finite doubles: an integer of any length that counts the least positive double.
///
/// Every finite double is a whole multiple of 2⁻¹⁰⁷⁴, so a sum of doubles is an integer, and addition and subtraction
/// are exact, in any order. (The idea is Ulrich Kulisch's long accumulator.) Only the words from the lowest to the
/// highest that are not empty are stored: two to four for most data, 34 at most.
///
/// ```
/// value = Σ words[i] · 2^(64 · (low + i)) · 2^-1074, in two's complement; the last word has the sign
/// ```
package struct FixedPointSum: Sendable, Equatable {
  private var low = 0
  private var words: [UInt64] = []

  package init() {}

  /// Adds or subtracts a finite value.
  package mutating func add(_ value: Double, isRemoval: Bool) {
    if value == 0 { return }
    let exponent = Int(value.exponentBitPattern)
    let digits = value.significandBitPattern | (exponent == 0 ? 0 : 1 << 52)
    add(digits, at: max(exponent, 1) - 1, isNegative: (value < 0) != isRemoval)
    trim()
  }

  /// Adds a sum of doubles in units.
  mutating func add(_ sum: Int128, _ units: DoubleUnits) {
    if sum == 0 { return }
    let (magnitude, bit) = (sum.magnitude, units.exponent - 1)
    add(UInt64(truncatingIfNeeded: magnitude), at: bit, isNegative: sum < 0)
    let high = UInt64(truncatingIfNeeded: magnitude >> 64)
    if high != 0 { add(high, at: bit + 64, isNegative: sum < 0) }
    trim()
  }

  /// Adds another sum a number of times.
  ///
  /// - Complexity: O(log times).
  mutating func add(_ other: FixedPointSum, times: Int) {
    let isNegative = other.isNegative
    let magnitude = isNegative ? other.negatedWords : other.words
    for bit in 0..<63 where times >> bit & 1 == 1 {
      for (index, word) in magnitude.enumerated() where word != 0 {
        add(word, at: 64 * (other.low + index) + bit, isNegative: isNegative)
      }
    }
    trim()
  }

  /// Adds a number of 2^`bit`, or subtracts it.
  private mutating func add(_ digits: UInt64, at bit: Int, isNegative: Bool) {
    let (word, shift) = (bit / 64, UInt64(bit % 64))
    let parts = (digits << shift, shift == 0 ? 0 : digits >> (64 - shift))
    makeRoom(from: word, through: word + 2)
    add(parts, at: word - low, isNegative: isNegative)
  }

  /// Extends the words to the given range, and above the range to a word that is all sign.
  private mutating func makeRoom(from first: Int, through last: Int) {
    if words.isEmpty { low = first }
    if first < low {
      words.insert(contentsOf: repeatElement(0, count: low - first), at: 0)
      low = first
    }
    let sign: UInt64 = isNegative ? .max : 0
    while low + words.count <= last || words.last != sign { words.append(sign) }
  }

  private mutating func add(_ parts: (UInt64, UInt64), at start: Int, isNegative: Bool) {
    var carry: UInt64 = 0
    for index in start..<words.count {
      let part = index == start ? parts.0 : index == start + 1 ? parts.1 : 0
      if index > start + 1 && carry == 0 { return }
      let (once, first) =
        isNegative
        ? words[index].subtractingReportingOverflow(part) : words[index].addingReportingOverflow(part)
      let (twice, second) =
        isNegative ? once.subtractingReportingOverflow(carry) : once.addingReportingOverflow(carry)
      words[index] = twice
      carry = first || second ? 1 : 0
    }
  }

  private var isNegative: Bool { words.last.map { $0 >> 63 == 1 } ?? false }

  /// Removes redundant words, so that equal sums have equal representations.
  private mutating func trim() {
    while let last = words.last {
      let below = words.count > 1 ? words[words.count - 2] >> 63 : 0
      guard last == (below == 1 ? .max : 0), words.count > 1 || last == 0 else { break }
      words.removeLast()
    }
    let empty = words.prefix { $0 == 0 }.count
    words.removeFirst(empty)
    low = words.isEmpty ? 0 : low + empty
  }

  /// The nearest double, ties to even, after division by 2^`exponent`.
  ///
  /// - Parameter exponent: positive only for sums that are far above the least normal double.
  package func rounded(dividedByPowerOfTwo exponent: Int = 0) -> Double {
    if words.isEmpty { return 0 }
    let magnitude = isNegative ? negatedWords : words
    guard let top = magnitude.lastIndex(where: { $0 != 0 }) else { return 0 }
    let highest = 64 * (low + top) + 63 - magnitude[top].leadingZeroBitCount
    func bit(_ position: Int) -> UInt64 {
      let index = position / 64 - low
      return magnitude.indices.contains(index) ? magnitude[index] >> UInt64(position % 64) & 1 : 0
    }
    func bits(from position: Int, count: Int) -> UInt64 {
      (0..<count).reduce(0) { $0 | bit(position + $1) << UInt64($1) }
    }
    // 53 bits, or all there are of a subnormal sum, which is exact.
    let drop = max(highest - 52, 0)
    var pattern = bits(from: drop, count: 53)
    if drop > 0 && bit(drop - 1) == 1 {
      let isTie = !(64 * low..<drop - 1).contains { bit($0) == 1 }
      if !isTie || pattern & 1 == 1 { pattern += 1 }
    }
    // The leading bit of the digits adds the one that the exponent lacks.
    let field = UInt64(drop - exponent) << 52 + pattern
    let infinity = Double.infinity.bitPattern
    return Double(bitPattern: min(field, infinity) | (isNegative ? 1 << 63 : 0))
  }

  private var negatedWords: [UInt64] {
    var carry = true
    return words.map { word in
      let (sum, overflow) = (~word).addingReportingOverflow(carry ? 1 : 0)
      carry = overflow
      return sum
    }
  }
}
