import Foundation

// The way back from a condition to the text that makes it (F9). Conditions that no text can say throw:
// closures, computed properties, and values of user types.

/// Why a filter cannot be written as text.
struct UnwritableFilter: Error {
  let reason: String
}

extension FilterSyntax {
  /// The text that makes a condition: read again, it is an equal one.
  ///
  /// - Parameters:
  ///   - scopes: the starts of paths, from the outermost: nil for the row, variables inside subqueries.
  ///   - level: how many negations and joins it is in.
  init(_ condition: Term, in scopes: [String?] = [nil], level: Int = 0) throws(UnwritableFilter) {
    // In a text, the outermost join has no parentheses.
    guard level <= FilterParser.maximumDepth + 1 else {
      throw UnwritableFilter(reason: "more than \(FilterParser.maximumDepth) levels")
    }
    // Joins nest deepest, so the code for one comparison, which takes more of the stack, is separate.
    switch condition {
    case .constant(let value):
      guard let answer = value.value(as: Bool.self) else { throw UnwritableFilter(reason: "\(condition)") }
      self = .constant(answer, column: 0)
    case .not(let member):
      if case .some(let objects, let opposite) = member, !objects.hasFilter, let test = opposite.inverse,
        test.isComparison, case .comparison(let all) = try Self.some(objects, test, scopes, .all),
        case .quantified = all.left
      {
        self = .comparison(all)
      } else {
        self = .not(try FilterSyntax(member, in: scopes, level: level + 1), column: 0)
      }
    case .all(let members):
      self = .and(try Self.members(members.terms, scopes, level).flatMap(\.conjuncts), column: 0)
    case .any(let members): self = .or(try Self.members(members.terms, scopes, level), column: 0)
    case .program(let program): self = try FilterSyntax(program.tree, in: scopes, level: level)
    default: self = try Self.comparison(condition, scopes)
    }
  }

  private static func comparison(
    _ condition: Term, _ scopes: [String?]
  ) throws(UnwritableFilter) -> FilterSyntax {
    // Decimal's NaN has an order in Swift, but not in a text.
    if condition.ordersByDecimalNaN { throw UnwritableFilter(reason: "\(condition)") }
    func left(_ term: Term) throws(UnwritableFilter) -> Operand { try Operand(term, scopes) }
    switch condition {
    case .compare(let term, let comparison, let value):
      let written = Comparison(try left(term), RelationalOperator(comparison), try Operand(value))
      // A number of objects is compared as such, and not read as the question whether there are some.
      if case .subquery = written.left, written.isExistence != nil, let flipped = written.relation.flipped {
        return .comparison(Comparison(written.right, flipped, written.left))
      } else {
        return .comparison(written)
      }
    case .compareTerms(let term, let comparison, let other):
      return .comparison(Comparison(try left(term), RelationalOperator(comparison), try left(other)))
    case .pair(let term, let relation, let other), .general(let term, let relation, let other):
      func side(_ quantifier: FilterQuantifier?, _ term: Term) throws(UnwritableFilter) -> Operand {
        let operand = try left(term)
        return quantifier.map { .quantified($0, operand, column: 0) } ?? operand
      }
      return .comparison(
        Comparison(
          try side(relation.left, term), relation.operator, try side(relation.right, other), relation.options)
      )
    case .range(let term, .inclusive(let lower), .inclusive(let upper)):
      let bounds = Operand.list([try Operand(lower), try Operand(upper)], column: 0)
      return .comparison(Comparison(try left(term), .between, bounds))
    case .range(let term, let lower, let upper):
      let operand = try left(term)
      let above = Comparison(
        operand, lower.isInclusive ? .greaterOrEqual : .greater, try Operand(lower.value))
      let below = Comparison(operand, upper.isInclusive ? .lessOrEqual : .less, try Operand(upper.value))
      return .and([.comparison(above), .comparison(below)], column: 0)
    case .member(let term, let values):
      let elements = try values.members.map { value throws(UnwritableFilter) in try Operand(value) }
      return .comparison(Comparison(try left(term), .in, .list(elements, column: 0)))
    case .link(let term, let value), .contains(let term, let value):
      return .comparison(Comparison(try left(term), .contains, try Operand(value)))
    case .some(let objects, let test): return try some(objects, test, scopes)
    case .text(let term, let test, let text, let options):
      return .comparison(
        Comparison(try left(term), RelationalOperator(test), .literal(.text(text.text), column: 0), options))
    case .search(let term, let words):
      return .comparison(Comparison(try left(term), .text, .literal(.text(words.description), column: 0)))
    default: throw UnwritableFilter(reason: "\(condition)")
    }
  }

