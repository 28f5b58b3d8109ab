/// A position in the order of a query: behind a row that had some values, whether or not the row still exists.
///
/// It is given by the values of the sort keys and, for ties, by the row's number (or, in a list, the entry's label), so
/// rows that come or go before it do not move it (Q4).
struct RowPosition {
  /// The values of the sort keys, each with the direction of its key.
  let bounds: [(bound: SortKeyBound, direction: SortDirection)]
  /// Orders ties.
  let tie: UInt64

  /// Whether a row is behind the position.
  func isBefore(_ object: UnsafeRawPointer, tie: UInt64, _ context: ReadContext) -> Bool {
    for (bound, direction) in bounds {
      let result = bound.compare(object, context)
      if result != 0 { return (result > 0) == (direction == .ascending) }
    }
    return tie > self.tie
  }
}

extension RowPosition {
  /// The ranks of an index around the position, in ranges that it lists in the ascending order of the sort
  /// keys: where the rows of the position's own values begin, where rows behind it begin, and where they end.
  ///
  /// - Complexity: O(log *n*); with several keys O(log² *n*).
  func ranks(
    in index: Tree, _ ranges: [Range<Int>], _ info: IndexInfo, _ state: TableState, _ context: ReadContext
  ) -> (Int, Int, Int) {
    func order(_ row: UInt64) -> Int {
      for (bound, _) in bounds {
        let result = bound.compare(state.existing(row), context)
        if result != 0 { return result }
      }
      return 0
    }
    func rank(_ isBefore: (Int, UInt64) -> Bool) -> Int {
      if info.properties.count == 1 {
        return index.partitionPoint(first: bounds[0].bound.abbreviation) { isBefore(order($0), $0) }
      }
      // Only within the ranges is the index in this order.
      guard var (low, high) = ranges.first.map({ ($0.lowerBound, ranges[ranges.count - 1].upperBound) })
      else {
        return 0
      }
      while low < high {
        let middle = low + (high - low) / 2
        let row = index.entry(at: middle).key.second
        if isBefore(order(row), row) { low = middle + 1 } else { high = middle }
      }
      return low
    }
    let start = rank { result, _ in result < 0 }
    let behind = rank { result, row in result < 0 || result == 0 && row <= tie }
    let end = rank { result, _ in result <= 0 }
    // With an inconsistent `<`, these may contradict each other.
    return (start, max(start, behind), max(start, behind, end))
  }
}
