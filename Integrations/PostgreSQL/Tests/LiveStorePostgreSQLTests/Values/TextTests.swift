import Foundation
import LiveStore
import Testing

import LiveStorePostgreSQL

private enum Status: String, Codable, Equatable { case open, running = "in progress", closed }
private enum Level: Int, Codable { case low = 7, high = 42 }

@Suite struct `Texts and bytes of columns` {
  @Test(arguments: ValueSample.all) func `the text of a value is what the server writes`(sample: ValueSample)
    throws
  {
    for row in try sample.rows() { #expect(try row.decode("value", as: String.self) == sample.text) }
  }

  @Test(arguments: ValueSample.all) func `an optional has the value that is there`(sample: ValueSample) throws
  {
    for row in try sample.rows() { #expect(try row.decode("value", as: String?.self) == sample.text) }
  }

  @Test func `truth values are read from columns of their type alone`() throws {
    try ValueSample.expect("boolean", "true", true)
    try ValueSample.expect("boolean", "false", false)
    try ValueSample.expectMismatch("smallint", "0", Bool.self)
    try ValueSample.expectMismatch("text", "Tea", Bool.self)
  }

  @Test func `enumerations are read by their raw values`() throws {
    try ValueSample.expect("status", "open", Status.open)
    try ValueSample.expect("status", "in progress", Status.running)
    try ValueSample.expect("bigint", "42", Level.high)
    try ValueSample.expectMismatch("text", "Tea", Status.self)
    try ValueSample.expectMismatch("bigint", "9223372036854775807", Level.self)
    try ValueSample.expect("status[]", #"{open,"in progress",NULL}"#, [Status.open, .running, nil])
  }

  /// Bug: no raw value had the blanks that the server adds.
  @Test func `enumerations of a type that adds blanks are read without them, and texts with them`() throws {
    let row = try textRow(.padded, "open    ")
    #expect(try row.decode("value") == Status.open)
    #expect(try row.decode("value") == Status.open as Status?)
    #expect(try row.decode("value") == Filled.open)
    #expect(try row.decode("value") == "open    ")
    #expect(try textRow(.array(of: .padded), #"{"open ",NULL}"#).decode("value") == [Status.open, nil])
    let error = #expect(throws: PostgresError.self) {
      try textRow(.padded, "shut ").decode("value", as: Status.self)
    }
    #expect(error?.value == "shut ")
    #expect(throws: PostgresError.self) { try textRow(.text, "open ").decode("value", as: Status.self) }
  }

  private enum Filled: String, Codable { case open = "open    " }

  @Test func `ids are read from their type and from text`() throws {
    let id = try #require(UUID(uuidString: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"))
    try ValueSample.expect("uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", id)
    #expect(try textRow(.text, "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11").decode("value") == id)
    for text in [
      "", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1", "a0eebc999c0b-4ef8-bb6d-6bb9bd380a11a",
      "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1g",
    ] {
      #expect(throws: PostgresError.self) { try textRow(.uuid, text).decode("value", as: UUID.self) }
    }
  }

  @Test func `bytes are read from both formats of their text`() throws {
    try ValueSample.expect("bytea", #"\xdeadbeef"#, Data([0xDE, 0xAD, 0xBE, 0xEF]))
    try ValueSample.expect("bytea", #"\xdeadbeef"#, [UInt8]([0xDE, 0xAD, 0xBE, 0xEF]))
    try ValueSample.expect("bytea", #"\x"#, Data())
    #expect(try textRow(.bytea, #"a\\b\000\377 '"#).decode("value") == Data([97, 92, 98, 0, 255, 32, 39]))
    #expect(try textRow(.bytea, #"a\\b\000"#).decode("value", as: String.self) == #"\x615c6200"#)
    #expect(try textRow(.bytea, "").decode("value") == Data())
    for text in [#"\xabc"#, #"\xzz"#, #"\"#, #"\400"#, #"\08"#, #"\1"#] {
      #expect(throws: PostgresError.self) { try textRow(.bytea, text).decode("value", as: Data.self) }
    }
    try ValueSample.expectMismatch("text", "Tea", Data.self)
  }

  @Test func `addresses are read from text`() throws {
    let url = try #require(URL(string: "https://swift.org/a?b=c"))
    #expect(try textRow(.text, "https://swift.org/a?b=c").decode("value") == url)
    #expect(throws: PostgresError.self) { try textRow(.text, "").decode("value", as: URL.self) }
  }

  @Test func `links are read by their ids`() throws {
    try ValueSample.expect("bigint", "42", Ref<Person>(42))
    try ValueSample.expect("bigint[]", "{9223372036854775807}", RefList<Person>([Ref(Int.max)]))
    try ValueSample.expect("integer[]", "{}", RefSet<Person>())
  }

  @Test func `text that is not UTF-8 is a mismatch that shows its bytes`() throws {
    let row = try binaryRow(.text, [0x54, 0xFF, 0x0A])
    let error = #expect(throws: PostgresError.self) { try row.decode("value", as: String.self) }
    #expect(error?.value == #"\x54ff0a"#)
  }

  /// Bug: a set hashes its elements, and a case is found by comparing names: half a million marks take minutes.
  /// Types that decode themselves may, too; and any byte of an array may be escaped.
  @Test func `a text with very many marks is read as a whole value alone`() throws {
    enum Kind: String, Codable { case plain, fancy }
    struct Name: RawRepresentable, Codable { let rawValue: String }
    let some = "a" + String(repeating: "\u{301}", count: 1_000)
    let many = "a" + String(repeating: "\u{301}\u{323}", count: 50_000)
    func expectMismatch(_ type: PostgresType, _ text: String, _ value: (some Decodable).Type) {
      let error = #expect(throws: PostgresError.self) { try textRow(type, text).decode("value", as: value) }
      #expect(error?.code == PostgresError.mismatch)
    }
    let texts = PostgresType.array(of: .text)
    #expect(try textRow(texts, "{\(some)}").decode("value", as: Set<String>.self) == [some])
    expectMismatch(texts, "{\(many)}", Set<String>.self)
    expectMismatch(texts, "{\(many)}", Set<String?>.self)
    expectMismatch(texts, "{{\(many)}}", [Set<String>].self)
    expectMismatch(texts, "{\(many)}", [Kind].self)
    let list = try textRow(texts, "{\(many),b}").decode("value", as: [String].self)
    #expect(list.first?.utf8.elementsEqual(many.utf8) == true && list.last == "b")
    expectMismatch(.text, many, Kind?.self)
    expectMismatch(.text, many, Name.self)
    let escaped = many.unicodeScalars.map { "\\" + String($0) }.joined()
    expectMismatch(texts, "{\(escaped)}", Set<String>.self)
    expectMismatch(.text, many, Kind.self)
    expectMismatch(.jsonb, "[\"\(many)\"]", Set<String>.self)
    expectMismatch(.jsonb, "\"\(many)\"", Kind.self)
    expectMismatch(.text, many, Double.self)
    expectMismatch(.text, many, Decimal.self)
    #expect(try textRow(.text, many).decode("value", as: String.self).utf8.elementsEqual(many.utf8))
    let array = try textRow(texts, "{\(many)}").decode("value", as: String.self)
    #expect(array.utf8.elementsEqual("{\(many)}".utf8))
  }

  /// Bug: the beginning was of 80 Characters, of which one may have any number of marks.
  @Test(arguments: ["x", "\u{301}", "\u{200D}", "\r\n"])
  func `a mismatch shows the beginning of a long value`(part: String)
    throws
  {
    let text = "y" + String(repeating: part, count: 300_000)
    let error = #expect(throws: PostgresError.self) { try textRow(.text, text).decode("value", as: Int.self) }
    #expect(error?.value?.unicodeScalars.count == 80)
    #expect(error?.value?.unicodeScalars.starts(with: "y".unicodeScalars) == true)
    #expect((error?.message.utf8.count ?? .max) < 1_000)
    let elements = "{{\"\(text)\"},{b}}"
    let other = #expect(throws: PostgresError.self) {
      try textRow(.array(of: .text), elements).decode("value", as: [String].self)
    }
    #expect(other != nil && (other?.value ?? "").unicodeScalars.count <= 80)
    let json = #expect(throws: PostgresError.self) {
      try textRow(.json, "\"\(part == "\r\n" ? "y" : text)\"").decode("value", as: [Date].self)
    }
    #expect((json?.message.utf8.count ?? .max) < 20_000)
  }

  @Test func `a mismatch names the table, the column, its type and the value`() throws {
    let row = try textRow(.text, String(repeating: "x", count: 1_000))
    let error = #expect(throws: PostgresError.self) { try row.decode("value", as: Int.self) }
    #expect(error?.value == String(repeating: "x", count: 79) + "…")
    #expect(error?.message.hasPrefix("The value xxx") == true)
    #expect(
      error?.message.hasSuffix("… of column value (text) of table public.samples cannot be read as Int.")
        == true)
  }

  @Test func `a NULL is nil, or a mismatch`() throws {
    let layout = RowLayout(table: "public.samples", names: ["value"], types: [.int4])
    let row = try PostgresRow(layout, TupleData(bytes: [], fields: [.null]))
    #expect(
      try row.isNull("value") && row.contains("value") && !row.contains("other") && row.columns == ["value"])
    #expect(try row.decode("value", as: Int?.self) == nil)
    #expect(try row.decode("value", as: [Int]?.self) == nil)
    let error = #expect(throws: PostgresError.self) { try row.decode("value", as: Int.self) }
    #expect(error?.message == "Column value of table public.samples is NULL, which Int cannot be.")
    let missing = #expect(throws: PostgresError.self) { try row.decode("other", as: Int?.self) }
    #expect(missing?.message == "Table public.samples has no column other. Its columns are value.")
  }
}

struct Person: Entity, Codable, Equatable {
  static let schema = Schema<Person> {}
  var id: Int
}
