import Testing

import LiveStorePostgreSQL

/// A value in the forms that PostgreSQL 15 gave it in a `COPY`, with the time zone UTC.
struct ValueSample: Sendable, CustomTestStringConvertible {
  /// The type and the literal that the value was made of.
  let type: String
  let literal: String
  let text: String
  let binary: [UInt8]

  init(_ type: String, _ literal: String, text: String? = nil, binary: String) {
    (self.type, self.literal, self.text) = (type, literal, text ?? literal)
    self.binary = bytes(hexadecimal: binary)
  }

  var testDescription: String { "\(type) \(literal.prefix(40))" }

  /// The sample of a literal.
  static func of(_ type: String, _ literal: String) throws -> ValueSample {
    try #require(all.first { $0.type == type && $0.literal == literal })
  }

  var postgresType: PostgresType { PostgresType.named(type) }

  /// A row of one column with the value in both forms.
  func rows() throws -> [PostgresRow] {
    let layout = RowLayout(table: "public.samples", names: ["value"], types: [postgresType])
    return [
      try PostgresRow(
        layout, TupleData(bytes: Array(text.utf8), fields: [.init(.text, 0..<text.utf8.count)])),
      try PostgresRow(layout, TupleData(bytes: binary, fields: [.init(.binary, binary.indices)])),
    ]
  }
}

