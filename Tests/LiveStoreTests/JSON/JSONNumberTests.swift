import LiveStore
import TestSupport
import Testing

@Suite struct JSONNumberTests {
  /// The number of a text, by way of the parser.
  private func number(_ text: String) throws -> JSONNumber {
    guard case .number(let number) = try JSONValue(parsing: text) else { throw Failure.notANumber(text) }
    return number
  }

  private enum Failure: Error { case notANumber(String) }

  @Test(arguments: [
    ["1", "1.0", "1e0", "10e-1", "0.1e1", "1.000000000000000000000000000000", "100E-2"],
    ["0", "-0", "0.0", "-0.0", "0e999999999999999999999", "0.000e-5"],
    ["0.1", "1e-1", "0.10", "0.0001e3", "1000000000000000000000e-22"],
    ["9223372036854775807", "9223372036854775807.0", "9.223372036854775807e18"],
    ["-9223372036854775808", "-9223372036854775808.000", "-922337203685477580800e-2"],
    ["18446744073709551616", "18446744073709551616.0", "1844674407370955161600e-2"],
    ["1e23", "100000000000000000000000", "1.0e+23", "0.1E24"],
    ["1.5e300", "15e299", "0.15e301"],
    ["5e-324", "0.5e-323", "50e-325"],
    ["0.12345678901234567890123456789", "12345678901234567890123456789e-29"],
  ])
  func `numbers of one value are equal, hash alike, print alike and are in no order`(texts: [String]) throws {
    let numbers = try texts.map(number)
    for other in numbers {
      #expect(other == numbers[0])
      #expect(other.hashValue == numbers[0].hashValue)
      #expect(other.description == numbers[0].description)
      #expect(!(other < numbers[0]) && !(numbers[0] < other))
    }
  }

  @Test(arguments: [
    ["9007199254740992", "9007199254740992.5", "9007199254740993", "9007199254740994"],
    ["18446744073709551614", "18446744073709551615", "18446744073709551615.5", "18446744073709551616"],
    ["9223372036854775806", "9223372036854775807", "9223372036854775808", "9.3e18", "1e19"],
    [
      "-1e19", "-9223372036854776001", "-9223372036854776000", "-9223372036854775900",
      "-9223372036854775809", "-9223372036854775808", "-9223372036854775807.5", "-9223372036854775807",
    ],
    [
      "0.1", "0.1000000000000000055511151231257827", "0.10000000000000000555111512312578271",
      "0.10000000000000002",
    ],
    [
      "-1e308", "-2", "-1.5", "-1", "-0.5", "-5e-324", "0", "5e-324", "1e-300", "0.5", "1", "1.5", "2",
      "1e308",
    ],
    ["0.3", "0.30000000000000001", "0.3000000000000001", "0.300000000000001"],
    ["99999999999999991611392", "99999999999999999999999", "1e23", "100000000000000000000001"],
    [
      "123456789012345678", "123456789012345678.1", "123456789012345678.10000000000000001",
      "123456789012345679",
    ],
    [
      "1.7976931348623157e308",
      "179769313486231570000000000000000000000000000000000000000000000000000001e237",
    ],
  ])
  func `numbers of different values are different and in order`(texts: [String]) throws {
    let numbers = try texts.map(number)
    for (i, left) in numbers.enumerated() {
      for (j, right) in numbers.enumerated() {
        #expect((left == right) == (i == j), "\(left) == \(right)")
        #expect((left < right) == (i < j), "\(left) < \(right)")
      }
    }
    #expect(Set(numbers).count == numbers.count)
  }

