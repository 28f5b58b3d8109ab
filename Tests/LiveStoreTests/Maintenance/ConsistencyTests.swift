import Synchronization
import TestSupport
import Testing

import LiveStore

/// A number whose order may be inconsistent.
private struct Weighed: Entity, Equatable {
  let id: Int
  var weight: InconsistentValue
  static let schema = Schema<Weighed> { \.weight }

  static func == (lhs: Weighed, rhs: Weighed) -> Bool {
    lhs.id == rhs.id && lhs.weight.number == rhs.weight.number
      && lhs.weight.inconsistency == rhs.weight.inconsistency
  }
}

/// What operators do where a filter, `<`, `==` or a hash is inconsistent (L8).
@Suite struct `Inconsistent values in a chain` {
  private func states(
    _ items: [Item], _ edit: (borrowing WriteTransaction) throws -> Void
  ) throws -> (old: StoreState, new: StoreState) {
    let store = try Store(Item.self)
    try store.write { try $0.insert(contentsOf: items) }
    let old = store.snapshot().state
    try store.write { try edit($0) }
    return (old, store.snapshot().state)
  }

  @Test func `an order that does not find an entry asks for a rebuild`() throws {
    let order = OrderOperator(slot: 0, placement: InsertionPlacement())
    let (old, new) = try states([Item(1), Item(2)]) { try $0.delete(Item.self, 1) }
    var step = old.step(to: new, [Tree(.insertionOrder)])
    #expect(throws: NeedsRebuild.inconsistent) { _ = try order.apply(old.changes(to: new), &step) }
  }

  @Test func `an order that finds an entry of an inserted row asks for a rebuild`() throws {
    let order = OrderOperator(slot: 0, placement: InsertionPlacement())
    let (old, new) = try states([Item(1)]) { try $0.insert(Item(2)) }
    var step = old.step(to: new, [new.tree(Item.where { $0.rank == 0 })])
    #expect(throws: NeedsRebuild.inconsistent) { _ = try order.apply(old.changes(to: new), &step) }
  }

  @Test func `an entry of a row that did not pass before the step asks for a rebuild`() throws {
    let answer = Answer()
    let query = Item.all.filter { _ in answer.isYes }
    let (old, new) = try states([Item(1), Item(2)]) { try $0.update(Item.self, 1) { $0.rank = 5 } }
    let checked = CheckedOrderOperator(
      input: FilterOperator(filter: query.stages[0].filter),
      order: OrderOperator(slot: 0, placement: InsertionPlacement()), routes: [])
    let tree = old.tree(query)
    var step = old.step(to: new, [tree])
    let passing = try checked.apply(old.changes(to: new), &step)
    #expect(passing.count == 1)
    answer.isYes = false
    step = old.step(to: new, [tree])
    #expect(throws: NeedsRebuild.inconsistent) { _ = try checked.apply(old.changes(to: new), &step) }
  }

  @Test func `an entry that leaves two others out of order asks for a rebuild`() throws {
    let store = try Store(Weighed.self)
    let weights = [
      InconsistentValue(number: 5), InconsistentValue(number: 4, inconsistency: .neverLess),
      InconsistentValue(number: 3),
    ]
    try store.write { tx in
      for (id, weight) in weights.enumerated() { try tx.insert(Weighed(id: id, weight: weight)) }
    }
    let old = store.snapshot().state
    try store.write { tx in _ = try tx.delete(Weighed.self, 1) }
    let new = store.snapshot().state
    let order = Weighed.sorted(by: \.weight).stages[0].order
    // In insertion order, which the value in the middle agrees with.
    var tree = Tree(.sorted)
    for row in old.tables[0].rows.rows {
      tree.insert(TreeKey(order.abbreviate(old.tables[0].existing(row), old.context), row), tie: { _ in 1 })
    }
    let checked = CheckedOrderOperator(
      input: FilterOperator(filter: .constant(true)),
      order: OrderOperator(slot: 0, placement: SortPlacement(order)), routes: [])
    var step = old.step(to: new, [tree])
    #expect(throws: NeedsRebuild.inconsistent) { _ = try checked.apply(old.changes(to: new), &step) }
  }

