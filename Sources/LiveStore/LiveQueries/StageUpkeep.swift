/// The stages of a query as maintained trees, and how they follow their tables.
///
/// Everything a live result is lies in its trees; this is a function from trees and changed rows to trees.
/// Entries leave while every entry's row can be read as it was ordered, in the old state, and come back in
/// the new one; in between the tree holds rows that did not change at all (L2).
struct MaintainedTrees: Sendable {
  let table: Int
  let stages: [QueryStage]
  private(set) var trees: [Tree]
  /// The entries of the list that the first stage starts from; nil where that is the table.
  private(set) var base: Tree?
  /// Where these stand; nil where no stage has an order of its own.
  private var places: ListPlaces?
  /// Values of linked rows by which rows differ, too.
  let linked: [Operand]
  let grouping: Grouping?
  /// What the last stage's rows are grouped into.
  private(set) var groups: (any GroupUpkeep)?

  /// Evaluates all stages at a state.
  init(_ stages: [QueryStage], _ table: Int, _ grouping: Grouping? = nil, at state: StoreState) {
    self.table = table
    self.stages = stages
    self.grouping = grouping
    linked = stages.linkedOperands + (grouping?.operands.filter { !$0.chains.isEmpty } ?? [])
    let stamp = linked.isEmpty ? nil : state.context.linkedStamp
    if let source = stages[0].source {
      var window = source.window(table, state.context, stamp: stamp)
      base = window.tree
      if stages.needPlaces { places = ListPlaces(window.tree) }
      window.places = places
      trees = [state.context.evaluate(stages[0], over: window, stamp: stamp)]
    } else {
      let plan = QueryPlan(stages[0], table, state.context, isComplete: true)
      trees = [plan.run(stages[0], table, state.context, stamp: stamp)]
    }
    for index in stages.indices.dropFirst() {
      trees.append(state.context.evaluate(stages[index], over: inner(index - 1), stamp: stamp))
    }
    groups = grouping?.makeTable()
    let (rows, source) = (inner(stages.count - 1), GroupSource(trees, table, state, state))
    groups?.fill(from: rows, source)
  }

  /// Whether the result is the table itself, which needs no upkeep.
  var isTable: Bool { stages.count == 1 && beginsWithTable && grouping == nil }

  /// Whether the first stage's tree is the table's own.
  private var beginsWithTable: Bool {
    stages[0].filter == .constant(true) && stages[0].order.keys.isEmpty && linked.isEmpty
      && stages[0].source == nil
  }

  /// The window that a stage hands to the next.
  private func inner(_ index: Int) -> ResultWindow { window(index, stages[index]) }

  private func window(_ index: Int, _ stage: QueryStage) -> ResultWindow {
    let tree = trees[index]
    return ResultWindow(
      table: table, tree: tree, ranks: stage.window(of: tree.count), order: stage.order, places: places)
  }

  /// The result under the window of an observer's own last stage.
  func result(_ last: QueryStage) -> ResultWindow { window(stages.count - 1, last) }

  /// Whether both hold the same trees.
  func isIdentical(to other: MaintainedTrees) -> Bool {
    base?.root === other.base?.root && zip(trees, other.trees).allSatisfy { $0.isIdentical(to: $1) }
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
    if base == nil, rows.count > 1_024, rows.count > new.tables[table].count / 2 {
      self = MaintainedTrees(stages, table, grouping, at: new)
      return true
    }
    var rows = rows
    let oldPlaces = places
    if let base, let source = stages[0].source {
      let next = self.base(base, of: source, rows, from: old, to: new)
      self.base = next
      rows = windowChanges(from: baseWindow(base), to: baseWindow(next), old, new)
      if rows.isEmpty { return false }
      places?.follow(rows)
    }
    for index in stages.indices {
      var before = index + 1 < stages.count || groups != nil ? inner(index) : nil
      before?.places = oldPlaces
      if index == 0 && beginsWithTable {
        trees[0] = new.tables[table].rows
      } else {
        update(index, rows, old.context, new.context, oldPlaces)
      }
      guard let before else { break }
      rows = windowChanges(from: before, to: inner(index), old, new)
      if rows.isEmpty { break }
      if index + 1 == stages.count {
        let source = GroupSource(trees, table, old, new)
        groups?.apply(rows, source)
      } else if !stages[index + 1].distinct.isEmpty {
        let step = DistinctStep(stages[index + 1].distinct, table, old, new, (oldPlaces, places))
        rows = step.changes(rows, from: before.tree, to: trees[index])
        if rows.isEmpty { break }
      }
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
      let result =
        order.keys.isEmpty
        ? 0
        : order.compare(
          oldTable.existing(before.row($0.second)), old.context, newTable.existing(after.row($1.second)),
          new.context)
      return result != 0
        ? result : ListPlaces.compare($0.second, before.places, $1.second, after.places)
    }
    var added = Dictionary(
      difference.added.map { (after.identity($0.key), $0) }, uniquingKeysWith: { first, _ in first })
    func change(
      _ identity: UInt64, _ old: TreeDifference.Entry?, _ new: TreeDifference.Entry?
    ) -> RowChange {
      let row = after.tree.layout.order == .first ? identity : after.row(identity)
      return RowChange(
        row: identity, old: old == nil ? nil : oldTable.object(row),
        new: new == nil ? nil : newTable.object(row), stamp: new?.stamp ?? 0,
        places: (old?.key.first ?? 0, new?.key.first ?? 0))
    }
    let removed = difference.removed.map { entry in
      let identity = before.identity(entry.key)
      return change(identity, entry, added.removeValue(forKey: identity))
    }
    return removed + added.map { change($0.key, nil, $0.value) }
  }

