// Plans.
//
// An index lists the rows by one property, or by several, each after the one before. The first word of an
// entry is the abbreviation of the first property's value; all properties are compared where these words
// are equal, so tables do not know how many an index has. A property whose type has no order is listed by
// its hash. Conditions on the first properties by equality, and on the next by a range, are one range of
// ranks, or one for each combination of listed values.
//
// - **Q7** Candidates are exact if every row with such a value passes. These are candidates of comparisons
//   with constants other than NaN, of types whose order and equality are known to be consistent. Ranges
//   without a lower bound begin behind nil and NaN, which no comparison passes. If each condition of a
//   conjunction is exact and bounds a part of one index, that index's ranges hold exactly the rows that pass.
//   Then `count` is a difference of ranks, the least and the greatest value are at the ends, and a window
//   begins at its rank: rows before it are not read. In descending order the group of equal values in which
//   the window begins is found by its value, since its rows are in insertion order. The router does not look
//   at exactness.
// - **Q8** An index gives an order if its last parts are the sort keys, in one direction, and each part
//   before them has one value in the ranges. With a part behind the sort keys, rows that tie would be in its
//   order and not in insertion order.
// - **Q9** Alternatives over several values are the union of the rows of their own ways, if each has one. For
//   a conjunction the plan uses the cheapest way, or the intersection of several ways where reading all their
//   entries costs less than testing the rows of one; the number of rows left is estimated as if the
//   conditions were independent. Both are sets of row numbers (`RowSet`), visited in insertion order, each
//   row once.
// - **Q10** A condition on a value behind links that nil does not meet, or on some of several linked
//   objects, is met only by rows that lead to an object that meets it. So that object's own index finds the
//   objects, and indexes of links lead back to the rows.
// - **Q11** A row that is read by its number costs as much as some rows of a scan that compares stored
//   values: 4 in a table of up to 2,000 rows, growing to 32 with 16,384. A scan costs a quarter of that
//   number where a condition may do anything, and all of it where it searches texts. Estimates use only these
//   ratios, the cost of an entry, and the numbers of rows in ranges, which are exact. Rows of a range are
//   collected as a `RowSet` and read in insertion order, unless they all have one value, which the index
//   lists in that order. So the rows need no sort, a window ends the reading, and neighbours in memory are
//   read together.
// - **Q12** The rows behind a row do not depend on the path to it. So where links lead on from objects
//   (`LinkWalk`), each object is visited once at each step: for "some", the least and the greatest, in the
//   order of the first path to it; for counts, sums and means with the number of paths to it, which is how
//   often it counts. Only a list of all values has one for each path. A condition inside another that follows
//   links itself, and reads no row around, is tested once for an object in an evaluation (`ObjectTest`);
//   answers are remembered by object and version of the tables, since versions share objects but not always
//   the objects they link to.
// - **Q13** An evaluation that may end early, or remembers answers, is a `FilterRun`. All work that can take
//   long counts visits there: rows, links, elements, long texts, steps of patterns, each as often as its
//   weight, which grows with the number of conditions (`[QueryStage].weight`). A limit of visits is one of
//   processor time, too, which bounds work that is not counted: it is checked every few hundred visits, and
//   before work that may take long for one row. Once a run is stopped, tests return false at once, and the
//   result is dropped as a whole, for the negation of such a test is true.
//
// A plan changes no result: the filter is tested on every row that is read (Q1).

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
  /// The work of finding the plan.
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
    var canSkip = best.isExact && needed != nil && position == nil
    if canSkip {
      canSkip =
        switch access {
        case .table, .scan: false
        case .rows(let source): stage.order.keys.isEmpty && source.orderedList(state, info) != nil
        case .order(let index, _): info.indexes[index].hasConsistentOrder
        }
    }
    skipped = canSkip ? min(stage.offset, best.rows) : 0
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
  /// The cheapest way to the rows of a stage; how many rows it tests at most, whether these are exactly the
  /// rows that pass, and the work of finding it.
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
