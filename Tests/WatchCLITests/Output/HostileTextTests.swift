import Foundation
import LiveStore
import Testing
import livestore_watch

/// Names and values with what terminals obey: they set its title, write its clipboard, clear its screen or hide what
/// follows.
@Suite struct HostileTextTests {
  private static let hostile = [
    "\u{1B}]0;title\u{7}", "\u{1B}]52;c;eA==\u{1B}\\", "\u{1B}[2J\u{1B}[H", "\u{9B}31m", "\u{9D}0;x\u{9C}",
    "\r\n+ 0  x",
    "\u{8}\u{8}", "\u{202E}txt", "\u{1B}\u{301}[31m", "\u{7F}", "\u{2028}",
  ]

  /// An object with each text as a name, as a value, and as both below another.
  private static let documents = hostile.enumerated().map { index, text in
    Document(
      id: JSONValue(index),
      body: .object(
        JSONObject([
          (key: "id", value: JSONValue(index)), (key: text, value: .string(text)),
          (key: "in", value: .object(JSONObject([(key: text, value: .array([.string(text)]))]))),
        ])))
  }

  /// Whether there is nothing but printable characters in lines.
  private func isPlain(_ text: String, besides allowed: [Unicode.Scalar] = ["\n"]) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: allowed.contains(scalar)
      default: true
      }
    }
  }

  private func output(_ mode: OutputMode, _ body: (inout ResultPrinter) throws -> Void) throws -> String {
    let pipe = OutputPipe()
    var printer = ResultPrinter(
      writer: pipe.writer(isTerminal: true), mode: mode, isColored: false, key: [["id"]])
    try body(&printer)
    return try pipe.text()
  }

  @Test(arguments: [OutputMode.changes, .json, .csv, .tsv, .count])
  func `no form of output lets names and values steer a terminal`(mode: OutputMode) throws {
    let lines = Self.documents.flatMap { document in
      [
        ChangeLine(.insert, document, to: 0),
        ChangeLine(.modify, Self.documents[0], from: 0, to: 1, old: document),
      ]
    }
    let allowed: [Unicode.Scalar] = mode == .tsv ? ["\n", "\t"] : ["\n"]
    let changes = try output(mode) { try $0.print(version: 1, count: 1, lines: lines) }
    #expect(!changes.isEmpty && isPlain(changes, besides: allowed), "\(changes.debugDescription)")
    let result = try output(mode) { try $0.print(result: Self.documents, version: 1) }
    #expect(!result.isEmpty && isPlain(result, besides: allowed), "\(result.debugDescription)")
  }

  @Test func `rows that are shown on a terminal have tabs between their values alone`() throws {
    let document = Document(
      id: 1,
      body: .object(JSONObject([(key: "id", value: 1), (key: "a\tb", value: "c\td\u{1B}")])))
    let rows = try output(.tsv) { try $0.print(result: [document], version: 1) }
    #expect(rows == "id\ta\\tb\n1\tc\\td\\u001b\n")
  }

  @Test func `no table lets names, values and the summary steer a terminal`() throws {
    let rows = TableRows(version: 1, count: Self.documents.count) {
      Self.documents[$0]
    } find: { document in
      Self.documents.firstIndex { $0.id == document.id }
    }
    let table = try output(.table) { try $0.print(table: rows) }
    #expect(isPlain(table), "\(table.debugDescription)")
    #expect(table.split(separator: "\n").count == Self.documents.count + 1)
    for text in Self.hostile {
      var screen = TableScreen(size: .init(rows: 20, columns: 4_000), columns: nil, key: [["id"]])
      let shown = screen.lines(.init(rows: rows, previous: rows, summary: text))
      #expect(shown.allSatisfy { isPlain($0.text) && !$0.text.contains("\n") })
    }
  }

  /// Bug: each line was filled with blanks to the length of the longest title, and a Character with a million marks was
  /// printed in full.
  @Test(arguments: ["x", "\u{301}", "\u{200D}"])
  func `a table is of about the size of what it shows`(part: String) throws {
    let long = "t" + String(repeating: part, count: 100_000)
    let documents = (0..<200).map { index in
      Document(
        id: JSONValue(index),
        body: .object(
          JSONObject([
            (key: index == 0 ? long : "a", value: .string(index == 0 ? long : "v")),
            (key: "id", value: JSONValue(index)),
          ])))
    }
    let input = documents.map { "\($0.text)\n" }.joined()
    let table = try Tool.run(["--once", "--output", "table"], input: input)
    #expect(table.status == 0 && table.lines.count == documents.count + 1)
    #expect(table.output.utf8.count < 1_000_000, "\(table.output.utf8.count)")
    let rows = TableRows(version: 1, count: documents.count) {
      documents[$0]
    } find: { _ in
      nil
    }
    var screen = TableScreen(size: .init(rows: 20, columns: 100), columns: nil, key: [["id"]])
    let shown = screen.lines(.init(rows: rows, summary: long))
    #expect(shown.allSatisfy { $0.text.utf8.count < 10_000 }, "\(shown.map(\.text.utf8.count))")
  }

  @Test(arguments: hostile) func `no message and no hint lets the input steer a terminal`(text: String) throws
  {
    let name = JSONValue.string(text + "name")
    let input = "{\"id\":1,\(name):\(name)}\n\(text)\n{\"type\":\"ERROR\",\"object\":{\"message\":\(name)}}\n"
    for arguments in [
      ["--where", "name == 1"], ["--key", "x"], ["--envelope", "kubernetes"], ["--input", "csv"],
      ["--input", "logfmt"],
      ["--where", "name == 1", "--explain"], ["--progress"],
    ] {
      let run = try Tool.run(arguments, input: input)
      // The line of progress, which has numbers alone, is not there in a pipe.
      #expect(isPlain(run.errors), "\(arguments): \(run.errors.debugDescription)")
    }
  }
}
