import LiveStore
import TestSupport
import Testing

@Suite struct JSONParserTests {
  @Test(
    arguments: [
      ("null", .null), (" true ", .bool(true)), ("\t\r\nfalse\n", .bool(false)), ("-12", -12), ("0", 0),
      ("1.5e3", 1500), ("-0.25", -0.25), (#""""#, ""), (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{C}\n\r\tz"),
      (#""\u00e9\u20AC\ud83d\ude00""#, "é€😀"), ("\"é€😀\u{7F}\"", "é€😀\u{7F}"), (#""\u0000""#, "\0"),
      ("[]", []), ("[ ]", []), ("[1,[2,[]],3]", [1, [2, []], 3]), ("{}", [:]), ("{ }", [:]),
      (#"{"a":1,"b":{"c":[null]}}"#, ["a": 1, "b": ["c": [nil]]]), (#" { "a" : [ ] } "#, ["a": []]),
      (#"{"":0}"#, ["": 0]),
    ] as [(String, JSONValue)])
  func `valid text is read`(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: text) == value)
  }

  @Test(arguments: [
    ("", 1, "expected a value, found the end of the text"),
    ("  ", 3, "expected a value, found the end of the text"),
    ("nul", 1, "expected null"),
    ("True", 1, "expected a value, found T"),
    ("truex", 5, "expected the end, found x"),
    ("1 2", 3, "expected the end, found 2"),
    ("[1,]", 4, "expected a value, found ]"),
    ("[1 2]", 4, "expected , or ], found 2"),
    ("[1", 3, "expected , or ], found the end of the text"),
    ("[1}", 3, "expected , or ], found }"),
    ("[,1]", 2, "expected a value, found ,"),
    ("{\"a\" 1}", 6, "expected :, found 1"),
    ("{\"a\":}", 6, "expected a value, found }"),
    ("{\"a\":1,}", 8, "expected a key, found }"),
    ("{a:1}", 2, "expected a key or }, found a"),
    ("{\"a\":1 \"b\"}", 8, "expected , or }, found \""),
    ("{", 2, "expected a key or }, found the end of the text"),
    ("01", 1, "a number may not begin with 0 and a further digit"),
    ("-01", 2, "a number may not begin with 0 and a further digit"),
    ("-", 2, "expected a digit, found the end of the text"),
    ("+1", 1, "expected a value, found +"),
    (".5", 1, "expected a value, found ."),
    ("1.", 3, "expected a digit after the point, found the end of the text"),
    ("1.e3", 3, "expected a digit after the point, found e"),
    ("1e", 3, "expected a digit in the exponent, found the end of the text"),
    ("1e+", 4, "expected a digit in the exponent, found the end of the text"),
    ("0x10", 2, "expected the end, found x"),
    ("NaN", 1, "expected a value, found N"),
    ("[1e999]", 2, "number out of range (that of a 64-bit floating-point number)"),
    ("-1e999", 1, "number out of range (that of a 64-bit floating-point number)"),
    ("1e-999", 1, "number out of range (that of a 64-bit floating-point number)"),
    ("1e99999999999999999999999999", 1, "number out of range (that of a 64-bit floating-point number)"),
    ("1.8e308", 1, "number out of range (that of a 64-bit floating-point number)"),
    ("\"abc", 1, "the string has no closing quote"),
    ("\"a\\", 3, "the string has no closing quote"),
    ("\"a\nb\"", 3, "a control character in a string must be written as an escape"),
    ("\"\\x\"", 2, "no such escape in a string"),
    ("\"\\u12g4\"", 2, "\\u needs four hexadecimal digits"),
    ("\"\\u12", 2, "\\u needs four hexadecimal digits"),
    ("\"\\ud800\"", 2, "half of a surrogate pair without the other half"),
    ("\"\\udc00\\ud800\"", 2, "half of a surrogate pair without the other half"),
    ("\"\\ud800\\u0041\"", 2, "half of a surrogate pair without the other half"),
    ("\"\\ud800x\"", 2, "half of a surrogate pair without the other half"),
    ("'a'", 1, "expected a value, found '"),
    ("é", 1, "expected a value, found byte 0xC3"),
    ("[1]\0", 4, "expected the end, found byte 0x00"),
    ("\u{FEFF}1", 1, "expected a value, found byte 0xEF"),
    ("// x\n1", 1, "expected a value, found /"),
  ])
  func `invalid text is refused with the byte and the reason`(text: String, column: Int, reason: String) {
    #expect(throws: JSONSyntaxError(column: column, reason: reason)) { try JSONValue(parsing: text) }
  }

  @Test(arguments: [
    [0x80], [0xC3], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
    [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xF0, 0x80, 0x80, 0x80], [0xC3, 0x28], [0xE2, 0x28, 0xA1],
    [0xE2, 0x82, 0x28],
  ])
  func `bytes that are not UTF-8 are refused in place`(bytes: [UInt8]) {
    for prefix in ["\"é", "\"\\n", "[{\"k\":\""] {
      let text = Array(prefix.utf8) + bytes + Array("\"".utf8)
      #expect(throws: JSONSyntaxError(column: prefix.utf8.count + 1, reason: "not UTF-8")) {
        try JSONValue(parsing: text)
      }
    }
  }

  @Test func `every well-formed scalar passes and the check agrees with the standard library`() throws {
    // By primes, so that bytes of every value are at every place.
    for value in stride(from: UInt32(0x20), through: 0x10FFFF, by: Environment.size(61, thorough: 7)) {
      guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
      let text = String(Character(scalar))
      #expect(try JSONValue(parsing: "\"\(text)\"") == .string(text))
    }
    let pieces: [UInt8] = [
      0x41, 0x80, 0x9F, 0xA0, 0xBF, 0xC2, 0xE0, 0xE1, 0xED, 0xF0, 0xF1, 0xF4, 0xF5,
    ]
    for seed in Seeds.forSuite(4, thorough: 20) {
      var random = SplitMix64(seed: seed)
      for _ in 0..<1_000 {
        let bytes = (0..<4).map { _ in random.pick(pieces) }
        let isValid = String(validating: bytes, as: UTF8.self) != nil
        let isAccepted = (try? JSONValue(parsing: [0x22] + bytes + [0x22])) != nil
        #expect(isAccepted == isValid, "seed \(seed): \(bytes)")
      }
    }
  }

  @Test func `the last value of equal keys stands at the place of the first`() throws {
    let small = try JSONValue(parsing: #"{"a":1,"b":2,"a":3}"#)
    #expect(small.description == #"{"a":3,"b":2}"#)
    let large = (0..<100).map { "\"k\($0 % 40)\":\($0)" }.joined(separator: ",")
    let expected = (0..<40).map { "\"k\($0)\":\($0 < 20 ? $0 + 80 : $0 + 40)" }.joined(separator: ",")
    #expect(try JSONValue(parsing: "{\(large)}").description == "{\(expected)}")
  }

  @Test func `512 levels are read, compared, hashed and printed, and one more is refused`() throws {
    let (deepest, deeper) = (nested(512), nested(513))
    let value = try JSONValue(parsing: deepest)
    #expect(value == (try JSONValue(parsing: deepest)))
    #expect(!(value < value))
    #expect(value.hashValue == (try JSONValue(parsing: deepest)).hashValue)
    #expect(value.description == deepest)
    #expect(
      throws: JSONSyntaxError(column: 1 + 512 * 3, reason: "more than 512 levels of arrays and objects")
    ) {
      try JSONValue(parsing: deeper)
    }
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: String(repeating: "[", count: 1_000_000)) }
    #expect(throws: JSONSyntaxError.self) {
      try JSONValue(parsing: String(repeating: "{\"\":", count: 1_000_000))
    }
  }

  /// An array in an object in an array …, so many levels deep; three bytes a level.
  private func nested(_ levels: Int) -> String {
    String(repeating: "[1,", count: levels) + "0" + String(repeating: "]", count: levels)
  }

  @Test func `texts of a megabyte are read in one pass`() throws {
    let length = Environment.size(250_000, thorough: 1_000_000)
    let digits = String(repeating: "7", count: length)
    let zeros = String(repeating: "0", count: length)
    let long = try JSONValue(parsing: "0.\(digits)")
    #expect(long > 0.7777 && long < 0.7778)
    #expect(try JSONValue(parsing: "1\(zeros)e-\(length)") == 1)
    #expect(try JSONValue(parsing: "0.\(zeros)1e\(length + 1)") == 1)
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: digits) }
    let escapes = String(repeating: "\\n", count: length / 2)
    #expect(try JSONValue(parsing: "\"\(escapes)\"") == .string(String(repeating: "\n", count: length / 2)))
    let count = length / 20
    let members = (0..<count).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    #expect(try JSONValue(parsing: "{\(members)}")["k\(count - 1)"] == JSONValue(count - 1))
  }
}
