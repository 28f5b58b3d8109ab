import Foundation
import Testing

import LiveStorePostgreSQL

@Suite struct `Arrays of columns` {
  @Test func `arrays have their elements, with nil for null`() throws {
    try ValueSample.expect("integer[]", "{1,NULL,3}", [1, nil, 3])
    try ValueSample.expect("integer[]", "{}", [Int]())
    try ValueSample.expect("integer[]", "{}", [[Int]]())
    try ValueSample.expect("posint[]", "{7,8}", Set([7, 8]))
    try ValueSample.expect("bigint[]", "{9223372036854775807}", [Int128(Int.max)])
    try ValueSample.expect("boolean[]", "{t,f,NULL}", [true, false, nil])
    try ValueSample.expect("date[]", "{2026-11-25}", [Date(timeIntervalSince1970: 1_795_564_800)])
    try ValueSample.expect("bytea[]", #"{"\\xdead",NULL}"#, [Data([0xDE, 0xAD]), nil])
    try ValueSample.expect(
      "text[]", #"{a,"b c","d\"e\\f",NULL,"NULL","","{x}","g,h"," i "}"#,
      ["a", "b c", #"d"e\f"#, nil, "NULL", "", "{x}", "g,h", " i "])
    try ValueSample.expect(
      "timestamptz[]", #"{"2026-11-25 08:30:00+00",infinity}"#,
      [Date(timeIntervalSince1970: 1_795_595_400), .postgresInfinity])
    try ValueSample.expectMismatch("integer[]", "{1,NULL,3}", [Int].self)
    try ValueSample.expectMismatch("text[]", "{Grüße}", [Int].self)
  }

  @Test func `dimensions are arrays of arrays, wherever they begin`() throws {
    try ValueSample.expect("integer[]", "{{1,2},{3,4}}", [[1, 2], [3, 4]])
    try ValueSample.expect("integer[]", "[0:1]={5,6}", [5, 6])
    try ValueSample.expect("integer[]", "[-1:0][2:3]={{1,2},{3,4}}", [[1, 2], [3, 4]])
    try ValueSample.expect("integer[]", "{{{1},{2}}}", [[[1], [2]]])
    try ValueSample.expect("integer[]", "{{{1},{2}}}", [[Set([1]), [2]]])
    try ValueSample.expectMismatch("integer[]", "{{1,2},{3,4}}", [Int].self)
    try ValueSample.expectMismatch("integer[]", "{{1,2},{3,4}}", [String].self)
    try ValueSample.expectMismatch("integer[]", "{{1,2},{3,4}}", [Date].self)
    try ValueSample.expectMismatch("integer[]", "{{1,2},{3,4}}", [Int128].self)
    try ValueSample.expectMismatch("integer[]", "{1,NULL,3}", [[Int]].self)
    try ValueSample.expectMismatch("integer[]", "{1,NULL,3}", Int.self)
  }

  @Test func `an array within one is optional, too`() throws {
    try ValueSample.expect("integer[]", "{{1,2},{3,4}}", [[1, 2], [3, 4]] as [[Int]?])
  }

  @Test(arguments: [
    "", "{", "}", "{1", "1}", "{1}}", "{{1}", "{1,}", "{,1}", "{{1},2}", "{1,{2}}", "{{1},{2,3}}", "{{}}",
    "{\"a}", "{a\"b}",
    "{a\\", "[0:1]={1}", "[1:0]={}", "[0:1={1,2}", "[0:1]{1,2}", "[a:b]={1}", "{{{{{{{1}}}}}}}", "{1} x",
    "{a b\"",
    "[0:1][0:1]={1,2}", "{}{}", "{{1},{}}", "[99999999999:1]={1}",
  ])
  func `a text that is no array is a mismatch`(text: String) throws {
    #expect(throws: PostgresError.self) {
      try textRow(.array(of: .text), text).decode("value", as: [String].self)
    }
  }

  @Test func `white space around elements does not count, unless it is quoted`() throws {
    let row = try textRow(.array(of: .text), " { a b , \" c \" ,null, \\n\\\\ } ")
    #expect(try row.decode("value") == ["a b", " c ", nil, "n\\"])
  }

  @Test(arguments: [
    // More elements than bytes, negative sizes, sizes of which the product overflows, too many dimensions.
    "000000010000000000000017 7fffffff00000001", "000000010000000000000017 ffffffff00000001",
    "000000030000000000000017 7fffffff000000017fffffff000000017fffffff00000001",
    "000000070000000000000017 0000000100000001", "ffffffff0000000000000017",
    "000000010000000000000017 0000000100000001 fffffffe",
    "000000010000000000000017 0000000100000001 00000005 00",
  ])
  func `bytes that are no array are a mismatch`(hexadecimal: String) throws {
    let row = try binaryRow(.array(of: .int4), bytes(hexadecimal: hexadecimal))
    #expect(throws: PostgresError.self) { try row.decode("value", as: [Int].self) }
    #expect(throws: PostgresError.self) { try row.decode("value", as: String.self) }
  }

  @Test func `an array of a type with another delimiter is split by it`() throws {
    let row = try textRow(
      .array(of: .other(name: "box", delimiter: UInt8(ascii: ";"))), "{(1,1),(0,0);(2,2),(1,1)}")
    #expect(try row.decode("value") == ["(1,1),(0,0)", "(2,2),(1,1)"])
  }
}
