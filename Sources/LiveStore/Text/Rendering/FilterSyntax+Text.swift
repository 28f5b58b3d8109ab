extension FilterSyntax {
  /// The filter with few parentheses: those of a conjunction or of alternatives in another one.
  var text: String {
    switch self {
    case .constant: description
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
