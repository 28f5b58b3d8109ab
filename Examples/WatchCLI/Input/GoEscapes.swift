/// The escapes of quoted texts in logfmt, which are those of Go's strings; so are JSON's, but for `\/`.
enum GoEscapes {
  /// Appends what a text in quotation marks means. Escapes of bytes may give any bytes: what is not UTF-8 becomes U+FFFD, and
  /// so does half of a surrogate pair. An unknown escape stands for the character behind the backslash.
  ///
  /// - Complexity: O(length)
  static func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    let start = bytes.count
    var (index, hasBytes) = (0, false)
    while index < text.count {
      let byte = text[index]
      index += 1
      guard byte == UInt8(ascii: "\\"), index < text.count else {
        bytes.append(byte)
        continue
      }
      let kind = text[index]
      index += 1
      if let plain = control(kind) {
        bytes.append(plain)
      } else if let digits = hexDigits(kind), let code = number(text, index, digits, radix: 16) {
        index += digits
        if kind == UInt8(ascii: "x") {
          bytes.append(UInt8(truncatingIfNeeded: code))
          hasBytes = true
        } else {
          append(scalar: code, lowHalf(after: code, text, &index), to: &bytes)
        }
      } else if kind >= 0x30, kind <= 0x33, let code = number(text, index - 1, 3, radix: 8) {
        index += 2
        bytes.append(UInt8(truncatingIfNeeded: code))
        hasBytes = true
      } else {
        bytes.append(kind)
      }
    }
    guard hasBytes else { return }
    let repaired = String(decoding: bytes[start...], as: UTF8.self)
    bytes.replaceSubrange(start..., with: repaired.utf8)
  }

  private static func control(_ kind: UInt8) -> UInt8? {
    switch kind {
    case UInt8(ascii: "a"): 0x07
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "v"): 0x0B
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "r"): 0x0D
    default: nil
    }
  }

  private static func hexDigits(_ kind: UInt8) -> Int? {
    switch kind {
    case UInt8(ascii: "x"): 2
    case UInt8(ascii: "u"): 4
    case UInt8(ascii: "U"): 8
    default: nil
    }
  }

  /// The number that so many digits are; nil if there are fewer.
  private static func number(_ text: UnsafeRawBufferPointer, _ start: Int, _ digits: Int, radix: UInt32)
    -> UInt32?
  {
    guard start + digits <= text.count else { return nil }
    var value: UInt32 = 0
    for byte in text[start..<start + digits] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix else { return nil }
      value = value &* radix &+ UInt32(digit)
    }
    return value
  }

  /// The second half of a surrogate pair, if one follows a first half; it is read then.
  private static func lowHalf(after code: UInt32, _ text: UnsafeRawBufferPointer, _ index: inout Int)
    -> UInt32?
  {
    guard (0xD800..<0xDC00).contains(code), index + 6 <= text.count, text[index] == UInt8(ascii: "\\"),
      text[index + 1] == UInt8(ascii: "u"), let low = number(text, index + 2, 4, radix: 16),
      (0xDC00..<0xE000).contains(low)
    else { return nil }
    index += 6
    return low
  }

  private static func append(scalar code: UInt32, _ low: UInt32?, to bytes: inout [UInt8]) {
    let code = low.map { 0x10000 + (code - 0xD800) << 10 + ($0 - 0xDC00) } ?? code
    bytes += UTF8.encode(Unicode.Scalar(code) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter
  }
}
