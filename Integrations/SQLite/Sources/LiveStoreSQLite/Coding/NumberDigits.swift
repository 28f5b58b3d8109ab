import Foundation

/// A decimal number by its digits, so that nothing is rounded: `-1.50e3` is -15 and two zeros.
struct NumberDigits: Equatable {
  private var isNegative = false
  /// Without zeros at the beginning and the end; empty for zero.
  private var digits = ""
  /// How many zeros follow; less than none if there is a fraction.
  private var exponent = 0

  /// Reads a number as JSON has it; nil if the text is none.
  init?(_ text: String) {
    var (isFraction, hasDigits, zeros) = (false, false, 0)
    var bytes = text.utf8[...]
    if bytes.first == UInt8(ascii: "-") {
      isNegative = true
      bytes.removeFirst()
    }
    while let byte = bytes.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
      bytes.removeFirst()
      switch byte {
      case UInt8(ascii: ".") where !isFraction: isFraction = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        hasDigits = true
        if isFraction { exponent -= 1 }
        if byte == UInt8(ascii: "0") {
          zeros += digits.isEmpty ? 0 : 1
        } else {
          digits += String(repeating: "0", count: zeros)
          digits.unicodeScalars.append(Unicode.Scalar(byte))
          zeros = 0
        }
      default: return nil
      }
    }
    guard hasDigits else { return nil }
    if bytes.popFirst() != nil {
      // Larger ones than a number of JSON has.
      guard let written = Int(Substring(bytes)), written.magnitude < 1_000_000 else { return nil }
      exponent += written
    }
    exponent = digits.isEmpty ? 0 : exponent + zeros
    if digits.isEmpty { isNegative = false }
  }

  /// The number, if it is an integer of the type.
  func integer<Number: FixedWidthInteger>() -> Number? {
    if digits.isEmpty { return 0 }
    guard 0...Number.bitWidth ~= exponent else { return nil }
    return Number((isNegative ? "-" : "") + digits + String(repeating: "0", count: exponent))
  }

  /// The number that a text is, if Foundation's has all of its digits.
  static func decimal(_ text: String) -> Decimal? {
    guard let digits = Self(text), let decimal = Decimal(string: text, locale: nil),
      Self("\(decimal)") == digits
    else { return nil }
    return decimal
  }
}
