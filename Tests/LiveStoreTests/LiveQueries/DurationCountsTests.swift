import LiveStore
import TestSupport
import Testing

@Suite struct `Counts of durations` {
  @Test(arguments: Seeds.forSuite(20, thorough: 2_000))
  func `percentiles are at most an eighth above those of the sorted durations`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<50 {
      var (counts, durations) = (DurationCounts(), [Duration]())
      for _ in 0..<random.int(1...300) {
        let duration = Duration.nanoseconds(Int64(random.next() >> UInt64(random.int(20...63))))
        counts.add(duration)
        durations.append(duration)
      }
      durations.sort()
      #expect(counts.count == durations.count && counts.longest == durations.last, "seed \(seed)")
      for part in [0.01, 0.5, 0.95, 1] {
        let exact = durations[max(0, Int((Double(durations.count) * part).rounded(.up)) - 1)]
        let found = counts.percentile(part)
        #expect(exact <= found && found <= exact * 9 / 8, "\(found) for \(exact), seed \(seed)")
      }
    }
  }

  @Test func `every duration has a class, the longest and negative ones too`() {
    var counts = DurationCounts()
    for duration in [.zero, .nanoseconds(-5), .nanoseconds(1), .seconds(Int64.max), .seconds(Int64.min)]
      as [Duration]
    {
      counts.add(duration)
    }
    #expect(counts.count == 5 && counts.longest == .seconds(Int64.max))
    #expect(counts.percentile(0.5) == .zero && counts.percentile(0.8) == .nanoseconds(1))
    #expect(counts.percentile(1) > .seconds(9_000_000_000))
    #expect(DurationCounts().percentile(0.5) == .zero)
  }
}
