import TestSupport
import Testing

import LiveStore

@Suite struct `Interval index` {
  /// Few words and few members, so that intervals of different members share their ends.
  @Test(arguments: Seeds.forSuite(12)) func `an interval index holds what a list of intervals holds`(
    seed: UInt64
  ) {
    print("seed \(seed)")
    var random = SplitMix64(seed: seed)
    let words: [UInt64] = [0, 1, 2, 3, 5, 8, 1 << 63, .max - 1, .max]
    var index = IntervalIndex()
    var model: [(range: ClosedRange<UInt64>, member: UInt64)] = []
    for step in 0..<400 {
      // Grows to some sixty, and at the end to none.
      if step < 200 ? random.chance(2, in: 3) : model.isEmpty {
        let (one, other) = (random.pick(words), random.pick(words))
        let (range, member) = (min(one, other)...max(one, other), UInt64(random.int(1...9)))
        // A member's intervals begin at different words.
        if model.contains(where: { $0.member == member && $0.range.lowerBound == range.lowerBound }) {
          continue
        }
        index.insert(range.lowerBound, range.upperBound, member)
        model.append((range, member))
      } else if let place = model.indices.randomElement(using: &random) {
        let (range, member) = model.remove(at: place)
        index.remove(range.lowerBound, member)
      }
      for word in words {
        var found: [UInt64] = []
        index.forEach(holding: word) { found.append($0) }
        let expected = model.filter { $0.range.contains(word) }.map(\.member)
        #expect(found.sorted() == expected.sorted(), "seed \(seed), step \(step), \(word)")
      }
      #expect(index.isEmpty == model.isEmpty, "seed \(seed), step \(step)")
    }
  }

  @Test func `an interval index has as few intervals of a query as there are gaps between its alternatives`()
  {
    func intervals(_ query: Query<Item>) -> Int? {
      guard case .intervals(_, let intervals, _) = Router.Route(query.stages[0].filter, load: { _ in 0 })
      else {
        return nil
      }
      return intervals.count
    }
    #expect(intervals(Item.where { $0.rank.in(8...9) || $0.rank.in(1...3) || $0.rank.in(2...5) }) == 2)
    #expect(intervals(Item.where { $0.rank.in(1...9) || $0.rank.in(2...3) || $0.rank.in(5...6) }) == 1)
    let many = Item.where { row in (0..<1_000).reduce(row.rank >= 5) { $0 || row.rank >= 5 + $1 % 2 } }
    #expect(intervals(many) == 1)
  }
}
