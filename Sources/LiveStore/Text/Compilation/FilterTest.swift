// Many alternatives over few values, as programs write them: `id == 1 OR id == 2 OR …`, or `(day == 1 AND kind ==
// "a") OR (day == 2 AND kind == "b") OR …`. Testing each condition by itself reads the value again for each of them.
// This test reads a value once, and looks up the alternatives that require it to equal something:
//
//   any ── lookup day ─┬─ 1 ── kind == "a"
//                      └─ 2 ── kind == "b"

/// A part of a filter's text as a test that reads each value of a row once, however often the text names it.
struct FilterTest: Sendable {
  /// The paths to the values, each once.
  private(set) var paths: [[String]] = []
  private var numbers: [[String]: Int] = [:]
  /// Comparisons of more than paths and values of JSON, each a test of its own.
  private(set) var others: [FilterSyntax.Comparison] = []
  private var root = Node.constant(true)

  /// Values are identified by the index of their path.
  private indirect enum Node: Sendable {
    case constant(Bool)
    case not(Node)
    case all([Node])
    case any([Node])
    case value(Int, @Sendable (JSONValue) -> Bool)
    case values(Int, Int, @Sendable (JSONValue, JSONValue) -> Bool)
    /// One of `others`.
    case other(Int)
    /// The remaining condition for each of these values; any other value fails.
    case lookup(Int, [JSONValue: Node])
  }

  /// The number of alternatives over one value from which they are looked up.
  private static let leastLookup = 4

  /// The test that a part of a filter makes.
  init(_ syntax: FilterSyntax) {
    root = node(syntax)
  }
}

extension FilterTest {
  private mutating func number(_ path: [String]) -> Int {
    if let number = numbers[path] { return number }
    numbers[path] = paths.count
    paths.append(path)
    return paths.count - 1
  }

  private mutating func node(_ syntax: FilterSyntax) -> Node {
    switch syntax {
    case .constant(let answer, _): .constant(answer)
    case .not(let member, _): .not(node(member))
    case .and(let members, _): conjunction(members)
    case .or(let members, _): alternatives(members)
    case .comparison(let comparison): node(comparison)
    }
  }

  private mutating func node(_ comparison: FilterSyntax.Comparison) -> Node {
    guard let (left, right) = comparison.plainOperands else {
      others.append(comparison)
      return .other(others.count - 1)
    }
    let relation = FilterRelation(comparison.effectiveRelation, comparison.options)
    switch (left, right) {
    case (.path(let left), .path(let right)):
      return .values(number(left), number(right)) { relation.holds($0, $1, nil) }
    case (.path(let path), .value(let value)): return .value(number(path), relation.test(against: value))
    case (.value(let value), .path(let path)): return .value(number(path)) { relation.holds(value, $0, nil) }
    case (.value(let left), .value(let right)): return .constant(relation.holds(left, right, nil))
    }
  }

  /// Members that must all hold; negated members are looked up like alternatives.
  private mutating func conjunction(_ members: [FilterSyntax]) -> Node {
    let negated = members.compactMap(\.negated)
    guard negated.count >= Self.leastLookup else { return .all(members.map { node($0) }) }
    let others = members.filter { $0.negated == nil }.map { node($0) }
    return .all(others + [.not(alternatives(negated))])
  }

  /// Members of which one must hold: those that require a value of the same path in one lookup.
  private mutating func alternatives(_ members: [FilterSyntax]) -> Node {
    var nodes: [Node] = []
    var rest = members
    var counts = PathCounts(members)
    while let path = counts.most, counts[path] >= Self.leastLookup {
      var found: [JSONValue: [Node]] = [:]
      var others: [FilterSyntax] = []
      for member in rest {
        var conditions = member.conditions
        if let (index, values) = conditions.demand(of: path) {
          conditions.remove(at: index)
          let node = conditions.isEmpty ? Node.constant(true) : .all(conditions.map { self.node($0) })
          for value in values { found[value, default: []].append(node) }
          counts.remove(member)
        } else {
          others.append(member)
        }
      }
      nodes.append(.lookup(number(path), found.mapValues { $0.count == 1 ? $0[0] : .any($0) }))
      rest = others
    }
    return .any(nodes + rest.map { node($0) })
  }
}

