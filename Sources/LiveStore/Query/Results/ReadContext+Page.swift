import Foundation

extension ReadContext {
  /// A page of a query.
  ///
  /// - Parameters:
  ///   - state: the state of these tables, to which the page is pinned.
  ///   - transaction: the identity of the uncommitted transaction that these tables belong to, if any.
  /// - Throws: `invalidCursor`.
  /// - Complexity: as ``StoreReader/page(of:after:first:)``.
  func page<Element: Entity>(
    of query: Query<Element>, after cursor: PageCursor?, first count: Int, in state: StoreState,
    transaction: UUID? = nil
  ) throws(StoreError) -> ResultPage<Element> {
    guard let table = catalog.index(of: Element.self) else {
      return ResultPage(rows: Results(state: state, window: .ofUnknownEntity(Element.self)), next: nil)
    }
    let count = max(1, count)
    let order = query.stages[query.stages.count - 1].order
    let source = query.stages[0].source
    let position = try cursor?.position(in: order, of: source, table, self, transaction)
    var window = rows(query.stages, table, after: position, atLeast: count == .max ? count : count + 1)
    var next: PageCursor?
    if window.count > count {
      window.ranks = window.ranks.prefix(count)
      let last = window.tree.entry(at: window.ranks.upperBound - 1).key
      next = try PageCursor(behind: last, of: window, source, self, transaction)
    }
    return ResultPage(rows: Results(state: state, window: window), next: next)
  }

  /// The rows of a query behind a position: at least the first `count`, if there are so many.
  private func rows(
    _ stages: [QueryStage], _ table: Int, after position: RowPosition?, atLeast count: Int
  ) -> ResultWindow {
    var stage = stages[0]
    guard stages.count == 1, !stage.hasWindow, stage.source == nil else {
      var window = evaluate(stages, table)
      if let position { window.ranks = window.ranks(after: position, self) }
      return window
    }
    stage.limit = count
    let linked = stages.named
    let run = stages.needsRun ? stages.makeRun() : nil
    let context = running(run)
    let plan = FilterRun.within(run) { QueryPlan(stage, table, context, after: position) }
    let stamp = linked.isEmpty ? nil : linkedStamp
    var work = QueryWork()
    let tree = FilterRun.within(run) { plan.run(stage, table, context, stamp: stamp, &work) }
    var window = ResultWindow(
      table: table, tree: tree, ranks: plan.window(of: stage, in: tree), order: stage.order)
    if run?.isStopped == true { window = .none(of: table) }
    window.failure = run?.failure
    window.linked = linked
    return window
  }
}

extension ResultWindow {
  /// The ranks of the window's rows behind a position.
  ///
  /// - Complexity: O(log² *m*).
  fileprivate func ranks(after position: RowPosition, _ context: ReadContext) -> Range<Int> {
    let start = ranks.partitionPoint { rank in
      let key = tree.entry(at: rank).key
      let object = context.tables[table].existing(rowNumber(key))
      return !position.isBefore(object, tie: name(key), context)
    }
    return start..<ranks.upperBound
  }
}
