import Foundation
import LiveStore

extension Targets {
  @Sendable static func lookup(_ session: Session) async throws {
    for count in session.rows([1_000, 10_000, 100_000, 1_000_000]) {
      let store = try fill(Item.many(count))
      var dictionary = filledDictionary(Item.many(count))
      var ids = Array(0..<count)
      try await compare("lookup by id", session, store.snapshot(), dictionary, ids)
      // A tenth of the rows deleted, as many inserted.
      let churned = randomNumbers(count / 10, below: count, seed: 2)
      try churn(store, &dictionary, &ids, churned)
      try await compare("lookup by id, churned", session, store.snapshot(), dictionary, ids)
      try await universal(session, count)
    }
  }

  private static func churn(
    _ store: Store, _ dictionary: inout [Int: Item], _ ids: inout [Int], _ churned: [Int]
  ) throws {
    try store.write { tx in
      for (offset, index) in churned.enumerated() {
        let number = ids.count + offset
        try tx.delete(Item.self, ids[index])
        try tx.insert(Item(number))
        dictionary[ids[index]] = nil
        dictionary[number] = Item(number)
        ids[index] = number
      }
    }
  }

  private static func compare(
    _ work: String, _ session: Session, _ snapshot: Snapshot, _ dictionary: [Int: Item], _ ids: [Int]
  ) async throws {
    let probes = randomNumbers(1_000_000, below: ids.count, seed: 3).map { ids[$0] }
    try await session.race(
      work, rows: ids.count, wanted: [.ratio(1.5, to: "Dictionary")],
      [
        Contestant("LiveStore") { watch in blackHole(watch.time(probes.count) { found(snapshot, probes) }) },
        Contestant("Dictionary") { watch in blackHole(watch.time(probes.count) { found(dictionary, probes) })
        },
      ])
  }

  @inline(never) static func found(_ snapshot: Snapshot, _ probes: [Int]) -> Int {
    var sum = 0
    for id in probes { sum &+= snapshot[Item.self, id]?.score ?? 0 }
    return sum
  }

  @inline(never) static func found(_ dictionary: [Int: Item], _ probes: [Int]) -> Int {
    var sum = 0
    for id in probes { sum &+= dictionary[id]?.score ?? 0 }
    return sum
  }

  private static func universal(_ session: Session, _ count: Int) async throws {
    let items = (0..<count).map { UniversalItem(Item($0)) }
    let store = try Store(UniversalItem.self)
    try insert(items, into: store)
    let snapshot = store.snapshot()
    let dictionary = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
    let probes = randomNumbers(1_000_000, below: count, seed: 3).map { items[$0].id }
    try await session.race(
      "lookup by a UUID", rows: count, wanted: [.ratio(1.5, to: "Dictionary")],
      [
        Contestant("LiveStore") { watch in
          blackHole(
            watch.time(probes.count) {
              var sum = 0
              for id in probes { sum &+= snapshot[UniversalItem.self, id]?.score ?? 0 }
              return sum
            })
        },
        Contestant("Dictionary") { watch in
          blackHole(
            watch.time(probes.count) {
              var sum = 0
              for id in probes { sum &+= dictionary[id]?.score ?? 0 }
              return sum
            })
        },
      ])
  }
}
