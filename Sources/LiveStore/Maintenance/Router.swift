/// Finds the queries of one table that a changed row can matter to, without asking all of them.
///
/// A query is routed by one condition that all its rows meet: by equality keys, the hashes of values that it may equal,
/// or by key ranges of a value's order. A row can matter to it only if its old or its new value meets that condition.
/// Of several equalities, a query is routed by the one with the fewest queries: many queries have a condition
/// in common, and each has one of its own. A query without such a condition is asked about every change.
package struct Router {
  /// How a query is found.
  package enum Route: Sendable {
    case hashes(RoutedValue, [UInt64], each: SearchArgument.EachHash)
    /// Intervals of keys that do not overlap; a value leads to the query if one of its keys is in one of them.
    case intervals(RoutedValue, [ClosedRange<UInt64>], each: SearchArgument.EachHash)
    case always
    /// No row passes.
    case never
  }

  /// A value that has one key, or several: those of the objects that it leads to, or of its words.
  package struct RoutedValue: Hashable {
    let path: Term
    let hasSeveralKeys: Bool
  }

  /// Queries by the hashes of one value.
  private struct EqualityKeys {
    let each: SearchArgument.EachHash
    var members: [UInt64: Set<UInt64>] = [:]
  }

  /// Queries by intervals of one value's keys.
  private struct KeyRanges {
    let each: SearchArgument.EachHash
    var index = IntervalIndex()
  }

  private var equalityKeys: [RoutedValue: EqualityKeys] = [:]
  private var keyRanges: [RoutedValue: KeyRanges] = [:]
  /// Queries asked about every change.
  private(set) var always: Set<UInt64> = []

  /// Whether there is nothing to route by.
  var isOnlyAlways: Bool { equalityKeys.isEmpty && keyRanges.isEmpty }

  /// Adds a query with a filter, and returns how it is found from now on.
  ///
  /// - Parameter isRoutable: whether the filter passes only rows that its values lead to.
  mutating func insert(_ member: UInt64, _ filter: ConditionTree, isRoutable: Bool) -> Route {
    let route = isRoutable ? Route(filter) { load($0) } : .always
    insert(member, route)
    return route
  }

  /// How many entries a route has, with those of the queries that are found by the same values.
  ///
  /// - Complexity: O(values).
  private func load(_ route: Route) -> Int {
    guard case .hashes(let value, let hashes, _) = route else { return 0 }
    let members = equalityKeys[value]?.members
    return hashes.reduce(hashes.count) { $0 + (members?[$1]?.count ?? 0) }
  }

  private mutating func insert(_ member: UInt64, _ route: Route) {
    switch route {
    case .hashes(let value, let hashes, let each):
      for hash in Set(hashes) {
        equalityKeys[value, default: EqualityKeys(each: each)].members[hash, default: []].insert(member)
      }
    case .intervals(let value, let intervals, let each):
      for interval in intervals {
        keyRanges[value, default: KeyRanges(each: each)].index
          .insert(interval.lowerBound, interval.upperBound, member)
      }
    case .always:
      always.insert(member)
    case .never: break
    }
  }

  mutating func remove(_ member: UInt64, _ route: Route) {
    switch route {
    case .hashes(let value, let hashes, _):
      for hash in Set(hashes) {
        equalityKeys[value]?.members[hash]?.remove(member)
        if equalityKeys[value]?.members[hash]?.isEmpty == true { equalityKeys[value]?.members[hash] = nil }
      }
      if equalityKeys[value]?.members.isEmpty == true { equalityKeys[value] = nil }
    case .intervals(let value, let intervals, _):
      for interval in intervals { keyRanges[value]?.index.remove(interval.lowerBound, member) }
      if keyRanges[value]?.index.isEmpty == true { keyRanges[value] = nil }
    case .always:
      always.remove(member)
    case .never: break
    }
  }

  /// Calls `body` with every routed query that the change of a row can matter to, perhaps more than once.
  ///
  /// - Parameter limit: how many queries one value may lead to.
  /// - Returns: whether no value leads to more.
  func forEach(
    matching change: RowChange, _ old: ReadContext, _ new: ReadContext, atMost limit: Int = .max,
    _ body: (UInt64) -> Void
  ) -> Bool {
    var areAllFound = true
    func found(_ members: Set<UInt64>?) {
      guard let members else { return }
      if members.count <= limit { members.forEach(body) } else { areAllFound = false }
    }
    func found(_ index: IntervalIndex, _ word: UInt64) {
      if !index.forEach(holding: word, atMost: limit, body) { areAllFound = false }
    }
    for keys in equalityKeys.values {
      if let row = change.old { keys.each(row, old) { found(keys.members[$0]) } }
      if let row = change.new { keys.each(row, new) { found(keys.members[$0]) } }
    }
    for ranges in keyRanges.values {
      var last: UInt64?
      func look(_ key: UInt64) {
        if key != last { found(ranges.index, key) }
        last = key
      }
      if let row = change.old { ranges.each(row, old, look) }
      if let row = change.new { ranges.each(row, new, look) }
    }
    return areAllFound
  }
}

