/// Window: the rows of a stage within its ranks, all of them where it has no limit.
///
/// Keeps: nothing. It reads the tree of the order before it, as it was and as it is now.
/// Takes in: nothing but that tree.
/// Gives out: rows that entered the window, left it, or changed in it.
/// Why it is right: a row within the window on one side has an entry there. Entries with equal stamps have
/// equal rows (V1), so rows outside the difference of the two windows did not change.
///
/// - Complexity: O(*d* log *m*) for *d* entries that differ: at most the entries of changed rows and as many
///   that cross the ends of the window (L5).
package struct WindowOperator: IncrementalOperator {
  let slot: Int
  let stage: QueryStage

  package init(slot: Int, stage: QueryStage) {
    self.slot = slot
    self.stage = stage
  }

  package func apply(_ changes: [RowChange], _ step: inout UpkeepStep) throws(NeedsRebuild) -> [RowChange] {
    if step.before.trees[slot].isIdentical(to: step.after.trees[slot]) { return [] }
    let before = step.before.window(slot, stage, step.table)
    let after = step.after.window(slot, stage, step.table)
    return before.changes(to: after, step.old.context, step.new.context)
  }
}

extension ResultWindow {
  /// The rows that differ between two windows of one query, each read in its own tables.
  func changes(to after: ResultWindow, _ old: ReadContext, _ new: ReadContext) -> [RowChange] {
    let difference = difference(to: after, old, new)
    var added = Dictionary(
      difference.added.map { (after.identity($0.key), $0) }, uniquingKeysWith: { first, _ in first })
    func change(
      _ identity: UInt64, _ removed: TreeDifference.Entry?, _ added: TreeDifference.Entry?
    ) -> RowChange {
      let row = after.tree.layout.order == .first ? identity : after.row(identity)
      return RowChange(
        row: identity, old: removed == nil ? nil : old.tables[table].object(row),
        new: added == nil ? nil : new.tables[table].object(row), stamp: added?.stamp ?? 0,
        positions: (removed?.key.first ?? 0, added?.key.first ?? 0))
    }
    let removed = difference.removed.map { entry in
      let identity = identity(entry.key)
      return change(identity, entry, added.removeValue(forKey: identity))
    }
    return removed + added.map { change($0.key, nil, $0.value) }
  }

  private func difference(to after: ResultWindow, _ old: ReadContext, _ new: ReadContext) -> TreeDifference {
    let order = after.order
    return Tree.difference(from: tree, in: ranks, to: after.tree, in: after.ranks) {
      if !order.keys.isEmpty {
        let result = order.compare(
          old.tables[table].existing(row($0.second)), old,
          new.tables[table].existing(after.row($1.second)), new)
        if result != 0 { return result }
      }
      return ListPositions.compare($0.second, positions, $1.second, after.positions)
    }
  }
}
