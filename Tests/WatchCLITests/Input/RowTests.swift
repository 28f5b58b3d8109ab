import Foundation
import LiveStore
import TestSupport
import Testing
import livestore_watch

@Suite struct RowTests {
  private func objects(_ format: String, _ input: String, _ more: [String] = []) throws -> Tool.Run {
    try Tool.run(["--input", format, "--once", "--output", "json"] + more, input: input)
  }

  @Test func `a CSV file is rows below a row of paths, with commas, quotes and newlines in quotes`() throws {
    let input =
      "\u{FEFF}id,name,owner.name,owner.age\r\n1,\"a, \"\"b\"\"\nc\",Ann,4\r\n\r\n2,,日本\n3,\"\",\"x\",\n"
    let run = try objects("csv", input)
    #expect(
      run.lines == [
        #"{"id":1,"name":"a, \"b\"\nc","owner":{"name":"Ann","age":4}}"#, #"{"id":2,"owner":{"name":"日本"}}"#,
        #"{"id":3,"name":"","owner":{"name":"x"}}"#,
      ])
    #expect(run.status == 0 && run.errors == "")
  }

  /// Bug: a carriage return before a newline was cut in quotes, too.
  @Test func `a carriage return within quotes is a part of the field`() throws {
    let run = try objects("csv", "id,x\r\n1,\"a\r\nb\r\r\nc\r\"\r\n2,\"d\"\r")
    #expect(run.lines == [#"{"id":1,"x":"a\r\nb\r\r\nc\r"}"#, #"{"id":2,"x":"d"}"#])
    #expect(run.errors == "")
  }

  /// Bug: it was compared with true and false, in time quadratic in the marks of a letter.
  @Test func `a value whose letter has very many marks is read in time by its length`() throws {
    let value = "x" + String(repeating: "\u{301}\u{323}", count: 200_000)
    let run = try objects("logfmt", "id=1 ua=\(value)\nid=2 ua=true\n")
    #expect(run.lines.count == 2 && run.lines.first?.utf8.count ?? 0 > value.utf8.count && run.status == 0)
  }

  @Test(arguments: [
    ("7", "7"), ("-2.5", "-2.5"), ("007", #""007""#), ("1.50", #""1.50""#), ("1e3", #""1e3""#),
    ("+1", #""+1""#),
    ("-", #""-""#), (" 1", #"" 1""#), ("true", "true"), ("True", #""True""#), ("false", "false"),
    ("null", #""null""#),
    ("\"7\"", #""7""#), ("\"true\"", #""true""#), ("12345678901234567890123", "12345678901234567890123"),
    ("[1]", #""[1]""#),
  ])
  func `an unquoted value is typed only if it is written as it would be printed`(field: String, value: String)
    throws
  {
    #expect(try objects("csv", "id,x\n1,\(field)\n").output == "{\"id\":1,\"x\":\(value)}\n")
  }

  @Test func `TSV has escapes and no quotes`() throws {
    let run = try objects("tsv", "id\tx\n1\ta\\tb\\\\n\\n\\q\n2\t\"q\"\n")
    #expect(run.lines == [#"{"id":1,"x":"a\tb\\n\n\\q"}"#, #"{"id":2,"x":"\"q\""}"#])
  }

  @Test func `logfmt is names with values, quoted or not, and names alone`() throws {
    let input =
      #"id=1 level=info msg="a \"b\" c\n" took=1.5 ok  http.status=200"# + "\n" + #"id=2 level= x="7""# + "\n"
    let run = try objects("logfmt", input)
    #expect(
      run.lines == [
        #"{"id":1,"level":"info","msg":"a \"b\" c\n","took":1.5,"ok":true,"http":{"status":200}}"#,
        #"{"id":2,"x":"7"}"#,
      ])
  }

  @Test(arguments: [
    ("csv", "id,x\n1,a\"b\n2,c\n", 2, "field 2: a quote is neither at its ends nor doubled"),
    ("csv", "id,x\n1,2,3\n2,c\n", 2, "3 fields below 2 titles"),
    ("tsv", "id\tx\n1\t2\t3\t\n2\tc\n", 2, "4 fields below 2 titles"),
    ("csv", "id,x\n2,c\n1,\"open\nto the end\n", 3, "field 2: the quote is not closed"),
    ("csv", "id,,x\nid,x\n2,c\n", 1, "\"\" is not a path such as a.b"),
    ("csv", "id,id\nid,x\n2,c\n", 1, "two columns are called id"),
    ("logfmt", "=3 id=1\nid=2 x=c\n", 1, "expected name=value, found =3 id=1"),
    ("logfmt", "id=1 x=\"y\nid=2 x=c\n", 1, "the quote of x is not closed"),
  ])
  func `a bad row is reported with its line, and the rest is read`(
    format: String, input: String, line: Int, reason: String
  ) throws {
    let run = try objects(format, input)
    #expect(run.errors.hasPrefix("-:\(line): \(reason)\n"), "\(run.errors)")
    #expect(run.lines.last == (input.contains("1,a\"b\n2") ? nil : #"{"id":2,"x":"c"}"#))
  }

  /// Bug: each path was compared with each other, and a name of a row with those before it.
  @Test func `rows of many columns are read in time by their length`() throws {
    let few = try processorTime { try readColumns(1_000) }
    let many = try processorTime { try readColumns(16_000) }
    // Sixteen times as many take sixteen times as long, or 256 times.
    #expect(many < few * 64, "\(few) s, then \(many) s")
  }

  private func readColumns(_ count: Int) throws {
    let names = (0..<count).map { "c\($0)" }
    var rows = RowObjects(.csv)
    #expect(try rows.object("id," + names.joined(separator: ",")) == nil)
    let row = try rows.object("7" + String(repeating: ",1", count: count))
    guard case .object(let object)? = row else { throw Mismatch("no object") }
    #expect(object.count == count + 1 && object["c999"] == 1 && object["id"] == 7)
    #expect(object.map(\.key) == ["id"] + names)
    var twice = RowObjects(.csv)
    let mistake = #expect(throws: RowMistake.self) {
      try twice.object(names.joined(separator: ",") + ",c7.x,c8,c7.x,c8")
    }
    #expect(mistake?.reason == "two columns are called c8")
    var pairs = RowObjects(.logfmt)
    guard case .object(let line)? = try pairs.object(names.joined(separator: " ") + " c0=2") else {
      throw Mismatch("no object")
    }
    #expect(line.count == count && line["c0"] == 2 && line["c999"] == true)
  }

  /// Bug: a name of megabytes in a mistake was reported in full.
  @Test(arguments: ["x", "\u{301}"]) func `the reason of a bad line is of a length that can be read`(
    part: String
  ) throws {
    let long = "a" + String(repeating: part, count: 100_000)
    for (format, input) in [
      ("csv", "\(long),\(long)\n"), ("logfmt", "\(long)=\"x\n"), ("csv", "\(long)..b\n"),
    ] {
      let run = try objects(format, input)
      #expect(run.status == 65 && run.errors.utf8.count < 5_000, "\(run.errors.utf8.count)")
    }
  }

  /// Bug: a path of many points ended the tool.
  @Test(arguments: ["csv", "tsv", "logfmt"]) func `a path that is deeper than JSON may be is a mistake`(
    format: String
  ) throws {
    let path = Array(repeating: "a", count: 200_000).joined(separator: ".")
    let input = format == "logfmt" ? "id=1 \(path)=2\nid=2 x=c\n" : "\(path)\nid\n2\n"
    let run = try objects(format, input)
    #expect(run.status == 0 && run.lines.count == 1, "\(run.status) \(run.errors.prefix(200))")
    #expect(
      run.errors.utf8.count < 2_000 && run.errors.contains("-:1: a path has more than"),
      "\(run.errors.prefix(200))")
  }

  @Test func `a quote that is never closed takes a bounded part of the input, in time by its length`() throws
  {
    let lines = (0..<Environment.size(20_000, thorough: 200_000)).map { "\($0),x\n" }.joined()
    var rules = InputRules()
    rules.format = .csv
    var reader = DocumentReader(file: "-", rules: rules)
    var (changes, badLines): ([InputChange], [BadLine]) = ([], [])
    Array("id,x\n1,\"open\n\(lines)".utf8).withUnsafeBytes {
      reader.read($0, into: &changes) {
        badLines.append($0); return true
      }
    }
    reader.read(nil, into: &changes) {
      badLines.append($0); return true
    }
    #expect(changes.isEmpty && badLines.map(\.line) == [2])
  }

  /// Bug: a line without anything is no row when it is read.
  @Test func `a row whose only column has no value is a row`() throws {
    let input = [#"{"id":1,"x":"a"}"#, #"{"id":2}"#, #"{"id":3,"x":"c"}"#].joined(separator: "\n")
    let rows = try Tool.run(["--once", "--output", "csv", "--columns", "x"], input: input).output
    #expect(rows == "x\na\n\"\"\nc\n")
    let count = try Tool.run(["--input", "csv", "--no-key", "--once", "--output", "count"], input: rows)
    #expect(count.output == "3\n")
  }

  @Test func `what is printed as CSV and TSV is read as it was, whatever the pieces`() throws {
    let texts = ["", "a", "a,b", "\"", "a\"b", "x\ny", "\t", "\\", "\\t", "7", "true", "日本", " "]
    let lines = texts.enumerated().map { "{\"id\":\($0.offset),\"x\":\(JSONValue.string($0.element))}" }
    for format in ["csv", "tsv"] {
      let rows = try Tool.run(["--once", "--output", format], input: lines.joined(separator: "\n")).output
      var rules = InputRules()
      rules.format = try #require(InputFormat(rawValue: format))
      let bytes = Array(rows.utf8)
      var expected: [String]?
      for size in 1...40 {
        var reader = DocumentReader(file: "-", rules: rules)
        var changes: [InputChange] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
          bytes[start..<min(start + size, bytes.count)].withUnsafeBytes {
            reader.read($0, into: &changes) { _ in true }
          }
        }
        reader.read(nil, into: &changes) { _ in true }
        let found = changes.compactMap { $0.document?.text }
        #expect(found.count == texts.count && reader.badLineCount == 0)
        #expect(found == expected ?? found)
        expected = found
        if format == "csv" {
          for (text, line) in zip(texts, found) where !["7", "true"].contains(text) {
            #expect(try JSONValue(parsing: line)["x"] == .string(text))
          }
        }
      }
    }
  }
}
