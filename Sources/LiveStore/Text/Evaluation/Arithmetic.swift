import Foundation

extension FilterSyntax.Arithmetic {
  /// The result for two numbers that are computed in a kind; nil if there is none.
  func result(_ left: FilterNumber, _ right: FilterNumber, as kind: NumberKind) -> FilterNumber? {
    switch kind {
    case .integer:
      guard let left = left.clampedInteger, let right = right.clampedInteger else { return nil }
      return integer(left, right).map { .integer(Int64($0)) }
    case .real, .fraction: return .real(real(left.double, right.double))
    case .decimal:
      guard let left = left.decimal, let right = right.decimal else { return nil }
      return decimal(left, right).map { FilterNumber($0) }
    case .unknown: return json(left, right)
    }
  }

  /// The result for two numbers of JSON, which does not distinguish 3 and 3.0: integers give an integer, but for a power
  /// and for a quotient with a fraction.
  private func json(_ left: FilterNumber, _ right: FilterNumber) -> FilterNumber? {
    if case .integer(let left) = left, case .integer(let right) = right, self != .power {
      if self != .divide || right == 0 || left.isMultiple(of: right) {
        return integer(Int(left), Int(right)).map { .integer(Int64($0)) }
      }
    }
    return .real(real(left.double, right.double))
  }

  private func real(_ left: Double, _ right: Double) -> Double {
    switch self {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: left / right
    case .power: pow(left, right)
    }
  }

  private func integer(_ left: Int, _ right: Int) -> Int? {
    switch self {
    case .add: Int.sum(left, right)
    case .subtract: Int.difference(left, right)
    case .multiply: Int.product(left, right)
    case .divide: Int.quotient(left, right)
    case .power: left.clampedPower(right)
    }
  }

  private func decimal(_ left: Decimal, _ right: Decimal) -> Decimal? {
    if let operation = ArithmeticOperation(rawValue: rawValue) { return operation.result(left, right) }
    return left.power(right)
  }
}

extension Int {
  /// The power, or the nearest integer; of a negative exponent the quotient without its fraction, nil for zero.
  fileprivate func clampedPower(_ exponent: Int) -> Int? {
    switch self {
    case 0 where exponent < 0: return nil
    case 0, 1: return exponent == 0 ? 1 : self
    case -1: return exponent.isMultiple(of: 2) ? 1 : -1
    default: break
    }
    if exponent < 0 { return 0 }
    var result = 1
    for _ in 0..<exponent {
      // Beyond the type after 63 steps at most.
      let (product, isBeyond) = result.multipliedReportingOverflow(by: self)
      if isBeyond { return self < 0 && !exponent.isMultiple(of: 2) ? .min : .max }
      result = product
    }
    return result
  }
}

extension Decimal {
  /// The power, exact for integral exponents; of others the nearest `Double`. Nil where there is none.
  fileprivate func power(_ exponent: Decimal) -> Decimal? {
    guard let integer = FilterNumber(exponent).json?.integer else {
      let (base, exponent) = (FilterNumber(self).double, FilterNumber(exponent).double)
      return FilterNumber.real(pow(base, exponent)).decimal
    }
    var (result, square, rest) = (Decimal(1), self, integer.magnitude)
    while true {
      if rest & 1 == 1 {
        guard let product = Decimal.product(result, square) else { return nil }
        result = product
      }
      rest >>= 1
      if rest == 0 { break }
      guard let next = Decimal.product(square, square) else { return nil }
      square = next
    }
    return integer < 0 ? Decimal.quotient(1, result) : result
  }
}
