public import Foundation

/// The seeded hash of ids.
///
/// Ids of a machine word or half of one, and UUIDs, are mixed by two or three multiplications, which is much shorter
/// than `Hasher`. The seed, a secret of the process, makes it hard to choose colliding ids, without `Hasher`'s
/// guarantees; colliding ids are still found, by their order.
///
/// 48 bits, followed by 16 zeros: few enough for a `HashIndex` to store a hash and a row in twelve bytes.
@inlinable
package func idHash<ID: Hashable>(_ id: ID) -> UInt64 {
  if let word = idWord(id) { return wordHash(word) & idHashMask }
  if ID.self == UUID.self {
    // The cast is to the bytes of the very type just tested for.
    let (low, high) = unsafeBitCast(unsafeBitCast(id, to: uuid_t.self), to: (UInt64, UInt64).self)
    return wordHash(low, high) & idHashMask
  }
  // The same for texts.
  if ID.self == String.self {
    return wordHash(UInt64(bitPattern: Int64(textHash(unsafeBitCast(id, to: String.self))))) & idHashMask
  }
  if ID.self == String?.self, let text = unsafeBitCast(id, to: String?.self) {
    return wordHash(UInt64(bitPattern: Int64(textHash(text))) &+ 1) & idHashMask
  }
  // With words of 32 bits a hash value has 32 bits, and the mask alone would leave 16 of them.
  return wordHash(UInt64(bitPattern: Int64(id.hashValue))) & idHashMask
}

/// The bits of an id's hash, the upper 48. Of *n* ids about *n*² / 2^49 pairs collide: 2 of 30 million.
@inlinable
package var idHashMask: UInt64 { 0xffff_ffff_ffff_0000 }

/// Ids of one machine word or half of one, as a word. The test is removed where the type is known.
@inlinable
@inline(__always)
package func idWord<ID: Hashable>(_ id: ID) -> UInt64? {
  // Each cast is to the very type just tested for.
  if ID.self == Int.self { return UInt64(bitPattern: Int64(unsafeBitCast(id, to: Int.self))) }
  if ID.self == Int64.self { return UInt64(bitPattern: unsafeBitCast(id, to: Int64.self)) }
  if ID.self == UInt64.self { return unsafeBitCast(id, to: UInt64.self) }
  if ID.self == UInt.self { return UInt64(unsafeBitCast(id, to: UInt.self)) }
  if ID.self == Int32.self { return UInt64(bitPattern: Int64(unsafeBitCast(id, to: Int32.self))) }
  if ID.self == UInt32.self { return UInt64(unsafeBitCast(id, to: UInt32.self)) }
  return nil
}

@usableFromInline
func wordHash(_ word: UInt64) -> UInt64 { HashSeeds.process.hash(word) }

@usableFromInline
func wordHash(_ low: UInt64, _ high: UInt64) -> UInt64 { HashSeeds.process.hash(low, high) }
