/// Filter: the rows that meet a condition.
///
/// Keeps: nothing. The tree of the order after it has the rows that pass.
/// Takes in: changed rows.
/// Gives out: for each row the object before, if it passed, and the object after, if it passes; no row for
/// which neither holds.
/// Why it is right: whether a row passes depends on the row and on what it reads over links, both on one side
/// of the step. A row is not handed to the chain if neither changed, and passes as before.
package struct FilterOperator: IncrementalOperator {
  let filter: ConditionTree

  package init(filter: ConditionTree) {
    self.filter = filter
  }

  package func apply(_ changes: [RowChange], _ step: inout UpkeepStep) throws(NeedsRebuild) -> [RowChange] {
    var passing: [RowChange] = []
    let run = step.new.context.run
    for row in changes {
      guard run?.visit(2) ?? true else { break }
      var old = row.old
      var new = row.new
      if let object = old, !filter.matches(object, step.old.context) { old = nil }
      if let object = new, !filter.matches(object, step.new.context) { new = nil }
      if old == nil && new == nil { continue }
      passing.append(
        RowChange(
          row: row.row, old: old, new: new, stamp: row.stamp, isLinked: row.isLinked,
          positions: row.positions))
    }
    return passing
  }
}
