import LiveStore
import TestSupport
import Testing
import livestore_watch

/// JSON that is not one object a line.
@Suite struct JSONRecordsTests {
  private func run(_ input: String, _ options: [String] = []) throws -> Tool.Run {
    try Tool.run(["--once", "--output", "json"] + options, input: input)
  }

  @Test(arguments: [
    "{\n  \"id\": 1,\n  \"a\": {\n    \"b\": [1, 2]\n  }\n}\n{ \"id\": 2 }\n",
    #"{"id":1,"a":{"b":[1,2]}}{"id":2}"#,
    "{\"id\":1,\"a\":{\"b\":[1,2]}} {\"id\"\n:2}", "\u{1E}{\"id\":1,\"a\":{\"b\":[1,2]}}\n\u{1E}{\"id\":2}\n",
    #"[{"id":1,"a":{"b":[1,2]}},{"id":2}]"#, "[\n{\"id\":1,\"a\":{\"b\":[1,2]}},\n{\"id\":2}\n]\n",
    "\u{FEFF} [ {\n\"id\":1,\n\"a\":{\"b\":[1\n,2]}}\n,\n{\"id\":2}\n]\n",
    "[{\"id\":1,\"a\":{\"b\":[1,2]}}]\n[]\n[{\"id\":2}]\n",
    #"{"kind":"List","items":[{"id":1,"a":{"b":[1,2]}},{"id":2}]}"#,
    "{\n\"apiVersion\":\"v1\",\n\"items\":[{\"id\":1,\"a\":{\"b\":[1,2]}},{\"id\":2}],\"kind\":\"PodList\",\"metadata\":{}}",
  ])
  func `JSON is read as other tools read it`(input: String) throws {
    let expected = [#"{"id":1,"a":{"b":[1,2]}}"#, #"{"id":2}"#]
    let whole = try run(input)
    #expect(whole.lines == expected && whole.errors == "" && whole.status == 0)
    for size in [1, 2, 3, 7] { #expect(read(input, size).texts == expected, "\(size)") }
  }

  private func read(_ input: String, _ size: Int, _ rules: InputRules = InputRules()) -> (
    texts: [String], badLines: [Int]
  ) {
    var reader = DocumentReader(file: "-", rules: rules)
    var (changes, badLines): ([InputChange], [Int]) = ([], [])
    let bytes = Array(input.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytes[start..<min(start + size, bytes.count)].withUnsafeBytes {
        reader.read($0, into: &changes) {
          badLines.append($0.line)
          return true
        }
      }
    }
    reader.read(nil, into: &changes) {
      badLines.append($0.line)
      return true
    }
    return (changes.compactMap { $0.document?.text }, badLines)
  }

  /// Bug: what had been read was kept as long as no line ended with a value.
  @Test func `text that was read is released, where each line ends one value and begins the next`() {
    var records = JSONRecords()
    let line = Array("\"n\":2}{\"id\":1,".utf8)
    Array("{\"id\":1,".utf8).withUnsafeBytes { records.add($0, 1) }
    for number in 2...1_000 {
      line.withUnsafeBytes { records.add($0, number) }
      var count = 0
      while records.next() != nil { count += 1 }
      #expect(count == 1 && records.bytes.count < 4 * line.count, "line \(number): \(records.bytes.count)")
    }
  }

  @Test func `objects that look like lists are none`() throws {
    let lines = [
      #"{"id":1,"kind":"ShoppingList","items":[1]}"#, #"{"kind":"List","items":[{"id":8}],"id":2}"#,
      #"{"kind":"Listing","items":[],"metadata":{}}"#, #"{"items":[]}"#,
    ]
    let run = try run(lines.joined(separator: "\n"), ["--no-key"])
    #expect(run.lines == lines && run.errors == "")
  }

  @Test func `lone halves of surrogate pairs become U+FFFD`() throws {
    let run = try run(
      #"{"id":1,"s":"\ud800x \udc00 \ud83d\ude00 \ud83d\\ude00 \\ud800 \ud800\ud800\udc00"}"# + "\n")
    #expect(run.lines.count == 1 && run.errors == "")
    let value = try JSONValue(parsing: run.output)["s"]
    #expect(value == .string("\u{FFFD}x \u{FFFD} 😀 \u{FFFD}\\ude00 \\ud800 \u{FFFD}\u{10000}"))
  }

  @Test(arguments: [
    ("{\"id\":1\n{\"id\":2}\n{\"id\":3}\n", [2, 3], [1]),
    ("{\"id\":1,\"a\":[\n{\"id\":2}\n{\"id\":3}\n", [2, 3], [1]),
    ("{\"id\":\"a\n{\"id\":2}\n", [2], [1]), ("{\"id\":1,\n\n\n{\"id\":2}\n", [2], [1]),
    ("nonsense {\"id\":1}\n{\"id\":2}\n", [2], [1]), ("{\"id\":1}}\n{\"id\":2}\n", [1, 2], [1]),
    ("[2026-01-01] started\n{\"id\":2}\n", [2], [1]), ("[{\"id\":1},\n{\"id\":2}\n", [1, 2], [1]),
    ("[5] started\n{\"id\":2}\n", [2], [1, 1]),
    ("[{\"id\":1},\n{\"id\",\n{\"id\":3}]\n{\"id\":4}", [1, 3, 4], [2]), ("{\"id\":1}\n{\"id\":", [1], [2]),
    ("[{\"id\":1},{\"id\":2}\n[{\"id\":3}]\n[{\"id\":4},\n[\n{\"id\":5}\n]\n", [1, 2, 3, 4, 5], [1, 3]),
    ("{\"id\":1}\n\"text\"\n5\n{\"id\":2}", [1, 2], [2, 3]),
    ("{\n\"id\":1\n\"x\":2\n}\n{\"id\":2}\n", [2], [1, 2, 2, 3, 3, 4]),
  ])
  func `a line that is cut off is bad, and no other line is lost`(input: String, ids: [Int], badLines: [Int])
  {
    for size in [1, 3, 1_000] {
      let found = read(input, size)
      #expect(found.texts == ids.map { #"{"id":\#($0)}"# }, "\(found.texts)")
      #expect(found.badLines == badLines, "\(found.badLines)")
    }
  }

  @Test func `lines that each begin a value that does not end are read in time by their length`() {
    for line in ["[", "{\"a\":", "[1,", "{\"a\":[{"] {
      func seconds(_ count: Int) -> Double {
        let input = String(repeating: line + "\n", count: count)
        return processorTime { _ = read(input, 1 << 16) }
      }
      let (few, many) = (seconds(1_000), seconds(4_000))
      // Values end at 512 levels: four times as many lines take five times as long, or else sixteen times.
      #expect(many < few * 9, "\(line) \(few) s, then \(many) s")
    }
  }
}
