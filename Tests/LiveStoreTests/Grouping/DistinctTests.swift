import LiveStore
import TestSupport
import Testing

/// A key without an order whose values all have the same hash.
private struct Clash: Hashable, Sendable {
  var number: Int
  func hash(into hasher: inout Hasher) {}
}

/// An order without a hash.
private struct Ranked: Comparable, Sendable {
  var number: Int
  static func < (lhs: Ranked, rhs: Ranked) -> Bool { lhs.number < rhs.number }
}

extension Item {
  fileprivate var clash: Clash { Clash(number: group) }
  fileprivate var ranked: Ranked { Ranked(number: group) }
}

/// What the random histories do not have: see `RandomQuery` for the rest.
@Suite(.timeLimit(.minutes(10))) struct `Distinct rows` {
  private func ids(_ items: [Item], _ isSame: (Item, Item) -> Bool) -> [Int] {
    var kept: [Item] = []
    for item in items where !kept.contains(where: { isSame($0, item) }) { kept.append(item) }
    return kept.map(\.id)
  }

  @Test
  func `distinct rows of keys with equal hashes, with an order alone, and of two keys are the first of each`()
    async throws
  {
    for seed in Seeds.forSuite(8) {
      var random = SplitMix64(seed: seed)
      let store = try Store(Item.self)
      let base = Item.sorted(by: \.rank, .descending)
      let queries = [
        base.distinct(by: \.clash), base.distinct(by: \.ranked), base.distinct(by: \.clash, \.isDone),
        base.distinct(by: \.clash).sorted(by: \.id).limit(2), base.limit(6).distinct(by: \.clash),
      ]
      var iterators = queries.map { store.values(of: $0).makeAsyncIterator() }
      var held: [[Item]] = queries.map { _ in [] }
      for step in 0..<40 {
        try await store.write { tx in
          for _ in 0..<random.int(1...3) {
            let id = random.int(0...14)
            if random.chance(1, in: 4) {
              try tx.delete(Item.self, id)
            } else {
              try tx.upsert(
                Item(
                  id, name: "\(seed)-\(step)", rank: random.int(0...5), group: random.int(0...3),
                  isDone: random.chance(1, in: 2)))
            }
          }
        }
        let all = Array(store.snapshot().fetch(base))
        let firsts = ids(all) { $0.group == $1.group }
        let expected = [
          firsts, firsts, ids(all) { $0.group == $1.group && $0.isDone == $1.isDone },
          Array(firsts.sorted().prefix(2)), ids(Array(all.prefix(6))) { $0.group == $1.group },
        ]
        for (index, query) in queries.enumerated() {
          let found = store.snapshot().fetch(query)
          #expect(Array(found.ids) == expected[index], "seed \(seed), step \(step): \(query)")
          if step > 0 && Array(found) == held[index] { continue }
          let received = try await iterators[index].next()
          #expect(
            received.map { Array($0.ids) } == expected[index], "seed \(seed), step \(step): live \(query)")
          held[index] = Array(found)
        }
      }
    }
  }
}
