extension Comparison {
  /// Compares two values in the order of their type, in which nil and NaN have no place; nil if the type has no order.
  package func test<Value: Equatable & Sendable>(of _: Value.Type) -> (@Sendable (Value, Value) -> Bool)? {
    guard let order = ValueOrder<Value>.ofType() else { return nil }
    let isOptional = Value.self is any OptionalValue.Type
    let hasOrder: @Sendable (Value) -> Bool = {
      $0 == $0 && !(isOptional && ($0 as? any OptionalValue)?.isNil ?? false)
    }
    return { left, right in
      guard hasOrder(left), hasOrder(right) else { return false }
      let order = order.compare(left, right)
      return switch self {
      case .less: order < 0
      case .lessOrEqual: order <= 0
      case .greater: order > 0
      case .greaterOrEqual: order >= 0
      case .equal: order == 0
      case .notEqual: order != 0
      }
    }
  }
}
