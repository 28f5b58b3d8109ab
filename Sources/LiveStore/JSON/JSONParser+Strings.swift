extension JSONParser {
  /// Reads a string from its opening quote.
  mutating func string() throws(JSONSyntaxError) -> String {
    let opening = index
    index += 1
    var start = index
    /// The content before `start`, once there has been an escape.
    var unescaped: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start..<index])
        try requireUTF8(rest, at: start)
        index += 1
        if unescaped.isEmpty { return String(decoding: rest, as: UTF8.self) }
        unescaped.append(contentsOf: rest)
        return String(decoding: unescaped, as: UTF8.self)
      case UInt8(ascii: "\\"):
        let plain = UnsafeRawBufferPointer(rebasing: bytes[start..<index])
        try requireUTF8(plain, at: start)
        unescaped.append(contentsOf: plain)
        unescaped.append(contentsOf: try escape())
        start = index
      case 0..<0x20:
        throw error("a control character in a string must be written as an escape")
      default:
        index += 1
      }
    }
    throw error("the string has no closing quote", at: opening)
  }

  /// Reads an escape from its backslash and gives its UTF-8.
  private mutating func escape() throws(JSONSyntaxError) -> Unicode.UTF8.EncodedScalar {
    let backslash = index
    index += 1
    guard let kind = next else { throw error("the string has no closing quote", at: backslash) }
    index += 1
    let scalar: Unicode.Scalar
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scalar = Unicode.Scalar(kind)
    case UInt8(ascii: "b"): scalar = "\u{8}"
    case UInt8(ascii: "f"): scalar = "\u{C}"
    case UInt8(ascii: "n"): scalar = "\n"
    case UInt8(ascii: "r"): scalar = "\r"
    case UInt8(ascii: "t"): scalar = "\t"
    case UInt8(ascii: "u"): scalar = try unicodeEscape(from: backslash)
    default: throw error("no such escape in a string", at: backslash)
    }
    guard let encoded = UTF8.encode(scalar) else { throw error("no such escape in a string", at: backslash) }
    return encoded
  }

  /// Reads the digits of `\u0041`, or of the surrogate pair `\ud83d\ude00`.
  private mutating func unicodeEscape(from backslash: Int) throws(JSONSyntaxError) -> Unicode.Scalar {
    let unit = try fourHexDigits(from: backslash)
    if let scalar = Unicode.Scalar(unit) { return scalar }
    if unit < 0xDC00 && next == UInt8(ascii: "\\") && index + 1 < bytes.count
      && bytes[index + 1] == UInt8(ascii: "u")
    {
      let second = index
      index += 2
      let low = try fourHexDigits(from: second)
      if low >= 0xDC00 && low <= 0xDFFF,
        let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
      {
        return scalar
      }
    }
    throw error("half of a surrogate pair without the other half", at: backslash)
  }

  private mutating func fourHexDigits(from backslash: Int) throws(JSONSyntaxError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw error("\\u needs four hexadecimal digits", at: backslash)
      }
      value = value << 4 + UInt32(digit)
      index += 1
    }
    return value
  }

  /// Throws at the first byte that is not UTF-8.
  private func requireUTF8(_ text: UnsafeRawBufferPointer, at start: Int) throws(JSONSyntaxError) {
    if let offset = text.firstInvalidUTF8 { throw error("not UTF-8", at: start + offset) }
  }
}

extension UnsafeRawBufferPointer {
  /// The offset of the first byte that does not begin a well-formed UTF-8 sequence; nil if all are well-formed.
  var firstInvalidUTF8: Int? {
    var index = 0
    while index < count {
      if self[index] < 0x80 {
        index += 1
      } else {
        guard let length = UnsafeRawBufferPointer(rebasing: self[index...]).lengthOfFirstUTF8 else {
          return index
        }
        index += length
      }
    }
    return nil
  }

  /// The length of the first UTF-8 sequence, which there must be, by table 3-7 of the Unicode standard; nil if it is
  /// not well-formed.
  package var lengthOfFirstUTF8: Int? {
    let (length, second): (Int, ClosedRange<UInt8>)
    switch self[0] {
    case 0..<0x80: return 1
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return nil
    }
    guard length <= count, second.contains(self[1]) else { return nil }
    var offset = 2
    while offset < length {
      guard self[offset] & 0xC0 == 0x80 else { return nil }
      offset += 1
    }
    return length
  }
}
