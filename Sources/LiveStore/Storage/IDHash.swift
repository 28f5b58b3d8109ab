/// The seeded hash by which ids are found.
///
/// Ids that are one machine word are mixed by two multiplications, which is much shorter than `Hasher`. The
/// seed, a secret of the process, makes it hard to choose ids that collide, without `Hasher`'s guarantees;
/// ids that do collide are still found, by their order.
///
/// 48 bits, with 16 zeros below them: few enough for a `HashIndex` to keep a row beside them in twelve bytes.
@inlinable
package func idHash<ID: Hashable>(_ id: ID) -> UInt64 {
  if let word = idWord(id) { return wordHash(word) & idHashMask }
  // Where words have 32 bits, so has a hash value, and the mask by itself would leave 16 of them.
  return wordHash(UInt64(bitPattern: Int64(id.hashValue))) & idHashMask
}

/// The bits of an id's hash, the upper 48. Of *n* ids about *n*² / 2^49 pairs have the same, 2 of 30 million.
@inlinable
package var idHashMask: UInt64 { 0xffff_ffff_ffff_0000 }

/// Ids that are one machine word, as that word: a test that is gone where the type is known.
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

  /// From `Hasher`'s own seed, so that deterministic hashing, where asked for, holds here too.
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
