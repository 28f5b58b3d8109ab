extension Grouping {
  /// The side that an observer would read of the groups of one filter's rows, without results of the rows and
  /// without the sums for upkeep; nil for other rows, and for groups that need a result of their rows.
  ///
  /// - Complexity: O(*v*) for *v* rows that the plan visits, and what sorting the groups takes.
  func side(ofFolding stages: [QueryStage], _ table: Int, _ state: StoreState) -> ResultSide? {
    guard isOfSums, stages.count == 1, stages[0].isFilterOnly else { return nil }
    var stage = stages[0]
    stage.order = RowOrder(keys: [])
    let run = stages.needsRun ? stages.makeRun() : nil
    let context = state.context.running(run)
    let plan = FilterRun.within(run) { QueryPlan(stage, table, context) }
    // Rows come in insertion order: the first of a group decides how its key is written.
    var groups = makeTable()
    let source = GroupSource(trees: [], table: table, old: state.context, new: state.context)
    FilterRun.within(run) {
      groups.fill(source, isMaintained: false) { portions in
        var work = QueryWork()
        plan.forEachBlock(stage, table, context, &work) { block in
          portions.append(block)
          return true
        }
      }
    }
    if run?.isStopped == true { groups = makeTable() }
    return side(of: groups, table, state, run?.failure)
  }

  /// The side that an observer would read of no rows, since their evaluation ended early.
  func side(ofNoRowsIn table: Int, _ state: StoreState, _ failure: StoreError?) -> ResultSide {
    side(of: makeTable(), table, state, failure)
  }

  private func side(
    of groups: any GroupUpkeep, _ table: Int, _ state: StoreState, _ failure: StoreError?
  ) -> ResultSide {
    var rows = ResultWindow.none(of: table)
    rows.failure = failure
    return resultOperator.side(of: groups, state, rows)
  }

  /// Whether the groups are the result, and their values do not depend on an order of the rows.
  private var isOfSums: Bool {
    switch form.kind {
    case .count, .sum, .average: true
    case .min, .max, .sections: false
    }
  }
}
