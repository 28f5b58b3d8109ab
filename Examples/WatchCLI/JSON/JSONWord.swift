/// Eight bytes of a text at once, the first in the lowest bits.
///
/// The tests mark the highest bit of each byte that has a property. A borrow may also mark bytes above a marked one, so
/// only the lowest mark is exact, which is the one that is asked for.
struct JSONWord {
  let bytes: UInt64

  @inline(__always)
  init(at address: UnsafePointer<UInt8>) {
    bytes = UInt64(littleEndian: UnsafeRawPointer(address).loadUnaligned(as: UInt64.self))
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  @inline(__always)
  private func marks(of byte: UInt8) -> UInt64 {
    let other = bytes ^ (Self.ones &* UInt64(byte))
    return (other &- Self.ones) & ~other
  }

  /// How many bytes are before the first that ends or escapes a string; 8 if there is none.
  @inline(__always)
  var plainInString: Int {
    ((marks(of: 0x22) | marks(of: 0x5C)) & Self.highs).trailingZeroBitCount &>> 3
  }

  /// How many bytes are before the first that is not an ASCII character standing for itself in a string; 8 if there is
  /// none.
  @inline(__always)
  var plain: Int {
    let controls = (bytes &- Self.ones &* 0x20) & ~bytes
    return ((marks(of: 0x22) | marks(of: 0x5C) | controls | bytes) & Self.highs).trailingZeroBitCount &>> 3
  }
}
