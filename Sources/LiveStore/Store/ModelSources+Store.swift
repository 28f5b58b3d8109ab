extension ModelSources {
  /// How many rows are visited to evaluate the sources once, by their plans; queries that are equal but for their
  /// window share a result and count once.
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
  /// How many rows are visited to make a result that is maintained.
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
    for (before, _) in zip(stages, stages.dropFirst()) {
      passing = before.window(of: passing).count
      visited += passing
    }
    return grouping == nil ? visited : visited + stages[stages.count - 1].window(of: passing).count
  }
}
