/// Key ranges of one index, in which all rows of a filter are.
struct IndexUse {
  let index: Int
  let ranges: [Range<Int>]
  /// How many of the index's first parts have one value in all the ranges.
  var singleParts = 0
  /// How many of the index's first parts bound the ranges.
  var boundParts = 0
  /// Whether all rows in the ranges pass.
  var isExact = false

  var count: Int { ranges.reduce(0) { $0 + $1.count } }
}
