/// The work that an evaluation of a query did, in steps and not in time.
package struct QueryWork: Hashable, Sendable {
  /// Rows that the filter was tested for.
  package var rowsTested = 0
  /// Entries of indexes that led to rows, without the searches for where a range begins and ends.
  package var entriesRead = 0

  package init() {}
}
