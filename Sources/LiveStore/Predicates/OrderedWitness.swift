/// The witness of a type that has an order: it compares values of this type, and those of its optional.
protocol OrderedWitness {
  func compare<Output>(_ expr: Expr<Output>, _ comparison: Comparison, _ value: Any) -> ConditionTree?
  func pair<Output>(_ left: Expr<Output>, _ comparison: Comparison, _ right: Expr<Output>) -> ConditionTree?
  /// The condition that a value lies in a range of any kind.
  func contain<Output>(_ range: Any, _ expr: Expr<Output>) -> ConditionTree?
}

extension Witness: OrderedWitness where Value: Comparable {
  func compare<Output>(_ expr: Expr<Output>, _ comparison: Comparison, _ value: Any) -> ConditionTree? {
    guard let value = value as? Value else { return nil }
    if let expr = expr as? Expr<Value> {
      return expr.specialized(comparison, value) ?? expr.compared(comparison, value).filter
    }
    guard let expr = expr as? Expr<Value?> else { return nil }
    return expr.specialized(comparison, value) ?? expr.compared(comparison, value).filter
  }

  func pair<Output>(
    _ left: Expr<Output>, _ comparison: Comparison, _ right: Expr<Output>
  ) -> ConditionTree? {
    guard let left = left as? Expr<Value>, let right = right as? Expr<Value> else { return nil }
    return switch comparison {
    case .equal: (left == right).filter
    case .notEqual: (left != right).filter
    case .less: (left < right).filter
    case .lessOrEqual: (left <= right).filter
    case .greater: (left > right).filter
    case .greaterOrEqual: (left >= right).filter
    }
  }

  func contain<Output>(_ range: Any, _ expr: Expr<Output>) -> ConditionTree? {
    func lies(in range: some FilterRange<Value> & Sendable) -> ConditionTree? {
      (expr as? Expr<Value>)?.in(range).filter ?? (expr as? Expr<Value?>)?.in(range).filter
    }
    return switch range {
    case let range as Range<Value>: lies(in: range)
    case let range as ClosedRange<Value>: lies(in: range)
    case let range as PartialRangeFrom<Value>: lies(in: range)
    case let range as PartialRangeThrough<Value>: lies(in: range)
    case let range as PartialRangeUpTo<Value>: lies(in: range)
    default: nil
    }
  }
}
