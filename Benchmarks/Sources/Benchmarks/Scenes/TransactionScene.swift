import HashTreeCollections
import LiveStore

enum TransactionScene {
  @Sendable static func run(_ session: Session) async throws {
    for count in session.rows([1_000, 10_000, 100_000, 1_000_000]) {
      let items = Item.many(count)
      try await updates(session, items)
      try await indexedUpdates(session, items)
      try await insertions(session, items)
    }
  }

  private static func updates(_ session: Session, _ items: [Item]) async throws {
    let ids = randomNumbers(1_000, below: items.count, seed: 4)
    let scores = randomNumbers(1_000, below: 1_000_000, seed: 5)
    let (store, held) = (try fill(items), try fill(items))
    let sqlite = try SQLite(items)
    var tree = TreeDictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
    var round = 0
    let treeContestant = Contestant("TreeDictionary, copy held") { watch in
      round += 1
      watch.time(ids.count) { Targets.updates(&tree, ids, scores, round) }
    }
    try await session.race(
      "update", rows: items.count,
      [
        Contestant("LiveStore") { watch in
          round += 1
          try watch.time(ids.count) { try Targets.updates(store, ids, scores, round) }
        }, treeContestant,
        Contestant("GRDB") { watch in
          round += 1
          try watch.time(ids.count) {
            for (id, score) in zip(ids, scores) { try sqlite.setScore(id, score &+ round) }
          }
        },
      ])
    try await session.race(
      "update, snapshot held before each", rows: items.count,
      [
        Contestant("LiveStore") { watch in
          round += 1
          try watch.time(ids.count) {
            for (id, score) in zip(ids, scores) {
              let snapshot = held.snapshot()
              try setScore(held, id, score &+ round)
              blackHole(snapshot)
            }
          }
        }, treeContestant,
      ])
  }

  private static func indexedUpdates(_ session: Session, _ items: [Item]) async throws {
    let ids = randomNumbers(1_000, below: items.count, seed: 4)
    let scores = randomNumbers(1_000, below: 1_000_000, seed: 5)
    let store = try fill(items.map { OneIndex($0) })
    let sqlite = try SQLite(items, indexes: ["score"])
    var round = 0
    try await session.race(
      "update of an indexed value", rows: items.count,
      [
        Contestant("LiveStore") { watch in
          round += 1
          try watch.time(ids.count) {
            for (id, score) in zip(ids, scores) {
              try store.write { tx in try tx.update(OneIndex.self, id) { $0.score = score &+ round } }
            }
          }
        },
        Contestant("GRDB") { watch in
          round += 1
          try watch.time(ids.count) {
            for (id, score) in zip(ids, scores) { try sqlite.setScore(id, score &+ round) }
          }
        },
      ])
  }

  private static func insertions(_ session: Session, _ items: [Item]) async throws {
    let added = (items.count..<items.count + 1_000).map { Item($0) }
    let store = try fill(items)
    let sqlite = try SQLite(items)
    try await session.race(
      "insertion", rows: items.count,
      [
        Contestant("LiveStore") { watch in
          try watch.time(added.count) { for item in added { try store.write { tx in try tx.insert(item) } } }
          try store.write { tx in for item in added { try tx.delete(Item.self, item.id) } }
        },
        Contestant("GRDB") { watch in
          try watch.time(added.count) { for item in added { try sqlite.insert([item]) } }
          for item in added { try sqlite.delete(item.id) }
        },
      ])
    try await session.race(
      "deletion", rows: items.count,
      [
        Contestant("LiveStore") { watch in
          try insert(added, into: store)
          try watch.time(added.count) {
            for item in added { try store.write { tx in _ = try tx.delete(Item.self, item.id) } }
          }
        },
        Contestant("GRDB") { watch in
          try sqlite.insert(added)
          try watch.time(added.count) { for item in added { try sqlite.delete(item.id) } }
        },
      ])
  }
}
