import Foundation
import LiveStore
import Testing
import livestore_watch

@Suite struct OutputTests {
  private let old = Document(
    id: 3, body: ["id": 3, "n": 1, "gone": true, "owner": ["name": "Ann", "age": 4], "tags": [1]])
  private let new = Document(
    id: 3, body: ["id": 3, "n": 1.5, "owner": ["name": "Bea", "age": 4], "tags": [1, 2], "more": nil])

  /// One line of each kind.
  private var lines: [ChangeLine] {
    [
      ChangeLine(.delete, old, from: 4), ChangeLine(.insert, new, to: 0),
      ChangeLine(.modify, new, from: 7, to: 2, old: old),
      ChangeLine(.move, Document(id: "x", body: [:]), from: 5, to: 1),
      ChangeLine(.initial, old, to: 9),
    ]
  }

  private func output(
    _ mode: OutputMode, isColored: Bool = false, isTerminal: Bool = false,
    _ body: (inout ResultPrinter) throws -> Void
  ) throws -> [String] {
    let pipe = OutputPipe()
    var printer = ResultPrinter(
      writer: pipe.writer(isTerminal: isTerminal), mode: mode, isColored: isColored)
    try body(&printer)
    return try pipe.text().split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
      String.init)
  }

  @Test func `changes are lines to look at, headed by the version`() throws {
    let text = try output(.changes) { try $0.print(version: 7, count: 1, lines: lines) }
    #expect(
      text == [
        "version 7: 1 object",
        "- 4        \(old.body)",
        "+ 0        \(new.body)",
        "~ 2        3  n: 1 → 1.5, owner.name: \"Ann\" → \"Bea\", tags: [1] → [1,2], more: none → null, gone: true → none",
        "> 5 → 1    \"x\"",
        "= 9        \(old.body)",
      ])
  }

  @Test func `colours frame whole lines and leave the text alone`() throws {
    let plain = try output(.changes) { try $0.print(version: 7, count: 2, lines: lines) }
    let colored = try output(.changes, isColored: true) { try $0.print(version: 7, count: 2, lines: lines) }
    let codes = ["1", "31", "32", "33", "36"]
    #expect(colored.dropLast() == zip(codes, plain).map { "\u{1B}[\($0)m\($1)\u{1B}[0m" }[...])
    #expect(colored.last == plain.last)
  }

  @Test func `JSON has a member for what means something, and no other`() throws {
    let text = try output(.json) { try $0.print(version: 7, count: 1, lines: lines) }
    #expect(
      text == [
        #"{"version":7,"change":"delete","id":3,"oldIndex":4,"old":\#(old.body)}"#,
        #"{"version":7,"change":"insert","id":3,"newIndex":0,"new":\#(new.body)}"#,
        #"{"version":7,"change":"modify","id":3,"oldIndex":7,"newIndex":2,"old":\#(old.body),"new":\#(new.body)}"#,
        #"{"version":7,"change":"move","id":"x","oldIndex":5,"newIndex":1}"#,
        #"{"version":7,"change":"initial","id":3,"newIndex":9,"new":\#(old.body)}"#,
      ])
    for line in text { #expect(throws: Never.self) { try JSONValue(parsing: line) } }
  }

  @Test func `the count is printed when it changes`() throws {
    let text = try output(.count) { printer in
      for count in [0, 2, 2, 3, 0] { try printer.print(version: 1, count: count, lines: []) }
    }
    #expect(text == ["0", "2", "3", "0"])
  }

  @Test func `a result is its objects in order, or their number`() throws {
    #expect(
      try output(.json) { try $0.print(result: [new, old], version: 3) } == [
        new.body.description, old.body.description,
      ])
    #expect(try output(.count) { try $0.print(result: [new, old], version: 3) } == ["2"])
    #expect(
      try output(.changes) { try $0.print(result: [new, old], version: 3) } == [
        "version 3: 2 objects", "= 0        \(new.body)", "= 1        \(old.body)",
      ])
  }

  @Test func `data cannot steer the terminal`() throws {
    let sneaky = Document(id: 1, body: ["id": 1, "x": "a\u{1B}[31m\u{7F}\u{9B}2J\u{85}é"])
    let text = try output(.changes) {
      try $0.print(version: 1, count: 1, lines: [ChangeLine(.insert, sneaky, to: 0)])
    }
    #expect(text[1] == #"+ 0        {"id":1,"x":"a\u001b[31m\u007f\u009b2J\u0085é"}"#)
  }

  @Test(arguments: [
    ("a\u{200B}b", #"a\u200bb"#), ("\u{202E}txt", #"\u202etxt"#), ("a\u{200D}b", #"a\u200db"#),
    ("\u{FEFF}", #"\ufeff"#), ("x\u{2066}y\u{2069}", #"x\u2066y\u2069"#), ("s\u{AD}y", #"s\u00ady"#),
    ("a\u{E0041}", #"a\udb40\udc41"#), ("\u{2028}\u{2029}", #"\u2028\u2029"#), ("\u{3164}", #"\u3164"#),
    ("❤️ 👨‍👩‍👧 é e\u{301} ß 日", "❤️ 👨‍👩‍👧 é e\u{301} ß 日"), ("🏳\u{FE0F}\u{200D}🌈", "🏳\u{FE0F}\u{200D}🌈"),
    ("😀\u{200D}\u{200D}\u{FE0F}", #"😀\u200d\u200d\ufe0f"#), ("😀\u{200D}a", #"😀\u200da"#),
    ("©\u{200D}®", #"©\u200d®"#), ("👩\u{200D}❤\u{FE0F}\u{200D}👨", "👩\u{200D}❤\u{FE0F}\u{200D}👨"),
    ("😀\u{FE0F}", #"😀\ufe0f"#), ("❤\u{FE0F}\u{FE0F}", "❤\u{FE0F}" + #"\ufe0f"#),
  ])
  func `a character without width or one that reverses the direction is written as an escape`(
    text: String, shown: String
  ) throws {
    #expect(text.escapingInvisibles == shown)
    let document = Document(id: 1, body: ["x": .string(text)])
    let lines = try output(.json, isTerminal: true) { try $0.print(result: [document], version: 1) }
    #expect(lines == ["{\"x\":\"\(shown)\"}"])
    #expect(try JSONValue(parsing: lines[0]) == document.body, "an escape reads as what it stands for")
  }

  @Test func `exactly the characters are escaped that control a terminal or have no width`() {
    for scalar in (0..<0xE000).lazy.compactMap({ Unicode.Scalar(UInt32($0)) }) {
      let properties = scalar.properties
      let isEscaped =
        [.control, .format, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
        || properties.isDefaultIgnorableCodePoint
      let text = String(scalar)
      if (text.escapingInvisibles != text) != isEscaped {
        Issue.record("U+\(String(scalar.value, radix: 16))")
        return
      }
    }
  }

  @Test func `JSON for a program is written as it is`() throws {
    let document = Document(id: 1, body: ["x": "\u{9B}\u{200B}\u{7F}"])
    let lines = try output(.json) { try $0.print(result: [document], version: 1) }
    #expect(lines == ["{\"x\":\"\u{9B}\u{200B}\u{7F}\"}"])
    let shown = try output(.json, isTerminal: true) { try $0.print(result: [document], version: 1) }
    #expect(shown == [#"{"x":"\u009b\u200b\u007f"}"#])
  }

  @Test func `the first five of many bad lines are shown`() {
    var lines: [String] = []
    var report = BadLineReport { lines.append($0) }
    for line in 1...1_000 { report.add(BadLine(file: "f", line: line, reason: "bad")) }
    #expect(lines == (1...5).map { "f:\($0): bad" } + ["livestore-watch: further bad lines are only counted"])
  }

  @Test func `a reader that hangs up ends the output without a message and with status 0`() throws {
    signal(SIGPIPE, SIG_IGN)
    let pipe = OutputPipe(hangsUp: true)
    var printer = ResultPrinter(writer: pipe.writer(), mode: .count, isColored: false)
    try pipe.hangUp()
    #expect(throws: Exit(.success)) { try printer.print(version: 1, count: 1, lines: []) }
  }

  @Test(arguments: [
    (ColorMode.always, false, ["NO_COLOR": "1"], true), (.never, true, [:], false), (.auto, true, [:], true),
    (.auto, false, [:], false), (.auto, true, ["NO_COLOR": "1"], false),
    (.auto, true, ["NO_COLOR": ""], true),
    (.auto, true, ["TERM": "dumb"], false),
  ])
  func `colours are for terminals unless asked otherwise`(
    mode: ColorMode, isTerminal: Bool, environment: [String: String], isOn: Bool
  ) {
    #expect(mode.isOn(isTerminal: isTerminal, environment: environment) == isOn)
  }
}
