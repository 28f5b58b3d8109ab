/// An operator at the end of a chain, which makes the result from groups.
package protocol GroupingOperator: IncrementalOperator {
  /// What an observer reads.
  ///
  /// - Parameter rows: the window of the last stage.
  func side(_ groups: GroupedRows, _ rows: ResultWindow, version: Version?) -> ResultSide
}

extension Grouping {
  /// What makes the result from the groups.
  package var resultOperator: any GroupingOperator {
    form.kind == .sections ? SectionOperator() : GroupOperator()
  }
}
