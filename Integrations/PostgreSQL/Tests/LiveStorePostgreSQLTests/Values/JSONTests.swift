import Foundation
import LiveStore
import Testing

import LiveStorePostgreSQL

private struct Box: Codable, Equatable {
  var a: [Double?]
  var b: String
}

private struct Members: Decodable, Equatable {
  var first: Double
  var b: String

  private enum Keys: String, CodingKey { case value }
  private enum Inner: String, CodingKey { case a, b }

  init(from decoder: any Decoder) throws {
    let row = try decoder.container(keyedBy: Keys.self)
    let value = try row.nestedContainer(keyedBy: Inner.self, forKey: .value)
    var list = try value.nestedUnkeyedContainer(forKey: .a)
    first = try list.decode(Double.self)
    b = try value.decode(String.self, forKey: .b)
  }
}

@Suite(.serialized) struct `JSON of columns` {
  private static let object = #"{"a": [1, 2.5, null], "b": "x"}"#

  @Test(arguments: ["json", "jsonb"]) func `JSON is whatever can be decoded`(type: String) throws {
    try ValueSample.expect(type, Self.object, Box(a: [1, 2.5, nil], b: "x"))
    try ValueSample.expect(type, Self.object, Box(a: [1, 2.5, nil], b: "x") as Box?)
    try ValueSample.expect(type, "42", 42)
    try ValueSample.expect(type, "42", 42.0)
    try ValueSample.expect(type, "42", Decimal(42))
    try ValueSample.expect(type, "42", 42 as Int?)
    try ValueSample.expectMismatch(type, Self.object, Int.self)
    try ValueSample.expectMismatch(type, "42", Box.self)
    try ValueSample.expectMismatch(type, "null", Box.self)
  }

  @Test(arguments: ["json", "jsonb"]) func `JSON is the store's type, null included`(type: String) throws {
    try ValueSample.expect(type, Self.object, ["a": [1, 2.5, nil], "b": "x"] as JSONValue)
    try ValueSample.expect(type, "null", JSONValue.null)
    try ValueSample.expect(type, "null", nil as Box?)
    for row in try ValueSample.of(type, "null").rows() {
      #expect(try row.decode("value", as: JSONValue?.self) == .some(.null))
    }
  }

  @Test(arguments: ["json", "jsonb"]) func `dates in JSON are texts or numbers`(type: String) throws {
    try ValueSample.expect(type, #""2026-11-25T08:30:00.25Z""#, Date(timeIntervalSince1970: 1_795_595_400.25))
    try ValueSample.expect(type, "42", Date(timeIntervalSinceReferenceDate: 42))
    #expect(
      try textRow(.json, #"["2026-11-25T09:30:00+01:00"]"#).decode("value") == [
        Date(timeIntervalSince1970: 1_795_595_400)
      ])
    try ValueSample.expectMismatch(type, Self.object, Date.self)
  }

  @Test(arguments: ["json", "jsonb"]) func `JSON is decoded member by member, too`(type: String) throws {
    let layout = RowLayout(table: "public.samples", names: ["value"], types: [.named(type)])
    let sample = try ValueSample.of(type, Self.object)
    let decoder = RowDecoder(layout)
    let row = TupleData(bytes: sample.binary, fields: [.init(.binary, sample.binary.indices)])
    #expect(try decoder.decode(Members.self, from: row).first == 1)
    #expect(try decoder.decode(Members.self, from: row).b == "x")
  }

