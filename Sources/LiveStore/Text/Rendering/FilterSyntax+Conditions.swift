import Foundation

// The way back from a condition to the text that makes it (F9). What no text can say throws: closures, computed
// properties, and values of types of users.

/// Why a filter cannot be written as text.
struct UnwritableFilter: Error {
  let reason: String
}

extension FilterSyntax {
  /// The text that makes a condition: read again, it is an equal one.
  ///
  /// - Parameters:
  ///   - scopes: what paths begin with, from the outermost: nil for the row, variables inside subqueries.
  ///   - level: how many negations and joins it is in.
  init(_ tree: ConditionTree, in scopes: [String?] = [nil], level: Int = 0) throws(UnwritableFilter) {
    // In a text, the outermost join has no parentheses.
    guard level <= FilterParser.maximumDepth + 1 else {
      throw UnwritableFilter(reason: "more than \(FilterParser.maximumDepth) levels")
    }
    switch tree {
    case .constant(let answer): self = .constant(answer, column: 0)
    case .not(let member):
      if case .condition(let condition) = member, case .some(let path, let opposite) = condition.form,
        !path.hasFilter, let test = opposite.inverse, test.isComparison,
        case .comparison(let all) = try Self.some(path, test, scopes, .all), case .quantified = all.left
      {
        self = .comparison(all)
      } else {
        self = .not(try FilterSyntax(member, in: scopes, level: level + 1), column: 0)
      }
    case .all(let members):
      self = .and(try Self.members(members, scopes, level).flatMap(\.conjuncts), column: 0)
    case .any(let members): self = .or(try Self.members(members, scopes, level), column: 0)
    case .condition(let condition):
      self = try Self.syntax(of: condition, scopes, level)
    }
  }

  private static func members(
    _ trees: [ConditionTree], _ scopes: [String?], _ level: Int
  ) throws(UnwritableFilter) -> [FilterSyntax] {
    var members: [FilterSyntax] = []
    for tree in trees { members.append(try FilterSyntax(tree, in: scopes, level: level + 1)) }
    return members
  }

  /// The members of a conjunction; of any other filter, itself.
  var conjuncts: [FilterSyntax] { if case .and(let members, _) = self { members } else { [self] } }

  private static func syntax(
    of condition: Condition, _ scopes: [String?], _ level: Int
  ) throws(UnwritableFilter) -> FilterSyntax {
    func left(_ path: PropertyPath) throws(UnwritableFilter) -> Operand { try Operand(path, scopes) }
    // The order that Decimal's NaN has in Swift, it has not in a text.
    if condition.ordersByDecimalNaN { throw UnwritableFilter(reason: "\(condition)") }
    switch condition.form {
    case .compare(let path, let comparison, let value):
      let written = Comparison(try left(path), Relation(comparison), try Operand(value))
      // A number of objects is compared as such, and not read as the question whether there are some.
      if case .subquery = written.left, written.isExistence != nil, let flipped = written.relation.flipped {
        return .comparison(Comparison(written.right, flipped, written.left))
      }
      return .comparison(written)
    case .compareProperties(let path, let comparison, let other):
      return .comparison(Comparison(try left(path), Relation(comparison), try left(other)))
    case .pair(let path, let relation, let other):
      guard let (relation, options) = Relation.parse(relation) else {
        throw UnwritableFilter(reason: relation)
      }
      return .comparison(Comparison(try left(path), relation, try left(other), options))
    case .range(let path, .inclusive(let lower), .inclusive(let upper)):
      let bounds = Operand.list([try Operand(lower), try Operand(upper)], column: 0)
      return .comparison(Comparison(try left(path), .between, bounds))
    case .range(let path, let lower, let upper):
      let operand = try left(path)
      let above = Comparison(
        operand, lower.isInclusive ? .greaterOrEqual : .greater, try Operand(lower.value))
      let below = Comparison(operand, upper.isInclusive ? .lessOrEqual : .less, try Operand(upper.value))
      return .and([.comparison(above), .comparison(below)], column: 0)
    case .program(let program): return try FilterSyntax(program.tree, in: scopes, level: level)
    case .member(let path, let values):
      var elements: [Operand] = []
      for value in values.members { elements.append(try Operand(value)) }
      return .comparison(Comparison(try left(path), .in, .list(elements, column: 0)))
    case .link(let path, let value), .element(let path, let value):
      return .comparison(Comparison(try left(path), .contains, try Operand(value)))
    case .some(let path, let tree): return try some(path, tree, scopes)
    case .text(let path, let test, let text, let options):
      return .comparison(
        Comparison(try left(path), Relation(test), .literal(.text(text.text), column: 0), options))
    case .general(let condition, _):
      guard let comparison = condition.value(as: Comparison.self) else { break }
      return .comparison(comparison.named(in: scopes))
    case .search(let path, let term):
      return .comparison(Comparison(try left(path), .text, .literal(.text(term.description), column: 0)))
    case .closure, .predicate, .outer: break
    }
    throw UnwritableFilter(reason: "\(condition)")
  }

