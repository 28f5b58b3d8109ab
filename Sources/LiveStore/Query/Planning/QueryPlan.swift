/// How a stage of a query is evaluated over a table: the cheapest way that gives all its rows.
struct QueryPlan {
  enum Access {
    /// The table itself, without evaluation.
    case table
    /// Every row, leaf by leaf.
    case scan
    /// Rows that ids or indexes lead to.
    case rows(RowSource)
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
    let canSkip =
      switch access {
      case .table, .scan: false
      case .rows(let source): stage.order.keys.isEmpty && source.orderedList(state, info) != nil
      case .order(let index, _): info.indexes[index].hasConsistentOrder
      }
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
  /// The cheapest way to the rows of a stage; how many rows it tests at most, whether these are exactly those that pass, and
  /// what finding it read.
  ///
  /// - Parameters:
  ///   - needed: the number of rows that fill the window, with those before it; nil if all rows are wanted.
  ///   - isPositioned: whether only rows behind a position are wanted.
  fileprivate func best(
    _ stage: QueryStage, _ needed: Int?, isPositioned: Bool
  ) -> (access: QueryPlan.Access, rows: Int, isExact: Bool, work: QueryWork) {
    if stage.filter == .constant(true), stage.order.keys.isEmpty { return (.table, 0, false, QueryWork()) }
    // Of the rows in the index of the order, the first ones suffice.
    let order = needed == nil ? nil : ordering(stage)
    func first(_ use: IndexUse) -> (QueryPlan.Access, Int, Bool, QueryWork) {
      (.order(use.index, use.ranges), use.count, use.isExact, QueryWork())
    }
    // No other way has fewer rows than those that pass.
    if let order, order.isExact { return first(order) }
    var best = option(stage.filter)
    if let option = best, option.rows > 0,
      option.cost * 4 >= state.count * stage.filter.scanCostOfFour(among: state.count)
    {
      best = nil
    }
    if let needed, best == nil, !isPositioned { best = firstRows(stage, needed) }
    if let order, order.count <= best?.rows ?? .max { return first(order) }
    guard let best else { return (.scan, state.count, false, QueryWork()) }
    return (.rows(best.source), best.rows, best.isExact, best.work)
  }
}
