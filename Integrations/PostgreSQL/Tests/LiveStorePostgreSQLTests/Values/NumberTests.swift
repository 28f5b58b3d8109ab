import Foundation
import Testing

import LiveStorePostgreSQL

@Suite struct `Numbers of columns` {
  @Test func `integers have every type of Swift that holds them`() throws {
    try ValueSample.expect("smallint", "-32768", Int16.min)
    try ValueSample.expect("smallint", "32767", Int.init(32_767))
    try ValueSample.expect("integer", "-2147483648", Int32.min)
    try ValueSample.expect("integer", "2147483647", UInt32(2_147_483_647))
    try ValueSample.expect("bigint", "-9223372036854775808", Int64.min)
    try ValueSample.expect("bigint", "9223372036854775807", Int.max)
    try ValueSample.expect("bigint", "9223372036854775807", Int128(Int64.max))
    try ValueSample.expect("bigint", "9223372036854775807", UInt128(Int64.max))
    try ValueSample.expect("bigint", "42", UInt8(42))
    try ValueSample.expect("bigint", "42", Int8(42))
    try ValueSample.expect("oid", "4294967295", UInt32.max)
    try ValueSample.expect("oid", "4294967295", 4_294_967_295)
    try ValueSample.expect("posint", "7", 7)
  }

  @Test func `an integer that does not fit is a mismatch`() throws {
    try ValueSample.expectMismatch("smallint", "-32768", Int8.self)
    try ValueSample.expectMismatch("smallint", "-32768", UInt16.self)
    try ValueSample.expectMismatch("integer", "70000", Int16.self)
    try ValueSample.expectMismatch("bigint", "-9223372036854775808", UInt64.self)
    try ValueSample.expectMismatch("oid", "4294967295", Int32.self)
    try ValueSample.expectMismatch("boolean", "true", Int.self)
    try ValueSample.expectMismatch("date", "2000-01-01", Int.self)
  }

  @Test func `numerics without a fraction are integers, too`() throws {
    try ValueSample.expect("numeric", "0", 0)
    try ValueSample.expect("numeric", "0.000", 0)
    try ValueSample.expect("numeric", "42.00", Int8(42))
    try ValueSample.expect("numeric", "-1", -1)
    try ValueSample.expect("numeric", "10000", 10_000)
    try ValueSample.expect("numeric", "100000000", UInt32(100_000_000))
    try ValueSample.expect("numeric", "-9223372036854775808", Int64.min)
    try ValueSample.expect("numeric", "18446744073709551615", UInt64.max)
    try ValueSample.expect("numeric", "1e20", Int128(100_000_000_000_000_000_000))
    try ValueSample.expectMismatch("numeric", "1.50", Int.self)
    try ValueSample.expectMismatch("numeric", "0.0001", Int.self)
    try ValueSample.expectMismatch("numeric", "-0.5", Int.self)
    try ValueSample.expectMismatch("numeric", "18446744073709551615", Int64.self)
    try ValueSample.expectMismatch("numeric", "-1", UInt.self)
    try ValueSample.expectMismatch("numeric", "1e130", Int.self)
    try ValueSample.expectMismatch("numeric", "NaN", Int.self)
    try ValueSample.expectMismatch("numeric", "Infinity", Int.self)
  }

  @Test func `numerics are exact decimals`() throws {
    try ValueSample.expect("numeric", "0", Decimal.zero)
    try ValueSample.expect("numeric", "1.50", Decimal(sign: .plus, exponent: -1, significand: 15))
    try ValueSample.expect("numeric", "-0.5", Decimal(sign: .minus, exponent: -1, significand: 5))
    try ValueSample.expect("numeric", "0.00001", Decimal(sign: .plus, exponent: -5, significand: 1))
    try ValueSample.expect(
      "numeric", "9999.9999", Decimal(sign: .plus, exponent: -4, significand: 99_999_999))
    try ValueSample.expect("numeric", "18446744073709551615", Decimal(UInt64.max))
    try ValueSample.expect("numeric", "1e20", Decimal(sign: .plus, exponent: 20, significand: 1))
    let long = try #require(Decimal(string: "12345678901234567890.0987654321", locale: nil))
    try ValueSample.expect("numeric", "12345678901234567890.0987654321", long)
    let nines = try #require(Decimal(string: String(repeating: "9", count: 38), locale: nil))
    try ValueSample.expect("numeric", "99999999999999999999999999999999999999", nines)
    for row in try ValueSample.of("numeric", "NaN").rows() {
      #expect(try row.decode("value", as: Decimal.self).isNaN)
    }
  }

