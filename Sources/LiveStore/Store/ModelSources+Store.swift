extension ModelSources {
  /// How many rows are visited to evaluate the sources once, by their plans. A row counts as five if 64 bits
  /// do not decide its place in a sort, as by text or by several keys.
  ///
  /// Queries that are equal but for their window share a result and count once.
  ///
  /// - Complexity: that of planning, O(log *n*) for most queries.
  package func visitedRows(in snapshot: Snapshot) -> Int {
    let context = snapshot.state.context
    let keys = queries.compactMap { query in
      context.catalog.index(of: query.type).map { QueryKey($0, query.stages, query.grouping) }
    }
    return Set(keys).reduce(0) { $0 + $1.visitedRows(in: context) }
  }
}

extension QueryKey {
  /// How many rows are visited to make a result that is maintained, which has all rows whatever its window.
  fileprivate func visitedRows(in context: ReadContext) -> Int {
    var (visited, passing) = (0, context.tables[table].count)
    if let source = stages[0].source {
      passing = source.window(table, context, stamp: nil).count
      visited = passing
    } else {
      let plan = QueryPlan(stages[0], table, context, isComplete: true)
      visited = plan.estimate
      if case .table = plan.access {} else { passing = min(passing, plan.estimate) }
    }
    for (number, stage) in stages.enumerated() {
      if !stage.order.isExact { visited += 4 * passing }
      passing = stage.window(of: passing).count
      if number < stages.count - 1 || grouping != nil { visited += passing }
    }
    return visited
  }
}
