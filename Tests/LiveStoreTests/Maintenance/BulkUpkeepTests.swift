import TestSupport
import Testing

import LiveStore

/// Commits of many rows, which come to their places in order of the places.
@Suite struct `Upkeep of many rows` {
  private static let queries: [Query<Item>] = [
    Item.sorted(by: \.rank), Item.sorted(by: \.rank, .descending), Item.sorted(by: \.name),
    Item.sorted(by: \.name).sorted(by: \.rank), Item.where { $0.rank > 20 },
    Item.where { $0.rank > 20 }.sorted(by: \.score).limit(700).sorted(by: \.name, .descending),
  ]

  private static func item(_ id: Int, _ random: inout SplitMix64) -> Item {
    let rank = random.int(0...99)
    // Names of which the first eight bytes are equal.
    return Item(
      id, name: "with one beginning \(rank % 7)", rank: rank, score: rank % 5 == 0 ? nil : Double(-rank))
  }

  @Test(arguments: Seeds.forSuite(2))
  func `a commit of many rows leads to what an evaluation gives`(seed: UInt64) throws {
    print("seed \(seed)")
    var random = SplitMix64(seed: seed)
    let store = try Store(Item.self)
    try store.write { tx in try tx.insert(contentsOf: (0..<2_000).map { Self.item($0, &random) }) }
    let old = store.snapshot().state
    try store.write { tx in
      try tx.insert(contentsOf: (2_000..<2_300).map { Self.item($0, &random) })
      for _ in 0..<200 { try tx.upsert(Self.item(random.int(0...2_000), &random)) }
      for _ in 0..<100 { try tx.delete(Item.self, random.int(0...2_000)) }
    }
    let new = store.snapshot().state
    for query in Self.queries {
      var trees = MaintainedTrees(query.stages, 0, at: old)
      let rows = StoreChanges(from: old, to: new).rows(in: 0)
      let isEvaluated = trees.apply(rows, from: old, to: new)
      #expect(!isEvaluated, "LIVESTORE_SEED=\(seed), \(query)")
      let window = trees.result(query.stages[query.stages.count - 1])
      let expected = new.context.evaluate(query)
      #expect(
        (0..<window.count).map { window.row(at: $0) } == (0..<expected.count).map { expected.row(at: $0) },
        "LIVESTORE_SEED=\(seed), \(query)")
    }
  }
}
