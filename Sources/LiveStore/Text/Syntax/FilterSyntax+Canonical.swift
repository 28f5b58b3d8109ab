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
  func canonical(in scopes: [String?]) -> FilterSyntax.Comparison {
    // The type of a number that is compared makes no difference.
    .init(
      left: left.untyped.canonical(in: scopes), relation: relation, options: options,
      right: right.untyped.canonical(in: scopes), column: 0)
  }
}

extension FilterSyntax.Operand {
  fileprivate func canonical(in scopes: [String?]) -> FilterSyntax.Operand {
    switch self {
    case .literal(let literal, _): .literal(literal, column: 0)
    case .path(let path, _): .path(path.canonical(in: scopes), column: 0)
    case .list(let elements, _): .list(elements.map { $0.untyped.canonical(in: scopes) }, column: 0)
    case .quantified(let quantifier, let operand, _):
      .quantified(quantifier, operand.canonical(in: scopes), column: 0)
    case .arithmetic(let operation, let left, let right, _):
      .arithmetic(operation, left.canonical(in: scopes), right.canonical(in: scopes), column: 0)
    case .subquery(let path, let variable, let filter, _):
      .subquery(
        path.canonical(in: scopes), variable: FilterPath.variable(at: 1),
        filter.canonical(in: scopes + [variable]), column: 0)
    case .function(let name, let operands, _):
      if let number = FilterLiteral(name, operands) {
        .literal(number, column: 0)
      } else {
        .function(name, operands.map { $0.canonical(in: scopes) }, column: 0)
      }
    case .argument(let number, _): .argument(number, column: 0)
    }
  }

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

extension FilterPath {
  /// The name of the variable of a subquery inside others: `x`, `y`, `z`, `x4` …
  static func variable(at level: Int) -> String {
    level > 3 ? "x\(level)" : ["x", "y", "z"][max(0, level - 1)]
  }

  /// The path with the distance to its row in place of the variable's name: none for the innermost row, `^1` for the
  /// one around it.
  fileprivate func canonical(in scopes: [String?]) -> FilterPath {
    guard let index = scopes.lastIndex(of: variable) else { return self }
    let levels = scopes.count - 1 - index
    return FilterPath(steps, variable: levels > 0 ? "^\(levels)" : nil)
  }

  /// The path of a canonical form with the name of its variable.
  fileprivate func named(in scopes: [String?]) -> FilterPath {
    let levels = variable.flatMap { Int($0.dropFirst()) } ?? 0
    guard levels < scopes.count else { return self }
    return FilterPath(steps, variable: scopes[scopes.count - 1 - levels])
  }
}

extension FilterSyntax {
  fileprivate func canonical(in scopes: [String?]) -> FilterSyntax {
    switch self {
    case .constant(let answer, _): .constant(answer, column: 0)
    case .not(let member, _): .not(member.canonical(in: scopes), column: 0)
    case .and(let members, _): .and(members.map { $0.canonical(in: scopes) }, column: 0)
    case .or(let members, _): .or(members.map { $0.canonical(in: scopes) }, column: 0)
    case .comparison(let comparison): .comparison(comparison.canonical(in: scopes))
    }
  }

  fileprivate func named(in scopes: [String?]) -> FilterSyntax {
    switch self {
    case .constant: self
    case .not(let member, _): .not(member.named(in: scopes), column: 0)
    case .and(let members, _): .and(members.map { $0.named(in: scopes) }, column: 0)
    case .or(let members, _): .or(members.map { $0.named(in: scopes) }, column: 0)
    case .comparison(let comparison): .comparison(comparison.named(in: scopes))
    }
  }
}

extension FilterSyntax.Comparison {
  /// The comparison of a canonical form with the names of its variables.
  func named(in scopes: [String?]) -> FilterSyntax.Comparison {
    .init(
      left: left.named(in: scopes), relation: relation, options: options, right: right.named(in: scopes),
      column: 0)
  }
}

extension FilterSyntax.Operand {
  fileprivate func named(in scopes: [String?]) -> FilterSyntax.Operand {
    switch self {
    case .literal, .argument, .list: return self
    case .path(let path, _): return .path(path.named(in: scopes), column: 0)
    case .quantified(let quantifier, let operand, _):
      return .quantified(quantifier, operand.named(in: scopes), column: 0)
    case .arithmetic(let operation, let left, let right, _):
      return .arithmetic(operation, left.named(in: scopes), right.named(in: scopes), column: 0)
    case .subquery(let path, _, let filter, _):
      let variable = FilterPath.variable(at: scopes.count)
      return .subquery(
        path.named(in: scopes), variable: variable, filter.named(in: scopes + [variable]), column: 0)
    case .function(let name, let operands, _):
      return .function(name, operands.map { $0.named(in: scopes) }, column: 0)
    }
  }
}
