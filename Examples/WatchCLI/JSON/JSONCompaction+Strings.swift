import Foundation
import LiveStore

extension JSONCompaction {
  /// Reads a string; gives whether it is ASCII without escapes.
  @inline(__always)
  mutating func string() -> Bool? {
    index &+= 1
    skipPlain()
    if index < count, text[index] == UInt8(ascii: "\"") {
      index &+= 1
      return true
    }
    return restOfString() ? false : nil
  }

  /// Reads the rest of a string that has escapes or characters beyond ASCII, or is wrong.
  private mutating func restOfString() -> Bool {
    while index < count {
      switch text[index] {
      case UInt8(ascii: "\""):
        index &+= 1
        return true
      case UInt8(ascii: "\\"): guard escape() else { return false }
      case 0..<0x20: return false
      default:
        let rest = UnsafeRawBufferPointer(start: text + index, count: count &- index)
        guard let length = rest.lengthOfFirstUTF8 else { return false }
        index &+= length
      }
      skipPlain()
    }
    return false
  }

  @inline(__always)
  private mutating func skipPlain() {
    while index &+ 8 <= count {
      let plain = JSONWord(at: text + index).plain
      index &+= plain
      if plain < 8 { return }
    }
    while index < count, (0x20..<0x80).contains(text[index]), text[index] != 0x22, text[index] != 0x5C {
      index &+= 1
    }
  }

  /// Reads a key and the colon after it.
  @inline(__always)
  mutating func key() -> Bool {
    guard index < count, text[index] == UInt8(ascii: "\"") else { return false }
    let start = index &+ 1
    guard string() == true, isNew(start, index &- 1 &- start) else { return false }
    if index < count, text[index] <= 0x20 {
      copy()
      while index < count, [0x20, 0x0A, 0x0D, 0x09].contains(text[index]) { index &+= 1 }
      copied = index
    }
    guard index < count, text[index] == UInt8(ascii: ":") else { return false }
    index &+= 1
    return true
  }

  /// Adds a key of the innermost object; false if the object has it, or there are too many.
  @inline(__always)
  private mutating func isNew(_ start: Int, _ length: Int) -> Bool {
    guard keyCount < JSONCompactor.maximumKeys else { return false }
    let hash = hash(start, length)
    let bit = 1 as UInt64 &<< (hash &>> 58)
    let level = levels + (depth &- 1)
    if level.pointee.seen & bit != 0 {
      for other in level.pointee.firstKey..<keyCount
      where keys[other].hash == hash && keys[other].count == length {
        if memcmp(text + keys[other].start, text + start, length) == 0 { return false }
      }
    }
    level.pointee.seen |= bit
    keys.advanced(by: keyCount).initialize(to: Key(start: start, count: length, hash: hash))
    keyCount &+= 1
    return true
  }

  /// A hash of the first and last eight bytes, wherever they stand.
  @inline(__always)
  private func hash(_ start: Int, _ length: Int) -> UInt64 {
    var word: UInt64 = 0
    if length >= 8 {
      word = JSONWord(at: text + start).bytes ^ JSONWord(at: text + (start &+ length &- 8)).bytes &* 3
    } else {
      for offset in 0..<length { word = word &<< 8 | UInt64(text[start &+ offset]) }
    }
    word = (word ^ UInt64(length)) &* 0x9E37_79B9_7F4A_7C15
    return word ^ word &>> 29 &* 0xBF58_476D_1CE4_E5B9
  }
}

// MARK: Escapes

extension JSONCompaction {
  /// Reads an escape, and replaces it unless it is the one that is written.
  private mutating func escape() -> Bool {
    guard index &+ 1 < count else { return false }
    switch text[index &+ 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      index &+= 2
      return true
    case UInt8(ascii: "/"):
      index &+= 2
      replace(from: index &- 2, by: CollectionOfOne(UInt8(ascii: "/")))
      return true
    case UInt8(ascii: "u"): return unicodeEscape()
    default: return false
    }
  }

  private mutating func unicodeEscape() -> Bool {
    let start = index
    guard var code = unit() else { return false }
    if (0xD800..<0xE000).contains(code) {
      guard code < 0xDC00, let low = unit(), (0xDC00..<0xE000).contains(low) else { return false }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code), let encoded = UTF8.encode(scalar) else { return false }
    var bytes: [UInt8] = []
    if code < 0x20 || code == 0x22 || code == 0x5C {
      for byte in encoded { JSONValue.write(byte, to: &bytes) }
      replace(from: start, by: bytes)
    } else {
      replace(from: start, by: encoded)
    }
    return true
  }

  /// Reads `\u` and four hexadecimal digits.
  private mutating func unit() -> UInt32? {
    guard index &+ 6 <= count, text[index] == UInt8(ascii: "\\"), text[index &+ 1] == UInt8(ascii: "u")
    else { return nil }
    var value: UInt32 = 0
    for offset in 2..<6 {
      let byte = text[index &+ offset]
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte &- UInt8(ascii: "A") &+ 10
      default: return nil
      }
      value = value << 4 | UInt32(digit)
    }
    index &+= 6
    return value
  }
}
