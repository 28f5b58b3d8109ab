/// Group: an aggregate value for each key that the rows have, or where each section of the rows begins.
///
/// Keeps: a table of the groups, with their exact sums and their order (`GroupTable`).
/// Takes in: rows that entered, left or changed in the window of the last stage.
/// Gives out: nothing. It is the last of its chain, and the groups are the result, or the sections of the rows.
/// Why it is right: a group's value is a function of its rows (G2). A row is taken from its group as it was before the
/// step and added to its group as it is after. Where the groups are sections, the last stage is ordered by section first:
/// rows with equal keys are neighbours, so a section is the ranks from the first row of its key on, as many as its group
/// counts.
package struct GroupOperator: IncrementalOperator {
  /// Whether the rows stay the result, and the groups are its sections.
  let areSections: Bool

  package func apply(_ changes: [RowChange], _ step: inout UpkeepStep) throws(NeedsRebuild) -> [RowChange] {
    if changes.isEmpty { return changes }
    let source = GroupSource(
      trees: step.after.trees, table: step.table, old: step.old.context, new: step.new.context)
    if step.after.groups?.apply(changes, source) == false { throw .inconsistent }
    return []
  }

  /// The side that an observer reads.
  ///
  /// - Parameter rows: the window of the last stage.
  package func side(
    of groups: any GroupUpkeep, _ state: StoreState, _ rows: ResultWindow, version: Version? = nil
  ) -> ResultSide {
    var groups = groups.rows(beside: state)
    groups.window.failure = rows.failure
    return areSections
      ? ResultSide(groups.state, rows, sections: groups.window, version: version)
      : ResultSide(groups.state, groups.window, version: version)
  }
}

extension Grouping {
  /// The operator that makes the result from the groups.
  package var resultOperator: GroupOperator { GroupOperator(areSections: form.kind == .sections) }
}
