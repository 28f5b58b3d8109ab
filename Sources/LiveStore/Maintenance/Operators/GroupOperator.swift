/// Group: an aggregate value for each key that the rows have.
///
/// Keeps: a table of the groups, with their exact sums and their order (`GroupTable`).
/// Takes in: rows that entered, left or changed in the window of the last stage.
/// Gives out: nothing. It is the last of its chain, and the groups are the result.
/// Why it is right: a group's value is a function of its rows (G2). A row is taken from its group as it was before the
/// step and added to its group as it is after.
struct GroupOperator: GroupingOperator {
  func apply(_ changes: [RowChange], _ step: inout UpkeepStep) throws(NeedsRebuild) -> [RowChange] {
    if changes.isEmpty { return changes }
    let source = GroupSource(
      trees: step.after.trees, table: step.table, old: step.old.context, new: step.new.context)
    if step.after.groups?.apply(changes, source) == false { throw .inconsistent }
    return []
  }

  func side(_ groups: GroupedRows, _ rows: ResultWindow, version: Version?) -> ResultSide {
    ResultSide(groups.state, groups.window, version: version)
  }
}

/// An operator at the end of a chain, which makes the result from groups.
protocol GroupingOperator: IncrementalOperator {
  /// What an observer reads.
  ///
  /// - Parameter rows: the window of the last stage.
  func side(_ groups: GroupedRows, _ rows: ResultWindow, version: Version?) -> ResultSide
}

extension Grouping {
  /// What makes the result from the groups.
  var resultOperator: any GroupingOperator { form.kind == .sections ? SectionOperator() : GroupOperator() }
}

/// The groups of a maintained result, and the operator that makes the result from them.
struct MaintainedGroups {
  let table: any GroupUpkeep
  let result: any GroupingOperator

  init(_ table: any GroupUpkeep, _ result: any GroupingOperator) {
    self.table = table
    self.result = result
  }

  /// The groups of no rows.
  init(_ grouping: Grouping) { self.init(grouping.makeTable(), grouping.resultOperator) }

  /// What an observer reads.
  ///
  /// - Parameter rows: the window of the last stage.
  func side(_ state: StoreState, _ rows: ResultWindow, version: Version?) -> ResultSide {
    var groups = table.rows(beside: state)
    groups.window.failures = rows.failures
    return result.side(groups, rows, version: version)
  }
}