  /// `ANY tags.name == "tea"` where one comparison is tested, and a subquery otherwise.
  private static func some(
    _ path: PropertyPath, _ tree: ConditionTree, _ scopes: [String?],
    _ quantifier: FilterSyntax.Quantifier = .any
  ) throws(UnwritableFilter) -> FilterSyntax {
    let variable = FilterPath.variable(at: scopes.count)
    let test = try FilterSyntax(tree, in: scopes + [variable])
    let (base, filters) = try Operand.objects(path, scopes)
    // A quantified comparison is read as one of each object, which a general one is not.
    if filters.isEmpty, !tree.isGeneral, case .comparison(let comparison) = test,
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

extension Condition {
  /// Whether it compares the order of values with that of a decimal that is NaN.
  fileprivate var ordersByDecimalNaN: Bool {
    let bounds: [Constant] =
      switch form {
      case .compare(_, .equal, _), .compare(_, .notEqual, _): []
      case .compare(_, _, let value): [value]
      case .range(_, let lower, let upper): [lower.value, upper.value]
      default: []
      }
    return bounds.contains { $0.value(as: Decimal.self)?.isNaN ?? false }
  }
}

extension Condition.Form {
  /// The paths that its text names by themselves.
  fileprivate var paths: [PropertyPath] {
    switch self {
    case .compare(let path, _, _), .range(let path, _, _), .member(let path, _), .link(let path, _),
      .element(let path, _), .some(let path, _), .text(let path, _, _, _), .search(let path, _):
      [path]
    case .compareProperties(let left, _, let right), .pair(let left, _, let right): [left, right]
    case .closure, .predicate, .program, .general, .outer: []
    }
  }
}

extension PropertyPath {
  /// Whether it leads through a subquery.
  fileprivate var hasFilter: Bool {
    steps.contains { step in
      switch step {
      case .filter: true
      case .aggregate(_, let path), .operation(_, let path): path.hasFilter
      default: false
      }
    }
  }
}

extension ConditionTree {
  /// Whether its text may be one comparison of a row's own values. To write another twice, and its members, would take
  /// time that doubles with each level.
  fileprivate var isComparison: Bool {
    switch self {
    case .condition(let condition):
      switch condition.form {
      case .some: false
      case .program(let program): program.tree.isComparison
      default: !condition.form.paths.contains(where: \.hasFilter)
      }
    case .not(let member): member.isComparison
    case .constant, .all, .any: false
    }
  }

  /// Whether it is a comparison at run time, or the negation of one.
  fileprivate var isGeneral: Bool {
    switch self {
    case .condition(let condition): if case .general = condition.form { true } else { false }
    case .not(let member): member.isGeneral
    case .constant, .all, .any: false
    }
  }
}

extension FilterSyntax.Comparison {
  init(
    _ left: FilterSyntax.Operand, _ relation: FilterSyntax.Relation, _ right: FilterSyntax.Operand,
    _ options: TextOptions = []
  ) {
    self.init(left: left, relation: relation, options: options, right: right, column: 0)
  }

  /// The comparison of a value of each object as one of some or all of them; nil if it must stay in a subquery.
  fileprivate func quantified(
    _ quantifier: FilterSyntax.Quantifier, _ base: FilterPath, _ variable: String
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

extension FilterSyntax.Relation {
  init(_ comparison: Comparison) {
    self =
      switch comparison {
      case .equal: .equal
      case .notEqual: .notEqual
      case .less: .less
      case .lessOrEqual: .lessOrEqual
      case .greater: .greater
      case .greaterOrEqual: .greaterOrEqual
      }
  }

  init(_ test: TextTest) {
    self =
      switch test {
      case .contains: .contains
      case .beginsWith: .beginsWith
      case .endsWith: .endsWith
      case .equals: .equal
      case .like: .like
      case .matches: .matches
      }
  }

  /// A relation with its options, as a condition of two properties has them: `CONTAINS[c]`.
  fileprivate static func parse(_ text: String) -> (FilterSyntax.Relation, TextOptions)? {
    let parts = text.unicodeScalars.split(separator: "[", maxSplits: 1)
    guard let relation = parts.first.flatMap({ FilterSyntax.Relation(rawValue: String($0)) }) else {
      return nil
    }
    var options: TextOptions = []
    if parts.count > 1 {
      if parts[1].contains("c") { options.insert(.caseInsensitive) }
      if parts[1].contains("d") { options.insert(.diacriticInsensitive) }
    }
    return (relation, options)
  }
}

extension FilterProgram {
  /// The filter as a tree.
  fileprivate var tree: ConditionTree {
    var results: [ConditionTree] = []
    for step in steps {
      switch step {
      case .constant(let answer): results.append(.constant(answer))
      case .condition(let condition): results.append(.condition(condition))
      case .all(let count):
        let members = Array(results.suffix(count))
        results.removeLast(count)
        results.append(.all(members))
      case .any(let count):
        let members = Array(results.suffix(count))
        results.removeLast(count)
        results.append(.any(members))
      case .not: results.append(.not(results.removeLast()))
      }
    }
    return results.last ?? .constant(false)
  }
}
