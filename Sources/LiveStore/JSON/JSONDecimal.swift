/// A decimal of any length, normalised: `±d.ddd… × 10^exponent` without leading or trailing zeros.
///
/// The slow form of ``JSONNumber``, for the numbers that neither 64 bits nor a double can hold.
package struct JSONDecimal: Hashable, Sendable {
  /// True below zero.
  package let isNegative: Bool
  /// The digits 0…9, the first and the last not zero; empty for zero only.
  package let digits: [UInt8]
  /// The power of ten of the first digit.
  package let exponent: Int

  static let zero = JSONDecimal(isNegative: false, digits: [], exponent: 0)

  private init(isNegative: Bool, digits: [UInt8], exponent: Int) {
    (self.isNegative, self.digits, self.exponent) = (isNegative, digits, exponent)
  }

  /// Parses `-12.5e-3` and the like; nil for text of another form.
  init?(text: some StringProtocol) {
    self.init(utf8: text.utf8)
  }

  /// Parses the bytes of `-12.5e-3` and the like; nil for text of another form.
  init?(utf8 bytes: some Sequence<UInt8>) {
    var (isNegative, isFraction, isExponent, isExponentNegative) = (false, false, false, false)
    var digits: [UInt8] = []
    var (exponent, scale, hasDigit) = (0, 0, false)
    // A sign stands at the beginning or behind the `e`.
    var mayHaveSign = true
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        (hasDigit, mayHaveSign) = (true, false)
        let digit = byte - UInt8(ascii: "0")
        if isExponent {
          exponent = min(exponent * 10 + Int(digit), Self.exponentBound)
          continue
        }
        if isFraction { scale -= 1 }
        if digit != 0 || !digits.isEmpty { digits.append(digit) }
      case UInt8(ascii: "-"), UInt8(ascii: "+"):
        guard mayHaveSign else { return nil }
        mayHaveSign = false
        if byte == UInt8(ascii: "-") {
          if isExponent { isExponentNegative = true } else { isNegative = true }
        }
      case UInt8(ascii: "."):
        if isFraction || isExponent { return nil }
        (isFraction, mayHaveSign) = (true, false)
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        guard hasDigit, !isExponent else { return nil }
        (isExponent, hasDigit, mayHaveSign) = (true, false, true)
      default: return nil
      }
    }
    guard hasDigit else { return nil }
    scale += isExponentNegative ? -exponent : exponent
    while digits.last == 0 {
      digits.removeLast()
      scale += 1
    }
    if digits.isEmpty {
      self = .zero
    } else {
      self.init(isNegative: isNegative, digits: digits, exponent: scale + digits.count - 1)
    }
  }

  /// The bound for parsed exponents, far beyond the accepted range and the length of any text.
  static let exponentBound = 1_000_000_000_000

  /// The double nearest to this number, infinite or zero beyond a double's range.
  ///
  /// No double or midpoint of two has more than 767 digits, so the digits after the first 800 can only break a tie,
  /// and one digit does that.
  var nearestDouble: Double {
    guard !digits.isEmpty else { return 0 }
    guard exponent <= 400 else { return isNegative ? -.infinity : .infinity }
    guard exponent >= -400 else { return 0 }
    var kept = digits.prefix(800).map { $0 + UInt8(ascii: "0") }
    if digits.count > 800 { kept.append(UInt8(ascii: "1")) }
    let text = "\(isNegative ? "-" : "")\(String(decoding: kept, as: UTF8.self))e\(exponent - kept.count + 1)"
    return Double(text) ?? 0
  }

  var negated: JSONDecimal {
    JSONDecimal(isNegative: !isNegative && !digits.isEmpty, digits: digits, exponent: exponent)
  }

  /// Negative, zero or positive.
  static func order(_ left: JSONDecimal, _ right: JSONDecimal) -> Int {
    let (a, b) = (left.sign, right.sign)
    if a != b { return a - b }
    if left == right { return 0 }
    let isSmaller =
      left.exponent != right.exponent
      ? left.exponent < right.exponent : left.digits.lexicographicallyPrecedes(right.digits)
    return isSmaller == (a > 0) ? -1 : 1
  }

  private var sign: Int {
    digits.isEmpty ? 0 : isNegative ? -1 : 1
  }
}

extension JSONDecimal: CustomStringConvertible {
  /// The number as JSON text: plain if that adds few zeros, else with an exponent.
  package var description: String {
    guard !digits.isEmpty else { return "0" }
    let text = digits.map { $0 + UInt8(ascii: "0") }
    var bytes: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
    if exponent >= 0 && exponent <= digits.count + 20 {
      let whole = exponent + 1
      bytes += text.prefix(whole)
      bytes += repeatElement(UInt8(ascii: "0"), count: max(0, whole - text.count))
      if text.count > whole {
        bytes.append(UInt8(ascii: "."))
        bytes += text[whole...]
      }
    } else if exponent < 0 && exponent >= -7 {
      bytes += [UInt8(ascii: "0"), UInt8(ascii: ".")]
      bytes += repeatElement(UInt8(ascii: "0"), count: -exponent - 1)
      bytes += text
    } else {
      bytes.append(text[0])
      if text.count > 1 {
        bytes.append(UInt8(ascii: "."))
        bytes += text[1...]
      }
      bytes += Array("e\(exponent)".utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
