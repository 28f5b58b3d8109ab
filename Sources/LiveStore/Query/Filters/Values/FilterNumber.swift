import Foundation

/// A number of a text filter at run time. Numbers of different types compare as ``JSONNumber`` does: integers and
/// integral floating-point numbers below 2^63 exactly, other floating-point numbers as the decimals that they print as.
///
/// A case says how the value is stored and nothing of its type: a decimal may be an `.integer`. The kind in
/// which it is computed is known from the type of its operand (``NumberKind``).
enum FilterNumber: Sendable {
  case integer(Int64)
  /// The number that a double stands for; also NaN and the infinities, which JSON does not have.
  case real(Double)
  /// A number that neither of the other two can hold: a decimal, an integer beyond 64 bits.
  case exact(JSONNumber)
}

extension FilterNumber {
  init(_ number: JSONNumber) {
    switch number.storage {
    case .integer(let value): self = .integer(value)
    case .double(let value): self = .real(value)
    case .decimal: self = .exact(number)
    }
  }

  init(_ integer: some BinaryInteger) {
    if let value = Int64(exactly: integer) {
      self = .integer(value)
    } else {
      self = .exact(JSONNumber(integer))
    }
  }

  /// A decimal; missing digits of a NaN are NaN.
  init(_ decimal: Decimal) {
    if let number = decimal.isNaN ? nil : JSONNumber(decimalText: decimal.description) {
      self.init(number)
    } else {
      self = .real(.nan)
    }
  }

  /// A floating-point number of any type: as a `Double` an integral one below 2^63 stands for itself, and any other one
  /// for the decimal that it prints as.
  init<Value: BinaryFloatingPoint>(floating value: Value) {
    if let integer = Int64(exactly: value) {
      self = Double(exactly: integer).map { .real($0) } ?? .integer(integer)
    } else if let number = value.isFinite ? JSONNumber(decimalText: "\(value)") : nil {
      self.init(number)
    } else {
      self = .real(Double(value))
    }
  }

  var double: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .exact(let number): number.double
    }
  }

  /// The decimal of the same digits; nil for NaN and the infinities.
  var decimal: Decimal? {
    switch self {
    case .integer(let value): Decimal(value)
    case .real, .exact: json.flatMap { Decimal(string: $0.description) }
    }
  }

  /// The nearest `Int`; nil for NaN.
  var clampedInteger: Int? {
    switch self {
    case .integer(let value): return Int(clamping: value)
    case .real, .exact:
      let double = double
      if let integer = json?.integer { return Int(clamping: integer) }
      if double.isNaN { return nil }
      return double >= 0x1p63 ? .max : double < -0x1p63 ? .min : Int(double)
    }
  }

  /// The number as JSON has it; nil for NaN and the infinities.
  var json: JSONNumber? {
    switch self {
    case .integer(let value): JSONNumber(value)
    case .real(let value): JSONNumber(value)
    case .exact(let number): number
    }
  }

  /// Negative, zero or positive; nil with NaN.
  static func order(_ left: FilterNumber, _ right: FilterNumber) -> Int? {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): return left < right ? -1 : left > right ? 1 : 0
    case (.real(let left), .real(let right)):
      return left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
    default: break
    }
    guard let (leftNumber, rightNumber) = left.json.flatMap({ left in right.json.map { (left, $0) } }) else {
      // One is not finite: any double on its side of zero orders as it does.
      let (left, right) = (left.double, right.double)
      return left < right ? -1 : left > right ? 1 : nil
    }
    return JSONNumber.order(leftNumber, rightNumber)
  }
}
