/// Source: the rows of a baseline, which come and leave one by one, whatever the table has (E5).
///
/// Keeps: nothing. The rows are in the tree of the first stage, which has neither filter nor window.
/// Takes in: rows that came to the baseline, left it or changed in it.
/// Gives out: the same.
/// Why it is right: the baseline's table has every row that comes, as it is ordered.
package struct BaselineOperator: IncrementalOperator {
  package init() {}

  package func apply(_ changes: [RowChange], _ step: inout UpkeepStep) throws(NeedsRebuild) -> [RowChange] {
    changes
  }
}
