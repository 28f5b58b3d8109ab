/// A checksum of a row: it finds values that were not written here, whether a disk or another program changed them.
///
/// Each value adds its type and its bytes to a hash of 64 bits, which multiplies and mixes eight bytes at a time; 32 bits
/// of it are stored. It is part of the file's format, and no protection against intent.
struct RowChecksum {
  private var state: UInt64

  /// - Parameter place: the number of the row, so that rows that are swapped are found.
  init(place: Int64) {
    state = 0x9E37_79B9_7F4A_7C15
    mix(UInt64(bitPattern: place))
  }

  /// The checksum of the values of all columns; nulls at the end make no difference, so that a column may be added
  /// (X4).
  static func of(_ values: [ColumnValue], place: Int64) -> Int64 {
    var checksum = RowChecksum(place: place)
    for (index, value) in values.enumerated() where value != .null { checksum.add(value, at: index) }
    return checksum.value
  }

  private var value: Int64 { Int64((state ^ state >> 32) & 0xFFFF_FFFF) }

  private mutating func add(_ value: ColumnValue, at index: Int) {
    mix(UInt64(index))
    switch value {
    case .null: break
    case .integer(let value):
      mix(1)
      mix(UInt64(bitPattern: value))
    case .real(let value):
      mix(2)
      mix(value.bitPattern)
    case .text(var text):
      mix(3)
      text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    case .blob(let bytes):
      mix(4)
      bytes.withUnsafeBytes { add($0) }
    }
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    mix(UInt64(bytes.count))
    var offset = 0
    while offset + 8 <= bytes.count {
      // In bounds by the condition.
      mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    mix(rest)
  }

  private mutating func mix(_ word: UInt64) {
    let (high, low) = (state ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    state = (high ^ low) &+ 0xE703_7ED1_A0B4_28DB
  }
}
