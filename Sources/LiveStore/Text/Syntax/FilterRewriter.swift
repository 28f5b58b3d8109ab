/// A change of a filter's operands and paths.
protocol FilterRewriter<Failure> {
  associatedtype Failure: Error
  /// The comparison whose sides are changed.
  func comparison(_ comparison: FilterSyntax.Comparison) -> FilterSyntax.Comparison
  /// The replacement of an operand; nil where its parts are changed instead.
  func replacement(of operand: FilterSyntax.Operand) throws(Failure) -> FilterSyntax.Operand?
  /// The replacement of a path.
  func path(_ path: FilterPath, _ column: Int) throws(Failure) -> FilterPath
  /// The change inside a subquery with a variable, and the variable's name there.
  func inside(_ variable: String) -> (rewriter: Self, variable: String)
  /// The column in place of one of the text.
  func column(_ column: Int) -> Int
}

extension FilterRewriter {
  func comparison(_ comparison: FilterSyntax.Comparison) -> FilterSyntax.Comparison { comparison }
  func column(_ column: Int) -> Int { column }
}

extension FilterSyntax {
  /// The filter after a change.
  func rewritten<Rewriter: FilterRewriter>(
    by rewriter: Rewriter
  ) throws(Rewriter.Failure) -> FilterSyntax {
    switch self {
    case .constant(let answer, let column): .constant(answer, column: rewriter.column(column))
    case .not(let member, let column):
      .not(try member.rewritten(by: rewriter), column: rewriter.column(column))
    case .and(let members, let column):
      .and(try Self.rewritten(members, by: rewriter), column: rewriter.column(column))
    case .or(let members, let column):
      .or(try Self.rewritten(members, by: rewriter), column: rewriter.column(column))
    case .comparison(let comparison): .comparison(try comparison.rewritten(by: rewriter))
    }
  }

  private static func rewritten<Rewriter: FilterRewriter>(
    _ members: [FilterSyntax], by rewriter: Rewriter
  ) throws(Rewriter.Failure) -> [FilterSyntax] {
    try members.map { member throws(Rewriter.Failure) in try member.rewritten(by: rewriter) }
  }

  /// The comparisons in the order of the text, but for those inside subqueries.
  package var comparisons: [Comparison] {
    switch self {
    case .constant: []
    case .not(let member, _): member.comparisons
    case .and(let members, _), .or(let members, _): members.flatMap(\.comparisons)
    case .comparison(let comparison): [comparison]
    }
  }
}

extension FilterSyntax.Comparison {
  /// The comparison after a change.
  func rewritten<Rewriter: FilterRewriter>(
    by rewriter: Rewriter
  ) throws(Rewriter.Failure) -> FilterSyntax.Comparison {
    let comparison = rewriter.comparison(self)
    return .init(
      left: try comparison.left.rewritten(by: rewriter), relation: comparison.relation,
      options: comparison.options, right: try comparison.right.rewritten(by: rewriter),
      column: rewriter.column(comparison.column))
  }
}

extension FilterSyntax.Operand {
  /// The operand after a change.
  func rewritten<Rewriter: FilterRewriter>(
    by rewriter: Rewriter
  ) throws(Rewriter.Failure) -> FilterSyntax.Operand {
    if let replacement = try rewriter.replacement(of: self) { return replacement }
    let column = rewriter.column(column)
    switch self {
    case .literal(let literal, _): return .literal(literal, column: column)
    case .argument(let number, _): return .argument(number, column: column)
    case .path(let path, let place): return .path(try rewriter.path(path, place), column: column)
    case .list(let operands, _):
      return .list(try Self.rewritten(operands, by: rewriter), column: column)
    case .quantified(let quantifier, let operand, _):
      return .quantified(quantifier, try operand.rewritten(by: rewriter), column: column)
    case .arithmetic(let operation, let left, let right, _):
      return .arithmetic(
        operation, try left.rewritten(by: rewriter), try right.rewritten(by: rewriter), column: column)
    case .subquery(let path, let variable, let filter, let place):
      let inner = rewriter.inside(variable)
      return .subquery(
        try rewriter.path(path, place), variable: inner.variable, try filter.rewritten(by: inner.rewriter),
        column: column)
    case .function(let name, let operands, _):
      return .function(name, try Self.rewritten(operands, by: rewriter), column: column)
    }
  }

  private static func rewritten<Rewriter: FilterRewriter>(
    _ operands: [FilterSyntax.Operand], by rewriter: Rewriter
  ) throws(Rewriter.Failure) -> [FilterSyntax.Operand] {
    try operands.map { operand throws(Rewriter.Failure) in try operand.rewritten(by: rewriter) }
  }
}
