import TestSupport
import Testing

import LiveStore

@Suite struct `Live versions` {
  @Test(arguments: Seeds.forSuite(4, thorough: 40))
  func `are counted as in a dictionary, in whatever order their states end`(seed: UInt64) {
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let pins = VersionPins()
    var model: [UInt64: Int] = [:]
    var newest: UInt64 = 0
    // Few versions at a time in one run, hundreds in another.
    let limit = [1, 3, 40, 200].randomElement(using: &generator) ?? 1
    for step in 0..<2_000 {
      let alive = model.keys.sorted()
      if let oldest = alive.first, alive.count >= limit || Bool.random(using: &generator) {
        // Mostly the oldest, as in a history.
        let isOldest = Int.random(in: 0..<3, using: &generator) > 0
        let version = isOldest ? oldest : alive.randomElement(using: &generator) ?? oldest
        let isNextAlive = pins.remove(Version(version))
        check(isNextAlive == (model[version + 1] != nil), "step \(step), version \(version)")
        model[version, default: 0] -= 1
        if model[version] == 0 { model[version] = nil }
      } else {
        let isNew = Int.random(in: 0..<4, using: &generator) > 0
        let version = isNew ? newest + UInt64.random(in: 0..<3, using: &generator) : alive.first ?? newest
        newest = max(newest, version)
        pins.add(Version(version))
        model[version, default: 0] += 1
      }
      let summary = pins.summary
      check(summary.count == model.count, "step \(step)")
      check(summary.oldest?.number == model.keys.min(), "step \(step)")
    }
  }

  @Test func `may begin before all others, and again after all have ended`() {
    let pins = VersionPins()
    for number in [7, 9, 8, 2] as [UInt64] { pins.add(Version(number)) }
    #expect(pins.summary.count == 4 && pins.summary.oldest == Version(2))
    #expect(!pins.remove(Version(2)))
    #expect(pins.remove(Version(7)))
    #expect(pins.remove(Version(8)))
    #expect(!pins.remove(Version(9)))
    #expect(pins.summary.count == 0 && pins.summary.oldest == nil)
    pins.add(Version(3))
    #expect(pins.summary.count == 1 && pins.summary.oldest == Version(3))
  }
}
