extension FilterSyntax.Comparison {
  /// Whether a comparison of a number of objects asks for some of them, or for none; nil if for neither.
  var isExistence: Bool? {
    guard case .literal(.number(let number), _) = right, let limit = number.integer else { return nil }
    return switch (relation, limit) {
    case (.greater, 0), (.notEqual, 0), (.greaterOrEqual, 1): true
    case (.equal, 0), (.lessOrEqual, 0), (.less, 1): false
    default: nil
    }
  }

  /// The comparison without its columns, with one name for all variables: two are equal where they say the same. A
  /// subquery reads its own variable alone, so no two are in scope.
  var canonical: FilterSyntax.Comparison {
    .init(left: left.canonical, relation: relation, options: options, right: right.canonical, column: 0)
  }
}

extension FilterSyntax.Operand {
  fileprivate var canonical: FilterSyntax.Operand {
    switch self {
    case .literal(let literal, _): .literal(literal.canonical, column: 0)
    case .path(let path, _): .path(path.canonical, column: 0)
    case .list(let elements, _): .list(elements.map(\.canonical), column: 0)
    case .quantified(let quantifier, let operand, _): .quantified(quantifier, operand.canonical, column: 0)
    case .arithmetic(let operation, let left, let right, _):
      .arithmetic(operation, left.canonical, right.canonical, column: 0)
    case .subquery(let path, _, let filter, _):
      .subquery(path.canonical, variable: FilterPath.variable, filter.canonical, column: 0)
    case .function(let name, let operands, _): .function(name, operands.map(\.canonical), column: 0)
    case .argument(let number, _): .argument(number, column: 0)
    }
  }
}

extension FilterLiteral {
  /// The number as it is read again: a fraction is exact, and what is beyond integers stands for itself.
  fileprivate var canonical: FilterLiteral {
    guard case .double(let value) = self, let number = JSONNumber(value) else { return self }
    if case .integer = number.storage { return self }
    return .number(number)
  }
}

extension FilterPath {
  /// The name of variables in the canonical form.
  static var variable: String { "x" }

  fileprivate var canonical: FilterPath { FilterPath(steps, variable: variable.map { _ in Self.variable }) }
}

extension FilterSyntax {
  /// The filter without its columns, with one name for all variables.
  package var canonical: FilterSyntax {
    switch self {
    case .constant(let answer, _): .constant(answer, column: 0)
    case .not(let member, _): .not(member.canonical, column: 0)
    case .and(let members, _): .and(members.map(\.canonical), column: 0)
    case .or(let members, _): .or(members.map(\.canonical), column: 0)
    case .comparison(let comparison): .comparison(comparison.canonical)
    }
  }
}
