import LiveStore
import TestSupport
import Testing

/// The nearest double to the sum of finite doubles, by Jonathan Shewchuk's partial sums; no total or partial
/// sum may overflow.
func nearestSum(_ values: [Double]) -> Double {
  var partials: [Double] = []
  for value in values {
    var (rest, next) = (value, [Double]())
    for partial in partials {
      let (large, small) = abs(rest) < abs(partial) ? (partial, rest) : (rest, partial)
      rest = large + small
      let error = small - (rest - large)
      if error != 0 { next.append(error) }
    }
    partials = next + [rest]
  }
  guard var sum = partials.popLast() else { return 0 }
  while let partial = partials.popLast() {
    let before = sum
    sum = before + partial
    let error = partial - (sum - before)
    if error == 0 { continue }
    // A tie that is none, because there is more to the same side.
    if let more = partials.last, (error < 0) == (more < 0) {
      let doubled = error * 2
      let next = sum + doubled
      if doubled == next - sum { sum = next }
    }
    break
  }
  return sum
}

@Suite struct `Exact sums` {
  private func sum(_ values: [Double]) -> FixedPointSum {
    var sum = FixedPointSum()
    for value in values { sum.add(value, isRemoval: false) }
    return sum
  }

  @Test func `an exact sum of one value is that value, whatever its exponent`() {
    for exponent in -1074...1023 {
      for value in [Double(sign: .plus, exponent: exponent, significand: 1), .pi * 1e-300].flatMap({
        [$0, -$0]
      }) {
        #expect(sum([value]).rounded() == value)
        #expect(sum([value]).rounded(dividedByPowerOfTwo: 0).bitPattern == value.bitPattern)
      }
    }
    for value in [Double.leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, .ulpOfOne] {
      #expect(sum([value]).rounded() == value)
      #expect(sum([-value]).rounded() == -value)
      #expect(sum([value, value, -value]).rounded() == value)
    }
  }

  @Test func `exact sums are rounded to even, and once`() {
    #expect(sum([1, 0x1p-53]).rounded() == 1)
    #expect(sum([1, 0x1p-53, 0x1p-1074]).rounded() == 1 + 0x1p-52)
    #expect(sum([1 + 0x1p-52, 0x1p-53]).rounded() == 1 + 0x1p-51)
    #expect(sum([-1, -0x1p-53, -0x1p-1074]).rounded() == -(1 + 0x1p-52))
    #expect(sum([1e300, 1, -1e300]).rounded() == 1)
    #expect(sum([0.1, 0.2, 0.3]).rounded() == 0.6)
    #expect(sum([Double](repeating: 0.1, count: 10)).rounded() == 1)
  }

  @Test func `an exact sum beyond the greatest double is infinite, and finite again after a removal`() {
    let greatest = Double.greatestFiniteMagnitude
    var sum = sum([greatest, greatest])
    #expect(sum.rounded() == .infinity)
    #expect(sum.rounded(dividedByPowerOfTwo: 64) * 0x1p63 == greatest)
    sum.add(greatest, isRemoval: true)
    #expect(sum.rounded() == greatest)
    sum.add(greatest, isRemoval: true)
    sum.add(greatest, isRemoval: true)
    sum.add(greatest, isRemoval: true)
    #expect(sum.rounded() == -.infinity)
  }

  @Test func `exact sums depend neither on removed values nor on the order of additions`() {
    for seed in Seeds.forSuite(40) {
      var random = SplitMix64(seed: seed)
      func value() -> Double {
        let digits = Double(random.int(-(1 << 53)...(1 << 53)))
        return digits * Double(sign: .plus, exponent: random.int(-1100...800), significand: 1)
      }
      let values = (0..<random.int(0...40)).map { _ in value() }
      var kept = values
      var mixed = FixedPointSum()
      for value in values.shuffled(using: &random) { mixed.add(value, isRemoval: false) }
      for _ in 0..<random.int(0...20) {
        if random.chance(1, in: 2), let last = kept.popLast() {
          mixed.add(last, isRemoval: true)
        } else {
          kept.append(value())
          mixed.add(kept[kept.count - 1], isRemoval: false)
        }
      }
      #expect(mixed == sum(kept), "seed \(seed)")
      #expect(mixed.rounded() == nearestSum(kept), "seed \(seed): \(kept)")
    }
  }
}
