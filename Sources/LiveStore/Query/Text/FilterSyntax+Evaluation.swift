// What a filter means over JSON values. This walk is the reference: however else a filter is run, it gives the
// same answers.
//
// - A key path that leads nowhere reads as null.
// - `==`, `!=` and `IN` compare JSON values: `1 == 1.0`, `nil == nil`, and nil is `!=` to everything else. With
//   options, two strings are compared folded.
// - `<`, `<=`, `>`, `>=` and BETWEEN are false unless both sides are numbers, or strings, or booleans.
// - CONTAINS, BEGINSWITH and ENDSWITH are false unless both sides are strings.
// - The right side of IN is a list, or a key path to an array; anything else holds nothing.

extension FilterSyntax {
  /// True if a JSON value meets the filter.
  package func evaluate(_ value: JSONValue) -> Bool {
    switch self {
    case .constant(let answer, _): answer
    case .not(let member, _): !member.evaluate(value)
    case .and(let members, _): members.allSatisfy { $0.evaluate(value) }
    case .or(let members, _): members.contains { $0.evaluate(value) }
    case .comparison(let comparison): comparison.evaluate(value)
    }
  }
}

extension FilterSyntax.Operand {
  /// The value of the operand for an object.
  func evaluate(_ value: JSONValue) -> JSONValue {
    switch self {
    case .literal(let literal, _): literal
    case .keyPath(let steps, _): value[path: steps]
    case .list(let elements, _): .array(elements.map { $0.evaluate(value) })
    }
  }
}

extension FilterSyntax.Comparison {
  /// True if the comparison holds for an object.
  func evaluate(_ value: JSONValue) -> Bool {
    relation.holds(left.evaluate(value), right.evaluate(value), options)
  }
}

extension FilterSyntax.Relation {
  /// True if the relation holds between two values.
  package func holds(_ left: JSONValue, _ right: JSONValue, _ options: FilterSyntax.TextOptions) -> Bool {
    switch (self, left, right) {
    case (.equal, _, _): return options.areEqual(left, right)
    case (.notEqual, _, _): return !options.areEqual(left, right)
    case (.less, _, _): return Self.order(left, right) == .ascending
    case (.lessOrEqual, _, _): return Self.order(left, right).map { $0 != .descending } ?? false
    case (.greater, _, _): return Self.order(left, right) == .descending
    case (.greaterOrEqual, _, _): return Self.order(left, right).map { $0 != .ascending } ?? false
    case (.contains, .string(let text), .string(let part)):
      return options.fold(text).contains(options.fold(part))
    case (.beginsWith, .string(let text), .string(let part)):
      return options.fold(text).hasPrefix(options.fold(part))
    case (.endsWith, .string(let text), .string(let part)):
      return options.fold(text).hasSuffix(options.fold(part))
    case (.in, _, .array(let elements)): return elements.contains(left)
    case (.between, _, .array(let bounds)) where bounds.count == 2:
      return Self.greaterOrEqual.holds(left, bounds[0], []) && Self.lessOrEqual.holds(left, bounds[1], [])
    default: return false
    }
  }

  /// The order of two values that have one: two numbers, two strings, two booleans.
  private static func order(_ left: JSONValue, _ right: JSONValue) -> JSONOrder? {
    switch (left, right) {
    case (.number, .number), (.string, .string), (.bool, .bool): JSONValue.order(left, right)
    default: nil
    }
  }
}

extension FilterSyntax.TextOptions {
  /// True if two values are equal, strings by their folded forms.
  fileprivate func areEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
    if !isEmpty, case .string(let a) = left, case .string(let b) = right { return fold(a) == fold(b) }
    return left == right
  }
}
