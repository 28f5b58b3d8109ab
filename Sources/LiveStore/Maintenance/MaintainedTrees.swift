/// The maintained result of a query: the trees that its chain of operators keeps, at one state.
///
/// Everything a live result is lies in its trees. This is a function from trees and changed rows to trees, and a value:
/// a copy shares all nodes.
package struct MaintainedTrees: Sendable {
  let plan: UpkeepPlan
  package private(set) var kept = ChainTrees()
  /// Whether the rows have no consistent order, so that the next step evaluates them again (L8).
  private var needsRebuild = false
  /// Whether the router can find the query by every row of its first stage.
  package private(set) var isRoutable = true
  /// How many changed rows have passed all of its operators, in the steps so far.
  private(set) var rowsChanged = 0
  /// Why an evaluation ended early, if one did. From then on the trees belong to no state, and do not change.
  private(set) var failure: StoreError?

  /// Evaluates a query at a state.
  ///
  /// - Parameter isAbandoned: whether nothing waits for the result any more.
  package init(
    _ stages: [QueryStage], _ table: Int, _ grouping: Grouping? = nil, at state: StoreState,
    isAbandoned: (@Sendable () -> Bool)? = nil
  ) {
    self.init(UpkeepPlan(stages, table, grouping), at: state, isAbandoned: isAbandoned)
  }

  private init(_ plan: UpkeepPlan, at state: StoreState, isAbandoned: (@Sendable () -> Bool)? = nil) {
    self.init(plan: plan)
    guard plan.needsRun || isAbandoned != nil else {
      evaluate(at: state, nil)
      return
    }
    let run = FilterRun(
      maximumVisits: plan.maximumVisits, weight: plan.weight, isAbandoned: isAbandoned)
    run { evaluate(at: state, run) }
    failure = run.failure
  }

  private init(plan: UpkeepPlan) { self.plan = plan }

  /// A baseline: the rows of a result as a stage of their own, which rows enter and leave from here on, and
  /// the stages behind it with the orders that groups need.
  ///
  /// - Parameter last: the observer's own last stage, for its window.
  /// - Complexity: O(1) for a whole result, O(*w* log *w*) for a window of *w* rows.
  package init(baselineOf other: MaintainedTrees, _ last: QueryStage, at state: StoreState) {
    let stages = other.stages
    var first = stages.count - 1
    while other.plan.grouping != nil, first > 0, stages[first].isOrderOnly { first -= 1 }
    let isLast = first == stages.count - 1
    var stage = QueryStage()
    stage.order = isLast ? last.order : stages[first].order
    self.init(plan: UpkeepPlan(baselineStages: [stage] + stages[(first + 1)...], of: other.plan))
    let rows = isLast ? other.result(last) : other.window(first)
    let stamp = linkedStamp(state.context)
    kept.trees = [state.context.evaluate(stage, over: rows, stamp: stamp, isEdited: true)]
    kept.trees += other.kept.trees[other.plan.slot(ofStage: first + 1)...]
    kept.groups = other.kept.groups
    needsRebuild = other.needsRebuild
  }

  var table: Int { plan.table }
  var stages: [QueryStage] { plan.stages }
  /// Values of linked rows by which rows differ, too.
  var linked: [NamedValue] { plan.linked }
  /// Whether the result is the table itself, which needs no upkeep.
  var isTable: Bool { plan.isTable }
  /// Whether these are the rows of a baseline, which enter and leave one by one, whatever is in their table.
  var isBaseline: Bool { if case .baseline = plan.source { true } else { false } }
  /// The entries of the list that the query starts from; nil if it starts from the table.
  var base: Tree? { if case .list = plan.source { kept.trees[0] } else { nil } }

  /// The stamp of rows read in a state; nil if each row has its own.
  func linkedStamp(_ context: ReadContext) -> UInt64? { linked.isEmpty ? nil : context.linkedStamp }

  /// Whether both hold the same trees.
  func isIdentical(to other: MaintainedTrees) -> Bool {
    isBaseline == other.isBaseline
      && zip(kept.trees, other.kept.trees).allSatisfy { $0.isIdentical(to: $1) }
  }

  /// How many rows, groups or values the result has without the window of an observer.
  ///
  /// - Complexity: O(1).
  var count: Int {
    kept.groups.flatMap { plan.grouper?.areSections == true ? nil : $0.count }
      ?? kept.trees[plan.slot(ofStage: stages.count - 1)].count
  }

  /// The result under the window of an observer's own last stage.
  package func result(_ last: QueryStage) -> ResultWindow {
    let index = stages.count - 1
    return kept.window(plan.slot(ofStage: index), isBaseline ? stages[0] : last, table)
  }

  /// What an observer reads of a result at a state.
  ///
  /// - Parameter last: the observer's own last stage, for its window.
  package func side(_ state: StoreState, _ last: QueryStage, version: Version? = nil) -> ResultSide {
    var window = result(last)
    window.failure = failure
    guard let groups = kept.groups, let grouper = plan.grouper else {
      return ResultSide(state, window, version: version)
    }
    return grouper.side(of: groups, state, window, version: version)
  }

  /// The window that a stage hands to the next.
  private func window(_ index: Int) -> ResultWindow {
    kept.window(plan.slot(ofStage: index), stages[index], table)
  }

  /// Whether a row of the table is in a result that has all its rows.
  ///
  /// - Complexity: O(log *m*).
  func has(_ row: FoundRow, _ context: ReadContext) -> Bool {
    isTable || window(stages.count - 1).position(of: row.row, row.object, context) != nil
  }

  /// The rows in which an observer's results differ, in windows of trees of one line.
  ///
  /// - Parameter last: the observer's own last stage.
  func changes(
    to other: MaintainedTrees, _ last: QueryStage, _ old: StoreState, _ new: StoreState
  ) -> [RowChange] {
    result(last).changes(to: other.result(last), old.context, new.context)
  }
}

