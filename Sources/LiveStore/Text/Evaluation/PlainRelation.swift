// The meaning of a comparison of paths and values of JSON, which most filters of JSON consist of:
//
// - A path without a value reads as null.
// - `==`, `!=` and `IN` compare JSON values: `1 == 1.0`, `nil == nil`, and nil is `!=` to everything else. With
//   options, two strings are compared folded.
// - `<`, `<=`, `>`, `>=` and BETWEEN are false unless both sides are numbers, or strings, or booleans.
// - CONTAINS, BEGINSWITH and ENDSWITH are false unless both sides are strings; null is part of every string. Of an array,
//   CONTAINS looks for an element.
// - The right side of IN is a list, or a path to an array; anything else contains nothing.
//
// `FilterRelation` says the same of values of all types.

/// A relation between values of JSON.
struct PlainRelation: Sendable {
  let relation: FilterSyntax.Relation
  let options: TextOptions

  init(_ comparison: FilterSyntax.Comparison) {
    (relation, options) = (comparison.effectiveRelation, comparison.options)
  }

  init(_ relation: FilterSyntax.Relation, _ options: TextOptions) {
    (self.relation, self.options) = (relation, options)
  }

  /// True if the relation holds between two values.
  func holds(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch relation {
    case .equal: return options.areEqual(left, right)
    case .notEqual: return !options.areEqual(left, right)
    case .in: if case .array(let elements) = right { return elements.contains(left) } else { return false }
    case .between:
      guard case .array(let bounds) = right, bounds.count == 2 else { return false }
      return Comparison.greaterOrEqual.holds(left, bounds[0]) && Comparison.lessOrEqual.holds(left, bounds[1])
    default: break
    }
    if let test = relation.textTest {
      guard case .string(let text) = left else { return isElement(right, of: left) }
      if right.isNull { return relation.isTestOfParts }
      guard case .string(let part) = right else { return false }
      return test.matcher(part, options)(text)
    }
    return relation.comparison?.holds(left, right) ?? false
  }

  /// Whether an array contains a value, if that is the relation.
  private func isElement(_ value: JSONValue, of array: JSONValue) -> Bool {
    guard relation == .contains, case .array(let elements) = array else { return false }
    return elements.contains { options.areEqual($0, value) }
  }

  /// The test of values against one on the right side, prepared as far as possible.
  func test(against right: JSONValue) -> @Sendable (JSONValue) -> Bool {
    if let test = relation.textTest, case .string(let text) = right {
      let matches = test.matcher(text, options)
      return { if case .string(let text) = $0 { matches(text) } else { isElement(right, of: $0) } }
    }
    if relation == .in, case .array(let values) = right {
      return { [values = Set(values)] in values.contains($0) }
    }
    return { holds($0, right) }
  }
}

extension TextOptions {
  /// True if two values are equal, strings by their folded forms.
  fileprivate func areEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
    if !isEmpty, case .string(let a) = left, case .string(let b) = right {
      return isSameText(fold(a), fold(b))
    }
    return left == right
  }
}

/// A side of such a comparison.
enum PlainOperand: Sendable {
  case path([String])
  case value(JSONValue)
}

extension FilterSyntax.Comparison {
  /// The relation, where nil takes part: `<=`, `>=` and LIKE ask whether a value is nil.
  var effectiveRelation: FilterSyntax.Relation {
    let hasNil = [left, right].contains { if case .literal(.null, _) = $0 { true } else { false } }
    guard hasNil else { return relation }
    return switch relation {
    case .lessOrEqual, .greaterOrEqual, .like: .equal
    default: relation
    }
  }

  /// Both sides, if they are paths of names and values of JSON, and the relation is one that JSON has.
  var plainOperands: (left: PlainOperand, right: PlainOperand)? {
    guard effectiveRelation != .like, relation != .matches, relation != .text,
      options.isEmpty || relation != .in,
      let left = left.plain, let right = right.plain
    else { return nil }
    return (left, right)
  }
}

extension FilterSyntax.Operand {
  fileprivate var plain: PlainOperand? {
    switch self {
    case .literal(let literal, _): return literal.json.map { .value($0) }
    case .path(let path, _): return path.names.flatMap { $0.isEmpty ? nil : .path($0) }
    case .list(let operands, _):
      var values: [JSONValue] = []
      for operand in operands {
        guard case .literal(let literal, _) = operand, let value = literal.json else { return nil }
        values.append(value)
      }
      return .value(.array(values))
    default: return nil
    }
  }
}
