extension FilterSyntax {
  /// The filter with values in place of its arguments and variables.
  ///
  /// - Parameter scope: the variables of the subqueries around it.
  func bound(
    _ arguments: FilterArguments, scope: Set<String> = []
  ) throws(FilterSyntaxError) -> FilterSyntax {
    switch self {
    case .constant: return self
    case .not(let member, let column): return .not(try member.bound(arguments, scope: scope), column: column)
    case .and(let members, let column):
      return .and(try Self.bound(members, arguments, scope), column: column)
    case .or(let members, let column): return .or(try Self.bound(members, arguments, scope), column: column)
    case .comparison(let comparison):
      return .comparison(
        .init(
          left: try comparison.left.bound(arguments, scope),
          relation: arguments.relation(of: comparison),
          options: comparison.options, right: try comparison.right.bound(arguments, scope),
          column: comparison.column))
    }
  }

  private static func bound(
    _ members: [FilterSyntax], _ arguments: FilterArguments, _ scope: Set<String>
  ) throws(FilterSyntaxError) -> [FilterSyntax] {
    var result: [FilterSyntax] = []
    for member in members { result.append(try member.bound(arguments, scope: scope)) }
    return result
  }
}

extension FilterSyntax.Operand {
  fileprivate func bound(
    _ arguments: FilterArguments, _ scope: Set<String>
  ) throws(FilterSyntaxError) -> FilterSyntax.Operand {
    switch self {
    case .literal: return self
    case .argument(let number, let column): return try arguments.operand(number, column)
    case .path(let path, let column):
      if let name = path.variable, !scope.contains(name), path.steps.isEmpty {
        guard let value = arguments.variables[name] else {
          throw FilterSyntaxError(column: column, message: "the variable $\(name) has no value")
        }
        return try FilterArguments.operand(value, "the variable $\(name)", column)
      }
      return .path(try path.bound(arguments, column), column: column)
    case .list(let operands, let column):
      return .list(try Self.bound(operands, arguments, scope), column: column)
    case .quantified(let quantifier, let operand, let column):
      return .quantified(quantifier, try operand.bound(arguments, scope), column: column)
    case .arithmetic(let operation, let left, let right, let column):
      return .arithmetic(
        operation, try left.bound(arguments, scope), try right.bound(arguments, scope), column: column)
    case .subquery(let path, let variable, let filter, let column):
      let inner = try filter.bound(arguments, scope: scope.union([variable]))
      return .subquery(try path.bound(arguments, column), variable: variable, inner, column: column)
    case .function("now", [], let column): return .literal(.date(.exact(arguments.now)), column: column)
    case .function(let name, let operands, let column):
      return .function(name, try Self.bound(operands, arguments, scope), column: column)
    }
  }

  private static func bound(
    _ operands: [FilterSyntax.Operand], _ arguments: FilterArguments, _ scope: Set<String>
  ) throws(FilterSyntaxError) -> [FilterSyntax.Operand] {
    var result: [FilterSyntax.Operand] = []
    for operand in operands { result.append(try operand.bound(arguments, scope)) }
    return result
  }
}

extension FilterPath {
  func bound(_ arguments: FilterArguments, _ column: Int) throws(FilterSyntaxError) -> FilterPath {
    var path = FilterPath([Step](), variable: variable)
    for step in steps {
      if case .argument(let number) = step {
        path.steps += try arguments.names(number, column)
      } else {
        path.steps.append(step)
      }
    }
    return path
  }
}
