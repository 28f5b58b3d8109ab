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
    /// An index in its own order, until the window is full.
    case order(Int)
  }

  let access: Access
  /// An upper bound for the number of rows tested.
  let estimate: Int
  /// The number of rows that fill the window; nil if all rows are wanted.
  let needed: Int?

  /// - Parameter isComplete: whether rows outside the window are wanted, too.
  init(_ stage: QueryStage, _ table: Int, _ context: ReadContext, isComplete: Bool = false) {
    let state = context.tables[table]
    let info = context.catalog.entities[table]
    needed = isComplete ? nil : stage.limit.map { min(stage.offset, state.count) + min($0, state.count) }
    var best: (access: Access, estimate: Int) = (.scan, state.count)
    if stage.filter == .constant(true), stage.order.keys.isEmpty {
      best = (.table, 0)
    } else {
      for conjunct in stage.filter.conjuncts {
        guard let candidates = conjunct.candidates,
          let option = QueryPlan.option(candidates, state, info, context)
        else { continue }
        // A row read through an index costs a lookup, several times the cost of a row in a scan.
        if option.estimate * 4 < best.estimate || option.estimate == 0 {
          best = (option.access, option.estimate * 4)
        }
      }
      if case .scan = best.access, needed != nil, let index = QueryPlan.orderingIndex(stage, info) {
        best.access = .order(index)
      }
    }
    access = best.access
    if case .scan = best.access { estimate = best.estimate } else { estimate = best.estimate / 4 }
  }

  /// The rows that can pass one part of a conjunction, by the ids or an index.
  private static func option(
    _ candidates: Candidates, _ state: TableState, _ info: EntityInfo, _ context: ReadContext
  ) -> (access: Access, estimate: Int)? {
    if candidates.path == .id {
      return candidates.hashes.map { (.ids($0), $0.count) }
    }
    if candidates.isByReference || candidates.eachHash != nil, let hashes = candidates.hashes,
      let index = info.inverted.firstIndex(where: { $0.path == candidates.path })
    {
      let ranges = disjoint(hashes.map { state.range(index, listedUnder: $0) })
      return (.inverted(index, ranges), ranges.reduce(0) { $0 + $1.count })
    }
    // The other indexes list whole values, not their elements (I5).
    guard candidates.eachHash == nil,
      let index = info.indexes.firstIndex(where: { $0.property.path == candidates.path })
    else { return nil }
    let tree = state.indexes[index]
    var ranges: [Range<Int>] = []
    if info.indexes[index].isOrdered, let keyRanges = candidates.keyRanges {
      ranges = keyRanges.map { keyRange in
        let start = keyRange.lower.map { bound in
          tree.partitionPoint(first: bound.abbreviation) {
            let result = bound.compare(state.existing($0), context)
            return bound.isInclusive ? result < 0 : result <= 0
          }
        }
        let end = keyRange.upper.map { bound in
          tree.partitionPoint(first: bound.abbreviation) {
            let result = bound.compare(state.existing($0), context)
            return bound.isInclusive ? result <= 0 : result < 0
          }
        }
        return (start ?? 0)..<max(start ?? 0, end ?? tree.count)
      }
    } else if !info.indexes[index].isOrdered, let hashes = candidates.hashes {
      ranges = Set(hashes).map { hash in
        let start = tree.partitionPoint(first: hash) { _ in false }
        return start..<tree.partitionPoint(first: hash) { _ in true }
      }
    } else {
      return nil
    }
    return (.index(index, disjoint(ranges)), ranges.reduce(0) { $0 + $1.count })
  }

  /// The same ranks without duplicates: an `in` may name a value twice.
  private static func disjoint(_ ranges: [Range<Int>]) -> [Range<Int>] {
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

  private static func orderingIndex(_ stage: QueryStage, _ info: EntityInfo) -> Int? {
    guard let key = stage.order.keys.first, stage.order.keys.count == 1 else { return nil }
    return info.indexes.firstIndex { $0.isOrdered && $0.property.path == key.path }
  }
}

extension QueryPlan {
  /// The tree of the stage's rows, or of the first `needed` rows.
  ///
  /// - Parameter stamp: the stamp of all entries; nil for the stamps of their rows.
  func run(_ stage: QueryStage, _ table: Int, _ context: ReadContext, stamp: UInt64?) -> Tree {
    let state = context.tables[table]
    if case .table = access, stamp == nil { return state.rows }
    var collector = RowCollector(stage.order, stage.filter, table, context, stamp: stamp)
    let limit = rowsToFind(stage)
    visit(
      stage, state, context.catalog.entities[table],
      leaf: { keys, objects, count in
        collector.offer(keys, objects, count)
        return collector.count < limit
      },
      row: { row in
        collector.offer(row)
        return collector.count < limit
      })
    return collector.finish(isInOrder: isInOrder(stage))
  }

