extension ReadContext {
  /// The rows of a query in these tables, evaluated now.
  package func evaluate<Element: Entity>(_ query: Query<Element>) -> ResultWindow {
    guard let table = catalog.index(of: Element.self) else {
      return .ofUnknownEntity(Element.self)
    }
    return evaluate(query.stages, table)
  }

  package func evaluate(_ stages: [QueryStage], _ table: Int) -> ResultWindow {
    var work = QueryWork()
    return evaluate(stages, table, &work)
  }

  package func evaluate(_ stages: [QueryStage], _ table: Int, _ work: inout QueryWork) -> ResultWindow {
    guard stages.needsRun else { return find(stages, table, &work) }
    let run = stages.makeRun()
    var window = run { running(run).find(stages, table, &work) }
    if run.isStopped { window = .none(of: table) }
    window.failure = run.failure
    return window
  }

  private func find(_ stages: [QueryStage], _ table: Int, _ work: inout QueryWork) -> ResultWindow {
    let linked = stages.named
    let stamp = linked.isEmpty ? nil : linkedStamp
    var window =
      stages[0].source?.window(table, self, stamp: stamp) ?? evaluate(stages[0], table, stamp, &work)
    if stages.needPositions { window.positions = ListPositions(window.tree) }
    for stage in stages[0].source != nil ? stages[...] : stages.dropFirst() {
      work.rowsTested += window.count
      window = evaluate(stage, in: window, stamp: stamp)
    }
    window.linked = linked
    return window
  }

  private func evaluate(_ stage: QueryStage, in window: ResultWindow, stamp: UInt64?) -> ResultWindow {
    let tree = evaluate(stage, over: window, stamp: stamp)
    return ResultWindow(
      table: window.table, tree: tree, ranks: stage.window(of: tree.count), order: stage.order,
      positions: window.positions)
  }

  private func evaluate(
    _ stage: QueryStage, _ table: Int, _ stamp: UInt64?, _ work: inout QueryWork
  ) -> ResultWindow {
    let plan = QueryPlan(stage, table, self)
    let tree = plan.run(stage, table, self, stamp: stamp, &work)
    return ResultWindow(table: table, tree: tree, ranks: plan.window(of: stage, in: tree), order: stage.order)
  }

  /// How many rows a query has; counts without collecting rows if there is only one stage.
  package func count<Element: Entity>(_ query: Query<Element>) -> Int {
    var work = QueryWork()
    return count(query, &work)
  }

  package func count<Element: Entity>(_ query: Query<Element>, _ work: inout QueryWork) -> Int {
    guard let table = catalog.index(of: Element.self) else { return 0 }
    guard query.stages.count == 1, query.stages[0].source == nil else {
      return evaluate(query.stages, table, &work).count
    }
    let stage = query.stages[0]
    if let count = exactCount(stage.filter, table) { return stage.window(of: count).count }
    let run = query.stages.needsRun ? query.stages.makeRun() : nil
    let context = running(run)
    let count = FilterRun.within(run) {
      QueryPlan(stage, table, context).count(stage, table, context, &work)
    }
    return run?.isStopped == true ? 0 : stage.window(of: count).count
  }

  /// The stamp of all entries of a query that names linked values, which change without their owners: the version at
  /// which they were read (V1).
  package var linkedStamp: UInt64 { version | 1 << 63 }

  /// A stage over the window of the one before it.
  /// - Parameters:
  ///   - stamp: the stamp of all entries; nil for the stamps of their rows.
  ///   - isEdited: whether entries will be added to the tree. Then it must not be a table's own tree, which holds
  ///     objects (A1).
  package func evaluate(
    _ stage: QueryStage, over window: ResultWindow, stamp: UInt64?, isEdited: Bool = false
  ) -> Tree {
    if stage.isWhole(over: window), window.ranks == 0..<window.tree.count,
      !(isEdited && window.tree.layout.holdsObjects)
    {
      return window.tree
    }
    let isList = window.tree.layout.areOccurrences
    var collector = RowCollector(
      stage.order, stage.filter, window.table, self, stamp: stamp, isList: isList,
      positions: window.positions)
    var cursor = TreeCursor(window.tree, at: window.ranks.lowerBound)
    var firsts = stage.distinct.isEmpty ? nil : DistinctWalk(stage.distinct, window.table, self)
    for _ in window.ranks {
      guard let entry = cursor.next(), run?.visit() ?? true else { break }
      guard firsts?.isFirst(window.rowNumber(entry.key)) ?? true else { continue }
      if isList { collector.offer(listed: entry.key) } else { collector.offer(window.rowNumber(entry.key)) }
    }
    return collector.finish()
  }
}

extension TreeLayout {
  /// Results in insertion order: (row number, stamp).
  package static let insertionOrder = TreeLayout.keys(order: .first)
  /// Results in another order: (sort key, row number) with a stamp.
  package static let sorted = TreeLayout.stamped()

  /// The layout of a result in an order.
  static func result(_ order: RowOrder, isList: Bool) -> TreeLayout {
    order.keys.isEmpty ? isList ? .listed : .insertionOrder : isList ? .sortedList : .sorted
  }
}

extension QueryStage {
  /// Whether a stage over another has all its rows, in the same order.
  func isWhole(over window: ResultWindow) -> Bool {
    filter == .constant(true) && distinct.isEmpty && order == window.order
  }
}

extension QueryStage {
  /// Whether a stage over another has all its rows, in another order.
  var isOrderOnly: Bool {
    source == nil && filter == .constant(true) && distinct.isEmpty && offset == 0 && limit == nil
  }

  /// What the filter, the order and the tracked paths mean.
  var terms: [Term] {
    var terms: [Term] = []
    _ = filter.contains { condition in
      terms.append(condition.term)
      return false
    }
    return terms + order.keys.map(\.path) + tracked.map(\.term)
  }
}

extension [QueryStage] {
  /// The values read over links that the filters, the orders and the tracked paths name, each once.
  package var named: [NamedValue] {
    flatMap { $0.filter.named + $0.order.keys.flatMap(\.named) + $0.tracked }.distinct
  }
}
