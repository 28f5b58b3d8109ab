/// How a stage of a query is evaluated over a table: the cheapest way that gives all its rows.
struct QueryPlan {
  enum Access {
    /// The table itself, without evaluation.
    case table
    /// Every row, leaf by leaf.
    case scan
    /// Rows whose ids have these hashes.
    case ids([UInt64])
    /// Key ranges of an index, by the number of the property's index.
    case index(Int, [Range<Int>])
    /// Key ranges of an inverted index, by its number, one for each hash.
    case inverted(Int, [Range<Int>])
    /// Key ranges of an index of links, by its number, to objects of a table that are found in their own way.
    indirect case linked(Int, [Range<Int>], table: Int, by: Access)
    /// Key ranges of inverted indexes of words, by their numbers.
    case words([Int], [[Range<Int>]])
    /// The rows that at least one of several ways leads to.
    indirect case union([Access])
    /// The rows that all of several ways lead to.
    indirect case intersection([Access])
    /// Key ranges of an index in its own order, until the window is full.
    case order(Int, [Range<Int>])
  }

  let access: Access
  /// An upper bound for the number of rows tested.
  let estimate: Int
  /// The number of rows that fill the window; nil if all rows are wanted.
  let needed: Int?
  /// What finding the plan read.
  let work: QueryWork
  /// Only rows behind it are wanted.
  let position: RowPosition?
  /// How many rows at the beginning of the result are passed over by their rank, without being read: those before the
  /// window, if the ranges that are read hold exactly the rows that pass, in the order of the result.
  let skipped: Int
  /// Whether the rows are all those of one value in an index, which lists them in insertion order.
  let hasOneValue: Bool

  /// - Parameters:
  ///   - isComplete: whether rows outside the window are wanted, too.
  ///   - position: if given, only rows behind it are collected. They are not counted.
  init(
    _ stage: QueryStage, _ table: Int, _ context: ReadContext, isComplete: Bool = false,
    after position: RowPosition? = nil
  ) {
    self.position = position
    let state = context.tables[table]
    let info = context.catalog.entities[table]
    needed = isComplete ? nil : stage.limit.map { min(stage.offset, state.count) + min($0, state.count) }
    let best = PlanFinder(table, context).best(stage, needed, isPositioned: position != nil)
    access = best.access
    work = best.work
    estimate = best.rows
    hasOneValue = best.access.hasOneValue(state, info)
    var canSkip = hasOneValue && stage.order.keys.isEmpty
    if case .order(let index, _) = access { canSkip = info.indexes[index].hasConsistentOrder }
    skipped =
      canSkip && best.isExact && needed != nil && position == nil ? min(stage.offset, best.rows) : 0
  }

  /// The same ranks without duplicates: an `in` may name a value twice.
  static func disjoint(_ ranges: [Range<Int>]) -> [Range<Int>] {
    if ranges.count == 1, !ranges[0].isEmpty { return ranges }
    var result: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
      if let last = result.last, range.lowerBound < last.upperBound {
        result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }
}

extension PlanFinder {
  /// The cheapest way to the rows of a stage.
  ///
  /// - Parameters:
  ///   - needed: the number of rows that fill the window, with those before it; nil if all rows are wanted.
  ///   - isPositioned: whether only rows behind a position are wanted.
  fileprivate func best(_ stage: QueryStage, _ needed: Int?, isPositioned: Bool) -> PlanOption {
    if stage.filter == .constant(true), stage.order.keys.isEmpty {
      return PlanOption(.table, rows: 0, among: state.count)
    }
    // Of the rows in the index of the order, the first ones suffice.
    let order = needed == nil ? nil : ordering(stage)
    let first = order.map { order in
      PlanOption(
        .order(order.index, order.ranges), rows: order.count, among: state.count, isExact: order.isExact)
    }
    // No other way has fewer rows than those that pass.
    if let first, first.isExact { return first }
    var best = PlanOption(.scan, rows: state.count, among: state.count)
    if let option = option(stage.filter),
      option.cost * 4 < state.count * stage.filter.scanCostOfFour(among: state.count) || option.rows == 0
    {
      best = option
    }
    if let needed, best.access.isScan, !isPositioned, let option = firstRows(stage, needed) { best = option }
    if let first, best.access.isScan || first.rows <= best.rows { return first }
    return best
  }
}

extension QueryPlan.Access {
  fileprivate var isScan: Bool { if case .scan = self { true } else { false } }

  /// Whether it is one range of an index whose rows all have one value, so that they are listed in insertion order.
  func hasOneValue(_ state: TableState, _ info: EntityInfo) -> Bool {
    guard case .index(let index, let ranges) = self, ranges.count == 1, !ranges[0].isEmpty,
      info.indexes[index].hasConsistentOrder
    else { return false }
    let tree = state.indexes[index]
    let first = tree.entry(at: ranges[0].lowerBound).key
    let last = tree.entry(at: ranges[0].upperBound - 1).key
    guard first.first == last.first else { return false }
    guard let compare = info.indexes[index].compare else { return true }
    return compare(state.existing(first.second), state.existing(last.second)) == 0
  }
}
