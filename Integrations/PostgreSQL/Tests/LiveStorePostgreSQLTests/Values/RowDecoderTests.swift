import Foundation
import Testing

import LiveStorePostgreSQL

private struct Post: Codable, Equatable {
  var id: Int
  var title: String
  var likeCount: Int32
  var createdAt: Date
  var authorID: UUID?
  var isPublic: Bool
  var tags: [String]?
}

private struct Reordered: Decodable {
  var id: Int
  var title: String
  var likeCount: Int?

  private enum CodingKeys: String, CodingKey { case likeCount, title, id }

  init(from decoder: any Decoder) throws {
    let row = try decoder.container(keyedBy: CodingKeys.self)
    likeCount = row.contains(.likeCount) ? try row.decode(Int.self, forKey: .likeCount) : nil
    id = try row.decode(Int.self, forKey: .id)
    title = try row.decodeNil(forKey: .title) ? "" : try row.decode(String.self, forKey: .title)
    guard row.allKeys.count == 3 else {
      throw DecodingError.dataCorruptedError(forKey: .id, in: row, debugDescription: "?")
    }
  }
}

private let names = ["id", "title", "like_count", "created_at", "author_id", "is_public", "tags"]
private let types: [PostgresType] = [
  .int8, .text, .int4, .timestamptz, .uuid, .bool, .array(of: .text),
]
private let layout = RowLayout(table: "public.posts", names: names, types: types)

/// A row of texts; nil is NULL, and `unchanged` a value that an update left out.
private func row(_ values: [String?]) -> TupleData {
  var bytes: [UInt8] = []
  let fields = values.map { value in
    guard let value else { return TupleData.Field.null }
    if value == "unchanged" { return .unchanged }
    defer { bytes += Array(value.utf8) }
    return TupleData.Field(.text, bytes.count..<bytes.count + value.utf8.count)
  }
  return TupleData(bytes: bytes, fields: fields)
}

private let tea: [String?] = ["1", "Tea", "3", "2001-01-01 00:00:00+00", nil, "t", "{hot,green}"]
private let teaPost = Post(
  id: 1, title: "Tea", likeCount: 3, createdAt: Date(timeIntervalSinceReferenceDate: 0), authorID: nil,
  isPublic: true,
  tags: ["hot", "green"])

@Suite struct `Objects of rows` {
  @Test func `a row is an object by the names of its columns`() throws {
    let decoder = RowDecoder(layout, naming: .snakeCase)
    #expect(try decoder.decode(Post.self, from: row(tea)) == teaPost)
    var values = tea
    (values[0], values[4], values[6]) = ("2", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", nil)
    let other = try decoder.decode(Post.self, from: row(values))
    #expect(other.id == 2 && other.authorID != nil && other.tags == nil)
    #expect(decoder.missingColumns == [])
  }

  @Test func `the order of columns and of asking does not matter`() throws {
    let shuffled = RowLayout(
      table: "public.posts", names: names.reversed(), types: types.reversed())
    let decoder = RowDecoder(shuffled, naming: .snakeCase)
    for _ in 0..<2 {
      #expect(try decoder.decode(Post.self, from: row(tea.reversed())) == teaPost)
      let other = try RowDecoder(shuffled, naming: ["likeCount": "like_count"]).decode(
        Reordered.self, from: row(tea.reversed()))
      #expect(other.id == 1 && other.title == "Tea" && other.likeCount == 3)
    }
  }

  @Test func `rows of one piece of a copy are decoded together`() throws {
    let tuple = row(tea)
    let batch = TupleBatch(bytes: tuple.bytes, fields: tuple.fields + tuple.fields, columnCount: 7, count: 2)
    #expect(try RowDecoder(layout, naming: .snakeCase).decode(Post.self, from: batch) == [teaPost, teaPost])
  }

  @Test func `a column that is missing is a mismatch, but for an optional`() throws {
    let decoder = RowDecoder(layout)
    let error = #expect(throws: PostgresError.self) { try decoder.decode(Post.self, from: row(tea)) }
    #expect(error?.message.hasPrefix("Table public.posts has no column likeCount.") == true)
    let short = RowDecoder(
      RowLayout(table: "t", names: Array(names.dropLast()), types: Array(types.dropLast())),
      naming: .snakeCase)
    #expect(try short.decode(Post.self, from: row(tea.dropLast())).tags == nil)
    #expect(short.missingColumns == ["tags"])
  }

  @Test func `a NULL that the property cannot be is a mismatch`() throws {
    for column in [0, 1, 2, 3, 5] {
      var values = tea
      values[column] = nil
      let error = #expect(throws: PostgresError.self) {
        try RowDecoder(layout, naming: .snakeCase).decode(Post.self, from: row(values))
      }
      #expect(error?.column == names[column] && error?.value == "NULL")
    }
  }

