// Long chains of conditions on few values, as programs write them: `(day == 1 AND kind == "a") OR (day == 2 AND kind ==
// "b") OR …`. Testing each condition by itself reads the value again for each of them. This test reads a value once, and
// looks up the alternatives that require it to equal something:
//
//   any ── lookup day ─┬─ 1 ── kind == "a"
//                      └─ 2 ── kind == "b"

/// A filter on values of a dynamic object as a test that reads each value of a row once, however many conditions name it.
struct ChainTest: Sendable {
  /// The paths to the values, each once.
  private(set) var paths: [[String]] = []
  private var numbers: [[String]: Int] = [:]
  private var root = Node.constant(true)

  /// Values are identified by the index of their path.
  private indirect enum Node: Sendable {
    case constant(Bool)
    case not(Node)
    case all([Node])
    case any([Node])
    case value(Int, @Sendable (JSONValue) -> Bool)
    case values(Int, Comparison, Int)
    /// A condition on anything else.
    case other(Condition)
    /// The remaining condition for each of these values; any other value fails.
    case lookup(Int, [JSONValue: Node])
  }

  /// The number of alternatives over one value from which they are looked up.
  private static let leastLookup = 4

  init(_ filter: ConditionTree) { root = node(filter) }
}

extension ChainTest {
  private mutating func number(_ path: [String]) -> Int {
    if let number = numbers[path] { return number }
    numbers[path] = paths.count
    paths.append(path)
    return paths.count - 1
  }

  private mutating func node(_ filter: ConditionTree) -> Node {
    switch filter {
    case .constant(let answer): .constant(answer)
    case .not(let member): .not(node(member))
    case .all(let members): conjunction(members)
    case .any(let members): alternatives(members.map(Alternative.init))
    case .condition(let condition): node(condition)
    }
  }

  private mutating func node(_ condition: Condition) -> Node {
    if case .compareTerms(let left, let comparison, let right) = condition.term, let left = left.dynamicNames,
      let right = right.dynamicNames
    {
      return .values(number(left), comparison, number(right))
    }
    guard let (path, holds) = condition.term.jsonTest else { return .other(condition) }
    return .value(number(path), holds)
  }

  /// Members that must all hold; negated members are looked up like alternatives.
  private mutating func conjunction(_ members: [ConditionTree]) -> Node {
    let negated = members.compactMap(Alternative.init(negationOf:))
    guard negated.count >= Self.leastLookup else { return .all(members.map { node($0) }) }
    let others = members.filter { Alternative(negationOf: $0) == nil }.map { node($0) }
    return .all(others + [.not(alternatives(negated))])
  }

  /// Members of which one must hold: those that require a value of the same path in one lookup.
  private mutating func alternatives(_ members: [Alternative]) -> Node {
    var nodes: [Node] = []
    var rest = members
    var counts = PathCounts(members)
    while let path = counts.most, counts[path] >= Self.leastLookup {
      var found: [JSONValue: [Node]] = [:]
      var others: [Alternative] = []
      for member in rest {
        guard let index = member.parts.firstIndex(where: { $0.demand?.path == path }) else {
          others.append(member)
          continue
        }
        var parts = member.parts
        let values = parts.remove(at: index).demand?.values ?? []
        let node = parts.isEmpty ? Node.constant(true) : .all(parts.map { self.node($0) })
        for value in values { found[value, default: []].append(node) }
        counts.remove(member)
      }
      nodes.append(.lookup(number(path), found.mapValues { $0.count == 1 ? $0[0] : .any($0) }))
      rest = others
    }
    return .any(nodes + rest.map { member in .all(member.parts.map { node($0) }) })
  }

  private mutating func node(_ part: Alternative.Part) -> Node {
    switch part {
    case .filter(let filter, _): node(filter)
    case .demand(let demand): .value(number(demand.path)) { demand.values.contains($0) }
    }
  }
}

/// One of several members, as the parts that must all hold.
private struct Alternative {
  /// The values at a path of which one is required.
  typealias Demand = (path: [String], values: Set<JSONValue>)

  enum Part {
    /// With what it requires, if it says no more.
    case filter(ConditionTree, Demand?)
    /// What the negation of a condition requires.
    case demand(Demand)

    var demand: Demand? {
      switch self {
      case .filter(_, let demand): demand
      case .demand(let demand): demand
      }
    }
  }

  let parts: [Part]

  private init(parts: [Part]) { self.parts = parts }

