import TestSupport

typealias CaseNumber = ExactNumber

extension ExactNumber {
  init(_ value: some BinaryFloatingPoint) { self.init(floating: value) }
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
