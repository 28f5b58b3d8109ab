package import Foundation
package import LiveStore

/// The value of an object at a path of which there are totals.
package enum GroupValue: Hashable, Sendable {
  /// A number of up to 18 digits that is only added.
  case decimal(Decimal)
  /// Any other value; null for what has no part in the totals.
  case value(JSONValue)
}

extension Document {
  /// The value at a path, as far as totals need it.
  func groupValue(at path: PathNeeds) -> GroupValue {
    withObject { object in
      guard let text = object.text(at: path.steps) else { return .value(.null) }
      if path.values == .none, let decimal = Decimal(short: text.bytes) { return .decimal(decimal) }
      let value = text.value
      return .value(path.include(value) ? value : .null)
    }
  }
}

extension Decimal {
  /// The number that some bytes are, with at most 18 digits and no exponent; nil for all others.
  init?(short bytes: some Collection<UInt8>) {
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
    if digits == 0 { return nil }
    self.init(sign: isNegative ? .minus : .plus, exponent: -fraction, significand: Decimal(value))
  }
}
