/// How the result of a query is kept up to date: the operators of its chain, and where each keeps its tree.
///
/// All special cases are chosen here, once for each query: a table that is observed as it is, a list, a stage
/// without a filter, a window over an unsorted table, types that may be inconsistent. An operator does one
/// thing and asks for no combination.
///
/// All versions of a result share their plan.
package final class UpkeepPlan: Sendable {
  /// Where the rows of the first stage come from.
  enum Source {
    /// The table, whose own tree is the tree of the first stage; not if linked values are named (V3).
    case wholeTable
    case table
    case list(ListSource)
    /// The rows of a baseline, which enter and leave one by one, whatever is in their table (E5). The table
    /// has every row that enters, with the values that order it, so the stage takes the changes as they are.
    case baseline
  }

  let table: Int
  let stages: [QueryStage]
  let grouping: Grouping?
  /// Values of linked rows by which rows differ, too.
  let linked: [NamedValue]
  /// The links that lead to these values.
  let chains: Set<TermRead>
  let source: Source
  /// How many rows an evaluation, or a step of upkeep, may visit; nil for any number.
  let maximumVisits: Int?
  /// How many visits a visited row counts as.
  let weight: Int
  /// Whether a step of upkeep may take long, or end with an error.
  let needsRun: Bool
  /// How the values of the first stage's filter lead to the query, where that has to be checked.
  let routes: [Router.Route]
  /// From the source to the order of the last stage, or to the grouping.
  package let operators: [any IncrementalOperator]
  /// The operator that makes the result from groups, if the rows are grouped.
  let grouper: GroupOperator?

  /// The plan of a query.
  package convenience init(_ stages: [QueryStage], _ table: Int, _ grouping: Grouping?) {
    let linked = (stages.named + (grouping?.named ?? [])).distinct
    let first = stages[0]
    let source: Source
    if let list = first.source {
      source = .list(list)
    } else if first.filter == .constant(true), first.order.keys.isEmpty, linked.isEmpty {
      source = .wholeTable
    } else {
      source = .table
    }
    self.init(stages, table, grouping, linked, source)
  }

  /// The plan of the stages of a baseline.
  ///
  /// - Parameter other: the plan of the query whose rows they are.
  convenience init(baselineStages stages: [QueryStage], of other: UpkeepPlan) {
    self.init(stages, other.table, other.grouping, other.linked, .baseline)
  }

  private init(
    _ stages: [QueryStage], _ table: Int, _ grouping: Grouping?, _ linked: [NamedValue], _ source: Source
  ) {
    self.table = table
    self.stages = stages
    self.grouping = grouping
    self.linked = linked
    chains = linked.chains
    self.source = source
    maximumVisits = stages.maximumVisits
    weight = stages.weight
    needsRun = stages.needsRun || !linked.isEmpty || stages.contains { $0.filter.hasClosure }
    routes = if case .baseline = source { [] } else { Router.Route.toCheck(stages[0].filter) }
    grouper = grouping?.resultOperator
    var operators = UpkeepPlan.operators(stages, source, routes, isGrouped: grouper != nil)
    if let grouper { operators.append(grouper) }
    self.operators = operators
  }

  /// Whether the result is the table itself, which needs no upkeep.
  var isTable: Bool {
    if case .wholeTable = source { stages.count == 1 && grouping == nil } else { false }
  }

  /// The slot of the tree of a stage.
  package func slot(ofStage index: Int) -> Int { source.firstSlot + index }

  /// An empty table of the groups that rows are grouped into.
  var emptyGroups: (any GroupUpkeep)? { grouping?.makeTable() }
}

extension UpkeepPlan.Source {
  /// The slot of the first stage's tree, behind the entries of a list.
  var firstSlot: Int { if case .list = self { 1 } else { 0 } }
}

// MARK: Choosing operators

extension UpkeepPlan {
  private static func operators(
    _ stages: [QueryStage], _ source: Source, _ routes: [Router.Route], isGrouped: Bool
  ) -> [any IncrementalOperator] {
    var operators = self.source(source)
    for (index, stage) in stages.enumerated() {
      let slot = source.firstSlot + index
      if case .wholeTable = source, index == 0 {
        // The source is the stage.
      } else {
        operators += self.stage(stage, slot, source, index == 0 ? routes : [])
      }
      // The next operator takes in the difference of a stage; after the last stage there is none.
      if isGrouped || index + 1 < stages.count { operators.append(WindowOperator(slot: slot, stage: stage)) }
    }
    return operators
  }

  private static func source(_ source: Source) -> [any IncrementalOperator] {
    switch source {
    case .wholeTable: [WholeTableOperator(slot: source.firstSlot)]
    case .table: [TableOperator()]
    case .list(let list): [ListOperator(slot: 0, source: list)]
    case .baseline: []
    }
  }

  /// The operators from the input of a stage to its tree.
  private static func stage(
    _ stage: QueryStage, _ slot: Int, _ source: Source, _ routes: [Router.Route]
  ) -> [any IncrementalOperator] {
    if !stage.order.keys.isEmpty {
      return inputs(stage, OrderOperator(slot: slot, placement: SortPlacement(stage.order)), routes)
    }
    if case .list(let list) = source, list.isOrdered {
      return inputs(stage, OrderOperator(slot: slot, placement: ListPlacement()), routes)
    }
    return inputs(stage, OrderOperator(slot: slot, placement: InsertionPlacement()), routes)
  }

  /// An order with the filter or the distinct before it.
  private static func inputs<Placement: RowPlacement>(
    _ stage: QueryStage, _ order: OrderOperator<Placement>, _ routes: [Router.Route]
  ) -> [any IncrementalOperator] {
    let isConsistent = order.placement.orderToCheck == nil
    if !stage.distinct.isEmpty {
      // A filter after it begins a stage of its own.
      let distinct = DistinctOperator(slot: order.slot - 1, keys: stage.distinct)
      if isConsistent, stage.distinct.allSatisfy(\.isConsistent) { return [distinct, order] }
      return [CheckedOrderOperator(input: distinct, order: order, routes: [])]
    }
    let filter = FilterOperator(filter: stage.filter)
    if !isConsistent || !stage.filter.isConsistent {
      return [CheckedOrderOperator(input: filter, order: order, routes: routes)]
    }
    return stage.filter == .constant(true) ? [order] : [filter, order]
  }
}
