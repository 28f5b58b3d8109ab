// The rows that a plan tests, in the order in which it visits them.

extension QueryPlan {
  /// Calls `leaf` or `row` with the rows to test until one returns false.
  func visit(
    _ stage: QueryStage, _ table: Int, _ context: ReadContext, _ work: inout QueryWork,
    leaf: (LeafKeys, UnsafeRawPointer, Int) -> Bool, row: (UInt64) -> Bool
  ) {
    if needed == 0 { return }
    let state = context.tables[table]
    switch access {
    case .table, .scan:
      let isOrdered = stage.order.keys.isEmpty
      let start = position.map { isOrdered ? state.rows.partitionPoint(first: $0.tie) { _ in true } : 0 } ?? 0
      state.rows.forEachLeaf(in: start..<state.count, leaf)
    case .rows(let source):
      source.forEach(state, context.catalog.entities[table], skipping: skipped, &work, row)
    case .order(let index, let ranges):
      let tree = state.indexes[index]
      let info = context.catalog.entities[table].indexes[index]
      let around = position?.ranks(in: tree, ranges, info, state, context)
      var rest = skipped
      if stage.order.keys[0].order == .ascending {
        for range in ranges {
          let range = range.clamped(to: (around?.1 ?? 0)..<tree.count).dropFirst(&rest)
          guard tree.forEachRow(in: range, &work, row) else { return }
        }
        return
      }
      if let around { guard tree.forEachRow(in: around.1..<around.2, &work, row) else { return } }
      for range in ranges.reversed() {
        let range = range.clamped(to: 0..<(around?.0 ?? tree.count))
        let skipped = min(rest, range.count)
        rest -= skipped
        guard visitDescending(tree, range, skipped, info, state, &work, row) else { return }
      }
    }
  }

  /// Tests whether a row is behind the position; nil if only such rows are visited.
  func positionTest(
    _ stage: QueryStage, _ state: TableState, _ context: ReadContext
  ) -> ((UInt64) -> Bool)? {
    guard let position else { return nil }
    switch access {
    case .order: return nil
    case .table, .scan: if stage.order.keys.isEmpty { return nil }
    case .rows: break
    }
    return { position.isBefore(state.existing($0), tie: $0, context) }
  }

  /// Groups of equal values from the last of a range down to its first, each group in insertion order.
  ///
  /// - Parameter skipped: how many rows at the beginning of that order are passed over.
  /// - Returns: whether `body` always returned true.
  private func visitDescending(
    _ tree: Tree, _ range: Range<Int>, _ skipped: Int, _ info: IndexInfo, _ state: TableState,
    _ work: inout QueryWork, _ body: (UInt64) -> Bool
  ) -> Bool {
    /// Where the group of an entry begins, or where it ends.
    func bound(_ entry: TreeKey, isEnd: Bool) -> Int {
      let object = state.existing(entry.second)
      return tree.partitionPoint(first: entry.first) { row in
        guard let compare = info.compare else { return isEnd }
        return compare(state.existing(row), object) < (isEnd ? 1 : 0)
      }
    }
    var (end, rest) = (range.upperBound, 0)
    if skipped == range.count { return true }
    if skipped > 0 {
      let next = range.upperBound - 1 - skipped
      end = min(max(bound(tree.entry(at: next).key, isEnd: true), next + 1), range.upperBound)
      // The rows of later groups are among those that are passed over.
      rest = skipped - (range.upperBound - end)
    }
    while end > range.lowerBound {
      let first = bound(tree.entry(at: end - 1).key, isEnd: false)
      // With an inconsistent `<`, a value may compare as greater than itself.
      let start = max(min(first, end - 1), range.lowerBound)
      guard tree.forEachRow(in: (start + rest)..<end, &work, body) else { return false }
      rest = 0
      end = start
    }
    return true
  }
}
