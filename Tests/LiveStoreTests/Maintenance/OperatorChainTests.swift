import TestSupport
import Testing

import LiveStore

/// Operators in chains that random queries make.
@Suite(.timeLimit(.minutes(10))) struct `Chains of operators` {
  /// One to three stages: a window before each but the first, then filters, an order, distinct.
  private static func steps(_ random: inout SplitMix64) -> [ArrayStep] {
    var steps: [ArrayStep] = []
    for stage in 0..<random.int(1...3) {
      // A filter or an order begins another stage behind a window.
      if stage > 0 { steps.append(.limit(random.int(0...4), random.int(0...14))) }
      if random.chance(2, in: 3) { steps.append(random.pick(ArrayStep.filters)) }
      if random.chance(1, in: 4) { steps.append(random.pick(ArrayStep.filters)) }
      if random.chance(2, in: 3) { steps.append(random.pick(ArrayStep.orders)) }
      if random.chance(1, in: 4) { steps.append(.distinct) }
    }
    return steps
  }

  @Test(arguments: Seeds.forSuite(24))
  func `a chain has the rows of an array after each step, in either direction`(seed: UInt64) throws {
    print("seed \(seed)")
    var random = SplitMix64(seed: seed)
    let history = try ItemHistory(&random)
    for _ in 0..<12 {
      let steps = Self.steps(&random)
      let query = steps.reduce(Item.all) { $1.query($0) }
      var state = random.pick(history.states)
      var trees = MaintainedTrees(query.stages, 0, at: state)
      for _ in 0..<8 {
        let next = random.pick(history.states)
        let isEvaluated = trees.apply(state.changes(to: next), from: state, to: next)
        #expect(!isEvaluated, "LIVESTORE_SEED=\(seed), \(query)")
        state = next
        let window = trees.result(query.stages[query.stages.count - 1])
        let expected = steps.reduce(state.items) { $1.array($0) }
        #expect(
          (0..<window.count).map { window.row(at: $0) } == expected.map(\.row),
          "LIVESTORE_SEED=\(seed), \(steps.map(\.text)) at \(state.version)")
      }
    }
  }

  @Test(arguments: Seeds.forSuite(12))
  func `a chain that groups has the groups of an array after each step`(seed: UInt64) throws {
    print("seed \(seed)")
    var random = SplitMix64(seed: seed)
    let history = try ItemHistory(&random)
    for _ in 0..<12 {
      let steps = Self.steps(&random)
      let source = steps.reduce(Item.all) { $1.query($0) }.grouped(by: \.name).sum(\.rank)
      let definition = source.liveDefinition
      var state = random.pick(history.states)
      var trees = MaintainedTrees(definition.query.stages, 0, definition.query.grouping, at: state)
      for _ in 0..<8 {
        let next = random.pick(history.states)
        _ = trees.apply(state.changes(to: next), from: state, to: next)
        state = next
        let groups = definition.value(trees.side(state, definition.query.last))
        let items = steps.reduce(state.items) { $1.array($0) }.map(\.item)
        let expected = Dictionary(grouping: items, by: \.name).mapValues { $0.reduce(0) { $0 + $1.rank } }
        #expect(
          groups.map { "\($0.key): \($0.value)" }
            == expected.sorted { $0.key < $1.key }.map { "\($0): \($1)" },
          "LIVESTORE_SEED=\(seed), \(steps.map(\.text)) at \(state.version)")
      }
    }
  }

  @Test(arguments: Seeds.forSuite(8))
  func `the chain of a baseline has the rows that were given, whatever the table has`(seed: UInt64) throws {
    print("seed \(seed)")
    var random = SplitMix64(seed: seed)
    let history = try ItemHistory(&random)
    for _ in 0..<12 {
      let order = random.pick(ArrayStep.orders)
      let query = ArrayStep.limit(1, random.int(0...9)).query(
        order.query(random.pick(ArrayStep.filters).query(Item.all)))
      let last = query.stages[query.stages.count - 1]
      var state = random.pick(history.states)
      let whole = MaintainedTrees(query.stages, 0, at: state)
      var trees = MaintainedTrees(baselineOf: whole, last, at: state)
      let window = whole.result(last)
      var given = Set((0..<window.count).map { window.row(at: $0) })
      for _ in 0..<6 {
        let next = random.pick(history.states)
        // Rows that are there stay as long as the table has them; some of the others come.
        let changes = state.changes(to: next).compactMap { row -> RowChange? in
          let isGiven = given.contains(row.row)
          let comes = row.new != nil && (isGiven || random.chance(1, in: 3))
          if comes { given.insert(row.row) } else { given.remove(row.row) }
          if !isGiven && !comes { return nil }
          return RowChange(
            row: row.row, old: isGiven ? row.old : nil, new: comes ? row.new : nil, stamp: row.stamp)
        }
        let isEvaluated = trees.apply(changes, from: state, to: next)
        #expect(!isEvaluated, "LIVESTORE_SEED=\(seed), \(query)")
        state = next
        let expected = order.array(state.items.filter { given.contains($0.row) })
        let result = trees.result(last)
        #expect(
          (0..<result.count).map { result.row(at: $0) } == expected.map(\.row),
          "LIVESTORE_SEED=\(seed), \(query) at \(state.version)")
      }
    }
  }
}

