// The rows that a plan tests, in the order in which it visits them.

extension QueryPlan {
  /// Calls `leaf` or `row` with the rows to test until one returns false.
  func visit(
    _ stage: QueryStage, _ table: Int, _ context: ReadContext,
    leaf: (UnsafePointer<TreeKey>, UnsafeRawPointer, Int) -> Bool, row: (UInt64) -> Bool
  ) {
    if needed == 0 { return }
    let state = context.tables[table]
    switch access {
    case .table, .scan:
      let isOrdered = stage.order.keys.isEmpty
      let start = position.map { isOrdered ? state.rows.partitionPoint(first: $0.tie) { _ in true } : 0 } ?? 0
      state.rows.forEachLeaf(in: start..<state.count, leaf)
    case .ids(let hashes):
      for hash in Set(hashes) {
        for found in state.rows(ofHash: hash) {
          guard row(found) else { return }
        }
      }
    case .index(let index, let ranges): visit(state.indexes[index], ranges, row)
    case .inverted(let index, let ranges):
      visitOnce([(state.inverted[index], ranges)], row)
    case .words(let indexes, let ranges):
      visitOnce(zip(indexes, ranges).map { (state.inverted[$0], $1) }, row)
    case .order(let index, let ranges):
      let (tree, info) = (state.indexes[index], context.catalog.entities[table].indexes[index])
      let around = position?.ranks(in: tree, state, context)
      if stage.order.keys[0].order == .ascending {
        visit(tree, ranges.map { $0.clamped(to: (around?.1 ?? 0)..<tree.count) }, row)
      } else {
        if let around { guard visit(tree, [around.1..<around.2], row) else { return } }
        for range in ranges.reversed() {
          let range = range.clamped(to: 0..<(around?.0 ?? tree.count))
          guard visitDescending(tree, range, info, state, row) else { return }
        }
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
    case .ids, .index, .inverted, .words: break
    }
    return { position.isBefore(state.existing($0), tie: $0, context) }
  }

  /// - Returns: whether `body` always returned true.
  @discardableResult
  private func visit(_ tree: Tree, _ ranges: [Range<Int>], _ body: (UInt64) -> Bool) -> Bool {
    for range in ranges {
      var cursor = TreeCursor(tree, at: range.lowerBound)
      for _ in range {
        guard let entry = cursor.next(), body(entry.key.second) else { return false }
      }
    }
    return true
  }

  /// Visits the rows in ranges of inverted indexes in insertion order, each once (I4).
  private func visitOnce(_ parts: [(tree: Tree, ranges: [Range<Int>])], _ body: (UInt64) -> Bool) {
    let parts = parts.filter { !$0.ranges.isEmpty }
    if parts.count == 1, parts[0].ranges.count == 1, parts[0].tree.haveOneFirst(parts[0].ranges[0]) {
      visit(parts[0].tree, parts[0].ranges, body)
      return
    }
    var rows: ContiguousArray<UInt64> = []
    for (tree, ranges) in parts {
      visit(tree, ranges) { found in
        rows.append(found)
        return true
      }
    }
    rows.sort()
    var last: UInt64?
    for found in rows where found != last {
      guard body(found) else { return }
      last = found
    }
  }

  /// Groups of equal values from the last of a range down to its first, each group in insertion order.
  ///
  /// - Returns: whether `body` always returned true.
  private func visitDescending(
    _ tree: Tree, _ range: Range<Int>, _ info: IndexInfo, _ state: TableState, _ body: (UInt64) -> Bool
  ) -> Bool {
    var end = range.upperBound
    while end > range.lowerBound {
      let last = tree.entry(at: end - 1).key
      let object = state.existing(last.second)
      let first = tree.partitionPoint(first: last.first) { row in
        info.compare.map { $0(state.existing(row), object) < 0 } ?? false
      }
      // With an inconsistent `<`, a value may compare as greater than itself.
      let start = max(min(first, end - 1), range.lowerBound)
      var cursor = TreeCursor(tree, at: start)
      for _ in start..<end {
        guard let entry = cursor.next(), body(entry.key.second) else { return false }
      }
      end = start
    }
    return true
  }
}

extension Tree {
  /// Whether the entries of a range that is not empty are all listed under one hash.
  fileprivate func haveOneFirst(_ range: Range<Int>) -> Bool {
    entry(at: range.lowerBound).key.first == entry(at: range.upperBound - 1).key.first
  }
}