  @Test func `elements of arrays are JSON, too`() throws {
    try ValueSample.expect("jsonb[]", #"{"{\"a\": 1}",NULL}"#, [["a": 1], nil] as [[String: Int]?])
    try ValueSample.expect("jsonb[]", #"{"{\"a\": 1}",NULL}"#, [["a": 1], nil] as [JSONValue?])
  }

  /// Bug: Foundation's decoder got what others had written, and ended the process at such a number.
  @Test func `JSON that Foundation must not get is read or a mismatch, and never the end`() throws {
    struct Whole: Codable { var n: Int }
    let number = "12345678901234567890\(String(repeating: "0", count: 140))e-141"
    #expect(
      try textRow(.json, #"{"n": \#(number)}"#).decode("value", as: Whole.self).n == 1_234_567_890_123_456_789
    )
    let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
    #expect(throws: PostgresError.self) { try textRow(.json, deep).decode("value", as: [Nested].self) }
    let marks = #"{"a\#(String(repeating: "\u{301}", count: 100_000))": 1}"#
    #expect(throws: PostgresError.self) { try textRow(.json, marks).decode("value", as: [String: Int].self) }
  }

  private struct Priced<Amount: Codable & Equatable>: Codable, Equatable { var amount: Amount }

  /// Bug: within other values a JSON value was read as a double.
  @Test(arguments: ["12345678901234567890123456789012345678901234567890", "-9007199254740993.5", "0.1"])
  func `numbers of JSON within dictionaries, structures and arrays are exact`(number: String) throws {
    let exact = try JSONValue(parsing: number)
    let row = try textRow(.json, #"{"amount": \#(number)}"#)
    #expect(try row.decode("value") == ["amount": exact])
    #expect(try row.decode("value") == Priced(amount: exact))
    #expect(try row.decode("value") == ["amount": exact] as JSONValue)
    let array = try textRow(.json, #"[[{"amount": [\#(number)]}]]"#)
    #expect(try array.decode("value") == [[Priced(amount: [exact])]])
    let elements = try textRow(.array(of: .json), #"{"{\"amount\": \#(number)}"}"#)
    #expect(try elements.decode("value") == [["amount": exact]])
  }

  /// Bug: numbers were written as doubles, and dates to the second.
  @Test func `JSON is written with the digits that were read`() throws {
    let digits = "[12345678901234567890123456789012345678901234567890,0.1,-3,18446744073709551616,1e+300]"
    let value = try JSONValue(parsing: digits)
    let sql: SQL = "\(json: value), \(json: ["a": [value]])"
    #expect(try sql.parameters == [digits, #"{"a":[\#(digits)]}"#])
    let dates = [
      Date(timeIntervalSince1970: 1_795_595_400.25), .postgresInfinity,
      Date(timeIntervalSince1970: -62_135_640_000),
    ]
    let texts = #"["2026-11-25T08:30:00.25Z","infinity","0001-12-31T12:00:00Z BC"]"#
    let written: SQL = "\(json: dates)"
    #expect(try written.parameters == [texts])
    #expect(try textRow(.jsonb, texts).decode("value") == dates)
  }

  /// Bug: Foundation leaves out the digits that a decimal has no room for.
  @Test func `a decimal in JSON is exact, or a mismatch`() throws {
    let digits = String(repeating: "1234567890", count: 3) + "12345678"
    #expect(
      try textRow(.json, #"{"amount": \#(digits)}"#).decode("value", as: Priced<Decimal>.self).amount
        .description == digits)
    for number in ["\(digits)901", "0.\(digits)9", "1e130"] {
      let row = try textRow(.json, #"{"amount": \#(number)}"#)
      let error = #expect(throws: PostgresError.self) { try row.decode("value", as: Priced<Decimal>.self) }
      #expect(error?.code == PostgresError.mismatch && error?.column == "value")
    }
    let row = try textRow(.json, #"{"amount": 0.\#(digits)9}"#)
    #expect(try row.decode("value", as: Priced<Double>.self).amount == 0.12345678901234568)
    #expect(try row.decode("value", as: Priced<Float>.self).amount == 0.12345679)
  }

  /// Bug: of two members whose keys are one in Swift one was left.
  @Test(arguments: ["json", "jsonb"])
  func `members that differ by normalization alone are a mismatch`(type: String) throws {
    let row = try textRow(.named(type), #"{"\#u{E9}": 1, "e\#u{301}": 2}"#)
    for read in [
      { try row.decode("value", as: JSONValue.self) }, { try row.decode("value", as: [String: Int].self) },
    ] as [() throws -> Any] {
      let error = #expect(throws: PostgresError.self) { try read() }
      #expect(error?.message.contains("canonically equivalent") == true)
    }
    #expect(try row.decode("value", as: String.self).utf8.count == 19)
  }

  private struct Nested: Decodable {
    let elements: [Nested]

    init(from decoder: any Decoder) throws {
      elements = try decoder.singleValueContainer().decode([Nested].self)
    }
  }

  @Test(arguments: [[], [2, 0x31], [0x31], [1], [1, 0x7B], [1, 0x22, 0xFF, 0x22]] as [[UInt8]])
  func `bytes that are no JSON are a mismatch`(bytes: [UInt8]) throws {
    let row = try binaryRow(.jsonb, bytes)
    #expect(throws: PostgresError.self) { try row.decode("value", as: Box.self) }
    #expect(throws: PostgresError.self) { try row.decode("value", as: JSONValue.self) }
  }
}
