/// A repeatable source of numbers.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// A scattered value below a million for a number, always the same one. Some numbers share one.
func scattered(_ number: Int) -> Int {
  Int(SplitMix64.mix(UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15) % 1_000_000)
}

/// Numbers below `bound`, the same for a seed.
func randomNumbers(_ count: Int, below bound: Int, seed: UInt64) -> [Int] {
  var random = SplitMix64(state: seed)
  return (0..<count).map { _ in Int.random(in: 0..<bound, using: &random) }
}
