/// The checksum of a row, written down a second time: the format of files rests on it.
struct RowDigest {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  private mutating func mix(_ word: UInt64) {
    let (high, low) = (state ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    state = (high ^ low) &+ 0xE703_7ED1_A0B4_28DB
  }

  private var value: Int64 { Int64((state ^ state >> 32) & 0xFFFF_FFFF) }

  /// Of a row of integers.
  static func ofIntegers(_ values: [Int64], place: Int64) -> Int64 {
    var digest = RowDigest()
    digest.mix(UInt64(bitPattern: place))
    for (index, value) in values.enumerated() {
      for word in [UInt64(index), 1, UInt64(bitPattern: value)] { digest.mix(word) }
    }
    return digest.value
  }

  /// Of what a file says about itself.
  static func ofText(_ text: String) -> Int64 {
    var digest = RowDigest()
    let bytes = Array(text.utf8)
    for word in [0, 0, 3, UInt64(bytes.count)] { digest.mix(word) }
    let end = bytes.count / 8 * 8
    for start in stride(from: 0, to: end, by: 8) {
      digest.mix(bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
    digest.mix(bytes[end...].reduce(0) { $0 << 8 | UInt64($1) })
    return digest.value
  }
}
