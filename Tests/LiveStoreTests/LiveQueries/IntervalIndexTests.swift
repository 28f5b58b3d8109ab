import TestSupport
import Testing

@testable import LiveStore

@Suite struct `Interval index` {
  /// Few words and few members, so that intervals share their ends and a member has several that begin alike.
  @Test(arguments: Seeds.forSuite(12)) func `holds what a list of intervals holds`(seed: UInt64) {
    print("seed \(seed)")
    var random = SplitMix64(seed: seed)
    let words: [UInt64] = [0, 1, 2, 3, 5, 8, 1 << 63, .max - 1, .max]
    var index = IntervalIndex()
    var model: [(range: ClosedRange<UInt64>, member: UInt64)] = []
    for step in 0..<400 {
      // Grows to some sixty, and at the end to none.
      if step < 200 ? random.chance(2, in: 3) : model.isEmpty {
        let (one, other) = (random.pick(words), random.pick(words))
        let member = UInt64(random.int(1...6))
        index.insert(min(one, other), max(one, other), member)
        model.append((min(one, other)...max(one, other), member))
      } else if let place = model.indices.randomElement(using: &random) {
        let (range, member) = model.remove(at: place)
        index.remove(range.lowerBound, range.upperBound, member)
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
}
