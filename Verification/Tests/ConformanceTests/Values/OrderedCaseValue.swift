import LiveStore

/// A type of properties with an order: compared with `<`, in ranges, and sorted by.
protocol OrderedCaseValue: CaseValue, Comparable {}

extension OrderedCaseValue {
  static func condition(_ lhs: Expr<Self>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    try orderedCondition(lhs, test)
  }

  static func condition(_ lhs: Expr<Self?>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    try orderedCondition(lhs, test)
  }

  static func orderedCondition(_ lhs: Expr<Self>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    if test.operation == .between {
      let (lower, upper) = try test.bounds()
      guard let range = try range(lower, upper) else {
        return try orderedCondition(lhs, lower) && orderedCondition(lhs, upper)
      }
      return lhs.in(range)
    }
    guard let bound = try bound(test) else { return try equalityCondition(lhs, test) }
    switch bound {
    case .less(let value): return lhs < value
    case .lessOrEqual(let value): return lhs <= value
    case .greater(let value): return lhs > value
    case .greaterOrEqual(let value): return lhs >= value
    case .nothing: return lhs.never
    }
  }

  static func orderedCondition(_ lhs: Expr<Self?>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    if test.operation == .between {
      let (lower, upper) = try test.bounds()
      guard let range = try range(lower, upper) else {
        return try orderedCondition(lhs, lower) && orderedCondition(lhs, upper)
      }
      return lhs.in(range)
    }
    guard let bound = try bound(test) else { return try equalityCondition(lhs, test) }
    switch bound {
    case .less(let value): return lhs < value
    case .lessOrEqual(let value): return lhs <= value
    case .greater(let value): return lhs > value
    case .greaterOrEqual(let value): return lhs >= value
    case .nothing: return lhs.never
    }
  }

  static func pair(
    _ lhs: Expr<Self>, _ operation: ValueTest.Operation, _ rhs: Expr<Self>
  ) throws(CaseFailure) -> Expr<Bool> {
    switch operation {
    case .equal: return lhs == rhs
    case .notEqual: return lhs != rhs
    case .less: return lhs < rhs
    case .lessOrEqual: return lhs <= rhs
    case .greater: return lhs > rhs
    case .greaterOrEqual: return lhs >= rhs
    default: throw .betweenProperties(operation)
    }
  }

  static func sorted<Element>(
    _ query: Query<Element>, _ path: KeyPath<Row<Element>, Expr<Self>>, _ order: SortDirection
  ) throws(CaseFailure) -> Query<Element> {
    query.sorted(by: path, order)
  }

  static func sorted<Element>(
    _ query: Query<Element>, _ path: KeyPath<Row<Element>, Expr<Self?>>, _ order: SortDirection
  ) throws(CaseFailure) -> Query<Element> {
    query.sorted(by: path, order)
  }
}

/// A bound on a property's values.
private enum ValueBound<Value> {
  case less(Value)
  case lessOrEqual(Value)
  case greater(Value)
  case greaterOrEqual(Value)
  /// No value lies on that side.
  case nothing
}

extension OrderedCaseValue {
  /// What a comparison by order demands; nil for other operations.
  fileprivate static func bound(_ test: ValueTest) throws(CaseFailure) -> ValueBound<Self>? {
    guard test.operation.isOrder else { return nil }
    let constant = try test.constant()
    if constant.isNull { throw .notApplicable("text filters: \(test.operation.rawValue) with nil") }
    let isUpper = test.operation == .less || test.operation == .lessOrEqual
    switch try place(of: constant) {
    case .gap(let below, let above):
      if isUpper { return below.map { .lessOrEqual($0) } ?? .nothing }
      return above.map { .greaterOrEqual($0) } ?? .nothing
    case .value(let value):
      switch test.operation {
      case .less: return .less(value)
      case .lessOrEqual: return .lessOrEqual(value)
      case .greater: return .greater(value)
      default: return .greaterOrEqual(value)
      }
    }
  }

  /// Two bounds as a range of Swift, where they are values in order.
  fileprivate static func range(
    _ lower: ValueTest, _ upper: ValueTest
  ) throws(CaseFailure) -> ClosedRange<Self>? {
    guard case .greaterOrEqual(let first)? = try bound(lower),
      case .lessOrEqual(let last)? = try bound(upper), first <= last
    else { return nil }
    return first...last
  }
}
