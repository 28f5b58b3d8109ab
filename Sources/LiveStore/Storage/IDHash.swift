/// The seeded hash of ids.
///
/// Ids of one machine word are mixed by two multiplications, which is much shorter than `Hasher`. The seed, a secret
/// of the process, makes it hard to choose colliding ids, without `Hasher`'s guarantees; colliding ids are still
/// found, by their order.
///
/// 48 bits, followed by 16 zeros: few enough for a `HashIndex` to store a hash and a row in twelve bytes.
@inlinable
package func idHash<ID: Hashable>(_ id: ID) -> UInt64 {
  if let word = idWord(id) { return wordHash(word) & idHashMask }
  // With words of 32 bits a hash value has 32 bits, of which the mask alone would leave 16.
  return wordHash(UInt64(bitPattern: Int64(id.hashValue))) & idHashMask
}

/// The bits of an id's hash, the upper 48. Of *n* ids about *n*² / 2^49 pairs collide: 2 of 30 million.
@inlinable
package var idHashMask: UInt64 { 0xffff_ffff_ffff_0000 }

/// Ids of one machine word, as that word. The test is removed where the type is known.
@inlinable
@inline(__always)
package func idWord<ID: Hashable>(_ id: ID) -> UInt64? {
  // Each cast is to the very type just tested for.
  if ID.self == Int.self { return UInt64(bitPattern: Int64(unsafeBitCast(id, to: Int.self))) }
  if ID.self == Int64.self { return UInt64(bitPattern: unsafeBitCast(id, to: Int64.self)) }
  if ID.self == UInt64.self { return unsafeBitCast(id, to: UInt64.self) }
  return nil
}

@usableFromInline
func wordHash(_ word: UInt64) -> UInt64 { HashSeeds.process.hash(word) }

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
}

/// Both halves of a product, folded into one: every bit of the result depends on every bit of the word.
@inline(__always)
private func folded(_ word: UInt64, _ multiplier: UInt64) -> UInt64 {
  let product = word.multipliedFullWidth(by: multiplier)
  return product.high ^ product.low
}
