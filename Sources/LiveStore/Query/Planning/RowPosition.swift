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
  /// The ranks of an index around the position, for a query that is ordered by the indexed property alone: where the
  /// rows of the position's own value begin, where those behind it begin, and where they end.
  ///
  /// - Complexity: O(log *n*).
  func ranks(in index: Tree, _ state: TableState, _ context: ReadContext) -> (Int, Int, Int) {
    let bound = bounds[0].bound
    func rank(_ isBefore: (Int, UInt64) -> Bool) -> Int {
      index.partitionPoint(first: bound.abbreviation) { row in
        isBefore(bound.compare(state.existing(row), context), row)
      }
    }
    let start = rank { result, _ in result < 0 }
    let behind = rank { result, row in result < 0 || result == 0 && row <= tie }
    let end = rank { result, _ in result <= 0 }
    // With an inconsistent `<`, these may contradict each other.
    return (start, max(start, behind), max(start, behind, end))
  }
}
