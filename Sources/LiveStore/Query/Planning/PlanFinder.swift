/// Finds the ways in which the indexes of a table serve a filter or an order.
struct PlanFinder {
  let table: Int
  let state: TableState
  let info: EntityInfo
  let context: ReadContext

  init(_ table: Int, _ context: ReadContext) {
    self.table = table
    state = context.tables[table]
    info = context.catalog.entities[table]
    self.context = context
  }

  /// The cheapest way to all rows of a filter by indexes or ids; nil if there is none.
  func option(_ filter: ConditionTree) -> PlanOption? {
    if filter == .constant(false) { return PlanOption(.ids([]), rows: 0, among: state.count) }
    let (choices, conjuncts) = (filter.choices, filter.conjuncts)
    // An index of links or elements lists rows in insertion order, so it comes before other indexes of equal cost.
    var options = choices.compactMap(option)
    options += info.indexes.enumerated().compactMap { number, index in
      IndexSearch(number, table, context).use(choices, conjuncts: conjuncts.count)
        .map { PlanOption($0, index, among: state.count) }
    }
    options += conjuncts.compactMap(union) + conjuncts.compactMap(linked)
    return .cheapest(of: options, among: state.count)
  }

  /// Alternatives over several values, each by its own way.
  private func union(_ conjunct: ConditionTree) -> PlanOption? {
    guard case .any(let members) = conjunct else { return nil }
    if let candidates = conjunct.candidates, isServed(candidates) { return nil }
    var parts: [PlanOption] = []
    var cost = 0
    for member in members {
      guard let part = option(member) else { return nil }
      parts.append(part)
      cost += part.cost
      // Even if rows cost as much as texts.
      if cost > state.count * PlanOption.costOfLookup(among: state.count) { return nil }
    }
    return .union(parts)
  }

  /// Whether some index or the ids are searched for the values as a whole.
  private func isServed(_ candidates: SearchArgument) -> Bool {
    candidates.path == .id || info.indexes.contains { $0.parts[0].path == candidates.path }
      || info.inverted.contains { $0.path == candidates.path }
  }

  /// The rows that one condition admits, by their ids or an inverted index.
  private func option(_ candidates: SearchArgument) -> PlanOption? {
    let paths = [candidates.path]
    if candidates.path == .id {
      return candidates.hashes.map { PlanOption(.ids($0), rows: $0.count, among: state.count, paths: paths) }
    }
    if let words = candidates.words { return option(words) }
    guard candidates.isByReference || candidates.eachHash != nil, let hashes = candidates.hashes,
      let index = info.inverted.firstIndex(where: { $0.path == candidates.path })
    else { return nil }
    let ranges = QueryPlan.disjoint(hashes.map { state.range(index, listedUnder: $0) })
    return PlanOption(
      .inverted(index, ranges), rows: ranges.reduce(0) { $0 + $1.count }, among: state.count, paths: paths)
  }

  /// The rows with one of some words; nil if some property has no index of its words.
  private func option(_ words: SearchArgument.Words) -> PlanOption? {
    var (indexes, ranges): ([Int], [[Range<Int>]]) = ([], [])
    for path in words.properties {
      guard let index = info.inverted.firstIndex(where: { $0.path == path }) else { return nil }
      indexes.append(index)
      ranges.append(QueryPlan.disjoint(words.keys.map { state.range(index, listedUnder: $0) }))
    }
    return PlanOption(
      .words(indexes, ranges), rows: ranges.joined().reduce(0) { $0 + $1.count }, among: state.count)
  }
}

extension PlanFinder {
  /// The index with the fewest rows that lists all rows of a stage in the stage's order; nil if none does.
  ///
  /// That is an index whose last parts are the sort keys, if each part before them has one value. Rows that tie by
  /// all parts are listed in insertion order, as the result has them (Q8).
  func ordering(_ stage: QueryStage) -> IndexUse? {
    let keys = stage.order.keys
    guard let direction = keys.first?.order, keys.allSatisfy({ $0.order == direction }) else { return nil }
    let choices = stage.filter.choices
    let conjuncts = stage.filter.conjuncts.count
    var best: IndexUse?
    for (number, index) in info.indexes.enumerated() {
      let first = index.parts.count - keys.count
      let isLast = { (place: Int) in
        index.parts[first + place].isOrdered && index.parts[first + place].path == keys[place].path
      }
      guard first >= 0, keys.indices.allSatisfy(isLast) else { continue }
      // With an inconsistent `<`, a range may not have all its rows.
      var use =
        index.hasConsistentOrder
        ? IndexSearch(number, table, context).use(choices, conjuncts: conjuncts) : nil
      if (use?.singleParts ?? 0) < first { continue }
      use = use ?? IndexUse(index: number, ranges: [0..<state.count], isExact: conjuncts == 0)
      if let use, use.count < best?.count ?? .max { best = use }
    }
    return best
  }

  /// The range of an index that begins with a stage's window; nil if a scan finds the window sooner.
  ///
  /// - Parameter needed: the number of rows that fill the window, with those before it.
  func firstRows(_ stage: QueryStage, _ needed: Int) -> PlanOption? {
    guard stage.order.keys.isEmpty, let use = exactUse(stage.filter) else { return nil }
    let read = min(needed, use.count) - min(stage.offset, use.count)
    let option = PlanOption(use, info.indexes[use.index], among: state.count)
    guard option.source.orderedList(state, info) != nil, read * 4 < needed * state.count / use.count else {
      return nil
    }
    return option
  }

  /// Key ranges of an index with exactly the rows that pass a filter; nil if there are none.
  func exactUse(_ filter: ConditionTree) -> IndexUse? {
    let conjuncts = filter.conjuncts.map(\.candidates)
    guard !conjuncts.isEmpty, conjuncts.allSatisfy({ $0?.isExact ?? false }) else { return nil }
    for number in info.indexes.indices {
      let use = IndexSearch(number, table, context)
        .use(conjuncts.compactMap(\.self), conjuncts: conjuncts.count)
      if let use, use.isExact { return use }
    }
    return nil
  }
}
