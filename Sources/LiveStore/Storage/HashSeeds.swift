/// The secret of the process.
struct HashSeeds {
  let first: UInt64
  let second: UInt64

  /// Taken from `Hasher`'s own seed, so that deterministic hashing applies here, too.
  static let process = HashSeeds(
    first: UInt64(bitPattern: Int64(0.hashValue)), second: UInt64(bitPattern: Int64(1.hashValue)))

  @inline(__always)
  func hash(_ word: UInt64) -> UInt64 {
    folded(folded(word ^ first, 0x9e37_79b9_7f4a_7c15) ^ second, 0xd1b5_4a32_d192_ed03)
  }

  /// Two words, first mixed each on its own, then together.
  @inline(__always)
  func hash(_ low: UInt64, _ high: UInt64) -> UInt64 {
    let words = folded(low ^ first, 0x9e37_79b9_7f4a_7c15) &+ folded(high ^ second, 0xd1b5_4a32_d192_ed03)
    return folded(words, 0xa076_1d64_78bd_642f)
  }
}

/// Both halves of a product, folded into one: every bit of the result depends on every bit of the word.
@inline(__always)
private func folded(_ word: UInt64, _ multiplier: UInt64) -> UInt64 {
  let product = word.multipliedFullWidth(by: multiplier)
  return product.high ^ product.low
}
