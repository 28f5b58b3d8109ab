extension TypedField {
  /// The condition of a value of JSON, if the property is one; values are compared as `FilterRelation` says.
  func plainCondition(
    _ relation: RelationalOperator, _ value: JSONValue, _ options: TextOptions
  ) -> ConditionTree? {
    guard let path = expr as? Expr<JSONValue> else { return nil }
    // Options are for text alone.
    var isFolded = false
    if case .string = value { isFolded = !options.isEmpty }
    switch (relation, value) {
    case (.equal, _) where !isFolded: return (path == value).filter
    case (.notEqual, _) where !isFolded: return (path != value).filter
    case (.less, _), (.lessOrEqual, _), (.greater, _), (.greaterOrEqual, _):
      return relation.comparison.map { Expr.ordered(path, $0, value) }
    case (.in, .array(let values)) where options.isEmpty: return path.in(values).filter
    case (.in, _) where options.isEmpty: return .constant(false)
    case (.between, .array(let bounds)) where bounds.count == 2:
      return (path >= bounds[0]).filter.and((path <= bounds[1]).filter)
    case (_, .string(let text)):
      if let test = relation.textTest { return path.tested(test, text, options) }
      let equals = path.tested(.equals, text, options)
      return relation == .equal ? equals : relation == .notEqual ? equals.negated : nil
    case (_, .null): return relation.isTestOfParts ? nil : .constant(false)
    // An array or object may contain any value.
    default: return relation.textTest == nil || relation == .contains ? nil : .constant(false)
    }
  }

  /// The comparison of two values of JSON, if both properties are.
  func plainComparison(_ comparison: Comparison, with other: any TypedField) -> ConditionTree? {
    guard let path = expr as? Expr<JSONValue>, let other = other.expr(of: JSONValue.self) else { return nil }
    return switch comparison {
    case .equal: (path == other).filter
    case .notEqual: (path != other).filter
    default: Expr.paired(path, comparison, other).filter
    }
  }
}
