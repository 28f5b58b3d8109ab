package import LiveStore

/// The value of an object at a path of which there are totals.
package enum GroupValue: Hashable, Sendable {
  /// A number that is only added.
  case short(ShortDecimal)
  /// Any other value; null for what has no part in the totals.
  case value(JSONValue)
}

extension Document {
  /// The value at a path, as far as totals need it.
  func groupValue(at path: PathNeeds) -> GroupValue {
    withObject { object in
      guard let text = object.text(at: path.steps) else { return .value(.null) }
      if path.values == .none, let number = ShortDecimal(text.bytes) { return .short(number) }
      let value = text.value
      return .value(path.include(value) ? value : .null)
    }
  }
}

/// A number with up to 15 digits before the point and nine behind it, 18 at most.
package struct ShortDecimal: Hashable, Sendable {
  private var digits: Int64 = 0
  private var decimals: Int8 = 0

  private static let powers: [Int128] = (0...9).map { power in
    (0..<power).reduce(1) { product, _ in product * 10 }
  }

  /// The number that some bytes are; nil for all others, and those with an exponent.
  init?(_ bytes: some Collection<UInt8>) {
    let isNegative = bytes.first == UInt8(ascii: "-")
    var (count, isFraction) = (0, false)
    for byte in bytes.dropFirst(isNegative ? 1 : 0) {
      if byte == UInt8(ascii: ".") {
        isFraction = true
        continue
      }
      guard byte >= 0x30, byte <= 0x39, count < 18 else { return nil }
      (digits, count) = (digits * 10 + Int64(byte - 0x30), count + 1)
      if isFraction { decimals += 1 }
    }
    if count == 0 || decimals > 9 || count - Int(decimals) > 15 { return nil }
    if isNegative { digits = -digits }
  }

  /// The number times 10⁹.
  var billionths: Int128 { Int128(digits) * Self.powers[9 - Int(decimals)] }
}
