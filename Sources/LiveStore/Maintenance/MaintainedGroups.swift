/// The groups of a maintained result, and the operator that makes the result from them.
package struct MaintainedGroups {
  let table: any GroupUpkeep
  let result: any GroupingOperator

  package init(_ table: any GroupUpkeep, _ result: any GroupingOperator) {
    self.table = table
    self.result = result
  }

  /// The groups of no rows.
  init(_ grouping: Grouping) { self.init(grouping.makeTable(), grouping.resultOperator) }

  /// What an observer reads.
  ///
  /// - Parameter rows: the window of the last stage.
  package func side(_ state: StoreState, _ rows: ResultWindow, version: Version?) -> ResultSide {
    var groups = table.rows(beside: state)
    groups.window.failures = rows.failures
    return result.side(groups, rows, version: version)
  }
}
