// The meaning of a filter over JSON values. This evaluation is the reference: every other way to run a filter gives
// the same answers.
//
// - A key path without a value reads as null.
// - `==`, `!=` and `IN` compare JSON values: `1 == 1.0`, `nil == nil`, and nil is `!=` to everything else. With
//   options, two strings are compared folded.
// - `<`, `<=`, `>`, `>=` and BETWEEN are false unless both sides are numbers, or strings, or booleans.
// - CONTAINS, BEGINSWITH and ENDSWITH are false unless both sides are strings.
// - The right side of IN is a list, or a key path to an array; anything else contains nothing.

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
  package func holds(_ left: JSONValue, _ right: JSONValue, _ options: TextOptions) -> Bool {
    switch self {
    case .equal: options.areEqual(left, right)
    case .notEqual: !options.areEqual(left, right)
    case .less: Comparison.less.holds(left, right)
    case .lessOrEqual: Comparison.lessOrEqual.holds(left, right)
    case .greater: Comparison.greater.holds(left, right)
    case .greaterOrEqual: Comparison.greaterOrEqual.holds(left, right)
    case .contains: TextTest.contains.holds(left, right, options)
    case .beginsWith: TextTest.beginsWith.holds(left, right, options)
    case .endsWith: TextTest.endsWith.holds(left, right, options)
    case .in: if case .array(let elements) = right { elements.contains(left) } else { false }
    case .between:
      if case .array(let bounds) = right, bounds.count == 2 {
        Comparison.greaterOrEqual.holds(left, bounds[0]) && Comparison.lessOrEqual.holds(left, bounds[1])
      } else {
        false
      }
    }
  }
}

extension TextTest {
  /// True if both values are strings and the test holds.
  fileprivate func holds(_ left: JSONValue, _ right: JSONValue, _ options: TextOptions) -> Bool {
    guard case .string(let text) = left, case .string(let part) = right else { return false }
    return matcher(part, options)(text)
  }
}

extension TextOptions {
  /// True if two values are equal, strings by their folded forms.
  fileprivate func areEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
    if !isEmpty, case .string(let a) = left, case .string(let b) = right { return fold(a) == fold(b) }
    return left == right
  }
}
