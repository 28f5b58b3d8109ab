import TestSupport
import Testing

import LiveStore

/// The sources of chains, each alone.
@Suite(.timeLimit(.minutes(10))) struct `Sources of a live query` {
  @Test func `a table gives the rows that changed in it, and keeps nothing`() throws {
    var random = SplitMix64(seed: 1)
    let (old, new) = try ItemHistory(&random).pair(&random)
    var step = old.step(to: new, [])
    let changes = old.changes(to: new)
    let ofTable = try TableOperator().apply(changes, &step)
    #expect(ofTable.map(\.text) == changes.map(\.text))
    #expect(step.after.trees.isEmpty)
  }

  @Test func `a table observed as it is keeps the table's own tree`() throws {
    var random = SplitMix64(seed: 2)
    let history = try ItemHistory(&random)
    let (old, new) = (history.states[0], history.states[7])
    var step = old.step(to: new, [old.tables[0].rows])
    _ = try WholeTableOperator(slot: 0).apply([], &step)
    #expect(step.after.trees[0].isIdentical(to: new.tables[0].rows))
  }

  @Test func `a query is evaluated again when most of a large table changes`() throws {
    let store = try Store(Item.self)
    try store.write { tx in try tx.insert(contentsOf: (0..<2_100).map { Item($0) }) }
    let old = store.snapshot().state
    for count in [1_024, 1_050, 1_051, 2_100] {
      try store.write { tx in for id in 0..<count { try tx.update(Item.self, id) { $0.rank += 1 } } }
      let new = store.snapshot().state
      let changes = Array(old.changes(to: new).prefix(count))
      var step = old.step(to: new, [old.tables[0].rows])
      for source in [TableOperator(), WholeTableOperator(slot: 0)] as [any IncrementalOperator] {
        let isFollowed = (try? source.apply(changes, &step)) != nil
        #expect(isFollowed == (count <= 1_050), "\(count) rows, \(source)")
      }
    }
  }

  /// A store of topics and of an article that lists them.
  private struct Lists {
    let store: Store
    var states: [StoreState] = []

    init(_ random: inout SplitMix64) throws {
      store = try makeSocialStore()
      try store.write { tx in
        for id in 0..<5 { try tx.insert(Topic(id: id, name: "t\(id)")) }
        try tx.insert(Article(id: 1, title: ""))
      }
      for _ in 0..<12 {
        try edit(&random)
        states.append(store.snapshot().state)
      }
    }

    private func edit(_ random: inout SplitMix64) throws {
      try store.write { tx in
        for _ in 0..<random.int(0...3) {
          let topic = random.int(0...4)
          switch random.int(0...7) {
          case 0: try tx.delete(Topic.self, topic)
          case 1: try tx.upsert(Topic(id: topic, name: "t\(topic)", weight: random.int(0...9)))
          case 2: try tx.delete(Article.self, 1)
          default:
            let ids = tx.fetch(Topic.all).map(\.id)
            if tx[Article.self, 1] == nil { try tx.insert(Article(id: 1, title: "")) }
            try tx.update(Article.self, 1) { article in
              if !article.topics.isEmpty, random.chance(1, in: 3) {
                article.topics.remove(at: random.int(0...article.topics.count - 1))
              } else if let id = ids.randomElement(using: &random) {
                article.topics.insert(Ref(id), at: random.int(0...article.topics.count))
              }
            }
          }
        }
      }
    }
  }

  @Test(arguments: Seeds.forSuite(8))
  func `a list has the entries of its owner, and gives those that came, left or changed`(
    seed: UInt64
  ) throws {
    print("seed \(seed)")
    var random = SplitMix64(seed: seed)
    let lists = try Lists(&random)
    let source = try #require(Topic.linked(from: \Article.topics, of: 1).stages[0].source)
    for _ in 0..<40 {
      let (old, new) = (random.pick(lists.states), random.pick(lists.states))
      let table = try #require(new.catalog.index(of: Topic.self))
      let before = source.window(table, old.context, stamp: nil)
      var kept = ChainTrees()
      kept.trees = [before.tree]
      kept.positions = ListPositions(before.tree)
      var step = UpkeepStep(table, [], kept, from: old, to: new)
      let given = try ListOperator(slot: 0, source: source)
        .apply(StoreChanges(from: old, to: new).rows(in: table), &step)
      func topics(_ tree: Tree, _ state: StoreState) -> [Topic] {
        tree.rows.map { state.tables[table].existing($0).object(as: Topic.self).pointee }
      }
      let after = step.after.trees[0]
      let expected = Snapshot(new).fetch(Topic.linked(from: \Article.topics, of: 1))
      #expect(topics(after, new) == Array(expected), "LIVESTORE_SEED=\(seed)")
      // What leaves the old labels and what comes gives the new ones.
      var labels = Set(before.entries.map(\.key.first))
      for row in given where row.old != nil { #expect(labels.remove(row.positions.old) != nil) }
      for row in given where row.new != nil { #expect(labels.insert(row.positions.new).inserted) }
      let window = ResultWindow(table: table, tree: after, ranks: 0..<after.count, order: RowOrder(keys: []))
      #expect(labels == Set(window.entries.map(\.key.first)), "LIVESTORE_SEED=\(seed)")
      for entry in window.entries {
        #expect(
          step.after.positions?.label(of: entry.key.second) == entry.key.first, "LIVESTORE_SEED=\(seed)")
      }
    }
  }

  @Test(arguments: Seeds.forSuite(8))
  func `a chain that starts from a list has the rows of an evaluation after each step`(seed: UInt64) throws {
    print("seed \(seed)")
    var random = SplitMix64(seed: seed)
    let lists = try Lists(&random)
    let list = Topic.linked(from: \Article.topics, of: 1)
    let queries = [
      list, list.where { $0.weight < 7 }, list.sorted(by: \.weight), list.limit(3).sorted(by: \.name),
    ]
    for query in queries {
      var state = lists.states[0]
      let table = try #require(state.catalog.index(of: Topic.self))
      var trees = MaintainedTrees(query.stages, table, at: state)
      for _ in 0..<20 {
        let next = random.pick(lists.states)
        _ = trees.apply(StoreChanges(from: state, to: next).rows(in: table), from: state, to: next)
        state = next
        let window = trees.result(query.stages[query.stages.count - 1])
        #expect(
          Array(Results<Topic>(state: state, window: window)) == Array(Snapshot(state).fetch(query)),
          "LIVESTORE_SEED=\(seed), \(query) at \(state.version)")
      }
    }
  }
}
