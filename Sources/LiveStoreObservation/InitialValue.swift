/// When a model loads its first value.
///
/// ```swift
/// LiveResults(store, Post.where { $0.slug == slug })                // one row of an index: in the first frame
/// LiveResults(store, allPosts, initial: .deferred)                  // whatever it takes, in the background
/// ```
public enum InitialValue: Sendable, Hashable {
  /// During the first read if the query's plan visits no more than 10,000 rows, which takes milliseconds; otherwise in
  /// the background, after the first read. A value that is maintained already is read at once in any case.
  ///
  /// Each row that is read counts once: for a filter with an index, the rows that the index leads to; for a
  /// filter without an index, all rows of the table; for a whole table in insertion order, none. Rows that
  /// are sorted by text or by several keys count five times. A limit makes no difference, since a model
  /// maintains the rows outside its window, too. `query.explain(in:)` shows the plan. A filter with a
  /// closure, or over many links, may take longer for a row; there choose `.deferred`.
  case automatic
  /// In the background, after the first read.
  case deferred
  /// During the first read.
  case synchronous
}
