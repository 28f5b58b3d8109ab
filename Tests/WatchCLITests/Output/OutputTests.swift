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
      .delete(old, at: 4), .insert(new, at: 0), .modify(old, at: 7, to: new, at: 2),
      .move("x", from: 5, to: 1),
      .initial(old, at: 9),
    ]
  }

  private func output(
    _ mode: OutputMode, isColored: Bool = false, _ body: (inout ResultPrinter) throws -> Void
  ) throws -> [String] {
    let pipe = OutputPipe()
    var printer = ResultPrinter(writer: pipe.writer, mode: mode, isColored: isColored)
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
    let text = try output(.changes) { try $0.print(version: 1, count: 1, lines: [.insert(sneaky, at: 0)]) }
    #expect(text[1] == #"+ 0        {"id":1,"x":"a\u001b[31m\u007f\u009b2J\u0085é"}"#)
  }

  @Test func `a reader that hangs up ends the output without a message and with status 0`() throws {
    Interrupts.install()
    let pipe = OutputPipe()
    var printer = ResultPrinter(writer: pipe.writer, mode: .count, isColored: false)
    try pipe.hangUp()
    #expect(throws: Exit(.success)) { try printer.print(version: 1, count: 1, lines: []) }
  }

  @Test(arguments: [
    (ColorMode.always, false, ["NO_COLOR": "1"], true), (.never, true, [:], false), (.auto, true, [:], true),
    (.auto, false, [:], false), (.auto, true, ["NO_COLOR": "1"], false),
    (.auto, true, ["NO_COLOR": ""], true),
    (.auto, true, ["TERM": "dumb"], false),
  ])
  func `colours are for terminals unless told otherwise`(
    mode: ColorMode, isTerminal: Bool, environment: [String: String], isOn: Bool
  ) {
    #expect(mode.isOn(isTerminal: isTerminal, environment: environment) == isOn)
  }
}
