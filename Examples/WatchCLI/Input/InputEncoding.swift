import LiveStore

/// How characters are encoded in the input.
package enum InputEncoding: String, OptionChoice, Hashable {
  case utf8 = "utf-8"
  case latin1 = "latin-1"
  case windows1252 = "windows-1252"
  case utf16 = "utf-16"

  /// Where there are such files.
  package var summary: String {
    switch self {
    case .utf8: "the default"
    case .latin1: "ISO 8859-1, of older programs"
    case .windows1252: "the same with the sign of the euro and others, of Windows"
    case .utf16: "of Windows, with or without a byte order mark"
    }
  }
}

/// Rewrites an input in UTF-8, chunk by chunk. What is not in its encoding becomes U+FFFD.
package struct TextDecoder {
  private let encoding: InputEncoding
  /// The bytes of a scalar that the next chunk continues.
  private var rest: [UInt8] = []
  /// Whether the first of two bytes is the higher one; nil before the first.
  private var isBigEndian: Bool?

  /// At the beginning of an input.
  package init(_ encoding: InputEncoding) { self.encoding = encoding }

  /// The text of a chunk; nil is the end.
  ///
  /// - Complexity: O(length)
  package mutating func decode(_ chunk: UnsafeRawBufferPointer?) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(2 * (chunk?.count ?? 0))
    switch encoding {
    case .utf8: text += chunk.map { Array($0) } ?? []
    case .latin1, .windows1252:
      for byte in chunk ?? UnsafeRawBufferPointer(start: nil, count: 0) {
        if byte < 0x80 {
          text.append(byte)
        } else {
          text += UTF8.encode(scalar(byte)) ?? UTF8.encodedReplacementCharacter
        }
      }
    case .utf16: decodeUTF16(chunk, &text)
    }
    return text
  }

  private func scalar(_ byte: UInt8) -> Unicode.Scalar {
    guard encoding == .windows1252, 0x80..<0xA0 ~= byte else { return Unicode.Scalar(byte) }
    return Self.windows1252[Int(byte - 0x80)]
  }

  /// What stands in the place of the second half of the control characters.
  private static let windows1252 = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

  private mutating func decodeUTF16(_ chunk: UnsafeRawBufferPointer?, _ text: inout [UInt8]) {
    rest += chunk.map { Array($0) } ?? []
    var index = 0
    if isBigEndian == nil, rest.count >= 2 {
      // A mark decides, or else where the zeros of Latin letters are.
      isBigEndian = rest.starts(with: [0xFE, 0xFF]) || rest[0] == 0
      if rest.starts(with: [0xFE, 0xFF]) || rest.starts(with: [0xFF, 0xFE]) { index = 2 }
    }
    func unit(_ index: Int) -> UInt16 {
      let (first, second) = (UInt16(rest[index]), UInt16(rest[index + 1]))
      return isBigEndian == true ? first << 8 | second : second << 8 | first
    }
    while index + 2 <= rest.count {
      let high = unit(index)
      let isHigh = 0xD800..<0xDC00 ~= high
      if isHigh, index + 4 > rest.count, chunk != nil { break }
      let isPair = isHigh && index + 4 <= rest.count && 0xDC00..<0xE000 ~= unit(index + 2)
      let code =
        isPair ? 0x10000 + UInt32(high - 0xD800) << 10 + UInt32(unit(index + 2) - 0xDC00) : UInt32(high)
      text += UTF8.encode(Unicode.Scalar(code) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter
      index += isPair ? 4 : 2
    }
    rest.removeFirst(index)
    if chunk == nil, !rest.isEmpty {
      text += UTF8.encodedReplacementCharacter
      rest = []
    }
  }
}
