extension FilterSyntax {
  /// The filter with values in place of its arguments and variables.
  func bound(_ arguments: FilterArguments) throws(FilterSyntaxError) -> FilterSyntax {
    try rewritten(by: Binding(arguments: arguments))
  }
}

extension FilterPath {
  /// The path with names in place of its arguments.
  func bound(_ arguments: FilterArguments, _ column: Int) throws(FilterSyntaxError) -> FilterPath {
    try Binding(arguments: arguments).path(self, column)
  }
}

private struct Binding: FilterRewriter {
  let arguments: FilterArguments
  /// The variables of the subqueries around.
  var scope: Set<String> = []

  func comparison(_ comparison: FilterSyntax.Comparison) -> FilterSyntax.Comparison {
    .init(
      left: comparison.left, relation: arguments.relation(of: comparison), options: comparison.options,
      right: comparison.right, column: comparison.column)
  }

  func replacement(of operand: FilterSyntax.Operand) throws(FilterSyntaxError) -> FilterSyntax.Operand? {
    switch operand {
    case .argument(let number, let column): return try arguments.operand(number, column)
    case .path(let path, let column):
      guard let name = path.variable, !scope.contains(name), path.steps.isEmpty else { return nil }
      guard let value = arguments.variables[name] else {
        throw FilterSyntaxError(column: column, message: "the variable $\(name) has no value")
      }
      return try FilterArguments.operand(value, "the variable $\(name)", column)
    case .function("now", [], let column): return .literal(.date(.exact(arguments.now)), column: column)
    default: return nil
    }
  }

  func path(_ path: FilterPath, _ column: Int) throws(FilterSyntaxError) -> FilterPath {
    var bound = FilterPath([PathStep](), variable: path.variable)
    for step in path.steps {
      if case .argument(let number) = step {
        bound.steps += try arguments.names(number, column)
      } else {
        bound.steps.append(step)
      }
    }
    return bound
  }

  func inside(_ variable: String) -> (rewriter: Binding, variable: String) {
    (Binding(arguments: arguments, scope: scope.union([variable])), variable)
  }
}
