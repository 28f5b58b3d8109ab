extension FilterSyntax.Comparison {
  /// The comparison without its columns: two are equal where they say the same.
  var withoutColumns: FilterSyntax.Comparison {
    .init(
      left: left.withoutColumns, relation: relation, options: options, right: right.withoutColumns, column: 0)
  }
}

extension FilterSyntax.Operand {
  fileprivate var withoutColumns: FilterSyntax.Operand {
    switch self {
    case .literal(let literal, _): .literal(literal, column: 0)
    case .path(let path, _): .path(path, column: 0)
    case .list(let elements, _): .list(elements.map(\.withoutColumns), column: 0)
    case .quantified(let quantifier, let operand, _):
      .quantified(quantifier, operand.withoutColumns, column: 0)
    case .arithmetic(let operation, let left, let right, _):
      .arithmetic(operation, left.withoutColumns, right.withoutColumns, column: 0)
    case .subquery(let path, let variable, let filter, _):
      .subquery(path, variable: variable, filter.withoutColumns, column: 0)
    case .function(let name, let operands, _): .function(name, operands.map(\.withoutColumns), column: 0)
    case .argument(let number, _): .argument(number, column: 0)
    }
  }
}

extension FilterSyntax {
  /// The filter without its columns.
  package var withoutColumns: FilterSyntax {
    switch self {
    case .constant(let answer, _): .constant(answer, column: 0)
    case .not(let member, _): .not(member.withoutColumns, column: 0)
    case .and(let members, _): .and(members.map(\.withoutColumns), column: 0)
    case .or(let members, _): .or(members.map(\.withoutColumns), column: 0)
    case .comparison(let comparison): .comparison(comparison.withoutColumns)
    }
  }
}
