import Foundation

/// The bytes of a value, with what is needed to read them.
///
/// It points into the memory of an array, and is valid as long as the closure that got it. What reads it checks the
/// number of the bytes first; nil says that they are no value of the type that was asked for.
struct ValueBytes {
  let bytes: UnsafeRawBufferPointer
  let isBinary: Bool
  let kind: PostgresType.Kind

  var count: Int { bytes.count }

  /// An integer in network byte order that the value is.
  @inline(__always)
  func loaded<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    guard bytes.count == MemoryLayout<Number>.size else { return nil }
    return Number(bigEndian: bytes.loadUnaligned(as: Number.self))
  }

  var bool: Bool? {
    guard kind == .bool, bytes.count == 1 else { return nil }
    switch bytes[0] {
    case 0 where isBinary, UInt8(ascii: "f") where !isBinary: return false
    case 1 where isBinary, UInt8(ascii: "t") where !isBinary: return true
    default: return nil
    }
  }

  /// The bytes as text; nil if they are not UTF-8.
  @inline(__always)
  var utf8: String? {
    let units = bytes.bindMemory(to: UInt8.self)
    // ASCII is valid, and made to a text more quickly.
    return isASCII ? String(decoding: units, as: UTF8.self) : String(validating: units, as: UTF8.self)
  }

  private var isASCII: Bool {
    var (position, bits) = (0, UInt64(0))
    // In bounds: the words end before the bytes do.
    while bytes.count - position >= 8 {
      bits |= bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      position += 8
    }
    while position < bytes.count {
      bits |= UInt64(bytes[position])
      position += 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  /// The values of which the bytes are their text.
  var isText: Bool {
    switch kind {
    case .text, .enumeration, .json: true
    default: !isBinary
    }
  }

  var date: Date? { instant?.date }
}
