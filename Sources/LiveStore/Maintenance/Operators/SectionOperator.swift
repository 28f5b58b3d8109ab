/// Section: the rows, and where the sections among them begin.
///
/// Keeps: a table of the groups by section, as a grouping that counts does.
/// Takes in: rows that entered, left or changed in the window of the last stage, which is ordered by section first.
/// Gives out: nothing. It is the last of its chain; the rows are the result, and the groups are its sections.
/// Why it is right: rows with equal section keys are neighbours in that order, so a section is the ranks from the
/// first row of its key on, as many as its group counts.
package struct SectionOperator: GroupingOperator {
  private let groups = GroupOperator()

  package func apply(_ changes: [RowChange], _ step: inout UpkeepStep) throws(NeedsRebuild) -> [RowChange] {
    try groups.apply(changes, &step)
  }

  package func side(_ groups: GroupedRows, _ rows: ResultWindow, version: Version?) -> ResultSide {
    ResultSide(groups.state, rows, sections: groups.window, version: version)
  }
}
