/// A way to find the rows of a filter, with its cost.
struct PlanOption {
  var access: QueryPlan.Access
  /// An upper bound for the rows that are tested.
  var rows: Int
  /// Entries of indexes that are read to find those rows, beyond one for each.
  var furtherEntries = 0
  /// Whether these are exactly the rows that pass.
  var isExact = false

  /// The cost in rows of a scan. A row that is read by its number costs a lookup, several times the cost of a row in a
  /// scan.
  var cost: Int { rows * 4 + furtherEntries }
}

/// Key ranges of one index, in which all rows of a filter are.
struct IndexUse {
  let index: Int
  let ranges: [Range<Int>]
  /// How many of the index's first parts have one value in all the ranges.
  var singleParts = 0
  /// Whether all rows in the ranges pass.
  var isExact = false

  var count: Int { ranges.reduce(0) { $0 + $1.count } }
}

extension PlanOption {
  init(_ use: IndexUse) {
    self.init(access: .index(use.index, use.ranges), rows: use.count, isExact: use.isExact)
  }
}