  private mutating func update(
    _ index: Int, _ rows: [RowChange], _ old: ReadContext, _ new: ReadContext, _ oldPlaces: ListPlaces?
  ) {
    let newPlaces = places
    let stage = stages[index]
    let (oldTable, newTable) = (old.tables[table], new.tables[table])
    let isSorted = !stage.order.keys.isEmpty
    let isExact = stage.order.isExact
    // Entries of a list stand where they stand in it, where there is no order of their own.
    let isListed = base != nil && stages[0].source?.isOrdered == true && !isSorted
    let layout = trees[index].layout
    var arriving: [RowChange] = []
    for row in rows {
      let wasIn = row.old.map { stage.filter.matches($0, old) } ?? false
      let isIn = row.new.map { stage.filter.matches($0, new) } ?? false
      if wasIn, let before = row.old {
        let key =
          isSorted
          ? TreeKey(stage.order.abbreviate(before, old), row.row)
          : isListed ? TreeKey(row.places.old, row.row) : TreeKey(row.row, 0)
        let tie: (UInt64) -> Int = {
          let result =
            isExact ? 0 : stage.order.compare(before, old, oldTable.existing(layout.row($0)), old)
          return result != 0 ? result : ListPlaces.compare(row.row, oldPlaces, $0, oldPlaces)
        }
        let isInPlace =
          isSorted
          ? row.new == nil || ListPlaces.compare(row.row, oldPlaces, row.row, newPlaces) == 0
          : !isListed || row.places.old == row.places.new
        if isIn, isInPlace, let after = row.new,
          !isSorted || stage.order.compare(before, old, after, new) == 0
        {
          if !isSame(row, old, new) { restamp(index, key, stamp(row, new), tie) }
          continue
        }
        trees[index].remove(key, tie: tie)
      }
      if isIn { arriving.append(row) }
    }
    for row in arriving {
      guard let after = row.new else { continue }
      // An entry that merely stands elsewhere is told to the stage after, too.
      let isMoved = row.old != nil && ListPlaces.compare(row.row, oldPlaces, row.row, newPlaces) != 0
      let stamp = isMoved ? new.linkedStamp : stamp(row, new)
      let key =
        isSorted
        ? TreeKey(stage.order.abbreviate(after, new), row.row)
        : isListed ? TreeKey(row.places.new, row.row) : TreeKey(row.row, stamp)
      trees[index].insert(
        key,
        tie: {
          let result = isExact ? 0 : stage.order.compare(after, new, newTable.existing(layout.row($0)), new)
          return result != 0 ? result : ListPlaces.compare(row.row, newPlaces, $0, newPlaces)
        },
        initialize: {
          if layout.isStamped { $0.initializeMemory(as: UInt64.self, repeating: stamp, count: 1) }
        })
    }
  }

  /// The stamp of a row that has changed.
  func stamp(_ row: RowChange, _ context: ReadContext) -> UInt64 {
    linkedStamp(context) ?? row.stamp
  }

  /// The stamp of rows read in a state; nil for that of each row itself.
  func linkedStamp(_ context: ReadContext) -> UInt64? { linked.isEmpty ? nil : context.linkedStamp }

  /// Whether a row that is as it was has the same linked values, too.
  func isSame(_ row: RowChange, _ old: ReadContext, _ new: ReadContext) -> Bool {
    guard row.isLinked, let before = row.old, let after = row.new else { return false }
    return linked.allSatisfy { $0.isSame?(before, old, after, new) ?? false }
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
