import Foundation
import LiveStore

extension Document {
  /// The number at a path; nil if there is none.
  func summand(at path: [String]) -> DecimalSum.Summand? {
    withObject { object in
      guard let text = object.text(at: path) else { return nil }
      if let decimal = Self.short(text.bytes) { return .decimal(decimal) }
      guard case .number(let number) = text.value else { return nil }
      return .number(number)
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
}
