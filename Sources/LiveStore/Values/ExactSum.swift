/// The exact intermediate value of a sum or an average, for the library's own use.
@_documentation(visibility: internal)
public struct ExactSum: Sendable {
  /// The number of rows, including those without a value.
  var rows = 0
  var values = 0
  var integer: Int128 = 0
  var fraction = FixedPointSum()
  private var nans = 0
  private var infinities = 0
  private var negativeInfinities = 0

  mutating func add(_ value: Double, isRemoval: Bool) {
    let step = isRemoval ? -1 : 1
    if value.isNaN {
      nans += step
    } else if value.isInfinite {
      if value < 0 { negativeInfinities += step } else { infinities += step }
    } else {
      fraction.add(value, isRemoval: isRemoval)
    }
  }

  /// The sum if some value is not finite; nil if all are.
  private var special: Double? {
    if nans > 0 || (infinities > 0 && negativeInfinities > 0) { return .nan }
    if infinities > 0 { return .infinity }
    return negativeInfinities > 0 ? -.infinity : nil
  }

  /// The nearest double to the sum of all doubles added.
  var double: Double { special ?? fraction.rounded() }

  /// The mean of all values; nil where there are none.
  var average: Double? {
    guard values > 0 else { return nil }
    if integer != 0 { return nearestQuotient(integer, values) }
    let sum = double
    guard sum.isInfinite, special == nil else { return sum / Double(values) }
    // A sum beyond the largest double may have a mean within the range.
    return fraction.rounded(dividedByPowerOfTwo: 64) / Double(values) * 0x1p64
  }
}

extension ExactSum {
  /// Adds another sum a number of times.
  mutating func add(_ other: ExactSum, times: Int) {
    func add(_ count: Int, to sum: inout Int) {
      let (product, isOver) = count.multipliedReportingOverflow(by: times)
      let (result, isSumOver) = sum.addingReportingOverflow(product)
      sum = isOver || isSumOver ? .max : result
    }
    add(other.values, to: &values)
    add(other.nans, to: &nans)
    add(other.infinities, to: &infinities)
    add(other.negativeInfinities, to: &negativeInfinities)
    let (product, isOver) = other.integer.multipliedReportingOverflow(by: Int128(times))
    let (result, isSumOver) = integer.addingReportingOverflow(product)
    integer = isOver || isSumOver ? (other.integer < 0 ? .min : .max) : result
    fraction.add(other.fraction, times: times)
  }
}

/// The double nearest to the quotient of two integers. The divisor is a positive count below 2^53.
private func nearestQuotient(_ dividend: Int128, _ divisor: Int) -> Double {
  let magnitude = dividend.magnitude
  // Both are exact doubles.
  if magnitude <= 1 << 53 { return Double(dividend) / Double(divisor) }
  // At least 74 bits: 127 less the 53 of the divisor.
  let shift = magnitude.leadingZeroBitCount
  let (quotient, rest) = (magnitude << shift).quotientAndRemainder(dividingBy: UInt128(divisor))
  // The last of its first 63 bits also stands for all bits behind: they can break a tie, and nothing else.
  let excess = UInt128.bitWidth - quotient.leadingZeroBitCount - 63
  let digits = quotient >> excess
  let isExact = rest == 0 && digits << excess == quotient
  return Double(
    sign: dividend < 0 ? .minus : .plus, exponent: excess - shift,
    significand: Double(UInt64(digits | (isExact ? 0 : 1))))
}

extension TreeLayout {
  /// Sums, by the row numbers of their groups.
  static let sums = TreeLayout.values(of: ExactSum.self)
}
