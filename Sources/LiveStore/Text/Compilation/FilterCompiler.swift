/// Makes the filter that the store runs out of a text filter, checked against an entity's schema.
///
/// A comparison of a property with a value becomes the condition that the typed expression would make, so that it is
/// planned, routed and shared like that one. What typed expressions cannot say becomes a condition that reads both
/// sides.
struct FilterCompiler<Element: Entity> {
  /// What paths begin with: the variable of a subquery; nil for the row itself.
  var variable: String?

  /// The filter of a text.
  func filter(_ syntax: FilterSyntax) throws(FilterSyntaxError) -> ConditionTree {
    switch syntax {
    case .constant(let answer, _): return .constant(answer)
    case .not(let member, _): return try filter(member).negated
    case .and(let members, _):
      var result = ConditionTree.constant(true)
      for member in members { result = result.and(try filter(member)) }
      return result
    case .or(let members, _):
      var alternatives: [ConditionTree] = []
      for member in members {
        let next = try filter(member)
        if case .any(let inner) = next { alternatives += inner } else { alternatives.append(next.asMember) }
      }
      return .any(alternatives)
    case .comparison(let comparison): return try filter(comparison)
    }
  }
}

extension FilterCompiler {
  /// A side of a comparison, resolved.
  struct Side {
    enum Content {
      case literal(FilterLiteral)
      case list([FilterLiteral])
      case target(FilterTarget)
    }

    let content: Content
    var quantifier: FilterSyntax.Quantifier?
    let column: Int
  }

  func side(_ operand: FilterSyntax.Operand) throws(FilterSyntaxError) -> Side {
    let column = operand.column
    switch operand {
    case .literal(let literal, _): return Side(content: .literal(literal), column: column)
    case .list(let operands, _):
      var literals: [FilterLiteral] = []
      for operand in operands {
        guard case .literal(let literal, _) = operand else {
          throw FilterSyntaxError(column: operand.column, message: "\(operand) has no value")
        }
        literals.append(literal)
      }
      return Side(content: .list(literals), column: column)
    case .path(let path, _): return Side(content: .target(try target(of: path, column)), column: column)
    case .quantified(let quantifier, let inner, _):
      var side = try side(inner)
      if case .target(let target) = side.content, !target.kind.isList, target.kind != .unknown {
        throw FilterSyntaxError(
          column: column,
          message: "\(quantifier.rawValue) is for several values; \(inner) is \(target.kind.described)")
      }
      side.quantifier = quantifier
      return side
    case .arithmetic(let operation, let left, let right, _):
      let field = try arithmetic(operation, try side(left), try side(right))
      return Side(content: .target(.field(field)), column: column)
    case .subquery(let path, let variable, let filter, _):
      guard case .rows(let rows) = try target(of: path, column) else {
        return Side(content: .target(try valueSubquery(path, variable, filter, column)), column: column)
      }
      let count = rows.filtered(try rows.compile(filter, variable: variable)).count
      return Side(content: .target(.field(count)), column: column)
    case .function(let name, let operands, _):
      return try function(name, operands, column)
    case .argument(let number, _):
      throw FilterSyntaxError(column: column, message: "there is no argument for $\(number)")
    }
  }

  /// How many elements of a list of values meet a filter.
  private func valueSubquery(
    _ path: FilterPath, _ variable: String, _ filter: FilterSyntax, _ column: Int
  ) throws(FilterSyntaxError) -> FilterTarget {
    guard case .field(let field) = try target(of: path, column), field.kind.isList || field.kind == .unknown
    else {
      throw FilterSyntaxError(column: column, message: "SUBQUERY is for several values; \(path) is one")
    }
    let test = try FilterCompiler<JSONElement>(variable: variable).filter(filter)
    let read = field.read
    return .field(
      ComputedField(
        kind: .number,
        read: { row, context in
          guard case .list(let elements) = read(row, context) else { return .number(.integer(0)) }
          var count: Int64 = 0
          for element in elements {
            withObject(JSONElement(value: element)) { if test.matches($0, .none) { count += 1 } }
          }
          return .number(.integer(count))
        }, operands: field.operands))
  }
}