  init(_ filter: ConditionTree) {
    parts = filter.conjuncts.map { conjunct in
      let list = conjunct.jsonList
      return .filter(conjunct, list.flatMap { $0.isExcluding ? nil : ($0.path, $0.values) })
    }
  }

  /// What a member negates; nil for a member that is no negation.
  init?(negationOf member: ConditionTree) {
    if case .not(let filter) = member {
      self.init(filter)
    } else if let list = member.jsonList, list.isExcluding {
      self.init(parts: [.demand((list.path, list.values))])
    } else {
      return nil
    }
  }
}

/// How many members require values of each path.
private struct PathCounts {
  private var counts: [[String]: Int] = [:]
  /// The paths in the order in which they are first named.
  private var paths: [[String]] = []

  init(_ members: [Alternative]) {
    for path in members.flatMap(Self.paths) {
      if counts.updateValue((counts[path] ?? 0) + 1, forKey: path) == nil { paths.append(path) }
    }
  }

  private static func paths(of member: Alternative) -> Set<[String]> {
    Set(member.parts.compactMap { $0.demand?.path })
  }

  subscript(path: [String]) -> Int { counts[path] ?? 0 }

  /// The path that most members require.
  var most: [String]? { paths.max { self[$0] < self[$1] } }

  mutating func remove(_ member: Alternative) {
    for path in Self.paths(of: member) { counts[path] = self[path] - 1 }
  }
}

extension ChainTest {
  /// Whether a row passes the test.
  ///
  /// - Parameters:
  ///   - read: reads the value at one of `paths`; called at most once for each.
  ///   - test: tests a condition on something else.
  func holds(_ read: (Int) -> JSONValue, _ test: (Condition) -> Bool) -> Bool {
    var values = [JSONValue?](repeating: nil, count: paths.count)
    return holds(root, &values, read, test)
  }

  private func holds(
    _ node: Node, _ values: inout [JSONValue?], _ read: (Int) -> JSONValue, _ test: (Condition) -> Bool
  ) -> Bool {
    func value(_ number: Int) -> JSONValue {
      if let value = values[number] { return value }
      let value = read(number)
      values[number] = value
      return value
    }
    switch node {
    case .constant(let answer): return answer
    case .not(let node): return !holds(node, &values, read, test)
    case .all(let nodes): return nodes.allSatisfy { holds($0, &values, read, test) }
    case .any(let nodes): return nodes.contains { holds($0, &values, read, test) }
    case .other(let condition): return test(condition)
    case .value(let number, let test): return test(value(number))
    case .values(let left, let comparison, let right): return comparison.holds(value(left), value(right))
    case .lookup(let number, let found):
      return found[value(number)].map { holds($0, &values, read, test) } ?? false
    }
  }
}

// MARK: Conditions on one value

extension Term {
  /// The path and the test of a condition on one value of JSON; nil for any other condition.
  fileprivate var jsonTest: (path: [String], holds: @Sendable (JSONValue) -> Bool)? {
    if let (path, values, isExcluding) = jsonList {
      let only = values.count == 1 ? values.first : nil
      return (path, { value in (only.map { $0 == value } ?? values.contains(value)) != isExcluding })
    }
    if case .text(let term, let test, let text, let options) = self {
      return term.dynamicNames.map { ($0, JSONValue.test(test, text.text, options)) }
    }
    guard let bounds, let path = bounds.path.dynamicNames else { return nil }
    let limits = [bounds.lower, bounds.upper].map { $0?.value.value(as: JSONValue.self) }
    let above = bounds.lower?.isInclusive == true ? Comparison.greaterOrEqual : .greater
    let below = bounds.upper?.isInclusive == true ? Comparison.lessOrEqual : .less
    return (
      path,
      { value in
        (limits[0].map { above.holds(value, $0) } ?? true)
          && (limits[1].map { below.holds(value, $0) } ?? true)
      }
    )
  }

  /// The path and the values that a condition lists; nil for any other condition.
  fileprivate var jsonList: (path: [String], values: Set<JSONValue>, isExcluding: Bool)? {
    guard let list, let path = list.path.dynamicNames else { return nil }
    let values = list.values.compactMap { $0.value(as: JSONValue.self) }
    return values.count == list.values.count ? (path, Set(values), list.isExcluding) : nil
  }
}

extension ConditionTree {
  fileprivate var jsonList: (path: [String], values: Set<JSONValue>, isExcluding: Bool)? {
    if case .condition(let condition) = self { condition.term.jsonList } else { nil }
  }
}
