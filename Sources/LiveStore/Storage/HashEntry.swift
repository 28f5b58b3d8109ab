/// An entry of a leaf in twelve bytes, since an index consists almost only of entries. It has the upper 48
/// bits of a hash, and a row, also of 48 bits.
package struct HashEntry {
  /// The hash, with the upper 16 bits of the row in its lower bits.
  private let upper: UInt64
  private let lower: UInt32

  static let stride = 12

  init(_ hash: UInt64, row: UInt64) {
    precondition(row != 0 && row >> 48 == 0, "row numbers are from 1 and below 2^48")
    upper = hash & idHashMask | row >> 32
    lower = UInt32(truncatingIfNeeded: row)
  }

  /// The content of a free bucket.
  init() {
    upper = 0
    lower = 0
  }

  /// Reads bytes that `store` wrote, or zeros.
  @inline(__always)
  init(at address: UnsafeRawPointer) {
    upper = address.loadUnaligned(as: UInt64.self)
    lower = address.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
  }

  func store(at address: UnsafeMutableRawPointer) {
    address.storeBytes(of: upper, as: UInt64.self)
    address.storeBytes(of: lower, toByteOffset: 8, as: UInt32.self)
  }

  package var hash: UInt64 { upper & idHashMask }
  @inline(__always)
  func isOf(_ hash: UInt64) -> Bool { (upper ^ hash) & idHashMask == 0 }
  /// 0 where there is no entry.
  @inline(__always)
  package var row: UInt64 { (upper & ~idHashMask) &<< 32 | UInt64(lower) }
}
