import HashTreeCollections
import LiveStore

extension Targets {
  @Sendable static func update(_ session: Session) async throws {
    for count in session.rows([1_000, 1_000_000]) {
      let items = Item.many(count)
      let edits = session.isQuick ? 1_000 : 5_000
      let ids = randomNumbers(edits, below: count, seed: 4)
      let scores = randomNumbers(edits, below: 1_000_000, seed: 5)
      let store = try fill(items)
      var tree = TreeDictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
      let sqlite = try SQLite(items)
      var round = 0
      var wanted: [Wanted] = [.ratio(1.2, to: "TreeDictionary, copy held"), .ratio(0.25, to: "GRDB")]
      if count == 1_000 { wanted.append(.cost(2_000)) }
      try await session.race(
        "transaction of one update", rows: count, wanted: wanted,
        [
          Contestant("LiveStore") { watch in
            round += 1
            try watch.time(edits) { try updates(store, ids, scores, round) }
          },
          Contestant("TreeDictionary, copy held") { watch in
            round += 1
            watch.time(edits) { updates(&tree, ids, scores, round) }
          },
          Contestant("GRDB") { watch in
            round += 1
            try watch.time(edits) {
              for (id, score) in zip(ids, scores) { try sqlite.setScore(id, score &+ round) }
            }
          },
        ])
    }
  }

  /// - Parameter round: makes the values differ from those of the round before.
  @inline(never)
  static func updates(_ store: Store, _ ids: [Int], _ scores: [Int], _ round: Int) throws {
    for (id, score) in zip(ids, scores) { try setScore(store, id, score &+ round) }
  }

  @inline(never)
  static func updates(_ tree: inout TreeDictionary<Int, Item>, _ ids: [Int], _ scores: [Int], _ round: Int) {
    for (id, score) in zip(ids, scores) {
      let held = tree
      tree[id]?.score = score &+ round
      withExtendedLifetime(held) {}
    }
  }
}
