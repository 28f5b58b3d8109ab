import Foundation

/// Decimal numbers of a database as Foundation's, without rounding.
enum ExactDecimal {
  /// The number that a text is: digits with an optional point and exponent, or `NaN`.
  ///
  /// - Returns: nil if the text is no number, an infinity, or a number that `Decimal` cannot hold exactly.
  static func decimal(_ text: String) -> Decimal? {
    if text.utf8.elementsEqual("NaN".utf8) { return .nan }
    var utf8 = text
    return utf8.withUTF8 { decimal(ByteCursor(UnsafeRawBufferPointer($0))) }
  }

  private static func decimal(_ text: ByteCursor) -> Decimal? {
    var cursor = text
    let isNegative = cursor.take("-" as Unicode.Scalar)
    // Zeros are only counted until another digit follows, so that trailing ones do not use up the digits.
    var (mantissa, digits, exponent, zeros) = (UInt128(0), 0, 0, 0)
    var (hasDigits, isFraction) = (false, false)
    while let byte = cursor.peek {
      if byte == UInt8(ascii: "."), !isFraction {
        isFraction = true
      } else if let digit = byte.decimalDigit {
        hasDigits = true
        if isFraction { exponent -= 1 }
        if digit == 0 {
          zeros += 1
        } else {
          // Leading zeros are no digits.
          let count = digits == 0 ? 1 : zeros + 1
          digits += count
          guard digits <= 38 else { return nil }
          for _ in 0..<count { mantissa *= 10 }
          mantissa += UInt128(digit)
          zeros = 0
        }
      } else {
        break
      }
      _ = cursor.next()
    }
    guard hasDigits else { return nil }
    if cursor.take("e" as Unicode.Scalar) || cursor.take("E" as Unicode.Scalar) {
      let isNegative = cursor.take("-" as Unicode.Scalar)
      if !isNegative { _ = cursor.take("+" as Unicode.Scalar) }
      guard let written = cursor.digits(1...4) else { return nil }
      exponent += isNegative ? -written : written
    }
    guard cursor.isAtEnd else { return nil }
    return digits == 0 ? 0 : decimal(mantissa, exponent: exponent + zeros, isNegative)
  }

  private static func decimal(_ mantissa: UInt128, exponent: Int, _ isNegative: Bool) -> Decimal? {
    guard -128...127 ~= exponent else { return nil }
    // Each half has 19 digits, which 64 bits hold.
    let (high, low) = mantissa.quotientAndRemainder(dividingBy: 10_000_000_000_000_000_000)
    var significand = Decimal(UInt64(low))
    if high > 0 { significand += Decimal(UInt64(high)) * Decimal(sign: .plus, exponent: 19, significand: 1) }
    return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
  }
}
