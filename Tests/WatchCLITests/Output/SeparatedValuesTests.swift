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

  @Test func `a value of CSV is one field, whatever it has`() {
    let text = Self.texts.map { SeparatedValues.commas.row([SeparatedValues.commas.field($0), "x"]) + "\n" }
    #expect(records(text.joined()) == Self.texts.map { [Array($0.utf8), Array("x".utf8)] })
  }

  @Test func `a value of TSV is one field without a tab or newline, and is read as it was`() throws {
    let separation = SeparatedValues.tabs
    let rows = Self.texts.enumerated().map { separation.row(["\($0)", separation.field($1)]) }
    for row in rows { #expect(row.utf8.count { $0 == 0x09 } == 1 && !row.utf8.contains(0x0A)) }
    let run = try Tool.run(
      ["--input", "tsv", "--once", "--output", "json"], input: "id\tx\n" + rows.map { $0 + "\n" }.joined())
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
