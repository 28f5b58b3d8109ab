import LiveStore
import TestSupport
import Testing

@Suite struct `A list of subscribers` {
  @Test func `ids come in ascending order, whatever was inserted and removed`() {
    for seed in Seeds.forSuite(2, thorough: 20) {
      var random = SplitMix64(seed: seed)
      var list = SubscriberList()
      var model: Set<UInt64> = []
      for step in 0..<1_000 {
        let id = UInt64(random.int(0...60))
        // Growing, shrinking to little, growing again.
        if random.chance(step / 200 % 2 == 0 ? 3 : 1, in: 4) {
          list.insert(id)
          model.insert(id)
        } else {
          list.remove(id)
          model.remove(id)
        }
        check(
          Array(list) == model.sorted() && list.count == model.count && list.isEmpty == model.isEmpty,
          "seed \(seed), step \(step)")
      }
    }
  }
}
