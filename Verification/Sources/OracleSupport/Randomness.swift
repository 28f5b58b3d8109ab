/// SplitMix64: small, fast, and the same numbers on every machine.
public struct Randomness: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator.
  public init(seed: UInt64) { state = seed }

  /// A generator for one step of a history: other steps may be left out without changing its numbers.
  public init(seed: UInt64, step: Int) {
    var mixer = Randomness(seed: seed ^ (UInt64(bitPattern: Int64(step)) &* 0xD1B5_4A32_D192_ED03))
    state = mixer.next()
  }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number below `bound`.
  mutating func below(_ bound: Int) -> Int { bound <= 1 ? 0 : Int(next() % UInt64(bound)) }

  /// True `share` times of a hundred.
  mutating func percent(_ share: Int) -> Bool { below(100) < share }

  /// One of a collection that is not empty.
  mutating func pick<C: RandomAccessCollection>(_ choices: C) -> C.Element {
    choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
  }

  /// One of a collection, or nil.
  mutating func pickAny<C: RandomAccessCollection>(_ choices: C) -> C.Element? {
    choices.isEmpty ? nil : pick(choices)
  }
}
