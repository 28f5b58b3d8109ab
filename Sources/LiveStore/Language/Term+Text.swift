extension Term: CustomStringConvertible {
  /// The term in Swift's syntax, as plans and changes show it.
  package var description: String { text(isExact: false) }

  /// The same, so that no other path of dynamic names has this text.
  var exactDescription: String { text(isExact: true) }

  // Joins nest deepest, so they have a function of their own, which takes little of the stack.
  private func text(isExact: Bool) -> String {
    switch self {
    case .all(let members): return members.terms.map(\.bracketed).joined(separator: " && ")
    case .any(let members): return members.terms.map(\.bracketed).joined(separator: " || ")
    case .not(let condition): return condition.negatedText(isExact: isExact)
    default: return partText(isExact: isExact)
    }
  }

  private func negatedText(isExact: Bool) -> String {
    guard case .some(let term, let opposite) = self, let inverse = opposite.inverse else {
      return "!(\(text(isExact: isExact)))"
    }
    return term.text(isExact: isExact, of: "allSatisfy { \(inverse.text(isExact: isExact)) }")
  }

  /// The text of a member of this value.
  private func text(isExact: Bool, of member: String) -> String {
    let base = text(isExact: isExact)
    return base.isEmpty ? member : "\(base).\(member)"
  }

  private func partText(isExact: Bool) -> String {
    func text(_ term: Term) -> String { term.text(isExact: isExact) }
    // A condition that is compared stands in parentheses.
    func operand(_ term: Term) -> String { term.isCondition ? "(\(text(term)))" : text(term) }
    func member(_ term: Term, _ name: String) -> String { term.text(isExact: isExact, of: name) }
    return switch self {
    case .row(let level): level == 0 ? "" : "outer"
    case .element(_, let level): level == 0 ? "SELF" : "outer.SELF"
    case .constant(let value): "\(value)"
    case .property(let term, let path): member(term, path.text(isExact: isExact))
    case .key(let term, let key): member(term, "[\(key)]")
    case .step(let term, .name(let name), _):
      member(term, PropertyPath(dynamic: [name]).text(isExact: isExact))
    case .step(let term, let step, _): member(term, "\(step)")
    case .target(let term): text(term)
    case .linking(let term, let link): member(term, "linking(\(link.source).\(link.property))")
    case .filtered(let term, let condition): member(term, "where { \(text(condition)) }")
    case .values(let term, let members): members.map(text).reduce(member(term, "values")) { "\($0).\($1)" }
    // Behind an object that may be missing, the number of links is another value than that of objects.
    case .function(.aggregate(let aggregate), .target(let links)) where aggregate.isOfNumber:
      member(links, "objects.\(aggregate.rawValue)")
    case .function(let function, let term): member(term, "\(function)")
    case .aggregate(.avg, let term, let value): member(term, "average(\(text(value)))")
    case .aggregate(let aggregate, let term, let value):
      member(term, "\(aggregate.rawValue)(\(text(value)))")
    case .relevance(let term, let pattern):
      member(term, "relevance.to(\(String(reflecting: "\(pattern)")))")
    case .operation(let operation, let left, let right):
      "(\(text(left)) \(operation.rawValue) \(text(right)))"
    case .fallback(let term, let other): "(\(text(term)) ?? \(text(other)))"
    case .comparator(let comparator): "(\(comparator.typeName))"
    case .closure(_, let term): member(term, "{ closure }")
    case .compare(let term, let comparison, let value): "\(operand(term)) \(comparison.rawValue) \(value)"
    case .compareTerms(let left, let comparison, let right):
      "\(operand(left)) \(comparison.rawValue) \(operand(right))"
    case .pair(let left, let relation, let right), .general(let left, let relation, let right):
      relation.text(operand(left), operand(right))
    case .range(let term, .inclusive(let lower), let upper):
      "\(text(term)) in \(lower)\(upper.isInclusive ? "..." : "..<")\(upper.value)"
    case .range(let term, .exclusive(let lower), let upper):
      "\(text(term)) > \(lower) && \(text(term)) \(upper.isInclusive ? "<=" : "<") \(upper.value)"
    case .member(let term, let values):
      "\(operand(term)) in [\(values.members.map(\.description).joined(separator: ", "))]"
    case .link(let term, let value), .contains(let term, let value): "\(text(term)) contains \(value)"
    case .some(let term, let condition): member(term, "contains { \(text(condition)) }")
    case .text(let term, let test, let part, let options):
      "\(text(term)) \(test.rawValue)\(options) \(String(reflecting: part.text))"
    case .search(let term, let words): member(term, "search(\(String(reflecting: words.description)))")
    case .predicate: "#Predicate"
    case .all, .any, .not: self.text(isExact: isExact)
    case .program(let program): "… of \(program.leafCount) conditions …"
    }
  }

  /// Whether it is a condition, and no value that is read or computed.
  private var isCondition: Bool {
    switch self {
    case .compare, .compareTerms, .pair, .range, .member, .link, .contains, .text, .predicate, .general, .all,
      .any, .not, .program:
      true
    default: false
    }
  }

  private var bracketed: String {
    switch self {
    case .all, .any: "(\(self))"
    default: description
    }
  }
}

extension TermRelation {
  /// The relation of two sides as a text filter writes it.
  fileprivate func text(_ left: String, _ right: String) -> String {
    func side(_ quantifier: FilterQuantifier?, _ side: String) -> String {
      quantifier.map { "\($0.rawValue) \(side)" } ?? side
    }
    return "\(side(self.left, left)) \(`operator`.rawValue)\(options) \(side(self.right, right))"
  }
}
