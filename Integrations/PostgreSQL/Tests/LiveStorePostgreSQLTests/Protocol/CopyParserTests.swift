import Testing

import LiveStorePostgreSQL

@Suite struct `Copies of tables` {
  // COPY (VALUES (1, 'Tea'), (NULL, E'a\tb\nc\\d'), (3, '')) TO STDOUT, in both forms.
  private static let binary = bytes(
    hexadecimal: "5047434f50590aff0d0a00 00000000 00000000"
      + "0002 00000004 00000001 00000003 546561" + "0002 ffffffff 00000007 6109620a635c64"
      + "0002 00000004 00000003 00000000" + "ffff")
  private static let text =
    Array(#"1\#tTea"#.utf8) + [10] + Array(#"\N\#ta\tb\nc\\d"#.utf8) + [10] + Array("3\t\n".utf8)

  private static let expected: [[String?]] = [["1", "Tea"], [nil, "a\tb\nc\\d"], ["3", ""]]

  private func rows(_ batch: TupleBatch, _ types: [PostgresType]) throws -> [[String?]] {
    let names = types.indices.map { "column\($0)" }
    let layout = RowLayout(table: "t", names: names, types: types)
    return try (0..<batch.count).map { index in
      let row = try PostgresRow(layout, batch[index])
      return try names.map { try row.decode($0, as: String?.self) }
    }
  }

  @Test func `a binary copy that is cut anywhere has the same rows`() throws {
    for size in 1...Self.binary.count {
      var parser = CopyBinaryParser(columnCount: 2, table: "t")
      var all: [[String?]] = []
      for start in stride(from: 0, to: Self.binary.count, by: size) {
        #expect(!parser.isAtEnd)
        parser.append(Self.binary[start..<min(start + size, Self.binary.count)])
        all += try rows(parser.takeRows(), [.int4, .text])
      }
      try parser.finish()
      #expect(all == Self.expected)
    }
  }

  /// Bug: a row of many pieces was copied with each of them.
  @Test func `pieces of a binary copy that end no row are copied once`() throws {
    var parser = CopyBinaryParser(columnCount: 2, table: "t")
    for (index, byte) in Self.binary.prefix(45).enumerated() {
      parser.append(CollectionOfOne(byte))
      let batch = try parser.takeRows()
      // The header has 19 bytes, and the first row 17.
      #expect(batch.count == (index == 35 ? 1 : 0) && (batch.bytes.isEmpty || [18, 35].contains(index)))
    }
  }

  /// Bug: what came in a later piece was taken for rows.
  @Test func `rows behind the end of a binary copy are a mistake`() throws {
    var parser = CopyBinaryParser(columnCount: 2, table: "t")
    parser.append(Self.binary)
    #expect(try parser.takeRows().count == 3)
    parser.append(Self.binary[19...])
    #expect(throws: PostgresError.self) { try parser.takeRows() }
  }

  @Test func `a copy in text form that is cut anywhere has the same rows`() throws {
    for size in 1...Self.text.count {
      var parser = CopyTextParser(columnCount: 2, table: "t")
      var all: [[String?]] = []
      for start in stride(from: 0, to: Self.text.count, by: size) {
        parser.append(Self.text[start..<min(start + size, Self.text.count)])
        all += try rows(parser.takeRows(), [.int4, .text])
      }
      try parser.finish()
      #expect(all == Self.expected)
    }
  }

  @Test func `rows outlive the pieces that come after them`() throws {
    var parser = CopyTextParser(columnCount: 1, table: "t")
    parser.append("a\\\\b\nc".utf8)
    let first = try parser.takeRows()
    parser.append("d\\\\e\n".utf8)
    let second = try parser.takeRows()
    #expect(try rows(first, [.text]) == [["a\\b"]] && rows(second, [.text]) == [["cd\\e"]])
  }

  @Test func `escapes of the text form`() throws {
    var parser = CopyTextParser(columnCount: 3, table: "t")
    parser.append(#"\b\f\n\r\t\v\\\.\#t\101\60\x41\x4\xg\#t\N \#n"#.utf8)
    #expect(
      try rows(parser.takeRows(), [.text, .text, .text]) == [
        ["\u{8}\u{C}\n\r\t\u{B}\\.", "A0A\u{4}xg", "N "]
      ])
  }

  @Test func `a table without columns has rows`() throws {
    var text = CopyTextParser(columnCount: 0, table: "t")
    text.append("\n\n".utf8)
    #expect(try text.takeRows().count == 2)
    var binary = CopyBinaryParser(columnCount: 0, table: "t")
    binary.append(Self.binary[..<19] + [0, 0, 0, 0, 0xFF, 0xFF])
    #expect(try binary.takeRows().count == 2)
  }

  @Test func `a copy that ends too early is an error`() throws {
    for count in 0..<Self.binary.count {
      var parser = CopyBinaryParser(columnCount: 2, table: "t")
      parser.append(Self.binary[..<count])
      _ = try parser.takeRows()
      #expect(throws: PostgresError.self) { try parser.finish() }
    }
    var parser = CopyTextParser(columnCount: 2, table: "t")
    parser.append("1\t2\n3\t".utf8)
    #expect(try parser.takeRows().count == 1)
    #expect(throws: PostgresError.self) { try parser.finish() }
  }

  @Test(arguments: [
    "5047434f50590aff0d0b00", "50480000", "5047434f50590aff0d0a00 00010000 00000000",
    "5047434f50590aff0d0a00 00000000 ffffffff", "5047434f50590aff0d0a00 00000000 00000000 0003",
    "5047434f50590aff0d0a00 00000000 00000000 fffe", "5047434f50590aff0d0a00 00000000 00000000 0002 fffffffe",
    "5047434f50590aff0d0a00 00000000 00000000 ffff 00",
  ])
  func `bytes that are no binary copy are an error`(hexadecimal: String) {
    var parser = CopyBinaryParser(columnCount: 2, table: "t")
    parser.append(bytes(hexadecimal: hexadecimal))
    #expect(throws: PostgresError.self) { try parser.takeRows() }
  }

  @Test(arguments: ["1\n", "1\t2\t3\n", "\n", "1\t2\\\n"])
  func `lines with other columns are an error`(text: String) {
    var parser = CopyTextParser(columnCount: 2, table: "t")
    parser.append(text.utf8)
    #expect(throws: PostgresError.self) { try parser.takeRows() }
  }

  @Test func `random changes of a copy are errors at the most`() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<20_000 {
      var (binary, text) = (Self.binary, Self.text)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        binary[.random(in: 0..<binary.count, using: &random)] = .random(in: 0...255, using: &random)
        text[.random(in: 0..<text.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      var binaryParser = CopyBinaryParser(columnCount: 2, table: "t")
      binaryParser.append(binary)
      if let batch = try? binaryParser.takeRows() { _ = try? rows(batch, [.int4, .text]) }
      var textParser = CopyTextParser(columnCount: 2, table: "t")
      textParser.append(text)
      if let batch = try? textParser.takeRows() { _ = try? rows(batch, [.int4, .text]) }
    }
  }
}
