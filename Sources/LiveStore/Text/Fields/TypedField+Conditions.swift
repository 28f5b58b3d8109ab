import Foundation

// Conditions that compare a property with values of the text are the same as those of expressions written in
// Swift: the values are converted to the property's type first, once.

extension TypedField {
  /// The condition that the expression written in Swift would make; nil if there is none.
  func condition(
    _ relation: RelationalOperator, _ literal: FilterLiteral, _ options: TextOptions
  ) throws(FilterStepError) -> ConditionTree? {
    if kind == .unknown { return literal.json.flatMap { plainCondition(relation, $0, options) } }
    if relation == .text { return searchCondition(literal) }
    if case .null = literal { return nilCondition(relation) }
    if let test = relation.textTest { return try textCondition(test, literal, options) }
    if !options.isEmpty {
      guard relation == .equal || relation == .notEqual, kind == .text else {
        throw FilterStepError(message: "options in [ ] are for text, not for \(kind.described)")
      }
      let equals = try textCondition(.equals, literal, options)
      return relation == .equal ? equals : equals?.negated
    }
    guard let comparison = relation.comparison else { return nil }
    // Unlike Decimal's, this NaN has no order.
    if literal == .notANumber, numbers == .decimal, comparison != .equal, comparison != .notEqual {
      return .constant(false)
    }
    guard let value = try value(of: literal) else { return try inexact(comparison, literal) }
    return try compared(comparison, value)
  }

  private func compared(_ comparison: Comparison, _ value: Value) throws(FilterStepError) -> ConditionTree {
    if let filter = expr.specialized(comparison, value) { return filter }
    switch comparison {
    case .equal: return (expr == value).filter
    case .notEqual: return (expr != value).filter
    default: break
    }
    guard let test = orderTest(comparison) else {
      throw FilterStepError(message: "values of type \(Value.self) have no order, only == and !=")
    }
    let mask = testMask(expr.accessor) { test($0, value) }
    return Conditions.comparing(expr, comparison, value, mask).filter
  }

  /// The condition that the property matches a search for a text.
  private func searchCondition(_ literal: FilterLiteral) -> ConditionTree? {
    guard case .text(let text) = literal else { return nil }
    return (self as? any SearchableField)?.search(SearchPattern(text))
  }

  /// Whether the value is one of several; nil if there is no such condition.
  func membership(_ literals: [FilterLiteral]) throws(FilterStepError) -> ConditionTree? {
    if kind == .unknown {
      let values = literals.compactMap(\.json)
      return values.count == literals.count ? plainCondition(.in, .array(values), []) : nil
    }
    var values: [Value] = []
    for literal in literals {
      if case .null = literal {
        if let none = missing { values.append(none) }
      } else if let value = try value(of: literal) {
        values.append(value)
      }
    }
    return expr.in(values).filter
  }

  /// Whether the value lies between two others; nil if there is no such condition.
  func between(_ lower: FilterLiteral, _ upper: FilterLiteral) throws(FilterStepError) -> ConditionTree? {
    if kind == .unknown, let low = lower.json, let high = upper.json {
      return plainCondition(.between, .array([low, high]), [])
    }
    if kind == .number, [lower, upper].contains(.notANumber) { return .constant(false) }
    guard let test = orderTest(.lessOrEqual) else { return nil }
    guard let low = try value(of: lower), let high = try value(of: upper) else {
      guard let above = try condition(.greaterOrEqual, lower, []),
        let below = try condition(.lessOrEqual, upper, [])
      else { return nil }
      return above.and(below)
    }
    let mask = testMask(expr.accessor) { test(low, $0) && test($0, high) }
    return Conditions.ranging(expr, low, high, isClosed: true, mask).filter
  }

  /// A comparison with nil: equality, where a relation admits it; a missing part is part of every text.
  private func nilCondition(_ relation: RelationalOperator) -> ConditionTree? {
    switch relation {
    case .equal, .lessOrEqual, .greaterOrEqual, .like:
      return missing.map { (expr == $0).filter } ?? .constant(false)
    case .notEqual: return missing.map { (expr != $0).filter } ?? .constant(true)
    case .contains, .beginsWith, .endsWith:
      guard kind == .text || kind == .data else { return nil }
      return missing.map { (expr != $0).filter } ?? .constant(true)
    default: return .constant(false)
    }
  }

  /// Nil as a value, if it is one.
  private var missing: Value? {
    func missing<O: OptionalValue>(_: O.Type) -> Value? { O(wrapping: nil) as? Value }
    return (Value.self as? any OptionalValue.Type).flatMap { missing($0) }
  }

  private func textCondition(
    _ test: TextTest, _ literal: FilterLiteral, _ options: TextOptions
  ) throws(FilterStepError) -> ConditionTree? {
    if case .data = kind { return nil }
    guard kind == .text else {
      if kind == .unknown || kind.isList { return nil }
      throw FilterStepError(
        message: "\(RelationalOperator(test).rawValue) is for text, not for \(kind.described)")
    }
    guard case .text(let text) = literal else {
      throw FilterStepError(
        message: "\(RelationalOperator(test).rawValue) needs text, not \(FilterKind(literal).described)")
    }
    if let expr = expr as? Expr<String> { return expr.tested(test, text, options).filter }
    return (expr as? Expr<String?>)?.tested(test, text, options).filter
  }

  /// The value that a literal stands for in the property's type; nil if the type has no such value.
  private func value(of literal: FilterLiteral) throws(FilterStepError) -> Value? {
    try FilterConversion.value(of: literal, as: Value.self)
  }

  /// A comparison with a number that the type does not have: between two of its values, or beyond all.
  private func inexact(_ comparison: Comparison, _ literal: FilterLiteral) throws(FilterStepError)
    -> ConditionTree?
  {
    switch comparison {
    case .equal: return .constant(false)
    case .notEqual: return .constant(true)
    default: break
    }
    if literal == .notANumber { return .constant(false) }
    guard case .number(let number) = FilterValue(literal) else { return nil }
    let isLess = comparison == .less || comparison == .lessOrEqual
    if let (value, isBelow) = FilterConversion.nearest(to: number, as: Value.self) {
      return try compared(
        isLess ? (isBelow ? .lessOrEqual : .less) : isBelow ? .greater : .greaterOrEqual, value)
    }
    // An integer that the type does not have is compared by value.
    guard FilterConversion.isInteger(Value.self), literal.numbers != .integer, abs(number.double) < 0x1p53,
      let nearest = Int64(exactly: number.double.rounded(.down))
    else { return nil }
    // The double may have been rounded up to an integer.
    let isAbove = FilterNumber.order(.integer(nearest), number).map { $0 > 0 } ?? false
    return try condition(
      isLess ? .lessOrEqual : .greater, .number(JSONNumber(isAbove ? nearest - 1 : nearest)), [])
  }
}

/// A text, or several, that can be searched.
private protocol SearchableField: TypedField where Value: SearchableText {}

extension ExpressionField: SearchableField where Value: SearchableText {}

extension SearchableField {
  /// Whether the text matches a pattern.
  func search(_ pattern: SearchPattern) -> ConditionTree { expr.search(pattern).filter }
}
