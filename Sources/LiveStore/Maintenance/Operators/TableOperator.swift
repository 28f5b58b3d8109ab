// Source: the rows of a table.
//
// Keeps: nothing, or the table's own tree where the first stage has all rows in insertion order.
// Takes in: the rows of the table that changed, and rows whose linked values may have.
// Gives out: the same.
// Why it is right: the router hands a query every row that its first stage can pass before or after the step (L3).
//
// A step that changes most of a large table costs more than an evaluation, so the operator asks for one.

/// The source of a first stage that keeps a tree of its own.
package struct TableOperator: IncrementalOperator {
  package init() {}

  package func apply(_ changes: [RowChange], _ step: inout UpkeepStep) throws(NeedsRebuild) -> [RowChange] {
    if step.replacesMost(by: changes) { throw .mostRowsChanged }
    return changes
  }
}

/// The source and the first stage at once: the table as it is.
///
/// - Complexity: O(1).
package struct WholeTableOperator: IncrementalOperator {
  let slot: Int

  package init(slot: Int) {
    self.slot = slot
  }

  package func apply(_ changes: [RowChange], _ step: inout UpkeepStep) throws(NeedsRebuild) -> [RowChange] {
    if step.replacesMost(by: changes) { throw .mostRowsChanged }
    step.after.trees[slot] = step.new.context.tables[step.table].rows
    return changes
  }
}

extension UpkeepStep {
  /// Whether evaluating the query is cheaper than following these rows.
  fileprivate func replacesMost(by changes: [RowChange]) -> Bool {
    changes.count > 1_024 && changes.count > new.context.tables[table].count / 2
  }
}
