extension FilterSyntax: CustomStringConvertible {
  /// The filter in its canonical form: every operation in parentheses, keywords in upper case, strings as JSON.
  ///
  /// It reads back as an equal filter, columns aside, unless its parentheses nest deeper than a filter may.
  package var description: String {
    switch self {
    case .constant: text
    case .not(let member, _): "(NOT \(member))"
    case .and(let members, _): "(\(members.map(\.description).joined(separator: " AND ")))"
    case .or(let members, _): "(\(members.map(\.description).joined(separator: " OR ")))"
    case .comparison(let comparison): comparison.description
    }
  }

  /// The filter with few parentheses: those of a conjunction or of alternatives in another one.
  var text: String {
    switch self {
    case .constant(let value, _): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): comparison.text
    case .not(let member, _): "NOT \(member.enclosed)"
    case .and(let members, _): members.map(\.enclosed).joined(separator: " AND ")
    case .or(let members, _): members.map(\.enclosed).joined(separator: " OR ")
    }
  }

  private var enclosed: String {
    switch self {
    case .and, .or: "(\(text))"
    default: text
    }
  }
}

extension FilterSyntax.Comparison: CustomStringConvertible {
  /// The comparison in parentheses.
  package var description: String { "(\(text))" }

  /// The comparison without parentheses.
  var text: String { "\(left) \(relation.rawValue)\(options) \(right)" }
}

extension FilterSyntax.Operand: CustomStringConvertible {
  /// The operand as it could be written.
  package var description: String {
    switch self {
    case .literal(let literal, _): literal.description
    case .path(let path, _): path.description
    case .list(let elements, _): "{\(elements.map(\.description).joined(separator: ", "))}"
    case .quantified(let quantifier, let operand, _):
      "\(quantifier.rawValue) \(operand.isOperatorWord ? "#" : "")\(operand)"
    case .arithmetic(let operation, let left, let right, _):
      "(\(left.typedDescription) \(operation.rawValue) \(right.typedDescription))"
    case .subquery(let path, let variable, let filter, _): "SUBQUERY(\(path), $\(variable), \(filter)).@count"
    case .function(let name, let operands, _):
      "\(name)(\(operands.map(\.typedDescription).joined(separator: ", ")))"
    case .argument(let number, _): "$\(number)"
    }
  }

  /// The operand as it could be written where the type of a number makes a difference.
  private var typedDescription: String {
    if case .literal(let literal, _) = self { literal.typedDescription } else { description }
  }
}

extension FilterSyntax.Operand {
  /// Whether it begins with a name that can follow an operand, as which it would be read behind a quantifier.
  fileprivate var isOperatorWord: Bool {
    guard case .path(let path, _) = self, path.variable == nil else { return false }
    return FilterWords.isOperator(path.leadingNames) && !FilterWords.needHash(path.leadingNames)
  }
}
