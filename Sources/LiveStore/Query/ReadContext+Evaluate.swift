extension ReadContext {
  /// The rows of a query in these tables, evaluated now.
  package func evaluate<Element: Entity>(_ query: Query<Element>) -> ResultWindow {
    guard let table = catalog.index(of: Element.self) else {
      // A store without this entity has none of its objects.
      return ResultWindow(table: -1, tree: Tree(.insertionOrder), ranks: 0..<0, order: RowOrder(keys: []))
    }
    return evaluate(query.stages, table)
  }

  package func evaluate(_ stages: [QueryStage], _ table: Int) -> ResultWindow {
    var window = evaluate(stages[0], table)
    for stage in stages.dropFirst() {
      let tree = evaluate(stage, over: window)
      window = ResultWindow(
        table: table, tree: tree, ranks: stage.window(of: tree.count), order: stage.order)
    }
    return window
  }

  private func evaluate(_ stage: QueryStage, _ table: Int) -> ResultWindow {
    let plan = QueryPlan(stage, table, self)
    let tree = plan.run(stage, table, self)
    return ResultWindow(table: table, tree: tree, ranks: stage.window(of: tree.count), order: stage.order)
  }

  /// How many rows a query has; counts without collecting where one stage is all there is.
  package func count<Element: Entity>(_ query: Query<Element>) -> Int {
    guard let table = catalog.index(of: Element.self), query.stages.count == 1 else {
      return evaluate(query).count
    }
    let stage = query.stages[0]
    return stage.window(of: QueryPlan(stage, table, self).count(stage, table, self)).count
  }

  /// A stage over the window of the one before it.
  package func evaluate(_ stage: QueryStage, over window: ResultWindow) -> Tree {
    var collector = RowCollector(stage.order, stage.filter, window.table, self)
    var cursor = TreeCursor(window.tree, at: window.ranks.lowerBound)
    var firsts = stage.distinct.isEmpty ? nil : DistinctWalk(stage.distinct, window.table, self)
    for _ in window.ranks {
      guard let entry = cursor.next() else { break }
      let row = window.rowNumber(entry.key)
      if firsts?.isFirst(row) ?? true { collector.offer(row) }
    }
    return collector.finish()
  }
}

extension TreeLayout {
  /// Results in insertion order: (row number, stamp).
  static let insertionOrder = TreeLayout.keys(order: .first)
  /// Results in another order: (sort key, row number) with a stamp.
  static let sorted = TreeLayout.stamped()
}
