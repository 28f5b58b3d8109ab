import TestSupport

/// Makes JSON texts, as bytes: valid ones, and ones that went wrong in the ways that texts go wrong.
struct JSONMaker {
  var random: SplitMix64

  /// A text that is valid more often than not.
  mutating func text() -> [UInt8] {
    var bytes = value(depth: 0)
    if random.chance(1, in: 300) { bytes = nested(bytes) }
    if random.chance(1, in: 8) { bytes = blanks() + bytes + blanks() }
    if random.chance(3, in: 5) { mutate(&bytes) }
    return bytes
  }

  /// A valid value.
  mutating func value(depth: Int) -> [UInt8] {
    switch random.int(0...(depth < 5 ? 9 : 5)) {
    case 0: return Array(random.pick(["null", "true", "false"]).utf8)
    case 1, 2: return number()
    case 3...5: return string()
    case 6, 7:
      let elements = (0..<random.int(0...4)).map { _ in value(depth: depth + 1) }
      return bracketed("[", elements, "]")
    default: return object(depth: depth, keys: random.chance(1, in: 40) ? 20...40 : 0...5)
    }
  }

  /// A valid object; of few keys, so that some are there twice.
  mutating func object(depth: Int, keys: ClosedRange<Int>, with more: [[UInt8]] = []) -> [UInt8] {
    var members = more
    for _ in 0..<random.int(keys) {
      let key = random.chance(1, in: 6) ? string() : Array("\"\(random.pick(Self.keys))\"".utf8)
      members.append(key + blanks() + [0x3A] + blanks() + value(depth: depth + 1))
    }
    return bracketed("{", members, "}")
  }

  static let keys =
    ["id", "a", "b", "c", "d", "and", "é", "e\\u0301", "0", "a.b"] + (0..<30).map { "k\($0)" }

  private mutating func bracketed(_ opening: String, _ parts: [[UInt8]], _ closing: String) -> [UInt8] {
    Array(opening.utf8) + parts.map { blanks() + $0 + blanks() }.joined(separator: [0x2C])
      + Array(closing.utf8)
  }

  private mutating func blanks() -> [UInt8] {
    random.chance(1, in: 10) ? Array(random.pick([" ", "\t", "  ", " \t "]).utf8) : []
  }

  private mutating func number() -> [UInt8] {
    if random.chance(1, in: 4) { return Array(random.pick(Self.numbers).utf8) }
    func digits(_ count: ClosedRange<Int>) -> String {
      (0..<random.int(count)).map { _ in "\(random.int(0...9))" }.joined()
    }
    var text = random.chance(1, in: 4) ? "-" : ""
    text +=
      random.chance(1, in: 5)
      ? "0" : "\(random.int(1...9))" + digits(0...(random.chance(1, in: 9) ? 400 : 18))
    if random.chance(1, in: 3) { text += "." + digits(1...(random.chance(1, in: 9) ? 400 : 17)) }
    if random.chance(1, in: 5) { text += random.pick(["e", "E", "e+", "e-"]) + digits(1...3) }
    return Array(text.utf8)
  }

  private static let numbers = [
    "0", "-0", "1.0", "1e0", "10e-1", "0.1", "-0.0", "9007199254740992", "9007199254740993", "1e308",
    "1.7976931348623157e308",
    "1.7976931348623159e308", "1e309", "5e-324", "2e-324", "1e-400", "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "1e18",
    "1e19",
    "0.30000000000000004", "123456789012345678901234567890", "0e999999999", "1e999999999", "-1e-999999999",
    "2.2250738585072011e-308", "1.00000000000000000000000000000000000001",
  ]

  private mutating func string() -> [UInt8] {
    var bytes: [UInt8] = [0x22]
    let count = random.chance(1, in: 200) ? random.int(1_000...5_000) : random.int(0...6)
    for _ in 0..<count { bytes += Array(random.pick(Self.pieces).utf8) }
    return bytes + [0x22]
  }

  private static let pieces = [
    "a", "B", "z", "0", " ", "é", "e\u{301}", "ß", "İ", "日", "😀", "👩‍👩‍👧", "\u{301}", "\\n", "\\r\\n", "\\t",
    "\\\"", "\\\\",
    "\\/", "\\b", "\\f", "\\u0000", "\\u00e9", "\\u00E9", "\\u2028", "\\ud83d\\ude00", "\\uD834\\uDD1E",
    "\u{7F}", "\u{FEFF}",
    "\u{2029}", "\\u001b", "{", "]", ",", ":",
  ]

  /// The same within many arrays or objects.
  private mutating func nested(_ bytes: [UInt8]) -> [UInt8] {
    let depth = random.pick([3, 500, 505, 510, 511, 512, 513, 600, 3_000])
    let (opening, closing) = random.pick([("[", "]"), ("{\"a\":", "}"), ("[{\"b\":", "}]")])
    let pad = { (text: String) in
      Array(String(repeating: text, count: depth / (opening.count > 2 ? 2 : 1)).utf8)
    }
    return pad(opening) + bytes + pad(closing)
  }
}

extension JSONMaker {
  /// Does damage in a few places.
  mutating func mutate(_ bytes: inout [UInt8]) {
    for _ in 0..<random.int(1...3) {
      let place = random.int(0...bytes.count)
      let end = min(bytes.count, place + random.int(0...8))
      switch random.int(0...7) {
      case 0: bytes.removeSubrange(place...)
      case 1: bytes.removeSubrange(place..<end)
      case 2: bytes.insert(contentsOf: bytes[place..<end], at: random.int(0...bytes.count))
      case 3: bytes.insert(contentsOf: Array(random.pick(Self.tokens).utf8), at: place)
      case 4: bytes.insert(contentsOf: random.pick(Self.malformed), at: place)
      case 5 where place < bytes.count: bytes[place] ^= 1 << UInt8(random.int(0...7))
      case 6 where place < bytes.count: bytes[place] = UInt8(random.int(0...255))
      default: bytes.replaceSubrange(place..<end, with: Array(random.pick(Self.tokens).utf8))
      }
    }
  }

  private static let tokens = [
    "{", "}", "[", "]", ",", ":", "\"", "\\", "NaN", "nan", "Infinity", "-Infinity", "+1", "00", "01", "-",
    "-01", "1.", ".5", "1e",
    "1e+", "0x1F", "1_000", "tru", "True", "nul", "null", "undefined", "\\u12", "\\u12g4", "\\ud800",
    "\\udc00",
    "\\ud800\\ud800", "\\udc00\\ud800", "\\x", "\\'", "'a'", "//", "/* */", "#", "\n", "\r\n", "\r", "\t",
    "\0", "\u{1F}",
    "\u{FEFF}", "\u{A0}", "1e999", "1e999999999", "-1e999999999", "1e-999999999", ",\"a\":1,\"a\":2",
    "\u{2028}", "e5",
  ]

  private static let malformed: [[UInt8]] = [
    [0x80], [0xC3], [0xC0, 0xAF], [0xC0, 0x80], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xED, 0xB0, 0x80],
    [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    [0xFF, 0xFE], [0xE2, 0x82],
    [0xEF, 0xBB, 0xBF], [0xEF, 0xBB],
  ]
}
