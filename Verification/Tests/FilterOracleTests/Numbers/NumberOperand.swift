import TestSupport
import Foundation

/// As what a number is computed, by its type alone.
enum NumberOperandKind: Sendable {
  case integer, fraction, decimal, real

  static func joined(_ left: NumberOperandKind, _ right: NumberOperandKind) -> NumberOperandKind {
    if left == .real || right == .real { return .real }
    if left == .decimal || right == .decimal { return .decimal }
    return left == .integer && right == .integer ? .integer : .real
  }
}

/// What an operand of a filter gives for a row, by the rules of the documentation.
enum NumberResult: Sendable {
  case missing
  case number(ExactNumber, double: Double)
  /// More digits than a decimal has, or a quotient without an end: what follows depends on how it is rounded.
  case unknown

  init(_ number: ExactNumber?) { self = number.map { .number($0, double: $0.double) } ?? .missing }
  init(_ value: Double) { self = .number(ExactNumber(floating: value), double: value) }

  static let mostDigits = 38

  /// A decimal, exact if it has at most as many digits as the type.
  static func decimal(_ number: ExactNumber) -> NumberResult {
    number.count > mostDigits ? .unknown : NumberResult(number)
  }
}

enum NumberArithmetic {
  static let symbols = ["+", "-", "*", "/", "**"]

  /// The result of an operation that is computed as a kind.
  static func apply(
    _ symbol: String, _ left: NumberResult, _ right: NumberResult, as kind: NumberOperandKind
  ) -> NumberResult {
    if case .missing = left { return .missing }
    if case .missing = right { return .missing }
    guard case .number(let a, let x) = left, case .number(let b, let y) = right else { return .unknown }
    switch kind {
    case .integer: return NumberResult(integer(symbol, a.clamped, b.clamped).map { ExactNumber($0) })
    case .decimal: return decimal(symbol, a, b)
    case .real, .fraction:
      return switch symbol {
      case "+": NumberResult(x + y)
      case "-": NumberResult(x - y)
      case "*": NumberResult(x * y)
      case "/": NumberResult(x / y)
      default: NumberResult(pow(x, y))
      }
    }
  }

  /// The nearest `Int`; nil for a division by zero.
  private static func integer(_ symbol: String, _ left: Int, _ right: Int) -> Int? {
    let (a, b) = (Int128(left), Int128(right))
    switch symbol {
    case "+": return Int(clamping: a + b)
    case "-": return Int(clamping: a - b)
    case "*": return Int(clamping: a * b)
    case "/": return b == 0 ? nil : Int(clamping: a / b)
    default:
      // The exponents of the oracle are small.
      var power = Int128(1)
      for _ in 0..<abs(right) { power = Int128(Int(clamping: power)) * a }
      let nearest = Int(clamping: power)
      return right >= 0 ? nearest : nearest == 0 ? nil : 1 / nearest
    }
  }

  private static func decimal(_ symbol: String, _ left: ExactNumber, _ right: ExactNumber) -> NumberResult {
    switch symbol {
    case "+": return .decimal(left + right)
    case "-": return .decimal(left - right)
    case "*": return .decimal(left * right)
    case "/": return right.isZero ? .missing : .decimal(left / right)
    default:
      var power = ExactNumber(1)
      for _ in 0..<abs(right.clamped) { power = power * left }
      if power.count > NumberResult.mostDigits { return .unknown }
      return right.clamped >= 0 ? .decimal(power) : power.isZero ? .missing : .decimal(ExactNumber(1) / power)
    }
  }

  /// The result of `abs`, `floor`, `ceiling`, `trunc` and `double`.
  static func apply(
    _ function: String, _ operand: NumberResult, as kind: NumberOperandKind
  ) -> NumberResult {
    guard case .number(let number, let double) = operand else { return operand }
    if function == "double" { return NumberResult(double) }
    switch kind {
    case .integer:
      let value = number.clamped
      return NumberResult(ExactNumber(function == "abs" ? Int(clamping: value.magnitude) : value))
    case .decimal:
      return switch function {
      case "abs": .decimal(number.magnitude)
      case "floor": .decimal(number.floor)
      case "ceiling": .decimal(-(-number).floor)
      default: .decimal(number.truncated)
      }
    case .real, .fraction:
      return switch function {
      case "abs": NumberResult(abs(double))
      case "floor": NumberResult(double.rounded(.down))
      case "ceiling": NumberResult(double.rounded(.up))
      default: NumberResult(double.rounded(.towardZero))
      }
    }
  }
}