  @Test func `a row with another number of columns is a violation of the protocol`() throws {
    let error = #expect(throws: PostgresError.self) {
      try RowDecoder(layout, naming: .snakeCase).decode(Post.self, from: row(["1"]))
    }
    #expect(error?.code == PostgresError.protocolViolation)
    #expect(throws: PostgresError.self) { try PostgresRow(layout, row(["1"])) }
  }

  @Test func `a row is no array and no single value`() throws {
    #expect(throws: PostgresError.self) { try RowDecoder(layout).decode([Int].self, from: row(tea)) }
    #expect(throws: PostgresError.self) { try RowDecoder(layout).decode(Int.self, from: row(tea)) }
  }

  // MARK: Values that an update left out

  @Test func `values that an update left out are those of the object before`() throws {
    var old = teaPost
    old.authorID = UUID()
    let decoder = RowDecoder(layout, naming: .snakeCase)
    let values = ["1", "unchanged", "unchanged", "unchanged", "unchanged", "unchanged", "unchanged"]
    var calls = 0
    let new = try decoder.decode(Post.self, from: row(values)) {
      calls += 1
      return try CapturedValues(of: old)
    }
    #expect(new == old && calls == 1)
    (old.authorID, old.tags) = (nil, nil)
    #expect(try decoder.decode(Post.self, from: row(values)) { try CapturedValues(of: old) } == old)
    #expect(try decoder.decode(Post.self, from: row(tea)) { throw CancellationError() } == teaPost)
  }

  @Test func `a property that asks for an optional has nil of the object before`() throws {
    struct Note: Codable, Equatable {
      var text: String?

      private enum CodingKeys: String, CodingKey { case text }

      init(text: String?) { self.text = text }

      init(from decoder: any Decoder) throws {
        text = try decoder.container(keyedBy: CodingKeys.self).decode(String?.self, forKey: .text)
      }
    }
    let decoder = RowDecoder(RowLayout(table: "public.notes", names: ["text"], types: [.text]))
    for note in [Note(text: nil), Note(text: "a")] {
      #expect(
        try decoder.decode(Note.self, from: row(["unchanged"])) { try CapturedValues(of: note) } == note)
    }
    #expect(try decoder.decode(Note.self, from: row([nil])) == Note(text: nil))
  }

  @Test func `a decoder of rows goes when it is let go`() throws {
    weak var last: RowDecoder?
    do {
      let decoder = RowDecoder(layout, naming: .snakeCase)
      last = decoder
      _ = try decoder.decode(Post.self, from: row(tea))
      _ = try? decoder.decode(Post.self, from: row([nil] + tea.dropFirst()))
    }
    #expect(last == nil)
  }

  @Test func `a value that was left out and is not known is a mismatch`() throws {
    let values = ["1", "unchanged", "3", "2001-01-01", nil, "t", nil]
    let decoder = RowDecoder(layout, naming: .snakeCase)
    let error = #expect(throws: PostgresError.self) { try decoder.decode(Post.self, from: row(values)) }
    #expect(error?.column == "title" && error?.message.contains("REPLICA IDENTITY FULL") == true)
    #expect(throws: PostgresError.self) { try decoder.decode(Post.self, from: row(values)) { nil } }
    #expect(throws: PostgresError.self) {
      try PostgresRow(layout, row(values)).decode("title", as: String.self)
    }
  }

  /// Bug: a property that an object does not encode was taken for nil, so that an update of another column removed its value.
  @Test func `a value that was left out and that the object does not encode is a mismatch`() throws {
    struct Note: Codable {
      let id: Int
      var text: String?

      private enum CodingKeys: String, CodingKey { case id, text }

      init(id: Int, text: String?) { (self.id, self.text) = (id, text) }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
      }
    }
    let layout = RowLayout(table: "public.notes", names: ["id", "text"], types: [.int8, .text])
    let decoder = RowDecoder(layout)
    let note = Note(id: 1, text: "long")
    let error = #expect(throws: PostgresError.self) {
      try decoder.decode(Note.self, from: row(["1", "unchanged"])) { try CapturedValues(of: note) }
    }
    #expect(error?.column == "text" && error?.message.contains("REPLICA IDENTITY FULL") == true)
    #expect(
      try decoder.decode(Note.self, from: row(["1", nil])) { try CapturedValues(of: note) }.text == nil)
  }

  @Test func `every kind of optional that is nil is known to be nil`() throws {
    struct Optionals: Codable, Equatable {
      var bool: Bool?, string: String?, double: Double?, float: Float?
      var int: Int?, int8: Int8?, int16: Int16?, int32: Int32?, int64: Int64?, int128: Int128?
      var uint: UInt?, uint8: UInt8?, uint16: UInt16?, uint32: UInt32?, uint64: UInt64?, uint128: UInt128?
      var array: [Int]?
    }
    let names = Mirror(reflecting: Optionals()).children.compactMap(\.label)
    let layout = RowLayout(table: "t", names: names, types: names.map { _ in .text })
    let values: [String?] = names.map { _ in "unchanged" }
    for old in [Optionals(), Optionals(int: 1, int128: 2, uint8: 3, array: [4])] {
      let new = try RowDecoder(layout).decode(Optionals.self, from: row(values)) {
        try CapturedValues(of: old)
      }
      #expect(new == old)
    }
  }

  @Test func `an object that encodes a property otherwise than it decodes it is a mismatch`() throws {
    let values = ["1", "unchanged", "3", "2001-01-01", nil, "t", nil]
    let decoder = RowDecoder(layout, naming: .snakeCase)
    for old in [["title": 1]] {
      #expect(throws: PostgresError.self) {
        try decoder.decode(Post.self, from: row(values)) { try CapturedValues(of: old) }
      }
    }
    #expect(throws: PostgresError.self) {
      try decoder.decode(Post.self, from: row(values)) { try CapturedValues(of: InParts()) }
    }
    #expect(
      try decoder.decode(Post.self, from: row(values)) { try CapturedValues(of: ["title": "Old"]) }.title
        == "Old")
  }
}

/// Encodes its title in a container of its own.
private struct InParts: Encodable {
  private enum CodingKeys: String, CodingKey { case title }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: CodingKeys.self)
    var title = object.nestedUnkeyedContainer(forKey: .title)
    try title.encode("Old")
  }

  /// Bug: names that are equal to Swift, and not to the server, were one.
  @Test func `a column is found by the bytes of its name`() throws {
    let names = ["id", "e\u{301}", "\u{E9}", "K"]
    let layout = RowLayout(table: "t", names: names, types: names.map { _ in .int4 })
    #expect(names.map { layout.index(of: $0) } == [0, 1, 2, 3])
    #expect(layout.index(of: "\u{212A}") == 3 && layout.index(of: "k") == nil)
  }
}
