/// A small generator whose whole course follows from its seed, so that every failure can be repeated.
///
/// Sebastiano Vigna's SplitMix64, in the public domain.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A generator of its own for a part of the work, so that parts do not shift one another.
  package mutating func fork() -> SplitMix64 { SplitMix64(seed: next()) }

  /// True `count` times in `total`.
  package mutating func chance(_ count: Int, in total: Int) -> Bool {
    Int.random(in: 0..<total, using: &self) < count
  }

  /// One of the elements, all equally likely.
  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &self)]
  }

  /// A number from a range, all equally likely.
  package mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// A few of the elements, with repetitions, in any order.
  package mutating func some<Element>(of elements: [Element], upTo count: Int) -> [Element] {
    (0..<int(0...count)).map { _ in pick(elements) }
  }
}
