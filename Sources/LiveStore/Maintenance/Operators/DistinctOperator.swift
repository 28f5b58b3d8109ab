/// Distinct: the first row of each value.
///
/// Keeps: nothing. It reads the tree of the stage before it, which has all rows, by the keys and then in the query's
/// order. The tree of the order after it has the first rows.
/// Takes in: rows that came, left or changed among all rows.
/// Gives out: first rows that came, left, moved or changed.
/// Why it is right: a changed row can matter to the first rows of its old and of its new value alone. Both
/// are looked up in the tree before and in the tree after the step, and the differences are given out.
///
/// Keys without an order are ordered by their hashes. Rows of other values with the same hash are stepped over, each at
/// the cost of a step.
package struct DistinctOperator: IncrementalOperator {
  /// The slot of all rows.
  let slot: Int
  let keys: [SortKey]

  package init(slot: Int, keys: [SortKey]) {
    self.slot = slot
    self.keys = keys
  }

  package func apply(_ changes: [RowChange], _ step: inout UpkeepStep) throws(NeedsRebuild) -> [RowChange] {
    if changes.isEmpty { return changes }
    let (old, new) = (step.old, step.new)
    // Linked values of a row may have changed, and the row itself not.
    let changed = Set(changes.lazy.filter { $0.old != nil && $0.new != nil }.map(\.row))
    let layout = step.after.trees[slot].layout
    return firstRows(changes, step).compactMap { row, state in
      let before = state.wasFirst ? entry(layout.row(row), old) : nil
      let after = state.isFirst ? entry(layout.row(row), new) : nil
      let positions = (
        old: before == nil ? 0 : old.positions?.label(of: row) ?? 0,
        new: after == nil ? 0 : new.positions?.label(of: row) ?? 0
      )
      // An equal stamp means that the row was looked up and did not change.
      if let before, let after, before.key.second == after.key.second, positions.old == positions.new,
        !changed.contains(row)
      {
        return nil
      }
      return RowChange(
        row: row, old: before?.payload, new: after?.payload, stamp: after?.key.second ?? 0,
        positions: positions)
    }
  }

  /// The rows that were or are the first of a value that a changed row had or has.
  private func firstRows(
    _ changes: [RowChange], _ step: UpkeepStep
  ) -> [UInt64: (wasFirst: Bool, isFirst: Bool)] {
    let order = RowOrder(keys: keys)
    let (before, after) = (step.before.trees[slot], step.after.trees[slot])
    var states: [UInt64: (wasFirst: Bool, isFirst: Bool)] = [:]
    func look(_ object: UnsafeRawPointer, _ side: StepSide) {
      if let row = first(like: object, side, in: before, order, step.old) {
        states[row, default: (false, false)].wasFirst = true
      }
      if let row = first(like: object, side, in: after, order, step.new) {
        states[row, default: (false, false)].isFirst = true
      }
    }
    for row in changes {
      if let object = row.old { look(object, step.old) }
      if let object = row.new { look(object, step.new) }
    }
    return states
  }

  private func entry(_ row: UInt64, _ side: StepSide) -> TreeEntry? {
    side.context.tables[side.table].rows.floor(row).flatMap { $0.key.first == row ? $0 : nil }
  }

  /// The first row with the values of an object.
  ///
  /// - Parameter side: how the object is read.
  private func first(
    like object: UnsafeRawPointer, _ side: StepSide, in tree: Tree, _ order: RowOrder, _ rows: StepSide
  ) -> UInt64? {
    let key = order.abbreviate(object, side.context)
    func compare(_ second: UInt64) -> Int {
      order.compare(rows.object(tree.layout.row(second)), rows.context, object, side.context)
    }
    var cursor = TreeCursor(tree, at: tree.partitionPoint(first: key) { compare($0) < 0 })
    while let entry = cursor.next(), entry.key.first == key, compare(entry.key.second) == 0 {
      let other = rows.object(tree.layout.row(entry.key.second))
      let isSame = keys.allSatisfy { $0.isSame?(other, rows.context, object, side.context) ?? true }
      if isSame { return entry.key.second }
    }
    return nil
  }
}
