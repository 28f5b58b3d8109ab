import Foundation

extension FilterSyntax.Arithmetic {
  /// The result for two numbers; nil for the division of an integer by zero.
  ///
  /// Integers give an integer: the quotient without its fraction, and the nearest integer where a result is beyond 64
  /// bits. Other numbers, and powers, give a double.
  /// - Parameter isExact: whether an integer that cannot be divided gives a double, as in JSON, which does not
  ///   distinguish 3 and 3.0.
  func result(_ left: FilterNumber, _ right: FilterNumber, isExact: Bool = false) -> FilterNumber? {
    if isExact, self == .divide, case .integer(let dividend) = left, case .integer(let divisor) = right,
      divisor != 0,
      !dividend.isMultiple(of: divisor)
    {
      return .real(Double(dividend) / Double(divisor))
    }
    if case .integer(let left) = left, case .integer(let right) = right, self != .power {
      return integer(Int(left), Int(right)).map { .integer(Int64($0)) }
    }
    let (left, right) = (left.double, right.double)
    return switch self {
    case .add: .real(left + right)
    case .subtract: .real(left - right)
    case .multiply: .real(left * right)
    case .divide: .real(left / right)
    case .power: .real(pow(left, right))
    }
  }

  /// The result for two numbers of which one is a decimal, and none a floating-point number.
  func decimal(_ left: FilterNumber, _ right: FilterNumber) -> FilterNumber? {
    guard let left = left.decimal, let right = right.decimal,
      let operation = ArithmeticOperation(rawValue: rawValue)
    else { return nil }
    return operation.result(left, right).map { FilterNumber($0) }
  }

  private func integer(_ left: Int, _ right: Int) -> Int? {
    switch self {
    case .add: left.clampedSum(right)
    case .subtract: left.clampedDifference(right)
    case .multiply: left.clampedProduct(right)
    case .divide: left.quotient(right)
    case .power: nil
    }
  }
}