/// Which operators the plan of a query chooses.
@Suite struct `Plans of upkeep` {
  private func names(_ source: some LiveSource) -> [String] {
    let query = source.liveDefinition.query
    return UpkeepPlan(query.stages, 0, query.grouping).operators.map { "\(type(of: $0))" }
  }

  @Test func `a table without a filter and a sort is its own result`() {
    #expect(names(Item.all) == ["WholeTableOperator"])
    #expect(names(Item.all.limit(3)) == ["WholeTableOperator"])
  }

  @Test func `filter and order share one tree, and a filter that passes all is left out`() {
    #expect(names(Item.sorted(by: \.rank)) == ["TableOperator", "OrderOperator<SortPlacement>"])
    #expect(
      names(Item.where { $0.rank > 1 })
        == ["TableOperator", "FilterOperator", "OrderOperator<InsertionPlacement>"])
    let query = Item.where { $0.rank > 1 }.sorted(by: \.rank)
    #expect(UpkeepPlan(query.stages, 0, nil).slot(ofStage: 0) == 0)
  }

  @Test func `a window stands between two stages, and not behind the last`() {
    #expect(
      names(Item.all.limit(3).where { $0.rank > 1 }.limit(2))
        == ["WholeTableOperator", "WindowOperator", "FilterOperator", "OrderOperator<InsertionPlacement>"])
  }

  @Test func `a list is a source, and the first stage stands in its order`() {
    let list = Topic.linked(from: \Article.topics, of: 1)
    #expect(names(list) == ["ListOperator", "OrderOperator<ListPlacement>"])
    #expect(names(list.sorted(by: \.name)) == ["ListOperator", "OrderOperator<SortPlacement>"])
  }

  @Test func `distinct, groups and sections end in their operators`() {
    #expect(
      names(Item.all.distinct(by: \.group))
        == [
          "TableOperator", "OrderOperator<SortPlacement>", "WindowOperator", "DistinctOperator",
          "OrderOperator<InsertionPlacement>",
        ])
    #expect(
      names(Item.all.grouped(by: \.group).count) == ["WholeTableOperator", "WindowOperator", "GroupOperator"])
    #expect(
      names(Item.all.sectioned(by: \.group))
        == ["TableOperator", "OrderOperator<SortPlacement>", "WindowOperator", "GroupOperator"])
  }

  @Test func `types that may be inconsistent are checked`() {
    #expect(
      names(Item.all.filter { $0.isDone })
        == ["TableOperator", "CheckedOrderOperator<FilterOperator, InsertionPlacement>"])
  }
}