  private static func members(
    _ terms: [Term], _ scopes: [String?], _ level: Int
  ) throws(UnwritableFilter) -> [FilterSyntax] {
    try terms.map { term throws(UnwritableFilter) in try FilterSyntax(term, in: scopes, level: level + 1) }
  }

  /// The members of a conjunction; of any other filter, itself.
  var conjuncts: [FilterSyntax] { if case .and(let members, _) = self { members } else { [self] } }

  /// `ANY tags.name == "tea"` where one comparison is tested, and a subquery otherwise.
  private static func some(
    _ objects: Term, _ condition: Term, _ scopes: [String?],
    _ quantifier: FilterQuantifier = .any
  ) throws(UnwritableFilter) -> FilterSyntax {
    let variable = FilterPath.variable(at: scopes.count)
    let test = try FilterSyntax(condition, in: scopes + [variable])
    let (base, filters) = try Operand.objects(objects, scopes)
    // A quantified comparison is read as one of each object, which a general one is not.
    if filters.isEmpty, !condition.isGeneral, case .comparison(let comparison) = test,
      let quantified = comparison.quantified(quantifier, base, variable)
    {
      return .comparison(quantified)
    }
    let members = (filters + [test]).flatMap(\.conjuncts)
    let filter = members.count == 1 ? members[0] : .and(members, column: 0)
    let count = Operand.subquery(base, variable: variable, filter, column: 0)
    return .comparison(Comparison(count, .greater, .literal(.number(JSONNumber(0)), column: 0)))
  }
}

extension Term {
  /// Whether it compares the order of values with that of a decimal that is NaN.
  fileprivate var ordersByDecimalNaN: Bool {
    let bounds: [Constant] =
      switch self {
      case .compare(_, .equal, _), .compare(_, .notEqual, _): []
      case .compare(_, _, let value): [value]
      case .range(_, let lower, let upper): [lower.value, upper.value]
      default: []
      }
    return bounds.contains { $0.value(as: Decimal.self)?.isNaN ?? false }
  }

  /// Whether it leads through a subquery.
  fileprivate var hasFilter: Bool { if case .filtered = self { true } else { anyPart(\.hasFilter) } }

  /// Whether its text may be one comparison of a row's own values. To write another twice, and its members, would take
  /// time that doubles with each level.
  fileprivate var isComparison: Bool {
    switch self {
    case .some, .constant, .all, .any: false
    case .program(let program): program.tree.isComparison
    case .not(let member): member.isComparison
    default: !hasFilter
    }
  }

  /// Whether it is a comparison at run time, or the negation of one.
  fileprivate var isGeneral: Bool {
    switch self {
    case .general: true
    case .not(let member): member.isGeneral
    default: false
    }
  }
}

extension FilterSyntax.Comparison {
  init(
    _ left: FilterSyntax.Operand, _ relation: RelationalOperator, _ right: FilterSyntax.Operand,
    _ options: TextOptions = []
  ) {
    self.init(left: left, relation: relation, options: options, right: right, column: 0)
  }

  /// The comparison of a value of each object as one of some or all of them; nil if it must stay in a subquery.
  fileprivate func quantified(
    _ quantifier: FilterQuantifier, _ base: FilterPath, _ variable: String
  ) -> FilterSyntax.Comparison? {
    guard relation != .contains, case .path(let path, _) = left, path.variable == variable,
      path.steps.allSatisfy({ if case .name(let name) = $0 { name != "@links" } else { false } })
    else { return nil }
    switch right {
    case .literal(.null, _): return nil
    case .literal: break
    // A list that is compared with several lists is compared with their elements.
    case .list where relation == .in || relation == .between: break
    default: return nil
    }
    let member = FilterPath(base.steps + path.steps, variable: base.variable)
    return .init(.quantified(quantifier, .path(member, column: 0), column: 0), relation, right, options)
  }
}