/// How many members require values of each path.
private struct PathCounts {
  private var counts: [[String]: Int] = [:]
  /// The paths in the order in which they are first named.
  private var paths: [[String]] = []

  init(_ members: [FilterSyntax]) {
    for path in members.flatMap({ Set($0.conditions.demandedPaths) }) {
      if counts.updateValue((counts[path] ?? 0) + 1, forKey: path) == nil { paths.append(path) }
    }
  }

  subscript(path: [String]) -> Int { counts[path] ?? 0 }

  /// The path that most members require.
  var most: [String]? { paths.max { self[$0] < self[$1] } }

  mutating func remove(_ member: FilterSyntax) {
    for path in Set(member.conditions.demandedPaths) { counts[path] = self[path] - 1 }
  }
}

extension FilterTest {
  /// Whether a row passes the test.
  ///
  /// - Parameters:
  ///   - read: reads the value at one of `paths`; called at most once for each.
  ///   - test: tests one of `others`.
  func holds(_ read: (Int) -> JSONValue, _ test: (Int) -> Bool) -> Bool {
    var values = [JSONValue?](repeating: nil, count: paths.count)
    return holds(root, &values, read, test)
  }

  private func holds(
    _ node: Node, _ values: inout [JSONValue?], _ read: (Int) -> JSONValue, _ testOther: (Int) -> Bool
  ) -> Bool {
    func value(_ number: Int) -> JSONValue {
      if let value = values[number] { return value }
      let value = read(number)
      values[number] = value
      return value
    }
    switch node {
    case .constant(let answer): return answer
    case .not(let node): return !holds(node, &values, read, testOther)
    case .all(let nodes): return nodes.allSatisfy { holds($0, &values, read, testOther) }
    case .any(let nodes): return nodes.contains { holds($0, &values, read, testOther) }
    case .other(let number): return testOther(number)
    case .value(let number, let test): return test(value(number))
    case .values(let left, let right, let test): return test(value(left), value(right))
    case .lookup(let number, let found):
      return found[value(number)].map { holds($0, &values, read, testOther) } ?? false
    }
  }
}

extension FilterSyntax {
  /// The filter without its negation, if it has one.
  fileprivate var negated: FilterSyntax? {
    switch self {
    case .not(let member, _): member
    // Of several values, some may be equal and others not.
    case .comparison(let comparison)
    where comparison.relation == .notEqual && comparison.plainOperands != nil:
      .comparison(.init(comparison.left, .equal, comparison.right, comparison.options))
    default: nil
    }
  }

  /// The members of a conjunction and of those in it; of any other filter, itself.
  fileprivate var conditions: [FilterSyntax] {
    if case .and(let members, _) = self { members.flatMap(\.conditions) } else { [self] }
  }

  /// The path and its required values, of `path == value`, `value == path` and `path IN {…}`.
  fileprivate var demand: (path: [String], values: Set<JSONValue>)? {
    guard case .comparison(let comparison) = self, comparison.options.isEmpty,
      let (left, right) = comparison.plainOperands
    else { return nil }
    switch (left, comparison.relation, right) {
    case (.path(let path), .equal, .value(let value)), (.value(let value), .equal, .path(let path)):
      return (path, [value])
    case (.path(let path), .in, .value(.array(let values))): return (path, Set(values))
    default: return nil
    }
  }
}

extension [FilterSyntax] {
  /// The paths that must have certain values for a row to pass.
  fileprivate var demandedPaths: [[String]] { compactMap { $0.demand?.path } }

  /// The first condition that requires certain values of a path, and these values.
  fileprivate func demand(of path: [String]) -> (index: Int, values: Set<JSONValue>)? {
    for (index, condition) in enumerated() {
      if let demand = condition.demand, demand.path == path { return (index, demand.values) }
    }
    return nil
  }
}
