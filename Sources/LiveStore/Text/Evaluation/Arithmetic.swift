import Foundation

extension ArithmeticOperation {
  /// The result for two numbers that are computed in a kind; nil if there is none.
  func result(_ left: FilterNumber, _ right: FilterNumber, as kind: NumberKind) -> FilterNumber? {
    switch kind {
    case .integer:
      guard let left = left.clampedInteger, let right = right.clampedInteger else { return nil }
      return result(left, right).map { .integer(Int64($0)) }
    case .real, .fraction: return result(left.double, right.double).map { .real($0) }
    case .decimal:
      guard let left = left.decimal, let right = right.decimal else { return nil }
      return result(left, right).map { FilterNumber($0) }
    case .unknown: return json(left, right)
    }
  }

  /// The result for two numbers of JSON, which does not distinguish 3 and 3.0: integers give an integer, but for a power
  /// and for a quotient with a fraction.
  private func json(_ left: FilterNumber, _ right: FilterNumber) -> FilterNumber? {
    if case .integer(let left) = left, case .integer(let right) = right, self != .power,
      self != .divide || right == 0 || left.isMultiple(of: right)
    {
      return result(Int(left), Int(right)).map { .integer(Int64($0)) }
    }
    return result(left.double, right.double).map { .real($0) }
  }
}
