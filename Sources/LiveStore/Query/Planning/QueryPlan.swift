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
    /// Key ranges of inverted indexes of words, by their numbers.
    case words([Int], [[Range<Int>]])
    /// Key ranges of an index in its own order, until the window is full.
    case order(Int, [Range<Int>])
  }

  let access: Access
  /// An upper bound for the number of rows tested.
  let estimate: Int
  /// The number of rows that fill the window; nil if all rows are wanted.
  let needed: Int?
  /// Only rows behind it are wanted.
  let position: RowPosition?
  /// Whether the rows are all those of one value in an index, which lists them in insertion order.
  private let hasOneValue: Bool

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
    let choices = stage.filter.choices
    // A row read through an index costs a lookup, several times the cost of a row in a scan; but reading a text costs
    // more than either.
    let isOfTexts = choices.contains { $0.words != nil }
    var best: (access: Access, estimate: Int) = (.scan, isOfTexts ? state.count * 4 : state.count)
    if stage.filter == .constant(true), stage.order.keys.isEmpty {
      best = (.table, 0)
    } else if stage.filter == .constant(false) {
      best = (.ids([]), 0)
    } else {
      let ordering = needed == nil ? nil : QueryPlan.orderingIndex(stage, info)
      var ordered = (ranges: [0..<state.count], count: state.count)
      for candidates in choices {
        guard let option = QueryPlan.option(candidates, state, info, context) else { continue }
        if case .index(let index, let ranges) = option.access, index == ordering,
          info.indexes[index].isConsistent, option.estimate < ordered.count
        {
          ordered = (ranges, option.estimate)
        }
        if option.estimate * 4 < best.estimate || option.estimate == 0 {
          best = (option.access, option.estimate * 4)
        }
      }
      // Of the rows in these ranges, the first ones suffice.
      if let ordering,
        best.access.isScan || best.access.isIndex(ordering) && info.indexes[ordering].isConsistent
      {
        best = (.order(ordering, ordered.ranges), ordered.count * 4)
      }
    }
    access = best.access
    hasOneValue = needed != nil && QueryPlan.hasOneValue(best.access, state, info)
    estimate = best.access.isScan ? state.count : best.estimate / 4
  }

  /// The rows that can pass one part of a conjunction, by the ids or an index.
  private static func option(
    _ candidates: Candidates, _ state: TableState, _ info: EntityInfo, _ context: ReadContext
  ) -> (access: Access, estimate: Int)? {
    if candidates.path == .id {
      return candidates.hashes.map { (.ids($0), $0.count) }
    }
    if let words = candidates.words { return option(words, state, info) }
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

  /// The rows with one of some words; nil if some property has no index of its words.
  private static func option(
    _ words: Candidates.Words, _ state: TableState, _ info: EntityInfo
  ) -> (access: Access, estimate: Int)? {
    var (indexes, ranges): ([Int], [[Range<Int>]]) = ([], [])
    for path in words.properties {
      guard let index = info.inverted.firstIndex(where: { $0.path == path }) else { return nil }
      indexes.append(index)
      ranges.append(disjoint(words.keys.map { state.range(index, listedUnder: $0) }))
    }
    return (.words(indexes, ranges), ranges.joined().reduce(0) { $0 + $1.count })
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

  private static func hasOneValue(_ access: Access, _ state: TableState, _ info: EntityInfo) -> Bool {
    guard case .index(let index, let ranges) = access, ranges.count == 1, !ranges[0].isEmpty,
      info.indexes[index].isConsistent
    else { return false }
    let tree = state.indexes[index]
    let first = tree.entry(at: ranges[0].lowerBound).key
    let last = tree.entry(at: ranges[0].upperBound - 1).key
    guard first.first == last.first else { return false }
    return info.indexes[index].compare.map {
      $0(state.existing(first.second), state.existing(last.second)) == 0
    }
      ?? true
  }

  private static func orderingIndex(_ stage: QueryStage, _ info: EntityInfo) -> Int? {
    guard let key = stage.order.keys.first, stage.order.keys.count == 1 else { return nil }
    return info.indexes.firstIndex { $0.isOrdered && $0.property.path == key.path }
  }
}

extension QueryPlan.Access {
  fileprivate var isScan: Bool { if case .scan = self { true } else { false } }

  /// Whether key ranges of an index are read.
  fileprivate func isIndex(_ number: Int) -> Bool {
    if case .index(number, _) = self { true } else { false }
  }
}

extension QueryPlan {
  /// The tree of the stage's rows, or of the first `needed` rows.
  ///
  /// - Parameter stamp: the stamp of all entries; nil for the stamps of their rows.
  func run(_ stage: QueryStage, _ table: Int, _ context: ReadContext, stamp: UInt64?) -> Tree {
    let state = context.tables[table]
    if case .table = access, stamp == nil, position == nil { return state.rows }
    var collector = RowCollector(
      stage.order, stage.filter, table, context, stamp: stamp, isInOrder: isInOrder(stage))
    let limit = rowsToFind(stage)
    let isWanted = positionTest(stage, state, context)
    visit(
      stage, table, context,
      leaf: { keys, objects, count in
        if isWanted == nil {
          collector.offer(keys, objects, count)
        } else {
          for index in 0..<count where isWanted?(keys[index].first) ?? true {
            collector.offer(keys[index].first)
          }
        }
        return collector.count < limit
      },
      row: { row in
        if isWanted?(row) ?? true { collector.offer(row) }
        return collector.count < limit
      })
    return collector.finish()
  }

  /// How many rows the stage has, without its window.
  func count(_ stage: QueryStage, _ table: Int, _ context: ReadContext) -> Int {
    let state = context.tables[table]
    if case .table = access { return state.count }
    let limit = needed ?? .max
    var count = 0
    forEachBlock(stage, table, context) { block in
      count &+= block.objects.count
      return count < limit
    }
    return count
  }

  /// Calls `body` with the rows that pass, in blocks, until it returns false.
  func forEachBlock(
    _ stage: QueryStage, _ table: Int, _ context: ReadContext, _ body: (RowBlock) -> Bool
  ) {
    let rows = context.tables[table].rows
    let stride = rows.layout.stride
    let mask = stage.filter.rowMask
    visit(
      stage, table, context,
      leaf: { keys, objects, count in
        let selected = mask(objects, stride, count, context)
        return body(RowBlock(keys, objects, stride: stride, selected: selected))
      },
      row: { row in
        rows.withRun(of: row) { key, object in
          body(RowBlock(key, object, stride: stride, selected: mask(object, stride, 1, context)))
        } ?? true
      })
  }

  /// How many matching rows are enough: those of the window, if rows are visited in its order.
  private func rowsToFind(_ stage: QueryStage) -> Int {
    switch access {
    case .order, .table: needed ?? .max
    case .scan where stage.order.keys.isEmpty, .inverted where stage.order.keys.isEmpty,
      .words where stage.order.keys.isEmpty:
      needed ?? .max
    case .index where hasOneValue && stage.order.keys.isEmpty: needed ?? .max
    default: .max
    }
  }

  /// Whether rows are visited in the order of the result.
  private func isInOrder(_ stage: QueryStage) -> Bool {
    switch access {
    case .order: true
    case .table, .scan, .inverted, .words: stage.order.keys.isEmpty
    case .index: hasOneValue && stage.order.keys.isEmpty
    case .ids: false
    }
  }
}