extension Router.Route {
  /// The best route of a filter: by equality if some condition has it, else by order, else none.
  ///
  /// - Parameter load: how much a route by equality costs; the lightest is the best.
  package init(_ filter: ConditionTree, load: (Router.Route) -> Int) {
    var best = filter == .constant(false) ? Router.Route.never : .always
    for route in Router.Route.routes(filter) {
      switch best {
      case .hashes:
        if case .hashes = route, load(route) < load(best) { best = route }
      case .always, .never: best = route
      case .intervals:
        if case .hashes = route { best = route }
      }
    }
    self = best
  }

  /// The routes by which all rows of a filter are found.
  static func routes(_ filter: ConditionTree) -> [Router.Route] {
    filter.conjuncts.flatMap { conjunct in
      if case .condition(let condition) = conjunct { return condition.allCandidates.compactMap(route) }
      return route(conjunct).map { [$0] } ?? []
    }
  }

  /// The route of one condition that all rows of a filter meet; nil where there is none.
  static func route(_ filter: ConditionTree) -> Router.Route? {
    switch filter {
    case .condition(let condition): condition.candidates.flatMap(route)
    // Words and beginnings of words have candidates in common, but no equality keys.
    case .any(let filters): union(filters) ?? filter.candidates.flatMap(route)
    case .all: ofAll(filter)
    case .constant, .not: nil
    }
  }

  /// The route by the fewest values, if there is one.
  private static func ofAll(_ filter: ConditionTree) -> Router.Route? {
    let route = Router.Route(filter) {
      if case .hashes(_, let hashes, _) = $0 { hashes.count } else { 0 }
    }
    if case .always = route { return nil }
    return route
  }

  private static func route(_ candidates: SearchArgument) -> Router.Route? {
    if let hashes = candidates.hashes {
      let value = Router.RoutedValue(path: candidates.path, hasSeveralKeys: candidates.eachHash != nil)
      if let each = candidates.eachHash { return .hashes(value, hashes, each: each) }
      if let hash = candidates.hash {
        return .hashes(value, hashes) { row, context, body in body(hash(row, context)) }
      }
    }
    if let words = candidates.words, let each = candidates.eachHash {
      let value = Router.RoutedValue(path: candidates.path, hasSeveralKeys: true)
      return .intervals(value, disjoint(words.keys), each: each)
    }
    guard let keyRanges = candidates.keyRanges, let abbreviate = candidates.abbreviate else { return nil }
    let intervals = keyRanges.compactMap { range -> ClosedRange<UInt64>? in
      let lower = range.lower?.abbreviation ?? 0
      let upper = range.upper?.abbreviation ?? .max
      return lower <= upper ? lower...upper : nil
    }
    let value = Router.RoutedValue(path: candidates.path, hasSeveralKeys: false)
    return .intervals(value, disjoint(intervals)) { row, context, body in body(abbreviate(row, context)) }
  }

  /// Alternatives over one property.
  private static func union(_ filters: [ConditionTree]) -> Router.Route? {
    guard let first = filters.first.flatMap(route) else { return nil }
    switch first {
    case .hashes(let value, var hashes, let each):
      for filter in filters.dropFirst() {
        guard case .hashes(value, let more, _)? = route(filter) else { return nil }
        hashes += more
      }
      return .hashes(value, hashes, each: each)
    case .intervals(let value, var intervals, let each):
      if value.hasSeveralKeys { return nil }
      for filter in filters.dropFirst() {
        guard case .intervals(value, let more, _)? = route(filter) else { return nil }
        intervals += more
      }
      return .intervals(value, disjoint(intervals), each: each)
    case .always, .never: return nil
    }
  }

  /// The same words in as few intervals as there are gaps between them.
  private static func disjoint(_ intervals: [ClosedRange<UInt64>]) -> [ClosedRange<UInt64>] {
    var result: [ClosedRange<UInt64>] = []
    for interval in intervals.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, interval.lowerBound <= last.upperBound {
        result[result.count - 1] = last.lowerBound...max(last.upperBound, interval.upperBound)
      } else {
        result.append(interval)
      }
    }
    return result
  }
}
