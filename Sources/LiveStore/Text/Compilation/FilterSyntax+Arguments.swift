extension FilterSyntax {
  /// The filter with values in place of its arguments and variables.
  func bound(_ arguments: FilterArguments) throws(FilterSyntaxError) -> FilterSyntax {
    try Binding(arguments: arguments).filter(self)
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

extension FilterPath {
  /// The path with names in place of its arguments.
  func bound(_ arguments: FilterArguments, _ column: Int) throws(FilterSyntaxError) -> FilterPath {
    try Binding(arguments: arguments).path(self, column)
  }
}

/// Puts values in place of arguments and variables.
private struct Binding {
  let arguments: FilterArguments
  /// The variables of the subqueries around.
  var scope: Set<String> = []

  func filter(_ filter: FilterSyntax) throws(FilterSyntaxError) -> FilterSyntax {
    func bound(_ members: [FilterSyntax]) throws(FilterSyntaxError) -> [FilterSyntax] {
      try members.map { member throws(FilterSyntaxError) in try self.filter(member) }
    }
    return switch filter {
    case .constant: filter
    case .not(let member, let column): .not(try self.filter(member), column: column)
    case .and(let members, let column): .and(try bound(members), column: column)
    case .or(let members, let column): .or(try bound(members), column: column)
    case .comparison(let comparison):
      .comparison(
        .init(
          left: try operand(comparison.left), relation: arguments.relation(of: comparison),
          options: comparison.options, right: try operand(comparison.right), column: comparison.column))
    }
  }

  private func operand(
    _ operand: FilterSyntax.Operand
  ) throws(FilterSyntaxError) -> FilterSyntax.Operand {
    func bound(_ operands: [FilterSyntax.Operand]) throws(FilterSyntaxError) -> [FilterSyntax.Operand] {
      try operands.map { operand throws(FilterSyntaxError) in try self.operand(operand) }
    }
    switch operand {
    case .literal: return operand
    case .argument(let number, let column): return try arguments.operand(number, column)
    case .path(let path, let column):
      guard let name = path.variable, !scope.contains(name), path.steps.isEmpty else {
        return .path(try self.path(path, column), column: column)
      }
      guard let value = arguments.variables[name] else {
        throw FilterSyntaxError(column: column, message: "the variable $\(name) has no value")
      }
      return try FilterArguments.operand(value, "the variable $\(name)", column)
    case .function("now", [], let column): return .literal(.date(.exact(arguments.now)), column: column)
    case .function(let name, let operands, let column):
      return .function(name, try bound(operands), column: column)
    case .list(let operands, let column): return .list(try bound(operands), column: column)
    case .quantified(let quantifier, let operand, let column):
      return .quantified(quantifier, try self.operand(operand), column: column)
    case .arithmetic(let operation, let left, let right, let column):
      return .arithmetic(operation, try self.operand(left), try self.operand(right), column: column)
    case .subquery(let path, let variable, let filter, let column):
      let inner = Binding(arguments: arguments, scope: scope.union([variable]))
      return .subquery(
        try self.path(path, column), variable: variable, try inner.filter(filter), column: column)
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
}
