import Foundation

extension NumberFunction {
  /// The kind in which the result is computed, for a number of a kind.
  func numbers(of number: NumberKind) -> NumberKind {
    self == .sqrt || self == .double || number == .fraction ? .real : number
  }

  /// The result for a number that is computed in a kind; nil if there is none.
  func result(_ number: FilterNumber, as kind: NumberKind) -> FilterNumber? {
    if self == .sqrt || self == .double { return .real(real(number.double)) }
    return switch kind {
    case .integer:
      number.clampedInteger.map { .integer(Int64(self == .abs ? Int(clamping: $0.magnitude) : $0)) }
    case .real, .fraction: .real(real(number.double))
    case .decimal: number.decimal.map { FilterNumber(decimal($0)) }
    case .unknown: json(number)
    }
  }

  private func json(_ number: FilterNumber) -> FilterNumber {
    guard case .integer(let value) = number else { return .real(real(number.double)) }
    if self == .abs { return value == .min ? .real(0x1p63) : .integer(Swift.abs(value)) }
    return number
  }

  private func real(_ value: Double) -> Double {
    switch self {
    case .abs: value.magnitude
    case .floor: value.rounded(.down)
    case .ceiling: value.rounded(.up)
    case .trunc: value.rounded(.towardZero)
    case .sqrt: value.squareRoot()
    case .double: value
    }
  }

  private func decimal(_ value: Decimal) -> Decimal {
    let mode: NSDecimalNumber.RoundingMode
    switch self {
    case .abs, .sqrt, .double: return value.magnitude
    case .floor: mode = .down
    case .ceiling: mode = .up
    case .trunc: mode = value < 0 ? .up : .down
    }
    var (value, result) = (value, Decimal())
    NSDecimalRound(&result, &value, 0, mode)
    return result
  }
}
