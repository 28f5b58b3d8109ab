import LiveStore
import TestSupport
import Testing

/// Snapshots and transactions against an array, over random histories and random queries.
///
/// `LIVESTORE_SEEDS` sets how many histories there are, `LIVESTORE_SEED` repeats one.
@Suite struct QueryOracleTests {
  @Test(.timeLimit(.minutes(10)))
  func `what a query finds is what plain Swift finds, with indexes and without, in every version`() async {
    for seed in Seeds.forSuite(3, thorough: 12) {
      let history = History(seed: seed, length: Environment.size(8, thorough: 20))
      guard let failure = await Self.failure(of: history) else { continue }
      let shortest = await history.shortened(upTo: failure.step) { await Self.failure(of: $0) != nil }
      let last = await Self.failure(of: shortest) ?? failure
      Issue.record("\(last.mismatch)\nat step \(last.step) of \(shortest)")
      return
    }
  }

  private static func failure(of history: History) async -> (step: Int, mismatch: any Error)? {
    var step = 0
    do {
      let world = try World()
      var random = SplitMix64(seed: history.seed &+ 0xA11CE)
      var kept: [Kept] = []
      for transaction in history.transactions {
        try await world.run(transaction)
        var queries = SplitMix64(seed: transaction.probe)
        for _ in 0..<8 {
          let seed = queries.next()
          kept.append(try Kept(world, seed))
        }
        if random.chance(1, in: 4) { try kept.forEach { try $0.check() } }
        if kept.count > 60 { kept.removeAll { _ in random.chance(1, in: 2) } }
        step += 1
      }
      try kept.forEach { try $0.check() }
      return nil
    } catch {
      return (min(step, history.transactions.count - 1), error)
    }
  }
}

/// A snapshot and what two equal queries found in it, which must stay as it was whatever is written later.
private struct Kept {
  let snapshot: Snapshot
  let indexed: QueryCase<WithIndexes>
  let plain: QueryCase<WithoutIndexes>
  let foundIndexed: Results<Thing<WithIndexes>>
  let foundPlain: Results<Thing<WithoutIndexes>>
  let rows: [Thing<WithIndexes>]

  init(_ world: World, _ seed: UInt64) throws {
    var (one, two) = (SplitMix64(seed: seed), SplitMix64(seed: seed))
    indexed = one.query()
    plain = two.query()
    snapshot = world.store.snapshot()
    rows = world.model.rows()
    foundIndexed = snapshot.fetch(indexed.query)
    foundPlain = snapshot.fetch(plain.query)
    try check()
  }

  func check() throws {
    let text = indexed.text
    try requireSame(foundIndexed, indexed.expectedRows(rows), "snapshot.fetch(\(text)) with indexes")
    try requireSame(
      foundPlain, plain.expectedRows(rows.map { $0.converted() }), "snapshot.fetch(\(text)) without indexes")
    try requireSame(snapshot.fetch(indexed.query), indexed.expectedRows(rows), "\(text), fetched again")
    let count = foundIndexed.count
    try require(snapshot.count(indexed.query) == count, "snapshot.count(\(text)) with indexes")
    try require(snapshot.count(plain.query) == count, "snapshot.count(\(text)) without indexes")
    try require(foundIndexed.version == snapshot.version, "the version of \(text)")
    try requireSame(snapshot.fetch(Thing<WithIndexes>.all), rows, "all")
    for id in [0, 7, 300] {
      let thing = snapshot[Thing<WithIndexes>.self, id]
      let expected = rows.first { $0.id == id }
      try require(
        (thing == nil) == (expected == nil) && (thing.map { $0.isSame(as: expected ?? $0) } ?? true),
        "snapshot[\(id)]")
    }
  }
}
