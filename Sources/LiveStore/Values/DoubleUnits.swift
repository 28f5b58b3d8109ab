/// Doubles of about one size as whole numbers of 128 bits, which are added in a few instructions (G7).
///
/// A finite double is a whole number of units 2^(`exponent` − 1075) if its exponent is at least `exponent`.
/// Where it is at most 40 above `exponent`, there are fewer than 2^93 units, so that sums of 2^34 such values
/// do not overflow.
struct DoubleUnits {
  /// The exponent field of the least doubles that are accepted: from 1.
  let exponent: Int

  private static let span: UInt = 40

  /// Units for doubles of about the size of a given one; nil if that is zero or not finite.
  init?(near value: Double) {
    if value == 0 || !value.isFinite { return nil }
    let wanted = Int(value.exponentBitPattern) - Int(Self.span) / 2
    // The exponent of infinity, 0x7FF, is above all that are accepted.
    exponent = max(1, min(wanted, 0x7FE - Int(Self.span)))
  }

  /// A double in units; nil for one of another size.
  @inline(__always)
  func units(_ value: Double) -> Int128? {
    let bits = value.bitPattern
    let shift = Int(truncatingIfNeeded: bits &>> 52 & 0x7FF) &- exponent
    // Exponent 0, of zero and the least doubles, is below the exponents of all units.
    guard UInt(bitPattern: shift) <= Self.span else { return nil }
    let units = Int128(truncatingIfNeeded: bits & 0xF_FFFF_FFFF_FFFF | 1 << 52) &<< Int128(shift)
    return bits >> 63 == 1 ? 0 &- units : units
  }
}

/// Doubles that are added to one sum.
struct DoubleRun {
  private var units: DoubleUnits?
  private var total: Int128 = 0

  /// Adds a value; one of another size than the first goes to the sum at once.
  @inline(__always)
  mutating func add(_ value: Double, to sum: inout ExactSum) {
    if let units = units?.units(value) { total &+= units } else { addOther(value, to: &sum) }
  }

  @inline(never)
  private mutating func addOther(_ value: Double, to sum: inout ExactSum) {
    if value == 0 { return }
    if units == nil, let near = DoubleUnits(near: value) {
      units = near
      if let first = near.units(value) { return total = first }
    }
    sum.add(value, isRemoval: false)
  }

  /// Adds the values that have not been added yet.
  func finish(_ sum: inout ExactSum) {
    if let units { sum.fraction.add(total, units) }
  }
}
