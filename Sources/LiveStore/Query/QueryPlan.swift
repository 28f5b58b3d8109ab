/// How a stage of a query is evaluated over a table: the cheapest of the ways that give all its rows.
struct QueryPlan {
  enum Access {
    /// The table itself, nothing to evaluate.
    case table
    /// Every row, leaf by leaf.
    case scan
    /// Rows whose ids have these hashes.
    case ids([UInt64])
    /// Stretches of an index, which is the number of a property's index.
    case index(Int, [Range<Int>])
    /// An index in its own order, until the window is full.
    case order(Int)
  }

  let access: Access
  /// How many rows are looked at, at most.
  let estimate: Int
  /// Rows after which the window is full; nil where all are wanted.
  let needed: Int?

  /// - Parameter isComplete: whether rows outside the window are wanted too.
  init(_ stage: QueryStage, _ table: Int, _ context: ReadContext, isComplete: Bool = false) {
    let state = context.tables[table]
    let info = context.catalog.entities[table]
    needed = isComplete ? nil : stage.limit.map { stage.offset + min($0, state.count) }
    var best: (access: Access, estimate: Int) = (.scan, state.count)
    if stage.filter == .constant(true), stage.order.keys.isEmpty {
      best = (.table, 0)
    } else {
      for case .condition(let condition) in stage.filter.conjuncts {
        guard let candidates = condition.candidates,
          let option = QueryPlan.option(candidates, state, info, context)
        else { continue }
        // A row found through an index costs a lookup, some times what a row of a scan costs.
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

  /// The rows that can pass one condition, through the ids or an index.
  private static func option(
    _ candidates: Candidates, _ state: TableState, _ info: EntityInfo, _ context: ReadContext
  ) -> (access: Access, estimate: Int)? {
    if candidates.path == .id {
      return candidates.hashes.map { (.ids($0), $0.count) }
    }
    guard let index = info.indexes.firstIndex(where: { $0.property.path == candidates.path }) else { return nil }
    let tree = state.indexes[index]
    var ranges: [Range<Int>] = []
    if info.indexes[index].isOrdered, let spans = candidates.spans {
      ranges = spans.map { span in
        let start = span.lower.map { bound in
          tree.partitionPoint(first: bound.abbreviation) {
            let result = bound.compare(state.existing($0), context)
            return bound.isInclusive ? result < 0 : result <= 0
          }
        }
        let end = span.upper.map { bound in
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

  /// The same ranks without any twice, as an `in` may name a value twice.
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
  /// The tree of the stage's rows, or of the first `needed` of them.
  func run(_ stage: QueryStage, _ table: Int, _ context: ReadContext) -> Tree {
    let state = context.tables[table]
    if case .table = access { return state.rows }
    var collector = RowCollector(stage.order, table, context)
    var isInOrder = stage.order.keys.isEmpty
    visit(stage, state, context.catalog.entities[table]) { rows in
      switch rows {
      case .leaf(let keys, let objects, let count): collector.offer(keys, objects, count, stage.filter)
      case .row(let row): collector.offer(row, stage.filter)
      }
      return !isFull(collector.count, stage)
    }
    switch access {
    case .order: isInOrder = true
    case .index, .ids: isInOrder = false
    case .table, .scan: break
    }
    return collector.finish(isInOrder: isInOrder)
  }

  /// Whether the rows found first are all that the window needs.
  private func isFull(_ count: Int, _ stage: QueryStage) -> Bool {
    guard let needed, count >= needed else { return false }
    switch access {
    case .order: return true
    case .scan: return stage.order.keys.isEmpty
    default: return false
    }
  }

  enum Rows {
    case leaf(UnsafePointer<TreeKey>, UnsafeRawPointer, Int)
    case row(UInt64)
  }

  /// Calls `body` with the rows to look at until it returns false.
  func visit(_ stage: QueryStage, _ state: TableState, _ info: EntityInfo, _ body: (Rows) -> Bool) {
    if needed == 0 { return }
    switch access {
    case .table, .scan:
      state.rows.forEachLeaf(in: 0..<state.count) { body(.leaf($0, $1, $2)) }
    case .ids(let hashes):
      for hash in Set(hashes) {
        for row in state.rows(ofHash: hash) {
          guard body(.row(row)) else { return }
        }
      }
    case .index(let index, let ranges):
      for range in ranges {
        var cursor = TreeCursor(state.indexes[index], at: range.lowerBound)
        for _ in range {
          guard let entry = cursor.next(), body(.row(entry.key.second)) else { return }
        }
      }
    case .order(let index):
      if stage.order.keys[0].order == .ascending {
        visitAscending(state.indexes[index], body)
      } else {
        visitDescending(state.indexes[index], info.indexes[index], state, body)
      }
    }
  }

  private func visitAscending(_ tree: Tree, _ body: (Rows) -> Bool) {
    var cursor = TreeCursor(tree, at: 0)
    while let entry = cursor.next() {
      guard body(.row(entry.key.second)) else { return }
    }
  }

  /// Groups of equal values from the last to the first, each group in insertion order.
  private func visitDescending(
    _ tree: Tree, _ info: IndexInfo, _ state: TableState, _ body: (Rows) -> Bool
  ) {
    var end = tree.count
    while end > 0 {
      let last = tree.entry(at: end - 1).key
      let object = state.existing(last.second)
      let start = tree.partitionPoint(first: last.first) { row in
        info.compare.map { $0(state.existing(row), object) < 0 } ?? false
      }
      var cursor = TreeCursor(tree, at: start)
      for _ in start..<end {
        guard let entry = cursor.next(), body(.row(entry.key.second)) else { return }
      }
      end = start
    }
  }
}

extension Query {
  /// The way this query would be evaluated in a snapshot, in a line: for finding the index that is missing.
  ///
  /// ```swift
  /// Post.where { $0.likeCount >= 10 }.explain(in: snapshot)
  /// // index Post.likeCount: 120 of 5000 rows, filter likeCount >= 10
  /// ```
  public func explain(in snapshot: Snapshot) -> String {
    let context = snapshot.state.context
    guard let table = context.catalog.index(of: Element.self) else { return "no entity \(Element.self)" }
    let stage = stages[0]
    let plan = QueryPlan(stage, table, context)
    let info = context.catalog.entities[table]
    let total = context.tables[table].count
    var parts: [String] = []
    switch plan.access {
    case .table: parts.append("table \(info.name): \(total) rows as they stand")
    case .scan: parts.append("scan \(info.name): \(total) rows")
    case .ids: parts.append("id of \(info.name): \(plan.estimate) of \(total) rows")
    case .index(let index, _):
      parts.append("index \(info.name).\(info.indexes[index].property.name): \(plan.estimate) of \(total) rows")
    case .order(let index):
      parts.append(
        "index \(info.name).\(info.indexes[index].property.name) in order: until \(plan.needed ?? total) rows match")
    }
    if stage.filter != .constant(true) { parts.append("filter \(stage.filter)") }
    if case .order = plan.access {} else if !stage.order.keys.isEmpty {
      parts.append("sort by \(stage.order.keys.map(\.description).joined(separator: ", "))")
    }
    if stage.hasWindow { parts.append("rows \(stage.offset)..<\(stage.limit.map { "\(stage.offset + $0)" } ?? "end")") }
    return (parts + stages.dropFirst().map { "then\($0.description)" }).joined(separator: ", ")
  }
}