  @Test func `a row that passes a filter and has another hash makes the query be asked about every change`()
    throws
  {
    let store = try Store(Weighed.self)
    try store.write { tx in try tx.insert(Weighed(id: 1, weight: InconsistentValue(number: 2))) }
    let old = store.snapshot().state
    let query = Weighed.where { $0.weight == InconsistentValue(number: 2) }
    var trees = MaintainedTrees(query.stages, 0, at: old)
    #expect(trees.isRoutable)
    try store.write { tx in
      try tx.insert(
        Weighed(id: 2, weight: InconsistentValue(number: 2, inconsistency: .hashedApart, salt: 7)))
    }
    let new = store.snapshot().state
    let isEvaluated = trees.apply(old.changes(to: new), from: old, to: new)
    #expect(!isEvaluated)
    #expect(!trees.isRoutable)
    #expect(!MaintainedTrees(query.stages, 0, at: new).isRoutable)
  }

  @Test func `a chain that asks for a rebuild has the rows of an evaluation`() throws {
    let answer = Answer()
    let query = Item.all.filter { _ in answer.isYes }.sorted(by: \.rank).limit(2).where { $0.rank < 9 }
    let (old, new) = try states((0..<4).map { Item($0, rank: $0) }) {
      try $0.update(Item.self, 1) { $0.rank = 7 }
    }
    var trees = MaintainedTrees(query.stages, 0, at: old)
    answer.isYes = false
    var isEvaluated = trees.apply(old.changes(to: new), from: old, to: new)
    #expect(isEvaluated)
    #expect(trees.kept.trees.map(\.count) == [0, 0])
    answer.isYes = true
    isEvaluated = trees.apply(new.changes(to: old), from: new, to: old)
    #expect(isEvaluated)
    #expect(trees.kept.trees.map(\.count) == [4, 2])
  }
}

/// The numbers of one box.
private struct Box: Entity {
  let id: Int
  var contents = RefList<Weighed>()
  static let schema = Schema<Box> { Relation(\.contents) }
}

@Suite struct `Inconsistent values in a list` {
  /// Bug: upkeep stopped at the first of two waiting steps, and the second was lost: rows that it deleted stayed.
  @Test func `a list whose filter a row passes with another hash takes in every commit that waits`() throws {
    let executor = SeededExecutor()
    var configuration = Store.Configuration()
    configuration.executor = executor
    let store = try Store(Weighed.self, Box.self, configuration: configuration)
    try store.write { tx in
      for (id, number) in [(1, 2), (2, 2), (3, 5)] {
        try tx.insert(Weighed(id: id, weight: InconsistentValue(number: number)))
      }
      try tx.insert(Box(id: 1, contents: [Ref(1), Ref(2), Ref(3)]))
    }
    let query = Weighed.linked(from: \Box.contents, of: 1).where { $0.weight == InconsistentValue(number: 2) }
    // Where origins are excluded, each commit is a step.
    let (results, changes) = try store.subscribe(query, excluding: ["another"])
    let shown = Mutex(results.map(\.id))
    let consumer = Task.detached(executorPreference: executor) {
      for await change in changes { shown.withLock { $0 = change.results?.map(\.id) ?? [] } }
    }
    func run() {
      var random = SplitMix64(seed: 1)
      while executor.step(&random) {}
    }
    // The background learns of the query with the first commit after it, and then commits are routed one by one.
    run()
    try store.write { tx in try tx.insert(Weighed(id: 4, weight: InconsistentValue(number: 1))) }
    run()
    #expect(shown.withLock { $0 } == [1, 2])
    try store.write { tx in
      try tx.update(Weighed.self, 3) {
        $0.weight = InconsistentValue(number: 2, inconsistency: .hashedApart, salt: 7)
      }
    }
    try store.write { tx in _ = try tx.delete(Weighed.self, 1) }
    run()
    #expect(shown.withLock { $0 } == store.fetch(query).map(\.id))
    #expect(shown.withLock { $0 } == [2, 3])
    consumer.cancel()
    run()
  }
}

/// What a filter answers that is not pure.
private final class Answer: Sendable {
  private let value = Mutex(true)

  var isYes: Bool {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
