/// A table of groups that is maintained from the rows of a query's last stage: a value made of trees.
package protocol GroupUpkeep: Sendable {
  /// How many groups there are.
  var count: Int { get }

  /// Applies rows that entered, left or changed in the last stage's window.
  ///
  /// - Returns: false if keys or values are inconsistent; then the groups need to be rebuilt.
  /// - Complexity: O(*k* log *m*) for *k* rows.
  mutating func apply(_ rows: [RowChange], _ source: GroupSource) -> Bool

  /// Fills an empty table with all rows.
  ///
  /// - Parameters:
  ///   - isMaintained: whether rows are going to be applied to it.
  ///   - add: adds the rows; rows of one group are in the order of the last stage.
  /// - Complexity: O(*m*) for *m* rows, plus sorting the groups.
  mutating func fill(_ source: GroupSource, isMaintained: Bool, _ add: (inout RowPortions) -> Void)

  /// The groups as rows of a table beside the tables of a state.
  func rows(beside state: StoreState) -> GroupedRows
}