// MARK: Steps

extension MaintainedTrees {
  /// Follows changed rows of the table, and rows whose linked values may have changed: all rows that can
  /// matter to the first stage.
  ///
  /// - Parameter isAbandoned: whether nothing waits for the result any more.
  /// - Returns: whether the result was evaluated again, because most of it changed or was inconsistent.
  /// - Complexity: O(*k* log *m*) for *k* rows.
  package mutating func apply(
    _ rows: [RowChange], from old: StoreState, to new: StoreState, isAbandoned: (@Sendable () -> Bool)? = nil
  ) -> Bool {
    if isTable {
      kept.trees[0] = new.tables[table].rows
      rowsChanged += rows.count
      return false
    }
    guard plan.needsRun else { return follow(rows, from: old, to: new, nil) }
    guard failure == nil else { return false }
    let run = FilterRun(
      maximumVisits: plan.maximumVisits, weight: plan.weight, isAbandoned: isAbandoned)
    let isEvaluated = run { follow(rows, from: old, to: new, run, isAbandoned) }
    // An evaluation from the beginning has a run of its own.
    failure = failure ?? run.failure
    return isEvaluated
  }

  private mutating func follow(
    _ rows: [RowChange], from old: StoreState, to new: StoreState, _ run: FilterRun?,
    _ isAbandoned: (@Sendable () -> Bool)? = nil
  ) -> Bool {
    do throws(NeedsRebuild) {
      if needsRebuild { throw .inconsistent }
      var step = UpkeepStep(table, linked, kept, from: old, to: new, run)
      var changes = rows
      var count = 0
      for next in plan.operators {
        // Those of groups have no rows.
        count = changes.count
        changes = try next.apply(changes, &step)
      }
      rowsChanged += max(changes.count, plan.grouper == nil ? 0 : count)
      kept = step.after
      if !step.isRoutable { isRoutable = false }
      return false
    } catch {
      // The changes found by a run that has ended early may be inconsistent.
      if run?.isStopped == true { return false }
      self =
        isBaseline
        ? rebuiltBaseline(with: rows, at: new) : MaintainedTrees(plan, at: new, isAbandoned: isAbandoned)
      return true
    }
  }
}

// MARK: Evaluation

extension MaintainedTrees {
  private mutating func evaluate(at state: StoreState, _ run: FilterRun?) {
    let context = state.context.running(run)
    let stamp = linkedStamp(context)
    switch plan.source {
    case .list(let source):
      var entries = source.window(table, context, stamp: stamp)
      kept.trees.append(entries.tree)
      if stages.needPositions { kept.positions = ListPositions(entries.tree) }
      entries.positions = kept.positions
      evaluate(stages[...], over: entries, context)
    case .wholeTable, .table:
      let access = QueryPlan(stages[0], table, context, isComplete: true)
      var work = QueryWork()
      kept.trees.append(access.run(stages[0], table, context, stamp: stamp, &work))
      evaluate(stages.dropFirst(), over: window(0), context)
    case .baseline:
      preconditionFailure("the rows of a baseline are those of no evaluation")
    }
    isRoutable = kept.trees[plan.slot(ofStage: 0)].isRoutable(by: plan.routes, side(context))
  }

  /// Evaluates stages, each over the window of the one before, and groups their rows.
  private mutating func evaluate(
    _ stages: ArraySlice<QueryStage>, over window: ResultWindow, _ context: ReadContext
  ) {
    var window = window
    let stamp = linkedStamp(context)
    for (index, stage) in zip(stages.indices, stages) {
      kept.trees.append(context.evaluate(stage, over: window, stamp: stamp, isEdited: true))
      window = self.window(index)
    }
    let source = GroupSource(trees: kept.trees, table: table, old: context, new: context)
    if var groups = plan.emptyGroups {
      groups.fill(source, isMaintained: true) { window.append(to: &$0, context.tables[plan.table]) }
      kept.groups = groups
    }
    let isOrdered = plan.stages.indices.allSatisfy { index in
      kept.trees[plan.slot(ofStage: index)].isOrdered(by: plan.stages[index].order, side(context))
    }
    needsRebuild = !isOrdered
  }

  /// The baseline, put in order again after some rows entered and left.
  private func rebuiltBaseline(with rows: [RowChange], at state: StoreState) -> MaintainedTrees {
    let window = window(0)
    var known = Set((0..<window.count).map { window.row(at: $0) })
    for row in rows { if row.new == nil { known.remove(row.row) } else { known.insert(row.row) } }
    var tree = Tree(.insertionOrder)
    let all = state.tables[table].rows
    for row in known.sorted() {
      guard let entry = all.floor(row), entry.key.first == row else { continue }
      tree.insert(TreeKey(row, entry.key.second))
    }
    let entries = ResultWindow(table: table, tree: tree, ranks: 0..<tree.count, order: RowOrder(keys: []))
    var next = MaintainedTrees(plan: plan)
    next.evaluate(stages[...], over: entries, state.context)
    return next
  }

  private func side(_ context: ReadContext) -> StepSide {
    StepSide(table: table, context: context, positions: kept.positions)
  }
}
