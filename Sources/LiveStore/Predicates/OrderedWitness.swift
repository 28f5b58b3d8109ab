/// The witness of a type that has an order.
protocol OrderedWitness {
  func compare<Output>(_ expr: Expr<Output>, _ comparison: Comparison, _ value: Output) -> ConditionTree?
  func pair<Output>(_ left: Expr<Output>, _ comparison: Comparison, _ right: Expr<Output>) -> ConditionTree?
  /// The condition that a value lies in a range of any kind.
  func contain<Output>(_ range: Any, _ expr: Expr<Output>) -> ConditionTree?
}

extension Witness: OrderedWitness where Value: Comparable {
  func compare<Output>(
    _ expr: Expr<Output>, _ comparison: Comparison, _ value: Output
  ) -> ConditionTree? {
    guard let expr = expr as? Expr<Value>, let value = value as? Value else { return nil }
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
    guard let expr = expr as? Expr<Value> else { return nil }
    return switch range {
    case let range as Range<Value>: expr.in(range).filter
    case let range as ClosedRange<Value>: expr.in(range).filter
    case let range as PartialRangeFrom<Value>: expr.in(range).filter
    case let range as PartialRangeThrough<Value>: expr.in(range).filter
    case let range as PartialRangeUpTo<Value>: expr.in(range).filter
    default: nil
    }
  }
}

extension Expr {
  /// The condition that a value which is not nil is in an order with another one; nil for types of users.
  func orderedUnwrapped<Wrapped>(_ comparison: Comparison, _ value: Wrapped) -> ConditionTree?
  where Value == Wrapped? {
    func filter<Plain: KnownSendable & Comparable>(_: Plain.Type) -> ConditionTree? {
      guard let expr = self as? Expr<Plain?>, let value = value as? Plain else { return nil }
      return expr.specialized(comparison, value) ?? expr.compared(comparison, value).filter
    }
    return (Wrapped.self as? any (KnownSendable & Comparable).Type).flatMap { filter($0) }
  }

  /// The condition that a value is not nil and lies in a range; nil for types of users.
  func containedUnwrapped<Wrapped>(in range: Any, _: Wrapped.Type) -> ConditionTree? where Value == Wrapped? {
    func filter<Plain: KnownSendable & Comparable>(_: Plain.Type) -> ConditionTree? {
      guard let expr = self as? Expr<Plain?> else { return nil }
      return switch range {
      case let range as Range<Plain>: expr.in(range).filter
      case let range as ClosedRange<Plain>: expr.in(range).filter
      case let range as PartialRangeFrom<Plain>: expr.in(range).filter
      case let range as PartialRangeThrough<Plain>: expr.in(range).filter
      case let range as PartialRangeUpTo<Plain>: expr.in(range).filter
      default: nil
      }
    }
    return (Wrapped.self as? any (KnownSendable & Comparable).Type).flatMap { filter($0) }
  }
}
