import Foundation
import LiveStore

extension Document {
  /// The number at a path as an exact decimal, of up to 38 digits; NaN if it has more or is too large to be added, nil if
  /// there is none.
  func decimal(at path: [String]) -> Decimal? {
    withObject { object in
      guard let text = object.text(at: path) else { return nil }
      return Self.short(text.bytes) ?? Self.long(text)
    }
  }

  /// The number that some bytes are, with at most 18 digits and no exponent; nil for all others.
  private static func short(_ bytes: UnsafeRawBufferPointer) -> Decimal? {
    let isNegative = bytes.first == UInt8(ascii: "-")
    var (value, digits, fraction, isFraction) = (UInt64(0), 0, 0, false)
    for byte in bytes.dropFirst(isNegative ? 1 : 0) {
      if byte == UInt8(ascii: ".") {
        isFraction = true
        continue
      }
      guard byte >= 0x30, byte <= 0x39, digits < 18 else { return nil }
      (value, digits) = (value * 10 + UInt64(byte - 0x30), digits + 1)
      if isFraction { fraction += 1 }
    }
    return digits == 0
      ? nil : Decimal(sign: isNegative ? .minus : .plus, exponent: -fraction, significand: Decimal(value))
  }

  private static func long(_ text: JSONText) -> Decimal? {
    guard case .number(let number) = text.value else { return nil }
    // Near the end of what a decimal can be.
    if number.double.magnitude >= 1e128 { return .nan }
    // What is smaller than any decimal is none beside the others.
    guard let decimal = Decimal(string: number.description), !decimal.isZero else { return 0 }
    return JSONNumber(decimalText: decimal.description) == number ? decimal : .nan
  }
}
