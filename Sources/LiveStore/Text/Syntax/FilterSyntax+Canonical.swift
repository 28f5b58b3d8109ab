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

  /// The comparison without its columns and with the names of variables that say where their rows are: two are equal
  /// where they say the same (B5).
  ///
  /// - Parameter scopes: the variables that it may name, from the outermost; nil for the row.
  func canonical(in scopes: [String?]) -> FilterSyntax.Comparison { rewritten(by: Canonical(scopes: scopes)) }

  /// The comparison of a canonical form with the names of its variables.
  func named(in scopes: [String?]) -> FilterSyntax.Comparison { rewritten(by: Named(scopes: scopes)) }
}

extension FilterPath {
  /// The name of the variable of a subquery inside others: `x`, `y`, `z`, `x4` …
  static func variable(at level: Int) -> String {
    level > 3 ? "x\(level)" : ["x", "y", "z"][max(0, level - 1)]
  }
}

private struct Canonical: FilterRewriter {
  let scopes: [String?]

  /// The type of a number that is compared makes no difference.
  func comparison(_ comparison: FilterSyntax.Comparison) -> FilterSyntax.Comparison {
    .init(
      left: comparison.left.untyped, relation: comparison.relation, options: comparison.options,
      right: comparison.right.untyped, column: comparison.column)
  }

  func replacement(of operand: FilterSyntax.Operand) -> FilterSyntax.Operand? {
    switch operand {
    case .list(let elements, _): .list(elements.map { $0.untyped.rewritten(by: self) }, column: 0)
    case .function(let name, let operands, _):
      FilterLiteral(name, operands).map { .literal($0, column: 0) }
    default: nil
    }
  }

  /// The path with the distance to its row in place of the variable's name: none for the innermost row, `^1` for the
  /// one around it.
  func path(_ path: FilterPath, _: Int) -> FilterPath {
    guard let index = scopes.lastIndex(of: path.variable) else { return path }
    let levels = scopes.count - 1 - index
    return FilterPath(path.steps, variable: levels > 0 ? "^\(levels)" : nil)
  }

  func inside(_ variable: String) -> (rewriter: Canonical, variable: String) {
    (Canonical(scopes: scopes + [variable]), FilterPath.variable(at: 1))
  }

  func column(_: Int) -> Int { 0 }
}

private struct Named: FilterRewriter {
  let scopes: [String?]

  func replacement(of _: FilterSyntax.Operand) -> FilterSyntax.Operand? { nil }

  func path(_ path: FilterPath, _: Int) -> FilterPath {
    let levels = path.variable.flatMap { Int($0.dropFirst()) } ?? 0
    guard levels < scopes.count else { return path }
    return FilterPath(path.steps, variable: scopes[scopes.count - 1 - levels])
  }

  func inside(_: String) -> (rewriter: Named, variable: String) {
    let variable = FilterPath.variable(at: scopes.count)
    return (Named(scopes: scopes + [variable]), variable)
  }
}

extension FilterSyntax.Operand {
  /// A number, or several, as a text writes it where its type makes no difference.
  var untyped: FilterSyntax.Operand {
    switch self {
    case .literal(let literal, let column): return .literal(literal.untyped, column: column)
    case .quantified(let quantifier, let operand, let column):
      return .quantified(quantifier, operand.untyped, column: column)
    case .function(let name, let operands, let column):
      return FilterLiteral(name, operands).map { .literal($0.untyped, column: column) } ?? self
    default: return self
    }
  }
}