/// The bytes that hexadecimal digits are.
func bytes(hexadecimal text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

extension PostgresType {
  static func named(_ name: String) -> PostgresType {
    if name.hasSuffix("[]") { return .array(of: named(String(name.dropLast(2)))) }
    let all: [PostgresType] = [
      .bool, .int2, .int4, .int8, .oid, .float4, .float8, .numeric, .text, .character, .date, .uuid, .bytea,
      .json, .jsonb,
    ]
    if let type = all.first(where: { $0.name == name }) { return type }
    switch name {
    case "timestamp": return .timestamp
    case "timestamptz": return .timestamptz
    case "time": return .time
    case "status": return .enumeration(name: "status", labels: ["open", "in progress", "closed"])
    case "posint": return .int4
    default: return .text(name: name)
    }
  }
}

extension ValueSample {
  static let all: [ValueSample] = numbers + texts + times + composed

  private static let numbers: [ValueSample] = [
    ValueSample("boolean", "true", text: "t", binary: "01"),
    ValueSample("boolean", "false", text: "f", binary: "00"),
    ValueSample("smallint", "0", binary: "0000"),
    ValueSample("smallint", "-32768", binary: "8000"),
    ValueSample("smallint", "32767", binary: "7fff"),
    ValueSample("integer", "-2147483648", binary: "80000000"),
    ValueSample("integer", "2147483647", binary: "7fffffff"),
    ValueSample("integer", "70000", binary: "00011170"),
    ValueSample("bigint", "-9223372036854775808", binary: "8000000000000000"),
    ValueSample("bigint", "9223372036854775807", binary: "7fffffffffffffff"),
    ValueSample("bigint", "42", binary: "000000000000002a"),
    ValueSample("oid", "4294967295", binary: "ffffffff"),
    ValueSample("real", "1.5", binary: "3fc00000"),
    ValueSample("real", "0.1", binary: "3dcccccd"),
    ValueSample("real", "-0", binary: "80000000"),
    ValueSample("real", "NaN", binary: "7fc00000"),
    ValueSample("real", "Infinity", binary: "7f800000"),
    ValueSample("real", "-Infinity", binary: "ff800000"),
    ValueSample("real", "1e20", text: "1e+20", binary: "60ad78ec"),
    ValueSample("real", "1000000", text: "1e+06", binary: "49742400"),
    ValueSample("real", "123456", binary: "47f12000"),
    ValueSample("real", "1e-5", text: "1e-05", binary: "3727c5ac"),
    ValueSample("real", "0.0001", binary: "38d1b717"),
    ValueSample("real", "3.4028235e38", text: "3.4028235e+38", binary: "7f7fffff"),
    ValueSample("double precision", "0.1", binary: "3fb999999999999a"),
    ValueSample("double precision", "-0", binary: "8000000000000000"),
    ValueSample("double precision", "NaN", binary: "7ff8000000000000"),
    ValueSample("double precision", "Infinity", binary: "7ff0000000000000"),
    ValueSample("double precision", "-Infinity", binary: "fff0000000000000"),
    ValueSample("double precision", "1e15", text: "1e+15", binary: "430c6bf526340000"),
    ValueSample("double precision", "123456789012345", binary: "42dc12218377de40"),
    ValueSample("double precision", "1e-5", text: "1e-05", binary: "3ee4f8b588e368f1"),
    ValueSample("double precision", "1e300", text: "1e+300", binary: "7e37e43c8800759c"),
    ValueSample("double precision", "5e-324", binary: "0000000000000001"),
    ValueSample("double precision", "100", binary: "4059000000000000"),
    ValueSample("double precision", "0.3", binary: "3fd3333333333333"),
    ValueSample("numeric", "0", binary: "0000000000000000"),
    ValueSample("numeric", "1", binary: "00010000000000000001"),
    ValueSample("numeric", "-1", binary: "00010000400000000001"),
    ValueSample("numeric", "1.50", binary: "000200000000000200011388"),
    ValueSample(
      "numeric", "12345678901234567890.0987654321",
      binary: "000800040000000a04d2162e23340d801ed203db198f0834"),
    ValueSample("numeric", "0.0001", binary: "0001ffff000000040001"),
    ValueSample("numeric", "0.00001", binary: "0001fffe0000000503e8"),
    ValueSample("numeric", "10000", binary: "00010001000000000001"),
    ValueSample("numeric", "100000000", binary: "00010002000000000001"),
    ValueSample(
      "numeric", "99999999999999999999999999999999999999",
      binary: "000a0009000000000063270f270f270f270f270f270f270f270f270f"),
    ValueSample("numeric", "NaN", binary: "00000000c0000000"),
    ValueSample("numeric", "Infinity", binary: "00000000d0000020"),
    ValueSample("numeric", "-Infinity", binary: "00000000f0000020"),
    ValueSample("numeric", "-0.5", binary: "0001ffff400000011388"),
    ValueSample("numeric", "1e20", text: "100000000000000000000", binary: "00010005000000000001"),
    ValueSample(
      "numeric", "1e130",
      text: "1" + String(repeating: "0", count: 130),
      binary: "00010020000000000064"),
    ValueSample(
      "numeric", "123456789012345678901234567890123456789.5",
      binary: "000b000900000001007b11d722c509291a85007b11d722c509291a851388"),
    ValueSample(
      "numeric", "1e-140",
      text: "0." + String(repeating: "0", count: 139) + "1",
      binary: "0001ffdd0000008c0001"),
    ValueSample("numeric", "9999.9999", binary: "0002000000000004270f270f"),
    ValueSample("numeric", "-9223372036854775808", binary: "0005000440000000039a0d2c0170156516b0"),
    ValueSample("numeric", "18446744073709551615", binary: "000500040000000007341a5802e103bb064f"),
    ValueSample("numeric", "0.000", binary: "0000000000000003"),
    ValueSample("numeric", "42.00", binary: "0001000000000002002a"),
  ]

  private static let texts: [ValueSample] = [
    ValueSample("text", "Tea", binary: "546561"),
    ValueSample("text", "", binary: ""),
    ValueSample("text", "Grüße 🍵", binary: "4772c3bcc39f6520f09f8db5"),
    ValueSample("text", #"a\#tb\#nc\d"#, binary: "6109620a635c64"),
    ValueSample("text", "NULL", binary: "4e554c4c"),
    ValueSample("character varying", "Tea", binary: "546561"),
    ValueSample("character(5)", "Tea", text: "Tea  ", binary: "5465612020"),
    ValueSample("name", "pg_class", binary: "70675f636c617373"),
    ValueSample(#""char""#, "a", binary: "61"),
    ValueSample(#""char""#, "", binary: "00"),
    ValueSample("uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", binary: "a0eebc999c0b4ef8bb6d6bb9bd380a11"),
    ValueSample("uuid", "00000000-0000-0000-0000-000000000000", binary: "00000000000000000000000000000000"),
    ValueSample("bytea", #"\x"#, binary: ""),
    ValueSample("bytea", #"\xdeadbeef"#, binary: "deadbeef"),
    ValueSample("bytea", #"\x00ff5c27"#, binary: "00ff5c27"),
    ValueSample("status", "open", binary: "6f70656e"),
    ValueSample("status", "in progress", binary: "696e2070726f6772657373"),
    ValueSample("posint", "7", binary: "00000007"),
    ValueSample("citext", "Tea", binary: "546561"),
  ]

  private static let times: [ValueSample] = [
    ValueSample("date", "2026-11-25", binary: "00002661"),
    ValueSample("date", "2000-01-01", binary: "00000000"),
    ValueSample("date", "1999-12-31", binary: "ffffffff"),
    ValueSample("date", "0044-03-15 BC", binary: "fff49d7b"),
    ValueSample("date", "12026-01-01", binary: "0037e062"),
    ValueSample("date", "infinity", binary: "7fffffff"),
    ValueSample("date", "-infinity", binary: "80000000"),
    ValueSample("date", "5874897-12-31", binary: "7fda970c"),
    ValueSample("date", "4713-11-24 BC", binary: "ffda9915"),
    ValueSample("date", "2024-02-29", binary: "00002279"),
    ValueSample("time", "08:30:00", binary: "000000071fe6f200"),
    ValueSample("time", "24:00:00", binary: "000000141dd76000"),
    ValueSample("time", "23:59:59.999999", binary: "000000141dd75fff"),
    ValueSample("time", "00:00:00", binary: "0000000000000000"),
    ValueSample("timestamp", "2026-11-25 08:30:00", binary: "0003041466c25200"),
    ValueSample("timestamp", "2026-11-25 08:30:00.25", binary: "0003041466c62290"),
    ValueSample("timestamp", "1999-12-31 23:59:59.999999", binary: "ffffffffffffffff"),
    ValueSample("timestamp", "0001-12-31 12:00:00 BC", binary: "ff1fe2f5b6b0b000"),
    ValueSample("timestamp", "infinity", binary: "7fffffffffffffff"),
    ValueSample("timestamp", "-infinity", binary: "8000000000000000"),
    ValueSample("timestamp", "294276-12-31 23:59:59.999999", binary: "7fffff5bb3b29fff"),
    ValueSample("timestamp", "4713-11-24 00:00:00 BC", binary: "fd0f9983eb0ae000"),
    ValueSample("timestamp", "0001-01-01 00:00:00", binary: "ff1fe2ffc59c6000"),
    ValueSample("timestamptz", "2026-11-25 08:30:00+00", binary: "0003041466c25200"),
    ValueSample(
      "timestamptz", "2026-11-25 08:30:00.123456+02", text: "2026-11-25 06:30:00.123456+00",
      binary: "00030412b99cec40"),
    ValueSample(
      "timestamptz", "2026-11-25 08:30:00-03:30", text: "2026-11-25 12:00:00+00",
      binary: "0003041755c71000"),
    ValueSample(
      "timestamptz", "1800-01-01 00:00:00+00:19:32", text: "1799-12-31 23:40:28+00",
      binary: "ffe993dcb23bb300"),
    ValueSample("timestamptz", "0044-03-15 12:00:00+00 BC", binary: "ff1af9e8fb46d000"),
    ValueSample("timestamptz", "infinity", binary: "7fffffffffffffff"),
    ValueSample("timestamptz", "-infinity", binary: "8000000000000000"),
    ValueSample("timestamptz", "10000-01-01 00:00:00+00", binary: "0380e70b913b8000"),
  ]

  private static let composed: [ValueSample] = [
    ValueSample(
      "json", #"{"a": [1, 2.5, null], "b": "x"}"#,
      binary: "7b2261223a205b312c20322e352c206e756c6c5d2c202262223a202278227d"),
    ValueSample("json", "null", binary: "6e756c6c"),
    ValueSample(
      "json", #""2026-11-25T08:30:00.25Z""#, binary: "22323032362d31312d32355430383a33303a30302e32355a22"),
    ValueSample("json", "42", binary: "3432"),
    ValueSample(
      "jsonb", #"{"a": [1, 2.5, null], "b": "x"}"#,
      binary: "017b2261223a205b312c20322e352c206e756c6c5d2c202262223a202278227d"),
    ValueSample("jsonb", "null", binary: "016e756c6c"),
    ValueSample(
      "jsonb", #""2026-11-25T08:30:00.25Z""#,
      binary: "0122323032362d31312d32355430383a33303a30302e32355a22"),
    ValueSample("jsonb", "42", binary: "013432"),
    ValueSample("integer[]", "{}", binary: "000000000000000000000017"),
    ValueSample(
      "integer[]", "{1,NULL,3}",
      binary: "00000001000000010000001700000003000000010000000400000001ffffffff0000000400000003"),
    ValueSample(
      "integer[]", "{{1,2},{3,4}}",
      binary: "0000000200000000000000170000000200000001000000020000000100000004000000010000000400000002"
        + "00000004000000030000000400000004"),
    ValueSample(
      "integer[]", "[0:1]={5,6}",
      binary: "000000010000000000000017000000020000000000000004000000050000000400000006"),
    ValueSample(
      "integer[]", "[-1:0][2:3]={{1,2},{3,4}}",
      binary: "00000002000000000000001700000002ffffffff000000020000000200000004000000010000000400000002"
        + "00000004000000030000000400000004"),
    ValueSample(
      "integer[]", "{{{1},{2}}}",
      binary: "0000000300000000000000170000000100000001000000020000000100000001000000010000000400000001"
        + "0000000400000002"),
    ValueSample(
      "text[]", #"{a,"b c","d\"e\\f",NULL,"NULL","","{x}","g,h"," i "}"#,
      binary: "0000000100000001000000190000000900000001000000016100000003622063000000056422655c66ffffff"
        + "ff000000044e554c4c00000000000000037b787d00000003672c6800000003206920"),
    ValueSample("text[]", "{}", binary: "000000000000000000000019"),
    ValueSample(
      "text[]", "{Grüße}", binary: "0000000100000000000000190000000100000001000000074772c3bcc39f65"),
    ValueSample(
      "numeric[]", "{1.50,NaN,-2}",
      binary: "0000000100000000000006a400000003000000010000000c0002000000000002000113880000000800000000"
        + "c00000000000000a00010000400000000002"),
    ValueSample(
      "uuid[]", "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}",
      binary: "000000010000000000000b86000000010000000100000010a0eebc999c0b4ef8bb6d6bb9bd380a11"),
    ValueSample(
      "timestamptz[]", #"{"2026-11-25 08:30:00+00",infinity}"#,
      binary: "0000000100000000000004a00000000200000001000000080003041466c25200000000087fffffffffffffff"),
    ValueSample(
      "boolean[]", "{t,f,NULL}",
      binary: "000000010000000100000010000000030000000100000001010000000100ffffffff"),
    ValueSample(
      "double precision[]", "{0.1,NaN,Infinity}",
      binary: "0000000100000000000002bd0000000300000001000000083fb999999999999a000000087ff8000000000000"
        + "000000087ff0000000000000"),
    ValueSample(
      "jsonb[]", #"{"{\"a\": 1}",NULL}"#,
      binary: "000000010000000100000eda000000020000000100000009017b2261223a20317dffffffff"),
    ValueSample(
      "bytea[]", #"{"\\xdead",NULL}"#,
      binary: "000000010000000100000011000000020000000100000002deadffffffff"),
    ValueSample(
      "bigint[]", "{9223372036854775807}",
      binary: "0000000100000000000000140000000100000001000000087fffffffffffffff"),
    ValueSample("date[]", "{2026-11-25}", binary: "00000001000000000000043a00000001000000010000000400002661"),
    ValueSample(
      "status[]", #"{open,"in progress",NULL}"#,
      binary: "0000000100000001000040010000000300000001000000046f70656e0000000b696e2070726f6772657373ff"
        + "ffffff"),
    ValueSample(
      "posint[]", "{7,8}",
      binary: "000000010000000000004008000000020000000100000004000000070000000400000008"),
  ]
}
