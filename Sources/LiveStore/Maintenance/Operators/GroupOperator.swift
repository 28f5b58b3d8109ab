/// Group: an aggregate value for each key that the rows have.
///
/// Keeps: a table of the groups, with their exact sums and their order (`GroupTable`).
/// Takes in: rows that entered, left or changed in the window of the last stage.
/// Gives out: nothing. It is the last of its chain, and the groups are the result.
/// Why it is right: a group's value is a function of its rows (G2). A row is taken from its group as it was before the
/// step and added to its group as it is after.
package struct GroupOperator: GroupingOperator {
  package func apply(_ changes: [RowChange], _ step: inout UpkeepStep) throws(NeedsRebuild) -> [RowChange] {
    if changes.isEmpty { return changes }
    let source = GroupSource(
      trees: step.after.trees, table: step.table, old: step.old.context, new: step.new.context)
    if step.after.groups?.apply(changes, source) == false { throw .inconsistent }
    return []
  }

  package func side(_ groups: GroupedRows, _ rows: ResultWindow, version: Version?) -> ResultSide {
    ResultSide(groups.state, groups.window, version: version)
  }
}
