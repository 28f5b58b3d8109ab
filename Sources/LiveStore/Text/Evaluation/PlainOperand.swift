/// A side of a comparison of paths and values of JSON.
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
      let left = left.plain(isList: false),
      let right = right.plain(isList: relation == .in || relation == .between)
    else { return nil }
    return (left, right)
  }
}

extension FilterSyntax.Operand {
  /// - Parameter isList: whether a list is one value here, and not any of its values.
  fileprivate func plain(isList: Bool) -> PlainOperand? {
    switch self {
    case .literal(let literal, _): return literal.json.map { .value($0) }
    case .path(let path, _): return path.names.flatMap { $0.isEmpty ? nil : .path($0) }
    case .list(let operands, _) where isList:
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
