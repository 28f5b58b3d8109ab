extension FilterSyntax: CustomStringConvertible {
  /// The filter in its canonical form: every operation in parentheses, keywords in upper case, strings as JSON.
  ///
  /// It reads back as an equal filter, columns aside, unless its parentheses nest deeper than a filter may.
  package var description: String {
    switch self {
    case .constant(let value, _): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .not(let member, _): "(NOT \(member))"
    case .and(let members, _): "(\(members.map(\.description).joined(separator: " AND ")))"
    case .or(let members, _): "(\(members.map(\.description).joined(separator: " OR ")))"
    case .comparison(let comparison): comparison.description
    }
  }
}

extension FilterSyntax.Comparison: CustomStringConvertible {
  /// The comparison in parentheses.
  package var description: String {
    "(\(left) \(relation.rawValue)\(options) \(right))"
  }
}

extension FilterSyntax.Operand: CustomStringConvertible {
  /// The operand as it could be written.
  package var description: String {
    switch self {
    case .literal(.null, _): "NULL"
    case .literal(.bool(let value), _): value ? "TRUE" : "FALSE"
    case .literal(let value, _): value.description
    case .keyPath(let steps, _): (FilterWords.needQuoting(steps) ? "#" : "") + steps.joined(separator: ".")
    case .list(let elements, _): "{\(elements.map(\.description).joined(separator: ", "))}"
    }
  }
}
