import LiveStore
import Testing
import livestore_watch

/// Bug: a field of CSV was searched for quotes by Characters, so data with a mark behind a quote ended its field and wrote
/// records of its own.
@Suite struct SeparatedValuesTests {
  /// What makes another Character of the one before it.
  private static let marks = ["", "\u{301}", "\u{200D}", "\u{FE0F}"]

  private static let texts: [String] = {
    var texts: [String] = []
    for special in ["\"", ",", "\n", "\r", "\r\n", "\t", "\\", "'"] {
      for mark in marks {
        texts += ["a\(special)\(mark)b", "\(special)\(mark)", "\(mark)\(special)\(special)\(mark)"]
        texts.append("\"\(mark)\(special)9,9")
      }
    }
    return texts
  }()

  /// The records of a text as RFC 4180 has them, by its bytes.
  private func records(_ text: String) -> [[[UInt8]]] {
    var (records, record, field, isOpen) = ([[[UInt8]]](), [[UInt8]](), [UInt8](), false)
    let bytes = Array(text.utf8)
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case 0x22:
        if isOpen, index + 1 < bytes.count, bytes[index + 1] == 0x22 {
          field.append(0x22)
          index += 1
        } else {
          isOpen.toggle()
        }
      case 0x2C where !isOpen:
        record.append(field)
        field = []
      case 0x0A where !isOpen:
        records.append(record + [field])
        (record, field) = ([], [])
      case let byte: field.append(byte)
      }
      index += 1
    }
    return records
  }

  /// The rows of objects with one of the texts each.
  private func rows(_ mode: OutputMode) throws -> String {
    let pipe = OutputPipe()
    var printer = ResultPrinter(writer: pipe.writer(isTerminal: false), mode: mode, isColored: false)
    let documents = Self.texts.enumerated().map { index, text in
      Document(id: JSONValue(index), body: ["id": JSONValue(index), "x": .string(text)])
    }
    try printer.print(result: documents, version: 1)
    return try pipe.text()
  }

  @Test func `a value of CSV is one field, whatever it has`() throws {
    let rows = Self.texts.enumerated().map { [Array("\($0)".utf8), Array($1.utf8)] }
    #expect(records(try self.rows(.csv)) == [[Array("id".utf8), Array("x".utf8)]] + rows)
  }

  @Test func `a value of TSV is one field without a tab or newline, and is read as it was`() throws {
    let text = try rows(.tsv)
    let rows = text.utf8.split(separator: 0x0A)
    #expect(rows.count == Self.texts.count + 1 && rows.allSatisfy { row in row.count { $0 == 0x09 } == 1 })
    let run = try Tool.run(["--input", "tsv", "--once", "--output", "json"], input: text)
    #expect(run.status == 0 && run.errors == "")
    let values = try run.lines.map { try JSONValue(parsing: $0)["x"] }
    #expect(values.count == Self.texts.count)
    for (value, text) in zip(values, Self.texts) {
      guard case .string(let read) = value else {
        Issue.record("\(text.debugDescription) was read as \(value)")
        continue
      }
      #expect(Array(read.utf8) == Array(text.utf8))
    }
  }

  @Test(arguments: marks) func `a quote in a name of logfmt is a mistake, whatever stands behind it`(
    mark: String
  ) throws {
    let run = try Tool.run(
      ["--input", "logfmt", "--once", "--output", "json"], input: "id=1 a\"\(mark)=2\n")
    #expect(run.status == 65 && run.errors.contains("expected name=value"), "\(run)")
  }
}