  @Test(arguments: Seeds.forSuite(4, thorough: 20))
  func `numbers order as their decimals do, whatever their representation`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let heads: [Int64] = [9_007_199_254_740_992, .max, .min, 1_000_000_000_000_000, 123_456_789, 0, 1, 999]
    var decimals: [PlainDecimal] = []
    for _ in 0..<375 {
      let head = random.pick(heads).magnitude
      let tail = Bool.random(using: &random) ? "" : "\(UInt64.random(in: 0...(.max), using: &random))"
      let digits = "\(head)\(Int.random(in: 0...9, using: &random))\(tail)"
      decimals.append(
        PlainDecimal(
          isNegative: Bool.random(using: &random), digits: digits,
          scale: Int.random(in: 0...22, using: &random)))
    }
    // The shortest decimals of doubles at the ends of the integers.
    for digits in ["9223372036854776000", "18446744073709552000"] {
      decimals += [true, false].map { PlainDecimal(isNegative: $0, digits: digits, scale: 0) }
    }
    for _ in 0..<1_000 {
      let (left, right) = (random.pick(decimals), random.pick(decimals))
      let (a, b) = (try number(left.text), try number(right.text))
      #expect((a < b) == (left < right), "\(left.text) < \(right.text)")
      #expect((a == b) == (left == right), "\(left.text) == \(right.text)")
      #expect(a != b || a.hashValue == b.hashValue)
    }
  }

  /// Bug: signs, points and exponents were read wherever they stood.
  @Test(arguments: [
    "1.2.3", "12-5", "e5", "1e2e3", "+-1", "1e", "1e+", "1e2.5", "-", ".", "", "1e5-", "--1", "１",
  ])
  func `a text of another form is no number`(text: String) {
    #expect(JSONNumber(decimalText: text) == nil)
  }

  @Test func `a double is the shortest decimal that reads back as it`() throws {
    let doubles = [
      0.1, -2.5, 1e23, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, 0x1p64,
    ]
    for double in doubles {
      let fromDouble = try #require(JSONNumber(double))
      #expect(try number(double.description) == fromDouble)
      #expect(fromDouble.double == double)
    }
    for seed in Seeds.forSuite(4, thorough: 20) {
      var random = SplitMix64(seed: seed)
      for _ in 0..<500 {
        let double = Double(bitPattern: random.next())
        // Between 2^53 and 2^63 a double is its exact value instead.
        guard double.isFinite, !(0x1p53..<0x1p63).contains(double.magnitude) else { continue }
        #expect(try number("\(double)") == JSONNumber(double), "seed \(seed): \(double)")
      }
    }
    #expect(JSONNumber(.nan) == nil && JSONNumber(.infinity) == nil && JSONNumber(-.infinity) == nil)
  }

  @Test func `an integral double of 64 bits is its exact value`() {
    #expect(JSONNumber(0x1p60) == JSONNumber(1 << 60))
    #expect(JSONNumber(9_007_199_254_740_992.0) != JSONNumber(9_007_199_254_740_993))
  }

  @Test func `the nearest double of a long decimal minds its last digit`() throws {
    let zeros = String(repeating: "0", count: 900)
    #expect(try number("9007199254740993.\(zeros)1").double == 9_007_199_254_740_994)
    #expect(try number("9007199254740992.9\(zeros)1").double == 9_007_199_254_740_992)
  }

  @Test func `integers of any width are exact`() throws {
    #expect(try number("18446744073709551615") == JSONNumber(UInt64.max))
    #expect(try number("18446744073709551616") == JSONNumber(Int128(1) << 64))
    #expect(JSONNumber(Int64.min).integer == .min)
    #expect(JSONNumber(UInt64.max).integer == nil)
    #expect(JSONNumber(UInt64.max).double == 0x1p64)
  }

  @Test func `the opposite of the opposite is the number itself`() throws {
    for text in [
      "0", "1", "-9223372036854775808", "9223372036854775808", "0.5", "1e23", "18446744073709551615",
    ] {
      let number = try number(text)
      #expect(-(-number) == number)
      #expect(-number == number || (-number < number) == (text.first != "-"))
    }
    #expect(-JSONNumber(Int64.min) == JSONNumber(UInt64(1) << 63))
  }
}

/// A decimal as its digits, without any cleverness: what numbers are checked against.
private struct PlainDecimal: Comparable {
  let isNegative: Bool
  let digits: String
  /// How many of the digits stand after the point.
  let scale: Int

  var text: String {
    let padded = String(repeating: "0", count: max(0, scale + 1 - digits.count)) + digits
    let whole = padded.dropLast(scale).drop { $0 == "0" }
    return
      "\(isNegative ? "-" : "")\(whole.isEmpty ? "0" : whole)\(scale == 0 ? "" : ".")\(padded.suffix(scale))"
  }

  /// The digits as an integer, in units of 10^-22 and padded to one length.
  private var aligned: String {
    let all = digits + String(repeating: "0", count: 22 - scale)
    return String(repeating: "0", count: 80 - all.count) + all
  }

  private var isZero: Bool { digits.allSatisfy { $0 == "0" } }

  static func == (left: PlainDecimal, right: PlainDecimal) -> Bool {
    left.aligned == right.aligned && (left.isZero || left.isNegative == right.isNegative)
  }

  static func < (left: PlainDecimal, right: PlainDecimal) -> Bool {
    if left == right { return false }
    let (a, b) = (left.isNegative && !left.isZero, right.isNegative && !right.isZero)
    if a != b { return a }
    return (left.aligned < right.aligned) != a
  }
}
