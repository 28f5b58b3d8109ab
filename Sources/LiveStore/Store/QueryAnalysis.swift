/// How a query was evaluated: its plan, the estimated work and the actual work.
///
/// ```swift
/// print(Post.where { $0.likeCount >= 10 && $0.title.contains("swift") }.analyze(in: snapshot))
/// // index Post.likeCount: 120 of 5000 rows, filter …; tested 120 rows, found 4, read 120 index entries
/// ```
/// The numbers depend on the objects and the query alone, so tests can rely on them where times vary.
public struct QueryAnalysis: Sendable, Hashable, CustomStringConvertible {
  /// The plan, as ``Query/explain(in:)`` shows it.
  public let plan: String
  /// How many objects were expected to be tested at most: the objects in the ranges of the indexes, or all.
  /// Fewer are tested if the first ones fill the query's window.
  public let estimatedRows: Int
  /// How many objects the filter was tested for, in all steps of the query.
  public let testedRows: Int
  /// How many objects the query has, or counts.
  public let foundRows: Int
  /// How many entries of indexes were read. The search for where a range begins and ends is not counted.
  public let indexEntries: Int

  /// The plan and the numbers, in one line.
  public var description: String {
    "\(plan); tested \(testedRows) rows, found \(foundRows), read \(indexEntries) index entries"
  }
}

extension Query {
  /// Evaluates the query in a snapshot, and says how: with the work that it took.
  ///
  /// - Complexity: that of fetching the query.
  public func analyze(in snapshot: Snapshot) -> QueryAnalysis {
    let context = snapshot.state.context
    var (work, found) = (QueryWork(), 0)
    if let table = context.catalog.index(of: Element.self) {
      found = context.evaluate(stages, table, &work).count
    }
    return QueryAnalysis(
      plan: explain(in: snapshot), estimatedRows: context.estimate(self), testedRows: work.rowsTested,
      foundRows: found, indexEntries: work.entriesRead)
  }
}

extension Count {
  /// Counts the rows in a snapshot, and says how: with the work that it took.
  ///
  /// - Complexity: that of counting the query.
  public func analyze(in snapshot: Snapshot) -> QueryAnalysis {
    let context = snapshot.state.context
    var work = QueryWork()
    let found = context.count(query, &work)
    return QueryAnalysis(
      plan: explain(in: snapshot),
      estimatedRows: context.indexOfCount(query) == nil ? context.estimate(query) : 0,
      testedRows: work.rowsTested, foundRows: found, indexEntries: work.entriesRead)
  }
}

extension ReadContext {
  /// How many rows the first step of a query is expected to test at most.
  fileprivate func estimate<Element: Entity>(_ query: Query<Element>) -> Int {
    guard let table = catalog.index(of: Element.self) else { return 0 }
    if let source = query.stages[0].source { return source.window(table, self, stamp: nil).count }
    return QueryPlan(query.stages[0], table, self).estimate
  }
}
