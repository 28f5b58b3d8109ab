// Parsing a number. The digits of the text without the decimal point are an integer, and the decimal point and the
// exponent are a power of ten: value = significand × 10^scale. Most numbers have at most 19 digits, so their
// significand fits in a UInt64. These need only arithmetic:
//
// 1. An integer of 64 bits once the power of ten is applied: `.integer`.
// 2. At most 15 digits: different decimals of so few digits have different doubles (in the normal range), hence
//    the decimal is the shortest one of its double: `.double`. Where significand and power of ten are both
//    exact doubles, one rounded multiplication or division gives it.
// 3. 16 or 17 digits: `.double` if the nearest double prints as this decimal, else `.decimal`.
// 4. More: no double's shortest decimal has more than 17 digits: `.decimal`.

extension JSONNumber {
  /// The number that a decimal such as `-12.5e-3` denotes; nil if the text is not one or is beyond a double's range.
  package init?(decimalText text: some StringProtocol) {
    guard let decimal = JSONDecimal(text: text), let number = JSONNumber(decimal) else { return nil }
    self = number
  }

  /// The number that these bytes denote, of the form `-12.5e-3`, checked by the caller; nil if it is beyond a
  /// double's range.
  package init?(validated bytes: UnsafeRawBufferPointer) {
    var (significand, digitCount, scale): (UInt64, Int, Int) = (0, 0, 0)
    var (isNegative, isFraction) = (false, false)
    var index = 0
    scan: while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if digitCount > 0 || byte != UInt8(ascii: "0") { digitCount += 1 }
        guard digitCount <= 19 else {
          guard let decimal = JSONDecimal(utf8: bytes), let number = JSONNumber(decimal) else { return nil }
          self = number
          return
        }
        significand = significand * 10 + UInt64(byte - UInt8(ascii: "0"))
        if isFraction { scale -= 1 }
      case UInt8(ascii: "."): isFraction = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"): break scan
      case UInt8(ascii: "-"): isNegative = true
      default: break
      }
      index += 1
    }
    scale += Self.exponent(bytes.dropFirst(index + 1))
    self.init(isNegative: isNegative, significand: significand, scale: scale)
  }

  /// The number of a decimal of any length; nil beyond a double's range.
  init?(_ decimal: JSONDecimal) {
    if decimal.digits.count <= 19 {
      let significand = decimal.digits.reduce(0 as UInt64) { $0 * 10 + UInt64($1) }
      self.init(
        isNegative: decimal.isNegative, significand: significand,
        scale: decimal.exponent - max(0, decimal.digits.count - 1))
    } else {
      let double = decimal.nearestDouble
      guard double.isFinite, double != 0 else { return nil }
      self.init(canonical: .decimal(decimal))
    }
  }

  /// The number ±significand × 10^scale; nil beyond a double's range.
  private init?(isNegative: Bool, significand: UInt64, scale: Int) {
    guard significand != 0 else {
      self.init(canonical: .integer(0))
      return
    }
    var (significand, scale) = (significand, scale)
    while significand % 10 == 0 && scale < 0 {
      significand /= 10
      scale += 1
    }
    if let integer = Self.integer(isNegative, significand, scale) {
      self.init(canonical: .integer(integer))
      return
    }
    while significand % 10 == 0 {
      significand /= 10
      scale += 1
    }
    // Beyond these bounds the nearest double is infinite or zero.
    guard scale <= 308, scale >= -400 else { return nil }
    let double = Self.nearestDouble(significand, scale)
    guard double.isFinite, double != 0 else { return nil }
    let signed = isNegative ? -double : double
    if significand < 1_000_000_000_000_000 && double.isNormal {
      self.init(canonical: .double(signed))
      return
    }
    guard let decimal = JSONDecimal(text: "\(isNegative ? "-" : "")\(significand)e\(scale)") else {
      return nil
    }
    // -2^63 as a double is an integer, so its shortest decimal, -9223372036854776000, cannot be one.
    let isShortest = signed != -0x1p63 && JSONDecimal(text: signed.description) == decimal
    self.init(canonical: isShortest ? .double(signed) : .decimal(decimal))
  }

  /// ±significand × 10^scale if that is an integer of 64 bits.
  private static func integer(_ isNegative: Bool, _ significand: UInt64, _ scale: Int) -> Int64? {
    guard scale >= 0, scale <= 18 else { return nil }
    let (magnitude, isTooLarge) = significand.multipliedReportingOverflow(by: integerPowersOfTen[scale])
    guard !isTooLarge else { return nil }
    if isNegative {
      return magnitude == 1 << 63 ? .min : Int64(exactly: magnitude).map { -$0 }
    }
    return Int64(exactly: magnitude)
  }

  private static func nearestDouble(_ significand: UInt64, _ scale: Int) -> Double {
    if significand <= 1 << 53 && scale.magnitude <= 22 {
      let power = doublePowersOfTen[Int(scale.magnitude)]
      return scale < 0 ? Double(significand) / power : Double(significand) * power
    }
    return Double("\(significand)e\(scale)") ?? .infinity
  }

  /// The exponent after the `e`, bounded so that no text can make it overflow.
  private static func exponent(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    var (exponent, isNegative) = (0, false)
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "+"): break
      default: exponent = min(exponent * 10 + Int(byte - UInt8(ascii: "0")), JSONDecimal.exponentBound)
      }
    }
    return isNegative ? -exponent : exponent
  }

  private static let integerPowersOfTen: [UInt64] = (0...18).map { power in
    (0..<power).reduce(1) { value, _ in value * 10 }
  }

  /// The powers of ten that are exact doubles.
  private static let doublePowersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