  /// How many rows the stage has, without its window.
  func count(_ stage: QueryStage, _ table: Int, _ context: ReadContext) -> Int {
    let state = context.tables[table]
    if case .table = access { return state.count }
    let rows = state.rows
    let stride = rows.layout.stride
    let mask = stage.filter.rowMask
    let limit = needed ?? .max
    var count = 0
    visit(
      stage, state, context.catalog.entities[table],
      leaf: { _, objects, rows in
        count &+= mask(objects, stride, rows, context).nonzeroBitCount
        return count < limit
      },
      row: { row in
        if let object = rows.payload(first: row) {
          count &+= mask(object, stride, 1, context).nonzeroBitCount
        }
        return count < limit
      })
    return count
  }

  /// How many matching rows are enough: those of the window, if rows are visited in its order.
  private func rowsToFind(_ stage: QueryStage) -> Int {
    switch access {
    case .order: needed ?? .max
    case .scan where stage.order.keys.isEmpty, .inverted where stage.order.keys.isEmpty: needed ?? .max
    default: .max
    }
  }

  /// Whether rows are visited in the order of the result.
  private func isInOrder(_ stage: QueryStage) -> Bool {
    switch access {
    case .order: true
    case .table, .scan, .inverted: stage.order.keys.isEmpty
    case .index, .ids: false
    }
  }

  /// Calls `leaf` or `row` with the rows to test until one returns false.
  private func visit(
    _ stage: QueryStage, _ state: TableState, _ info: EntityInfo,
    leaf: (UnsafePointer<TreeKey>, UnsafeRawPointer, Int) -> Bool, row: (UInt64) -> Bool
  ) {
    if needed == 0 { return }
    switch access {
    case .table, .scan:
      state.rows.forEachLeaf(in: 0..<state.count, leaf)
    case .ids(let hashes):
      for hash in Set(hashes) {
        for found in state.rows(ofHash: hash) {
          guard row(found) else { return }
        }
      }
    case .index(let index, let ranges): visit(state.indexes[index], ranges, row)
    case .inverted(let index, let ranges):
      if ranges.count == 1 { return visit(state.inverted[index], ranges, row) }
      // A row may be listed under several of the hashes (I4).
      var rows: ContiguousArray<UInt64> = []
      visit(state.inverted[index], ranges) { found in
        rows.append(found)
        return true
      }
      rows.sort()
      var last: UInt64?
      for found in rows where found != last {
        guard row(found) else { return }
        last = found
      }
    case .order(let index):
      if stage.order.keys[0].order == .ascending {
        visitAscending(state.indexes[index], row)
      } else {
        visitDescending(state.indexes[index], info.indexes[index], state, row)
      }
    }
  }

  private func visit(_ tree: Tree, _ ranges: [Range<Int>], _ body: (UInt64) -> Bool) {
    for range in ranges {
      var cursor = TreeCursor(tree, at: range.lowerBound)
      for _ in range {
        guard let entry = cursor.next(), body(entry.key.second) else { return }
      }
    }
  }

  private func visitAscending(_ tree: Tree, _ body: (UInt64) -> Bool) {
    var cursor = TreeCursor(tree, at: 0)
    while let entry = cursor.next() {
      guard body(entry.key.second) else { return }
    }
  }

  /// Groups of equal values from the last to the first, each group in insertion order.
  private func visitDescending(
    _ tree: Tree, _ info: IndexInfo, _ state: TableState, _ body: (UInt64) -> Bool
  ) {
    var end = tree.count
    while end > 0 {
      let last = tree.entry(at: end - 1).key
      let object = state.existing(last.second)
      let first = tree.partitionPoint(first: last.first) { row in
        info.compare.map { $0(state.existing(row), object) < 0 } ?? false
      }
      // With an inconsistent `<`, a value may compare as greater than itself.
      let start = min(first, end - 1)
      var cursor = TreeCursor(tree, at: start)
      for _ in start..<end {
        guard let entry = cursor.next(), body(entry.key.second) else { return }
      }
      end = start
    }
  }
}
