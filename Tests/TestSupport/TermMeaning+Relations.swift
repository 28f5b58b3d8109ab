import LiveStore

// Relations of values whose types are known only when they are read, or of which there are several.

extension TermMeaning {
  /// A side of a relation.
  private struct Side {
    let value: Any?
    let quantifier: FilterQuantifier?
    /// Whether it stands for its elements, also without a quantifier. Arrays of JSON do not.
    let isSeveral: Bool

    /// Those of a list or an object, none of a missing one.
    var members: [Any?] { plainMembers(value) ?? (value == nil ? [] : [value]) }
  }

  func holds(_ left: Term, _ relation: TermRelation, _ right: Term, _ rows: [Any?]) throws -> Bool {
    func side(_ term: Term, _ quantifier: FilterQuantifier?) throws -> Side {
      let value = try value(of: term, rows)
      return Side(
        value: plainValue(value), quantifier: quantifier, isSeveral: try isSeveral(term, value, rows))
    }
    return try holds(side(left, relation.left), relation, side(right, relation.right))
  }

  private func isSeveral(_ term: Term, _ value: Any?, _ rows: [Any?]) throws -> Bool {
    switch term {
    case .step(_, .every, _): true
    case .step(let base, .name, _): try isSeveral(base, self.value(of: base, rows), rows)
    case .fallback(let base, _): try isSeveral(base, value, rows)
    case .step, .function, .operation, .aggregate: false
    case .constant: plainList(value) != nil
    default: value.map { type(of: $0) != [Any?].self && plainList(plainValue($0)) != nil } ?? false
    }
  }

  private func holds(_ left: Side, _ relation: TermRelation, _ right: Side) -> Bool {
    if let quantifier = left.quantifier {
      return quantifier.holds(left.members) { holds($0, relation, right) }
    }
    guard left.isSeveral, let elements = plainList(left.value) else {
      return holds(left.value, relation, right)
    }
    switch relation.operator {
    case .equal where right.quantifier == nil && plainList(right.value) != nil,
      .notEqual where right.quantifier == nil && plainList(right.value) != nil:
      return relation.holds(left.value, right.value)
    case .contains where right.quantifier == nil:
      let sought = right.isSeveral ? right.members : [right.value]
      return elements.contains { element in sought.contains { relation.isSame(element, $0) } }
    default: return elements.contains { holds($0, relation, right) }
    }
  }

  private func holds(_ left: Any?, _ relation: TermRelation, _ right: Side) -> Bool {
    if let quantifier = right.quantifier {
      return quantifier.holds(right.members) { relation.holds(left, $0) }
    }
    let isOfLists = relation.operator == .equal || relation.operator == .notEqual
    guard right.isSeveral, relation.operator != .in, relation.operator != .between,
      let elements = plainList(right.value), !isOfLists || plainList(left) == nil
    else { return relation.holds(left, right.value) }
    return elements.contains { relation.holds(left, $0) }
  }
}

extension FilterQuantifier {
  fileprivate func holds(_ values: [Any?], _ test: (Any?) -> Bool) -> Bool {
    switch self {
    case .any: values.contains(where: test)
    case .all: values.allSatisfy(test)
    case .noElement: !values.contains(where: test)
    }
  }
}

extension TermRelation {
  /// Whether two values are in the relation.
  func holds(_ left: Any?, _ right: Any?) -> Bool {
    switch self.operator {
    case .equal: return isSame(left, right)
    case .notEqual: return !isSame(left, right)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      return self.operator.comparison.map { relates(left, $0, right) } ?? false
    case .in: return plainMembers(right)?.contains { isSame(left, $0) } ?? false
    case .between:
      guard let bounds = plainList(right), bounds.count == 2 else { return false }
      return relates(left, .greaterOrEqual, bounds[0]) && relates(left, .lessOrEqual, bounds[1])
    case .contains, .beginsWith, .endsWith, .like, .matches:
      return self.operator.textTest.flatMap { hasPart(left, $0, right) } ?? false
    case .text: return false
    }
  }

  /// Whether a text, data or list has a part; nil for values without parts.
  private func hasPart(_ whole: Any?, _ test: TextTest, _ part: Any?) -> Bool? {
    if let text = whole as? String {
      // A missing part is part of every text.
      guard let part else { return RelationalOperator(test).isTestOfParts }
      return (part as? String).map { passes(text, test, $0, options) }
    }
    if test == .contains, let members = plainMembers(whole) { return members.contains { isSame($0, part) } }
    guard let bytes = plainBytes(whole) else { return nil }
    guard let part else { return RelationalOperator(test).isTestOfParts }
    guard let part = plainBytes(part) else { return nil }
    return switch test {
    case .contains: part.isEmpty || bytes.indices.contains { bytes[$0...].starts(with: part) }
    case .beginsWith: bytes.starts(with: part)
    case .endsWith: bytes.reversed().starts(with: part.reversed())
    default: nil
    }
  }

  fileprivate func isSame(_ left: Any?, _ right: Any?) -> Bool {
    if !options.isEmpty, let left = left as? String, let right = right as? String {
      return passes(left, .equals, right, options)
    }
    return areEqual(left, right)
  }
}
