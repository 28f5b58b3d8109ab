import TestSupport
import Testing

import LiveStore

/// Each operator alone, against its definition over arrays.
@Suite(.timeLimit(.minutes(10))) struct `Operators of a live query` {
  private typealias Items = ArrayStep.Items

  /// Runs a body for pairs of states of random histories, naming the seed of a failure.
  private func forPairs(
    _ seed: UInt64, _ body: (StoreState, StoreState, inout SplitMix64) throws -> Void
  ) throws {
    print("seed \(seed)")
    var random = SplitMix64(seed: seed)
    let history = try ItemHistory(&random)
    for _ in 0..<30 {
      let (old, new) = history.pair(&random)
      do {
        try body(old, new, &random)
      } catch {
        Issue.record("LIVESTORE_SEED=\(seed), from \(old.version) to \(new.version): \(error)")
      }
    }
  }

  @Test(arguments: Seeds.forSuite(6))
  func `a filter gives the objects that pass, before and after`(seed: UInt64) throws {
    try forPairs(seed) { old, new, random in
      let filter = random.pick(ArrayStep.filters)
      let passing = FilterOperator(filter: filter.query(Item.all).stages[0].filter)
      var step = old.step(to: new, [])
      let given = try passing.apply(old.changes(to: new), &step)
      func holds(_ object: UnsafeRawPointer?) -> UnsafeRawPointer? {
        object.flatMap { filter.array([(0, $0.object(as: Item.self).pointee)]).isEmpty ? nil : $0 }
      }
      let expected = old.changes(to: new).compactMap { row -> RowChange? in
        let (before, after) = (holds(row.old), holds(row.new))
        if before == nil && after == nil { return nil }
        return RowChange(row: row.row, old: before, new: after, stamp: row.stamp)
      }
      try require(given.map(\.text) == expected.map(\.text), "\(filter.text): \(given.map(\.text))")
    }
  }

  @Test(arguments: Seeds.forSuite(6))
  func `an order has all rows in order, with the stamps of an evaluation`(seed: UInt64) throws {
    try forPairs(seed) { old, new, random in
      let order = random.pick(ArrayStep.orders)
      let query = order.query(Item.all)
      let placed = OrderOperator(slot: 0, placement: SortPlacement(query.stages[0].order))
      var step = old.step(to: new, [old.tree(query)])
      _ = try placed.apply(old.changes(to: new), &step)
      let (entries, expected) = (step.after.trees[0].entries, new.tree(query).entries)
      try require(entries.map(\.row) == order.array(new.items).map(\.row), "\(order.text): \(entries)")
      try require(entries.map(\.stamp) == expected.map(\.stamp), "\(order.text): stamps of \(entries)")
    }
  }

  @Test(arguments: Seeds.forSuite(3))
  func `an order without sort keys has all rows in insertion order`(seed: UInt64) throws {
    try forPairs(seed) { old, new, _ in
      let query = Item.where { $0.rank >= 0 }
      let placed = OrderOperator(slot: 0, placement: InsertionPlacement())
      var step = old.step(to: new, [old.tree(query)])
      _ = try placed.apply(old.changes(to: new), &step)
      try require(step.after.trees[0].rows == new.items.map(\.row), "\(step.after.trees[0].rows)")
    }
  }

  @Test(arguments: Seeds.forSuite(6))
  func `a window gives what entered it, left it or changed in it`(seed: UInt64) throws {
    try forPairs(seed) { old, new, random in
      let order = random.pick(ArrayStep.orders)
      let limit = ArrayStep.limit(random.int(0...5), random.int(0...8))
      let query = limit.query(order.query(Item.all))
      let window = WindowOperator(slot: 0, stage: query.stages[0])
      var step = old.step(to: new, [old.tree(query)])
      step.after.trees[0] = new.tree(query)
      let given = try window.apply([], &step)
      let before = limit.array(order.array(old.items))
      let after = limit.array(order.array(new.items))
      try checkDifference(given, from: before, to: after)
    }
  }

  @Test(arguments: Seeds.forSuite(6))
  func `distinct gives first rows that came, left or changed`(seed: UInt64) throws {
    try forPairs(seed) { old, new, random in
      let order = random.pick(ArrayStep.orders)
      // All rows by group and then in order, and the first of each group.
      let query = order.query(Item.all).distinct(by: \.group)
      let distinct = DistinctOperator(slot: 0, keys: query.stages[1].distinct)
      var step = old.step(to: new, [old.tree(query)])
      step.after.trees[0] = new.tree(query)
      let given = try distinct.apply(old.changes(to: new), &step)
      let before = ArrayStep.distinct.array(order.array(old.items))
      let after = ArrayStep.distinct.array(order.array(new.items))
      try checkDifference(given, from: before, to: after)
    }
  }

  /// Checks that changes lead from some rows to others: each is there before and after as it says, and none is missing.
  private func checkDifference(_ given: [RowChange], from old: Items, to new: Items) throws {
    let before = Dictionary(uniqueKeysWithValues: old.map { ($0.row, "\($0.item)") })
    let after = Dictionary(uniqueKeysWithValues: new.map { ($0.row, "\($0.item)") })
    for row in given {
      try require((row.old != nil) == (before[row.row] != nil), "\(row.text) before: \(old)")
      try require((row.new != nil) == (after[row.row] != nil), "\(row.text) after: \(new)")
    }
    try require(Set(given.map(\.row)).count == given.count, "a row is given twice")
    let differing = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    let missing = differing.subtracting(given.map(\.row))
    try require(missing.isEmpty, "\(missing) of \(differing) are missing")
  }

  @Test(arguments: Seeds.forSuite(6))
  func `groups have the aggregate values of their rows`(seed: UInt64) throws {
    try forPairs(seed) { old, new, _ in
      try checkGroups(Item.all.grouped(by: \.group).count, old, new) { $0.count }
      try checkGroups(Item.all.grouped(by: \.group).sum(\.rank), old, new) { $0.reduce(0) { $0 + $1.rank } }
      try checkGroups(Item.all.grouped(by: \.group).max(\.rank), old, new) { $0.map(\.rank).max() ?? -1 }
    }
  }

  private func checkGroups(
    _ source: GroupAggregate<Item, Int, Int>, _ old: StoreState, _ new: StoreState,
    _ value: ([Item]) -> Int
  ) throws {
    let side = try grouped(source, old, new)
    let groups = source.liveDefinition.value(side)
    let expected = Dictionary(grouping: new.items.map(\.item), by: \.group).mapValues(value)
    try require(groups.map(\.key) == expected.keys.sorted(), "\(source): \(Array(groups))")
    try require(groups.allSatisfy { $0.value == expected[$0.key] }, "\(source): \(Array(groups))")
  }

  @Test(arguments: Seeds.forSuite(6))
  func `sections have the rows of their keys, in the query's order`(seed: UInt64) throws {
    try forPairs(seed) { old, new, _ in
      let source = Item.sorted(by: \.rank).sectioned(by: \.group)
      let sections = source.liveDefinition.value(try grouped(source, old, new))
      let order = ArrayStep.orders[0].array(new.items).map(\.item)
      let expected = Dictionary(grouping: order, by: \.group)
      try require(sections.map(\.key) == expected.keys.sorted(), "\(sections.map(\.key))")
      for section in sections {
        try require(section.map(\.id) == expected[section.key]?.map(\.id), "section \(section.key)")
      }
    }
  }

  /// The result of a grouping's operator after a step, alone: the stages before it have been evaluated.
  private func grouped(_ source: some LiveSource, _ old: StoreState, _ new: StoreState) throws -> ResultSide {
    let query = source.liveDefinition.query
    let grouping = try #require(query.grouping)
    let before = MaintainedTrees(query.stages, 0, grouping, at: old)
    let after = MaintainedTrees(query.stages, 0, grouping, at: new)
    var step = UpkeepStep(0, [], before.kept, from: old, to: new)
    step.after.trees = after.kept.trees
    let grouper = grouping.resultOperator
    try require(try grouper.apply(old.changes(to: new), &step).isEmpty, "groups are the end of a chain")
    return grouper.side(of: try #require(step.after.groups), new, after.result(query.last))
  }
}
