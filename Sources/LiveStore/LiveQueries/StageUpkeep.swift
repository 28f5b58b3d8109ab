/// The stages of a query as maintained trees, and how they follow their tables.
///
/// Everything a live result is lies in its trees; this is a function from trees and changed rows to trees.
/// Entries leave while every entry's row can be read as it was ordered, in the old state, and come back in
/// the new one; in between the tree holds rows that did not change at all (L2).
struct MaintainedTrees: Sendable {
  let table: Int
  let stages: [QueryStage]
  private(set) var trees: [Tree]
  /// Values of linked rows by which rows differ, too.
  let linked: [Operand]

  /// Evaluates all stages at a state.
  init(_ stages: [QueryStage], _ table: Int, at state: StoreState) {
    self.table = table
    self.stages = stages
    linked = stages.linkedOperands
    let stamp = linked.isEmpty ? nil : state.context.linkedStamp
    let first = QueryPlan(stages[0], table, state.context, isComplete: true).run(
      stages[0], table, state.context, stamp: stamp)
    trees = [first]
    for index in stages.indices.dropFirst() {
      trees.append(state.context.evaluate(stages[index], over: inner(index - 1), stamp: stamp))
    }
  }

  /// Whether the result is the table itself, which needs no upkeep.
  var isTable: Bool { stages.count == 1 && beginsWithTable }

  /// Whether the first stage's tree is the table's own.
  private var beginsWithTable: Bool {
    stages[0].filter == .constant(true) && stages[0].order.keys.isEmpty && linked.isEmpty
  }

  /// The window that a stage hands to the next.
  private func inner(_ index: Int) -> ResultWindow { window(index, stages[index]) }

  private func window(_ index: Int, _ stage: QueryStage) -> ResultWindow {
    let tree = trees[index]
    return ResultWindow(table: table, tree: tree, ranks: stage.window(of: tree.count), order: stage.order)
  }

  /// The result under the window of an observer's own last stage.
  func result(_ last: QueryStage) -> ResultWindow { window(stages.count - 1, last) }

  /// Whether both hold the same trees.
  func isIdentical(to other: MaintainedTrees) -> Bool {
    zip(trees, other.trees).allSatisfy { $0.isIdentical(to: $1) }
  }

  /// Follows changed rows of the table, and rows of which linked values may have changed: all that can matter
  /// to the first stage.
  ///
  /// - Returns: whether the result was evaluated anew because most of it changed.
  /// - Complexity: O(*k* log *m*) for *k* rows.
  mutating func apply(_ rows: [RowChange], from old: StoreState, to new: StoreState) -> Bool {
    if isTable {
      trees[0] = new.tables[table].rows
      return false
    }
    if rows.count > 1_024, rows.count > new.tables[table].count / 2 {
      self = MaintainedTrees(stages, table, at: new)
      return true
    }
    var rows = rows
    for index in stages.indices {
      let before = index + 1 < stages.count ? inner(index) : nil
      if index == 0 && beginsWithTable {
        trees[0] = new.tables[table].rows
      } else {
        update(index, rows, old.context, new.context)
      }
      guard let before else { break }
      rows = windowChanges(from: before, to: inner(index), old, new)
      if rows.isEmpty { break }
    }
    return false
  }

  /// What enters, leaves and changes in the window between two stages.
  private func windowChanges(
    from before: ResultWindow, to after: ResultWindow, _ old: StoreState, _ new: StoreState
  ) -> [RowChange] {
    let (oldTable, newTable) = (old.tables[table], new.tables[table])
    let order = after.order
    let difference = Tree.difference(
      from: before.tree, in: before.ranks, to: after.tree, in: after.ranks
    ) {
      order.keys.isEmpty
        ? 0
        : order.compare(oldTable.existing($0.second), old.context, newTable.existing($1.second), new.context)
    }
    var added = Dictionary(
      difference.added.map { (after.rowNumber($0.key), $0) }, uniquingKeysWith: { first, _ in first })
    func change(_ row: UInt64, _ before: Bool, _ entry: TreeDifference.Entry?) -> RowChange {
      RowChange(
        row: row, old: before ? oldTable.object(row) : nil, new: entry == nil ? nil : newTable.object(row),
        stamp: entry?.stamp ?? 0)
    }
    let removed = difference.removed.map { entry in
      let row = before.rowNumber(entry.key)
      return change(row, true, added.removeValue(forKey: row))
    }
    return removed + added.map { change($0.key, false, $0.value) }
  }

  private mutating func update(
    _ index: Int, _ rows: [RowChange], _ old: ReadContext, _ new: ReadContext
  ) {
    let stage = stages[index]
    let (oldTable, newTable) = (old.tables[table], new.tables[table])
    let isSorted = !stage.order.keys.isEmpty
    let isExact = stage.order.isExact
    var arriving: [RowChange] = []
    for row in rows {
      let isSameValue =
        row.isLinked
        && linked.allSatisfy { operand in
          guard let before = row.old, let after = row.new, let isSame = operand.isSame else { return false }
          return isSame(before, old, after, new)
        }
      let wasIn = row.old.map { stage.filter.matches($0, old) } ?? false
      let isIn = row.new.map { stage.filter.matches($0, new) } ?? false
      if wasIn, let before = row.old {
        let key = isSorted ? TreeKey(stage.order.abbreviate(before, old), row.row) : TreeKey(row.row, 0)
        let tie: (UInt64) -> Int = {
          isExact ? 0 : stage.order.compare(before, old, oldTable.existing($0), old)
        }
        if isIn, let after = row.new, !isSorted || stage.order.compare(before, old, after, new) == 0 {
          if !isSameValue { restamp(index, key, stamp(row, new), tie) }
          continue
        }
        trees[index].remove(key, tie: tie)
      }
      if isIn { arriving.append(row) }
    }
    for row in arriving {
      guard let after = row.new else { continue }
      let stamp = stamp(row, new)
      let key = isSorted ? TreeKey(stage.order.abbreviate(after, new), row.row) : TreeKey(row.row, stamp)
      trees[index].insert(
        key, tie: { isExact ? 0 : stage.order.compare(after, new, newTable.existing($0), new) },
        initialize: { if isSorted { $0.initializeMemory(as: UInt64.self, repeating: stamp, count: 1) } })
    }
  }

  /// The stamp of a row that has changed.
  private func stamp(_ row: RowChange, _ context: ReadContext) -> UInt64 {
    linked.isEmpty ? row.stamp : context.linkedStamp
  }

  /// The row stays in its place with another value.
  private mutating func restamp(_ index: Int, _ key: TreeKey, _ stamp: UInt64, _ tie: (UInt64) -> Int) {
    let isStamped = trees[index].layout.isStamped
    trees[index].update(key, tie: tie) { payload, second in
      // A stamped layout's payload is one word.
      if isStamped { payload.assumingMemoryBound(to: UInt64.self).pointee = stamp } else { second = stamp }
    }
  }
}
