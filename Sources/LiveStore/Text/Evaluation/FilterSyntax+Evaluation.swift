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

extension FilterSyntax.Comparison {
  /// True if the comparison holds for an object.
  fileprivate func evaluate(_ value: JSONValue) -> Bool {
    if let (left, right) = plainOperands {
      return FilterRelation(effectiveRelation, options).holds(
        left.evaluate(value), right.evaluate(value), nil)
    }
    guard let filter = try? FilterCompiler<JSONElement>().filter(self) else { return false }
    return withObject(JSONElement(value: FilterValue(value))) { filter.matches($0, .none) }
  }
}

extension PlainOperand {
  /// The value of the operand for an object.
  fileprivate func evaluate(_ value: JSONValue) -> JSONValue {
    switch self {
    case .path(let names): value[path: names]
    case .value(let constant): constant
    }
  }
}
