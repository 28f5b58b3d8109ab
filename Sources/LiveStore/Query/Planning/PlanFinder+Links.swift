// Conditions on objects behind links: their own indexes find the objects, and the indexes of links find the rows that
// lead to them (Q10).

extension PlanFinder {
  /// The rows from which links lead to the objects that a condition is about; nil if no index finds these, or if they
  /// are many.
  func linked(_ conjunct: ConditionTree) -> PlanOption? {
    guard case .condition(let condition) = conjunct, let linked = condition.linked else { return nil }
    var links: [(IncomingLink, target: Int)] = []
    for hop in linked.hops {
      guard !hop.isBackward, let link = context.catalog.link(of: hop.source, hop.path),
        let target = context.catalog.index(of: context.catalog.entities[link.table].links[link.link].target)
      else { return nil }
      links.append((link, target))
    }
    guard let last = links.last else { return nil }
    let objects = PlanFinder(last.target, context)
    guard let found = objects.option(linked.objects), found.rows <= Self.maximumObjects else { return nil }
    var option = found
    option.work.entriesRead += found.rows
    var rows = RowSet(found.source, context.tables[last.target], &option.work)
    for (place, (link, target)) in links.enumerated().reversed() {
      guard let ranges = ranges(of: link, to: &rows, in: target) else { return nil }
      let count = ranges.reduce(0) { $0 + $1.count }
      if place == 0 {
        option.cost = (count + option.work.entriesRead) * PlanOption.costOfLookup(among: state.count)
        (option.rows, option.entries, option.isExact) = (count, count, false)
        option.source = .linked(link.link, ranges, table: last.target, by: found.source)
        option.paths = [context.catalog.entities[link.table].links[link.link].path]
        return option
      }
      rows = RowSet(
        .inverted(link.link, ranges), context.tables[link.table], &option.work)
    }
    return nil
  }

  /// The objects of this table that links lead to, by an index.
  private func option(_ objects: LinkedSearchArgument.Objects) -> PlanOption? {
    let candidates: SearchArgument?
    switch objects {
    case .condition(let condition): return option(condition)
    case .equal(.id, let ids):
      let hashes = ids.compactMap(info.ids.hashOfConstant)
      guard hashes.count == ids.count else { return nil }
      return PlanOption(.ids(hashes), rows: hashes.count, among: state.count, paths: [.id])
    case .equal(let path, let values): candidates = self.candidates(path, equalTo: values)
    case .between(let path, let lower, let upper):
      candidates = self.candidates(path, between: lower, and: upper)
    }
    let uses = info.indexes.enumerated().compactMap { number, index in
      candidates.flatMap { IndexSearch(number, table, context).use([$0], conjuncts: 1) }
        .map { PlanOption($0, index, among: state.count) }
    }
    return uses.min { $0.cost < $1.cost }
  }

  /// The candidates of constants, which may be optionals of the property's type.
  private func candidates(_ path: Term, equalTo values: [Constant]) -> SearchArgument? {
    guard let functions = info.properties.first(where: { $0.path == path })?.functions else { return nil }
    let keys = values.compactMap(functions.key)
    guard keys.count == values.count else { return nil }
    let bounds = keys.compactMap { SearchArgument.Bound($0, isInclusive: true) }
    let hashes = keys.compactMap(\.hash)
    var candidates = SearchArgument(path, functions)
    candidates.areValues = true
    if bounds.count == keys.count {
      candidates.keyRanges = bounds.map { SearchArgument.KeyRange(lower: $0, upper: $0) }
    }
    if hashes.count == keys.count { candidates.hashes = hashes }
    return candidates
  }

  private func candidates(
    _ path: Term, between lower: ValueBound<Constant>?, and upper: ValueBound<Constant>?
  ) -> SearchArgument? {
    guard let functions = info.properties.first(where: { $0.path == path })?.functions else { return nil }
    func bound(_ bound: ValueBound<Constant>) -> SearchArgument.Bound? {
      functions.key(bound.value).flatMap { SearchArgument.Bound($0, isInclusive: bound.isInclusive) }
    }
    let range = SearchArgument.KeyRange(lower: lower.flatMap(bound), upper: upper.flatMap(bound))
    guard (range.lower == nil) == (lower == nil), (range.upper == nil) == (upper == nil) else { return nil }
    var candidates = SearchArgument(path, functions)
    candidates.keyRanges = [range]
    return candidates
  }

  /// More objects are not looked up one by one.
  private static let maximumObjects = 4_096

  /// The ranges of an index of links that list the rows that link to some objects; nil if these are too many.
  private func ranges(of link: IncomingLink, to rows: inout RowSet, in target: Int) -> [Range<Int>]? {
    let (state, targets) = (context.tables[link.table], context.tables[target])
    let hash = context.catalog.entities[target].ids.hash
    var ranges: [Range<Int>] = []
    var count = 0
    var isFew = true
    rows.forEach { row in
      let range = state.range(link.link, listedUnder: hash(targets.existing(row)))
      ranges.append(range)
      count += range.count
      isFew =
        ranges.count <= Self.maximumObjects && count <= self.state.count && context.run?.spend(1) != false
      return isFew
    }
    return isFew ? QueryPlan.disjoint(ranges) : nil
  }
}

extension SearchArgument {
  /// Values of a listed property.
  fileprivate init(_ path: Term, _ functions: PropertyFunctions) {
    var hash: (@Sendable (UnsafeRawPointer, ReadContext) -> UInt64)?
    if let function = functions.hash { hash = { row, _ in function(row) } }
    self.init(SearchedValues(path, isConsistent: functions.isConsistent, hash: hash))
  }
}

extension SearchArgument.Bound {
  fileprivate init?(_ key: PropertyKey, isInclusive: Bool) {
    guard let abbreviation = key.abbreviation, let compare = key.compare else { return nil }
    self.init(abbreviation: abbreviation, isInclusive: isInclusive) { row, _ in compare(row) }
  }
}
