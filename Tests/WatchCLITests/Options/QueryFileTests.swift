import Foundation
import LiveStore
import Testing
import livestore_watch

/// Queries that a file names.
@Suite struct QueryFileTests {
  private let files = TemporaryFiles()

  private func options(_ text: String, _ arguments: [String]) throws -> WatchOptions {
    let file = try files.file(text)
    guard case .watch(var options) = try Invocation(arguments: ["--queries", file] + arguments) else {
      throw Exit(.usage, "no watch")
    }
    // What is left is what other command lines ask for as well.
    (options.queryName, options.queriesFile) = (nil, nil)
    return options
  }

  private func options(_ arguments: [String]) throws -> WatchOptions? {
    if case .watch(let options) = try Invocation(arguments: arguments) { options } else { nil }
  }

  @Test(arguments: [
    ("q: a.ndjson --limit 3", ["a.ndjson", "--limit", "3"]),
    ("# q: --limit 1\n\n  # \\\n q :\t--once  \r\nother: --limit 4\n", ["--once"]),
    (#"q: --where 'state == "open"' --sort a\ b"#, ["--where", #"state == "open""#, "--sort", "a b"]),
    (
      #"q: --where "t == \"\$x\n\"" --comment ''"#,
      ["--where", #"t == "$x\n""#, "--comment", "", "--input", "csv"]
    ),
    ("q: --limit \\\n  3 \\\r\n--once\nother: --frob", ["--limit", "3", "--once"]),
    (#"q: --where 'n == 1 AND \"# + "\n m == 2'", ["--where", "n == 1 AND  m == 2"]),
    (#"q: 'a'"b"c\\"#, [#"abc\"#]), ("q: ''", [""]), ("q: -- --odd", ["--", "--odd"]),
    ("q: --color=never ~ *.x $y", ["--color", "never", "~", "*.x", "$y"]),
    ("\u{FEFF}q: --once", ["--once"]), ("\u{FEFF}# q: --limit 1\nq: --once", ["--once"]),
  ])
  func `a query stands for the words of its line, split as a shell does`(file: String, words: [String]) throws
  {
    let isCSV = words.contains("csv")
    #expect(try options(file, ["--query", "q"] + (isCSV ? ["--input", "csv"] : [])) == options(words))
  }

  @Test func `options and files of query and command line are together, and those of the command line count`()
    throws
  {
    let file = "open: a.ndjson --where 'state == 1' --sort n:desc -n 5 --once\n"
    let both = try options(file, ["--limit", "2", "--query", "open", "b.ndjson", "--output=json", "--once"])
    let alone = [
      "a.ndjson", "b.ndjson", "--where", "state == 1", "--sort", "n:desc", "--limit", "2", "--once",
    ]
    #expect(try both == options(alone + ["--output", "json"]))
  }

  @Test(arguments: [
    ("open: --once", ["--query", "opne"], "FILE has no query opne (did you mean open?)"),
    ("", ["--query", "q"], "FILE has no query q"),
    ("\n# x\nq: --where 'a == 1\n", ["--query", "q"], "FILE:3: the quotation mark ' is not closed"),
    ("q: --once\nno query\n", ["--query", "q"], "FILE:2: expected NAME: OPTIONS"),
    ("two words: --once", ["--query", "q"], "FILE:1: expected NAME: OPTIONS"),
    ("q: --once\nq: --count", ["--query", "q"], "FILE:2: there is a query q in line 1 already"),
    ("q: --query other", ["--query", "q"], "FILE:1: --query is no option of a query"),
    ("q: --queries=other", ["--query", "q"], "FILE:1: --queries is no option of a query"),
    ("q: --help", ["--query", "q"], "FILE:1: --help is no option of a query"),
    (
      "a: --once\nq: \\\n--limit x", ["--query", "q"],
      "FILE:2: --limit x: expected a whole number of at least 0"
    ),
    ("q: -n 1 --limit 2", ["--query", "q"], "FILE:1: --limit is given twice"),
    ("q: --limit 1", ["--query", "q", "-n", "1", "-n", "2"], "--limit is given twice"),
    ("q: --limit 1", ["--query", "q", "--query", "q"], "--query is given twice"),
    ("q: --once a", ["--query", "q", "--follow"], "--follow and --once exclude each other"),
    ("q: --once", [], "--queries needs --query"),
  ])
  func `what is wrong with a query is said with its file and line`(
    text: String, arguments: [String], message: String
  )
    throws
  {
    let file = try files.file(text)
    let expected = Exit(
      .usage, message.split(separator: "FILE", omittingEmptySubsequences: false).joined(separator: file))
    #expect(throws: expected) { try Invocation(arguments: ["--queries", file] + arguments) }
  }

  @Test func `a file of queries has up to a megabyte of UTF-8`() throws {
    let query = "q: --once\n"
    let limit = query + "#" + String(repeating: "x", count: 1 << 20 - query.utf8.count - 1)
    #expect(try options(limit, ["--query", "q"]).once)
    let long = try files.file(limit + "x")
    #expect(throws: Exit(.usage, "\(long): queries have up to 1048576 bytes")) {
      try Invocation(arguments: ["--queries", long, "--query", "q"])
    }
    let bytes = try files.file(bytes: [0x71, 0x3A, 0xFF])
    #expect(throws: Exit(.usage, "\(bytes): not UTF-8")) {
      try Invocation(arguments: ["--queries", bytes, "--query", "q"])
    }
    #expect(throws: Exit(.noInput, "cannot read missing: No such file or directory")) {
      try Invocation(arguments: ["--queries", "missing", "--query", "q"])
    }
  }

  @Test(arguments: [
    (["XDG_CONFIG_HOME": "/x", "HOME": "/h"], "/x/livestore-watch/queries"),
    (["XDG_CONFIG_HOME": "x", "HOME": "/h"], "/h/.config/livestore-watch/queries"),
    (["HOME": "/h"], "/h/.config/livestore-watch/queries"), ([:], nil), (["HOME": ""], nil),
  ])
  func `the standard file is in the folder of settings`(environment: [String: String], path: String?) {
    #expect((try? QueryFile.standardPath(environment)) == path)
  }

  @Test func `a query of the standard file is run`() throws {
    let input = try files.file("{\"id\":1,\"n\":1}\n{\"id\":2,\"n\":2}\n{\"id\":3,\"n\":3}\n")
    let folder = URL(fileURLWithPath: input).deletingLastPathComponent()
    let settings = folder.appendingPathComponent("livestore-watch")
    try FileManager.default.createDirectory(at: settings, withIntermediateDirectories: true)
    try Data("big: \(input) --where 'n > 1' --once --output count\n".utf8)
      .write(to: settings.appendingPathComponent("queries"))
    let command = "XDG_CONFIG_HOME=\(folder.path) \(try Tool.executable().path) --query big --where 'n > 2'"
    #expect(try SystemProgram.run("bash", ["-c", command]) == "1\n")
  }
}
