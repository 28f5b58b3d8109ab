import Foundation
import LiveStore
import TestSupport
import Testing
import livestore_watch

@Suite struct RowTests {
  private func objects(_ format: String, _ input: String, _ more: [String] = []) throws -> Tool.Run {
    try Tool.run(["--input", format, "--once", "--output", "json"] + more, input: input)
  }

  @Test func `a CSV file is rows below a row of names, with commas, quotes and newlines in quotes`() throws {
    let input =
      "\u{FEFF}id,name,owner.name,owner.age\r\n1,\"a, \"\"b\"\"\nc\",Ann,4\r\n\r\n2,,日本\n3,\"\",\"x\",\n"
    let run = try objects("csv", input)
    #expect(
      run.lines == [
        #"{"id":1,"name":"a, \"b\"\nc","owner.name":"Ann","owner.age":4}"#, #"{"id":2,"owner.name":"日本"}"#,
        #"{"id":3,"name":"","owner.name":"x"}"#,
      ])
    #expect(run.status == 0 && run.errors == "")
    let nested = try objects("csv", input, ["--nested"])
    #expect(
      nested.lines == [
        #"{"id":1,"name":"a, \"b\"\nc","owner":{"name":"Ann","age":4}}"#, #"{"id":2,"owner":{"name":"日本"}}"#,
        #"{"id":3,"name":"","owner":{"name":"x"}}"#,
      ])
    #expect(nested.status == 0 && nested.errors == "")
  }

  /// Bug: a carriage return before a newline was cut in quotes, too.
  @Test func `a carriage return within quotes is a part of the field`() throws {
    let run = try objects("csv", "id,x\r\n1,\"a\r\nb\r\r\nc\r\"\r\n2,\"d\"\r")
    #expect(run.lines == [#"{"id":1,"x":"a\r\nb\r\r\nc\r"}"#, #"{"id":2,"x":"d"}"#])
    #expect(run.errors == "")
  }

  /// Bug: such a file was one line, and all of it titles.
  @Test func `lines may end in carriage returns alone, wherever the text is cut`() throws {
    let text = "id,x\r1,\"a\rb\"\r2,c\r\"3\",\"d\"\"\"\r4,e"
    let expected = [
      #"{"id":1,"x":"a\rb"}"#, #"{"id":2,"x":"c"}"#, #"{"id":3,"x":"d\""}"#, #"{"id":4,"x":"e"}"#,
    ]
    #expect(try objects("csv", text).lines == expected)
    let returns = "id,x\r\n1,a\r\n"
    for size in 1...text.utf8.count { #expect(texts(.csv, text, size) == expected, "in chunks of \(size)") }
    for size in 1...returns.utf8.count { #expect(texts(.csv, returns, size) == [#"{"id":1,"x":"a"}"#]) }
    #expect(texts(.tsv, "id\tx\r1\ta\r2\tb\r") == [#"{"id":1,"x":"a"}"#, #"{"id":2,"x":"b"}"#])
    #expect(texts(.logfmt, "id=1 x=\"5\r10\"\nid=2\n").count == 2, "a line of a log may have some within")
    #expect(texts(.logfmt, "id=1 x=a\rid=2\r") == [#"{"id":1,"x":"a"}"#, #"{"id":2}"#])
  }

  /// Bug: one newline anywhere in what was read first made a single line of the rows before it.
  @Test(arguments: [
    ("id,x\r1,a\r2,b\r\n", [#"{"id":1,"x":"a"}"#, #"{"id":2,"x":"b"}"#]),
    ("id,x\r1,a\r2,b\n", [#"{"id":1,"x":"a"}"#, #"{"id":2,"x":"b"}"#]),
    ("id,x\r1,\"a\"\r2,\n", [#"{"id":1,"x":"a"}"#, #"{"id":2}"#]),
    ("id,x\r1,\"a\nb\"\r", [#"{"id":1,"x":"a\nb"}"#]),
    ("id,\"x\ry\"\n1,a\n", [#"{"id":1,"x\ry":"a"}"#]),
    ("\u{FEFF}\"\"\"\ri\",id\n1,2\n", [#"{"\"\ri":1,"id":2}"#]),
    ("id,5\"\r1,a\r", [#"{"id":1,"5\"":"a"}"#]),
    ("id,\"x\ny\"\r\n1,a\r\n", [#"{"id":1,"x\ny":"a"}"#]),
  ])
  func `rows end as the first one does, wherever the text is cut`(text: String, expected: [String]) {
    for size in 1...text.utf8.count { #expect(texts(.csv, text, size) == expected, "in chunks of \(size)") }
  }

  /// Bug: it was compared with true and false, in time quadratic in the marks of a letter.
  @Test func `a value whose letter has very many marks is read in time by its length`() throws {
    let value = "x" + String(repeating: "\u{301}\u{323}", count: 200_000)
    let run = try objects("logfmt", "id=1 ua=\(value)\nid=2 ua=true\n")
    #expect(run.lines.count == 2 && run.lines.first?.utf8.count ?? 0 > value.utf8.count && run.status == 0)
  }

  /// Bug: `12.50` was text, and so was each value of a file that quotes all fields.
  @Test(arguments: [
    ("7", "7"), ("-2.5", "-2.5"), ("12.50", "12.50"), ("0.00", "0.00"), ("1e3", "1e3"),
    ("0.00001", "0.00001"),
    ("12345678901234567890123", "12345678901234567890123"), ("-0.5E-7", "-0.5E-7"), ("-0", "-0"),
    ("+1", "1"), (".5", "0.5"), ("-.25", "-0.25"), ("5.", "5"), ("+.5e1", "0.5e1"), ("\"7\"", "7"),
    ("007", #""007""#), ("00501", #""00501""#), ("-007", #""-007""#), ("00.5", #""00.5""#), ("-", #""-""#),
    (".", #"".""#), ("+", #""+""#), ("1e", #""1e""#), ("e5", #""e5""#), ("1.2.3", #""1.2.3""#),
    (" 1", #"" 1""#),
    ("1 ", #""1 ""#), ("0x1F", #""0x1F""#), ("1_000", #""1_000""#), ("NaN", #""NaN""#),
    ("1e999", #""1e999""#),
    ("1e-999", #""1e-999""#), ("١", #""١""#), ("true", "true"), ("True", #""True""#), ("false", "false"),
    ("\"true\"", "true"), ("null", #""null""#), ("[1]", #""[1]""#), ("2026-11-29", #""2026-11-29""#),
    ("a\tb\u{1}", #""a\tb\u0001""#),
  ])
  func `what reads as a number is one, in quotation marks as well`(field: String, value: String) throws {
    let expected = ["{\"id\":1,\"x\":\(value)}"]
    #expect(texts(.csv, "id,x\n1,\(field)\n") == expected)
    if !field.contains("\t"), !field.contains("\"") {
      #expect(texts(.tsv, "id\tx\n1\t\(field)\n") == expected)
    }
    if !field.contains(" "), !field.contains("\t") {
      #expect(texts(.logfmt, "id=1 x=\(field)\n") == expected)
    }
  }

  /// The objects of an input that is read in this process, in chunks of a size.
  private func texts(_ format: InputFormat, _ input: String, _ size: Int = .max / 2) -> [String] {
    var rules = InputRules()
    rules.format = format
    var reader = DocumentReader(file: "-", rules: rules)
    var changes: [InputChange] = []
    let bytes = Array(input.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytes[start..<min(start + size, bytes.count)].withUnsafeBytes {
        reader.read($0, into: &changes) { _ in true }
      }
    }
    reader.read(nil, into: &changes) { _ in true }
    return changes.compactMap { $0.document?.text }
  }

  @Test func `numbers are written as they were read, and compared by value`() throws {
    let numbers = ["12.50", "+5", ".5", "5.", "1e1", "-.5", "0.00", "007"]
    let input = "id,x\n" + numbers.enumerated().map { "\($0),\($1)\n" }.joined()
    let options = ["--sort", "x", "--columns", "x", "--number", "x"]
    let sorted = ["-.5", "0.00", ".5", "+5", "5.", "007", "1e1", "12.50"]
    #expect(
      try Tool.run(["--input", "csv", "--once", "--output", "csv"] + options, input: input).lines == ["x"]
        + sorted)
    let table = try Tool.run(["--input", "csv", "--once", "--output", "table"] + options, input: input).lines
    #expect(table.map { $0.trimmingCharacters(in: .whitespaces) } == ["x"] + sorted)
    let equal = try Tool.run(
      ["--input", "csv", "--where", "x == 5", "--once", "--output", "csv", "--columns", "x"], input: input)
    #expect(equal.lines == ["x", "+5", "5."])
    let keyed = try Tool.run(
      ["--input", "csv", "--key", "x", "--once", "--output", "count"],
      input: "x,y\n1,a\n1.0,b\n+1,c\n\"1\",d\n")
    #expect(keyed.output == "1\n")
  }

  @Test func `columns can be said to be text or numbers`() throws {
    let input = "id,zip,n\n1,00501,007\n2,12345,8\n"
    let run = try objects("csv", input, ["--text", "zip", "--number", "n", "--sort", "n:desc"])
    #expect(run.lines == [#"{"id":2,"zip":"12345","n":8}"#, #"{"id":1,"zip":"00501","n":7}"#])
    let nested = try objects("csv", "id,a.b\n1,5\n", ["--nested", "--text", "a.b"])
    #expect(nested.lines == [#"{"id":1,"a":{"b":"5"}}"#])
    #expect(try objects("csv", "id,a.b\n1,5\n", ["--text", #"["a.b"]"#]).lines == [#"{"id":1,"a.b":"5"}"#])
    #expect(try objects("json", "", ["--text", "x"]).status == 64)
  }

  @Test func `a column that has numbers and text is named at the end`() throws {
    let csv = "id,x,y,z\n1,5,a,1\n2,n/a,b,\n3,6,c,\"\"\n"
    let where5 = try objects("csv", csv, ["--where", "x > 1 AND y != 'z' AND z >= 0"])
    #expect(
      where5.errors
        == "livestore-watch: x is a number in 2 objects and text in 1; --text x makes all of them text\n")
    #expect(try objects("csv", csv, ["--columns", "x"]).errors == "")
    let json = #"{"id":1,"x":1}"# + "\n" + #"{"id":2,"x":"1"}"# + "\n"
    for options in [["--where", "x == 1"], ["--sort", "x"], ["--group-by", "id", "--sum", "x"]] {
      #expect(
        try objects("json", json, options).errors
          == "livestore-watch: x is a number in 1 object and text in 1\n", "\(options)")
    }
  }

  @Test func `TSV has escapes and no quotes`() throws {
    let run = try objects("tsv", "id\tx\n1\ta\\tb\\\\n\\n\\q\n2\t\"q\"\n")
    #expect(run.lines == [#"{"id":1,"x":"a\tb\\n\n\\q"}"#, #"{"id":2,"x":"\"q\""}"#])
  }

  @Test func `logfmt is names with values, quoted or not, and names alone`() throws {
    let input =
      #"id=1 level=info msg="a \"b\" c\n" took=1.5 ok  http.status=200"# + "\n"
      + #"id=2 level= x="7" "a b"=c"#
      + "\n" + #"a=1 a.b=2 id=3 a=4"# + "\n"
    let run = try objects("logfmt", input)
    #expect(
      run.lines == [
        #"{"id":1,"level":"info","msg":"a \"b\" c\n","took":1.5,"ok":true,"http.status":200}"#,
        #"{"id":2,"x":7,"a b":"c"}"#, #"{"a":1,"a.b":2,"id":3,"a_2":4}"#,
      ])
    #expect(
      try objects("logfmt", input, ["--nested"]).lines == [
        #"{"id":1,"level":"info","msg":"a \"b\" c\n","took":1.5,"ok":true,"http":{"status":200}}"#,
        #"{"id":2,"x":7,"a b":"c"}"#, #"{"a":1,"a.b":2,"id":3,"a_2":4}"#,
      ])
  }

  @Test func `values of logfmt are quoted as Go quotes texts`() throws {
    let line =
      #"id=1 msg="\a\b\f\n\r\t\v\\\"\x41\101\u00e9\U0001F600\ud83d\ude00\/\q" odd="\xff\ud800x" cut="\x4"#
    let value = "\u{7}\u{8}\u{C}\n\r\t\u{B}\\\"AAé😀😀/q"
    let run = try objects("logfmt", line + "\"\n")
    let object = try JSONValue(parsing: run.output)
    #expect(object["msg"] == .string(value), "\(run.output)")
    #expect(object["odd"] == .string("\u{FFFD}\u{FFFD}x") && object["cut"] == .string("x4"), "\(run.output)")
  }

  @Test(arguments: [
    ("csv", "id,x\n1,\"a\"b\n2,c\n", 2, "field 2: something follows its closing quotation mark"),
    ("csv", "id,x\n1,2,3\n2,c\n", 2, "3 fields below 2 titles"),
    ("tsv", "id\tx\n1\t2\t3\t\n2\tc\n", 2, "4 fields below 2 titles"),
    (
      "csv", "id,x\n0,a\n1,\"open\n2,c\n", 3,
      "field 2: the quotation mark at line 3 is not closed in the 1 line that follows"
    ),
    ("logfmt", "=3 id=1\nid=2 x=c\n", 1, "expected name=value, found =3 id=1"),
    ("logfmt", "id=1 x=\"y\nid=2 x=c\n", 1, "field 4: its quotation marks are not closed"),
  ])
  func `a bad row is reported with its line, and the rest is read`(
    format: String, input: String, line: Int, reason: String
  ) throws {
    let run = try objects(format, input)
    #expect(run.errors.hasPrefix("-:\(line): \(reason)\n"), "\(run.errors)")
    #expect(run.lines.last == #"{"id":2,"x":"c"}"#)
    let strict = try objects(format, input, ["--strict"])
    #expect(strict.status == 1 && strict.errors.hasPrefix("-:\(line): \(reason)\n"), "\(strict.errors)")
  }

  /// Bug: one stray quotation mark lost the rest of the file.
  @Test func `quotation marks open at the beginning of a field alone`() throws {
    let run = try objects("csv", "id,size\n1,2\" pipe\n2,3\"\"4\"\n3, \"x\"\n4,\"a\"\"b\"\n")
    #expect(
      run.lines == [
        #"{"id":1,"size":"2\" pipe"}"#, #"{"id":2,"size":"3\"\"4\""}"#, #"{"id":3,"size":" \"x\""}"#,
        #"{"id":4,"size":"a\"b"}"#,
      ])
    #expect(run.errors == "")
  }

  @Test func `lines after a field that does not end are rows of their own`() throws {
    let run = try objects("csv", "id,x\n1,a\n2,\"b\n3,c\n4,\"d\"\n5,e\n")
    #expect(run.lines.map { $0.dropFirst(6).first } == ["1", "3", "4", "5"], "\(run.lines)")
    #expect(
      run.errors.hasPrefix("-:3: field 2: something follows its closing quotation mark\n"), "\(run.errors)")
    let end = try objects("csv", "id,x\n1,\"a\nb\"\n2,\"c\n3,d\n4,e\n")
    #expect(end.lines.map { $0.dropFirst(6).first } == ["1", "3", "4"], "\(end.lines)")
    #expect(
      end.errors.hasPrefix(
        "-:4: field 2: the quotation mark at line 4 is not closed in the 2 lines that follow\n"),
      "\(end.errors)")
  }

  @Test func `names of columns may be missing, equal, or no paths`() throws {
    let run = try objects("csv", ",id,a,a,a_2,No.,.cnt,a..b,a b,\n0,1,2,3,4,5,6,7,8,9\n", ["--nested"])
    #expect(
      run.lines == [
        #"{"1":0,"id":1,"a":2,"a_3":3,"a_2":4,"No.":5,".cnt":6,"a..b":7,"a b":8,"10":9}"#
      ])
    #expect(run.errors == "")
    let both = try objects("csv", "id,a.b,a,a.c.d,b.c,b.d\n1,2,3,4,5,6\n", ["--nested"])
    #expect(both.lines == [#"{"id":1,"a.b":2,"a":3,"a.c.d":4,"b":{"c":5,"d":6}}"#])
    #expect(try objects("csv", "id,a.b.c,x\n1,,2\n", ["--nested"]).lines == [#"{"id":1,"x":2}"#])
    let filter = try objects("csv", "id,No.\n1,7\n2,8\n", ["--where", #"["No."] == 8"#, "--sort", "No."])
    #expect(filter.lines == [#"{"id":2,"No.":8}"#] && filter.errors == "")
  }

  @Test func `a name with points that was written as a path is suggested as a name`() throws {
    let run = try objects("csv", "id,a.b\n1,7\n", ["--where", "a.b == 7"])
    #expect(run.errors == "livestore-watch: no object has a.b (did you mean [\"a.b\"]?)\n")
  }

  @Test(arguments: [
    (
      "id,\"x\n1,2\n", [String](),
      "-:1: field 2: the quotation mark at line 1 is not closed in the 1 line that follows"
    ),
    ("id,\"x\"y\n1,2\n", [], "-:1: field 2: something follows its closing quotation mark"),
    (
      "# a\nid,\u{0}\n1,2\n", ["--comment", "#"],
      "-:2: the titles have NUL bytes; --encoding utf-16 reads UTF-16"
    ),
  ])
  func `a file whose names cannot be read ends the tool`(input: String, options: [String], message: String)
    throws
  {
    let run = try objects("csv", input, options)
    #expect(
      run.status == 65 && run.output == "" && run.errors == "livestore-watch: \(message)\n", "\(run.errors)")
  }

  @Test func `rows may have other delimiters, no names, and comments before them`() throws {
    let semicolons = try objects("csv", "id;x\n1;\"a;b\"\n2;1,5\n", ["--delimiter", ";"])
    #expect(semicolons.lines == [#"{"id":1,"x":"a;b"}"#, #"{"id":2,"x":"1,5"}"#])
    let pipes = try objects(
      "csv", "#v1\n\n# of 2026\nid|x\n#3|4\n", ["--delimiter", "pipe", "--comment", "#"])
    #expect(pipes.lines == [##"{"id":"#3","x":4}"##] && pipes.errors == "")
    let bare = try objects("csv", "1,a\n2,b,c\n3\n", ["--no-header", "--key", "1"])
    #expect(
      bare.lines == [#"{"1":1,"2":"a"}"#, #"{"1":2,"2":"b","3":"c"}"#, #"{"1":3}"#] && bare.errors == "")
    let tabs = try objects("tsv", "1\ta\n", ["--no-header", "--key", "1"])
    #expect(tabs.lines == [#"{"1":1,"2":"a"}"#])
    for options in [["--delimiter", ";;"], ["--delimiter", "\""], ["--delimiter", "é"]] {
      #expect(try objects("csv", "", options).status == 64)
    }
    #expect(try objects("logfmt", "", ["--no-header"]).status == 64)
    #expect(try objects("csv", "a\tb\n\t\n1\t2\n", ["--delimiter", "tab", "--no-key"]).lines.count == 2)
    #expect(try objects("csv", "id,x,\n1,2,\n2,3,,,\n").lines == [#"{"id":1,"x":2}"#, #"{"id":2,"x":3}"#])
  }

  @Test func `other encodings are named where they are met, and read if they are said`() throws {
    let text = "id,name\n1,Zoë €\n2,日本 😀\n"
    let folder = TemporaryFiles()
    func run(_ bytes: [UInt8], _ options: [String] = []) throws -> Tool.Run {
      try objects("csv", "", options + [try folder.file(bytes: bytes)])
    }
    let latin = Array("id,name\n1,Zo".utf8) + [0xEB, 0x0A]
    let refused = try run(latin)
    #expect(
      refused.errors.contains(":2: not UTF-8; if it is Latin-1, --encoding latin-1 reads it\n"),
      "\(refused.errors)")
    #expect(try run(latin, ["--encoding", "latin-1"]).lines == [#"{"id":1,"name":"Zoë"}"#])
    let euro = Array("id,name\n1,".utf8) + [0x80, 0x0A]
    #expect(try run(euro, ["--encoding", "windows-1252"]).lines == [#"{"id":1,"name":"€"}"#])
    let expected = [#"{"id":1,"name":"Zoë €"}"#, #"{"id":2,"name":"日本 😀"}"#]
    for (mark, isBig) in [([0xFF, 0xFE], false), ([0xFE, 0xFF], true), ([], false), ([], true)]
      as [([UInt8], Bool)]
    {
      let bytes =
        mark
        + text.utf16.flatMap {
          isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
        }
      #expect(try run(bytes, ["--encoding", "utf-16"]).lines == expected, "\(mark) \(isBig)")
      let refused = try run(bytes)
      #expect(refused.status == 65 && refused.errors.contains("--encoding utf-16"), "\(refused.errors)")
    }
  }

  @Test(arguments: [InputEncoding.utf16, .latin1, .windows1252])
  func `a text is decoded as it is, wherever it is cut into chunks`(encoding: InputEncoding) {
    var bytes: [UInt8] = encoding == .utf16 ? [0xFF, 0xFE] : []
    bytes +=
      encoding == .utf16
      ? "aé日😀\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } + [0x3D, 0xD8, 0x41, 0]
      : [0x41, 0xE9, 0x80]
    func decoded(_ size: Int) -> String {
      var decoder = TextDecoder(encoding)
      var text: [UInt8] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        bytes[start..<min(bytes.count, start + size)].withUnsafeBytes { text += decoder.decode($0) }
      }
      return String(decoding: text + decoder.decode(nil), as: UTF8.self)
    }
    let whole = decoded(bytes.count)
    #expect(whole == (encoding == .utf16 ? "aé日😀\n\u{FFFD}A" : encoding == .latin1 ? "Aé\u{80}" : "Aé€"))
    for size in 1..<bytes.count { #expect(decoded(size) == whole, "\(size)") }
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
    func object(_ format: InputFormat, _ lines: [String], isNested: Bool = false) throws -> JSONObject {
      var rules = InputRules(key: .line)
      rules.format = format
      rules.rows.isNested = isNested
      var reader = DocumentReader(file: "-", rules: rules)
      var changes: [InputChange] = []
      Array(lines.joined(separator: "\n").utf8).withUnsafeBytes {
        reader.read($0, into: &changes) { _ in true }
      }
      reader.read(nil, into: &changes) { _ in true }
      guard case .object(let object)? = changes.last?.document?.body else { throw Mismatch("no object") }
      return object
    }
    let row = "7" + String(repeating: ",1", count: count)
    for isNested in [false, true] {
      let wide = try object(.csv, ["id," + names.joined(separator: ","), row], isNested: isNested)
      #expect(wide.count == count + 1 && wide["c999"] == 1 && wide["id"] == 7)
      #expect(wide.map(\.key) == ["id"] + names)
    }
    let equal = try object(.csv, [String(repeating: "a,", count: count) + "a", row])
    #expect(equal.count == count + 1 && equal["a_\(count)"] == 1)
    let line = try object(.logfmt, [names.joined(separator: " ") + " c0=2"])
    #expect(line.count == count + 1 && line["c0"] == true && line["c0_2"] == 2)
  }

  /// Bug: a name of megabytes in a mistake was reported in full.
  @Test(arguments: ["x", "\u{301}"]) func `the reason of a bad line is of a length that can be read`(
    part: String
  ) throws {
    let long = "a" + String(repeating: part, count: 100_000)
    for (format, input) in [
      ("csv", "\(long),\(long)\n\"x\"y\n"), ("logfmt", "\(long)=\"x\n"), ("logfmt", "\"\(long)\n"),
      ("json", "{\"\(long)\n"),
    ] {
      let run = try objects(format, input)
      #expect(run.status == 65 && run.errors.utf8.count < 5_000, "\(run.errors.utf8.count)")
    }
  }

  /// Bug: a path of many points ended the tool.
  @Test(arguments: ["csv", "tsv", "logfmt"]) func `a name of more steps than JSON may have levels is a name`(
    format: String
  ) throws {
    let path = Array(repeating: "a", count: 200_000).joined(separator: ".")
    let input =
      format == "logfmt" ? "id=1 \(path)=2\n" : format == "csv" ? "id,\(path)\n1,2\n" : "id\t\(path)\n1\t2\n"
    let run = try objects(format, input, ["--nested"])
    #expect(
      run.status == 0 && run.output == "{\"id\":1,\"\(path)\":2}\n", "\(run.status) \(run.errors.prefix(200))"
    )
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
    let count = lines.utf8.count { $0 == 0x0A }
    #expect(changes.count == count && badLines.map(\.line) == [2])
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