  @Test func `a numeric that no decimal is exactly is a mismatch`() throws {
    try ValueSample.expectMismatch("numeric", "123456789012345678901234567890123456789.5", Decimal.self)
    try ValueSample.expectMismatch("numeric", "1e-140", Decimal.self)
    try ValueSample.expectMismatch("numeric", "Infinity", Decimal.self)
    try ValueSample.expectMismatch("numeric", "-Infinity", Decimal.self)
    let row = try textRow(.numeric, "1e165")
    #expect(throws: PostgresError.self) { try row.decode("value", as: Decimal.self) }
  }

  @Test func `a decimal has at most 38 digits, and an exponent of -128 to 127`() throws {
    let zeros = { String(repeating: "0", count: $0) }
    #expect(
      try "\(textRow(.numeric, "-15" + zeros(127)).decode("value", as: Decimal.self))" == "-15" + zeros(127))
    let smallest = "0." + zeros(127) + "7"
    #expect(try "\(textRow(.numeric, smallest).decode("value", as: Decimal.self))" == smallest)
    for text in ["15" + zeros(128), "0." + zeros(128) + "7", "1." + zeros(37) + "1"] {
      #expect(throws: PostgresError.self) { try textRow(.numeric, text).decode("value", as: Decimal.self) }
    }
    let digits = "1." + zeros(36) + "1"
    #expect(try "\(textRow(.numeric, digits + zeros(50)).decode("value", as: Decimal.self))" == digits)
  }

  @Test func `integers and floating-point numbers are decimals by their digits`() throws {
    try ValueSample.expect("bigint", "-9223372036854775808", Decimal(Int64.min))
    try ValueSample.expect("double precision", "0.1", Decimal(sign: .plus, exponent: -1, significand: 1))
    try ValueSample.expect("real", "0.1", Decimal(sign: .plus, exponent: -1, significand: 1))
    try ValueSample.expect("double precision", "1e-5", Decimal(sign: .plus, exponent: -5, significand: 1))
    try ValueSample.expectMismatch("double precision", "1e300", Decimal.self)
    try ValueSample.expectMismatch("date", "2000-01-01", Decimal.self)
  }

  @Test func `floating-point numbers are the same from both forms`() throws {
    try ValueSample.expect("double precision", "0.1", 0.1)
    try ValueSample.expect("double precision", "5e-324", Double.leastNonzeroMagnitude)
    try ValueSample.expect("double precision", "Infinity", Double.infinity)
    try ValueSample.expect("double precision", "-Infinity", -Float.infinity)
    try ValueSample.expect("double precision", "0.3", Float(0.3))
    try ValueSample.expect("real", "0.1", Float(0.1))
    try ValueSample.expect("real", "0.1", Double(Float(0.1)))
    try ValueSample.expect("real", "3.4028235e38", Float.greatestFiniteMagnitude)
    for type in ["real", "double precision"] {
      for row in try ValueSample.of(type, "NaN").rows() {
        #expect(try row.decode("value", as: Double.self).isNaN)
      }
      for row in try ValueSample.of(type, "-0").rows() {
        #expect(try row.decode("value", as: Double.self).sign == .minus)
        #expect(try row.decode("value", as: Float.self).sign == .minus)
      }
    }
  }

  /// Bug: a number beyond the largest of its type was read as an infinity.
  @Test func `a number beyond the largest is a mismatch, and no infinity`() throws {
    try ValueSample.expectMismatch("double precision", "1e300", Float.self)
    // 10,000 to the power of 100: one digit, its weight, sign, decimals.
    let rows = [
      try textRow(.numeric, "1" + String(repeating: "0", count: 400)),
      try binaryRow(.numeric, [0, 1, 0, 100, 0, 0, 0, 0, 0, 1]),
    ]
    for row in rows {
      #expect(throws: PostgresError.self) { try row.decode("value", as: Double.self) }
      #expect(throws: PostgresError.self) { try row.decode("value", as: Float.self) }
    }
    for text in ["1e39", "1e309", "-1e400"] {
      #expect(throws: PostgresError.self) { try textRow(.text, text).decode("value", as: Float.self) }
      if text == "1e39" { continue }
      #expect(throws: PostgresError.self) { try textRow(.text, text).decode("value", as: Double.self) }
    }
  }

  /// Bug: ten bytes became a text of 131,072 digits.
  @Test func `a numeric is text unless it has more than two thousand zeros beside its digits`() throws {
    // One digit, its weight, sign, decimals.
    for (weight, decimals, zeros) in [
      (500, 0, 2_000), (0, 2_000, 2_000), (501, 0, nil), (0, 2_001, nil), (-500, 2_003, nil),
    ] {
      let fields = [1, weight, 0, decimals, 1].flatMap { [UInt8($0 >> 8 & 0xFF), UInt8($0 & 0xFF)] }
      let text =
        weight < 0
        ? "0." + String(repeating: "0", count: 2_002) + "1"
        : "1" + String(repeating: "0", count: 4 * weight) + (decimals > 0 ? "." : "")
          + String(repeating: "0", count: decimals)
      let rows = [
        try binaryRow(.numeric, fields), try textRow(.numeric, text),
        // One dimension without NULL, of numerics, with one element, from 1 on.
        try binaryRow(
          .array(of: .numeric), [1, 0, 1_700, 1, 1, fields.count].flatMap(bigEndian) + fields),
        try textRow(.array(of: .numeric), "{\(text)}"),
      ]
      for row in rows {
        if let zeros {
          #expect(try row.decode("value", as: String.self).utf8.count { $0 == UInt8(ascii: "0") } == zeros)
        } else {
          #expect(throws: PostgresError.self) { try row.decode("value", as: String.self) }
        }
      }
    }
    // As many decimals as there may be.
    let one = try binaryRow(.numeric, [0, 1, 0, 0, 0, 0, 0x3F, 0xFF, 0, 1])
    #expect(try one.decode("value", as: Double.self) == 1)
    #expect(try one.decode("value", as: Decimal.self) == 1)
  }

  private func bigEndian(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xFF) } }

  @Test func `other numbers are floating-point numbers, too`() throws {
    try ValueSample.expect("bigint", "9223372036854775807", 9_223_372_036_854_775_807.0)
    try ValueSample.expect("oid", "4294967295", Float(4_294_967_295))
    try ValueSample.expect("numeric", "9999.9999", 9_999.9999)
    try ValueSample.expect("numeric", "1e-140", 1e-140)
    try ValueSample.expect("numeric", "-Infinity", -Double.infinity)
    try ValueSample.expect("double precision", "100", 100)
    try ValueSample.expectMismatch("double precision", "0.3", Int.self)
    try ValueSample.expectMismatch("boolean", "true", Double.self)
  }

  @Test(arguments: ["", "-", "+1", "1x", "0x1", " 1", "1 ", "1e2", "1.5", "９"])
  func `a text that is no integer is a mismatch`(text: String) throws {
    #expect(throws: PostgresError.self) { try textRow(.text, text).decode("value", as: Int.self) }
  }

  @Test(arguments: ["", "-", "0x1p3", "inf", "nan", "1_0", "infinity ", ".", "1e"])
  func `a text that is no number is a mismatch`(text: String) throws {
    #expect(throws: PostgresError.self) { try textRow(.text, text).decode("value", as: Double.self) }
    #expect(throws: PostgresError.self) { try textRow(.text, text).decode("value", as: Decimal.self) }
  }
}
