import Foundation

/// A number by its decimal digits: what a filter compares when its numbers have different types.
///
/// A floating-point number stands for its shortest decimal, or if it is integral and below 2^63 for exactly that
/// integer.
struct CaseNumber: Sendable {
  private enum Kind { case notANumber, finite, infinite }
  private let kind: Kind
  private let isNegative: Bool
  /// The value is 0.d₁d₂d₃… · 10^exponent, without zeros at either end.
  private let digits: [UInt8]
  private let exponent: Int

  init(_ value: some BinaryInteger) { self.init(text: "\(value)") }
  init(_ value: Decimal) { self.init(text: value.description) }
  init<Value: BinaryFloatingPoint & CustomStringConvertible>(_ value: Value) {
    let limit = Value(sign: .plus, exponent: 63, significand: 1)
    let isExact = value == value.rounded(.towardZero) && value >= -limit && value < limit
    self.init(text: isExact ? "\(Int64(value))" : value.description)
  }

  private init(text: String) {
    let bytes = text.lowercased()
    isNegative = bytes.hasPrefix("-")
    if bytes.contains("nan") || bytes.contains("inf") {
      kind = bytes.contains("nan") ? .notANumber : .infinite
      (digits, exponent) = ([], 0)
      return
    }
    kind = .finite
    let parts = bytes.drop { $0 == "-" }.split(separator: "e")
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    var places = Int(parts.count > 1 ? parts[1].drop { $0 == "+" } : "0") ?? 0
    places += mantissa[0].count
    var found = Array(mantissa.joined().utf8)
    while found.first == 48 {
      found.removeFirst()
      places -= 1
    }
    while found.last == 48 { found.removeLast() }
    digits = found
    exponent = found.isEmpty ? 0 : places
  }

  /// -1, 0 or 1; nil if either is not a number.
  static func order(_ left: CaseNumber, _ right: CaseNumber) -> Int? {
    if left.kind == .notANumber || right.kind == .notANumber { return nil }
    let (leftSign, rightSign) = (left.sign, right.sign)
    if leftSign != rightSign { return leftSign < rightSign ? -1 : 1 }
    return leftSign * magnitudeOrder(left, right)
  }

  private var sign: Int { kind == .finite && digits.isEmpty ? 0 : isNegative ? -1 : 1 }

  private static func magnitudeOrder(_ left: CaseNumber, _ right: CaseNumber) -> Int {
    if left.kind == .infinite || right.kind == .infinite {
      return (left.kind == .infinite ? 1 : 0) - (right.kind == .infinite ? 1 : 0)
    }
    if left.exponent != right.exponent { return left.exponent < right.exponent ? -1 : 1 }
    if left.digits == right.digits { return 0 }
    return left.digits.lexicographicallyPrecedes(right.digits) ? -1 : 1
  }
}

/// What arithmetic in a filter gives: integers stay integers.
enum CaseResult: Sendable {
  case int(Int)
  case real(Double)

  var number: CaseNumber {
    switch self {
    case .int(let value): CaseNumber(value)
    case .real(let value): CaseNumber(value)
    }
  }

  private var double: Double {
    switch self {
    case .int(let value): Double(value)
    case .real(let value): value
    }
  }

  /// The result of `+`, `-`, `*` or `/`; nil for an integer divided by zero, the nearest integer
  /// beyond 64 bits.
  static func apply(_ symbol: Character, _ left: CaseResult?, _ right: CaseResult?) -> CaseResult? {
    guard let left, let right else { return nil }
    if case .int(let a) = left, case .int(let b) = right {
      if symbol == "/" && b == 0 { return nil }
      let (value, isOver) =
        switch symbol {
        case "+": a.addingReportingOverflow(b)
        case "-": a.subtractingReportingOverflow(b)
        case "*": a.multipliedReportingOverflow(by: b)
        default: a.dividedReportingOverflow(by: b)
        }
      if !isOver { return .int(value) }
      let isNegative = symbol == "*" || symbol == "/" ? (a < 0) != (b < 0) : a < 0
      return .int(isNegative ? .min : .max)
    }
    let (a, b) = (left.double, right.double)
    return switch symbol {
    case "+": .real(a + b)
    case "-": .real(a - b)
    case "*": .real(a * b)
    default: .real(a / b)
    }
  }
}
