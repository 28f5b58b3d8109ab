import Foundation

// Comparisons whose operator is known at run time.

extension Expr where Value: Equatable & Sendable {
  /// The condition of a common type, whose loops are compiled for it.
  func specialized(_ comparison: Comparison, _ value: Value) -> ConditionTree? {
    /// The condition, if the values are of this type or optionals of it.
    func of<Known: Comparable & Sendable>(_: Known.Type) -> ConditionTree? {
      if let expr = self as? Expr<Known>, let value = value as? Known {
        return expr.compared(comparison, value).filter
      }
      guard let expr = self as? Expr<Known?>, let value = value as? Known else { return nil }
      return expr.compared(comparison, value).filter
    }
    if let expr = self as? Expr<Bool>, let value = value as? Bool {
      return comparison == .equal
        ? (expr == value).filter : comparison == .notEqual ? (expr != value).filter : nil
    }
    return of(Int.self) ?? of(String.self) ?? of(Double.self) ?? of(Date.self) ?? of(UUID.self)
  }
}

extension Expr where Value: Comparable & Sendable {
  @inline(__always)
  func compared(_ comparison: Comparison, _ value: Value) -> Expr<Bool> {
    switch comparison {
    case .equal: self == value
    case .notEqual: self != value
    case .less: self < value
    case .lessOrEqual: self <= value
    case .greater: self > value
    case .greaterOrEqual: self >= value
    }
  }
}

extension Expr {
  @inline(__always)
  func compared<Known: Comparable & Sendable>(_ comparison: Comparison, _ value: Known) -> Expr<Bool>
  where Value == Known? {
    switch comparison {
    case .equal: self == value
    case .notEqual: self != value
    case .less: self < value
    case .lessOrEqual: self <= value
    case .greater: self > value
    case .greaterOrEqual: self >= value
    }
  }
}
