import Foundation

extension FilterLiteral {
  /// A floating-point number; NaN has a literal of its own.
  init(_ value: some BinaryFloatingPoint) {
    self = value.isNaN ? .notANumber : .double(FilterNumber(floating: value).double)
  }

  /// A decimal; NaN has a literal of its own.
  init(_ value: Decimal) { self = value.isNaN ? .notANumber : .decimal(value) }

  /// The number as a text writes it, where its type makes no difference; other values as they are.
  var untyped: FilterLiteral {
    switch self {
    case .double(let value): JSONNumber(value).map { $0.isIntegral ? .fraction($0) : .number($0) } ?? self
    case .decimal(let value): FilterNumber(value).json.map { .number($0) } ?? self
    default: self
    }
  }

  /// The value as it could be written where a number's type makes a difference: in arithmetic and functions.
  var typedDescription: String {
    switch self {
    case .double(let value) where value.isFinite: "double(\(value))"
    case .decimal(let value): "CAST(\"\(value)\", \"NSDecimalNumber\")"
    default: description
    }
  }

  /// The value that `double(…)` or `CAST(…)` of literals stands for, if that is a number of a type.
  init?(_ function: String, _ operands: [FilterSyntax.Operand]) {
    let literals = operands.compactMap(\.literal)
    guard literals.count == operands.count, let first = literals.first else { return nil }
    switch (function, literals.count) {
    case ("double", 1):
      guard let number = first.number else { return nil }
      self.init(number)
    case ("CAST", 2):
      guard literals[1] == .text("NSDecimalNumber"), let decimal = first.castDecimal else { return nil }
      self.init(decimal)
    default: return nil
    }
  }

  private var castDecimal: Decimal? {
    if case .text(let text) = self {
      return JSONNumber(decimalText: text).flatMap { FilterNumber($0).exactDecimal }
    }
    guard let json, case .number(let number) = json else { return nil }
    return FilterNumber(number).exactDecimal
  }

  /// The value as JSON; nil if JSON has no such value.
  var json: JSONValue? {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .number(let number), .fraction(let number): .number(number)
    case .double(let value): JSONNumber(value).map { .number($0) }
    case .decimal(let value): FilterNumber(value).json.map { .number($0) }
    case .text(let text): .string(text)
    default: nil
    }
  }

  /// The nearest double of a number.
  var number: Double? {
    switch self {
    case .number(let number), .fraction(let number): number.double
    case .double(let value): value
    case .decimal(let value): FilterNumber(value).double
    case .notANumber: .nan
    default: nil
    }
  }
}

extension FilterSyntax.Operand {
  /// The literal that it is, or that functions of literals stand for.
  fileprivate var literal: FilterLiteral? {
    switch self {
    case .literal(let literal, _): literal
    case .function(let name, let operands, _): FilterLiteral(name, operands)
    default: nil
    }
  }
}

extension FilterNumber {
  /// The decimal of the same value; nil if `Decimal` has none.
  var exactDecimal: Decimal? {
    guard let decimal, FilterNumber.order(FilterNumber(decimal), self) == 0 else { return nil }
    return decimal
  }
}

extension JSONNumber {
  /// Whether it has no fraction.
  var isIntegral: Bool {
    switch storage {
    case .integer: true
    case .double(let value): value == value.rounded()
    case .decimal(let value): value.exponent >= value.digits.count - 1
    }
  }

  /// The digits of an integral number, without an exponent.
  var digits: String {
    if case .integer(let value) = storage { return value.description }
    let decimal = decimal
    let text = decimal.digits.map(\.description).joined()
    let zeros = String(repeating: "0", count: max(0, decimal.exponent + 1 - decimal.digits.count))
    return (decimal.isNegative ? "-" : "") + text + zeros
  }

  /// An integral number as a text writes a number that is no integer.
  var digitsWithPoint: String {
    switch storage {
    // Not as a double prints: its shortest decimal is another integer from 2^53 on.
    case .integer(let value): "\(value).0"
    case .double(let value): value.description
    case .decimal: digits + ".0"
    }
  }
}
