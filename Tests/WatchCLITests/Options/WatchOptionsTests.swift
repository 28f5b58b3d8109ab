import LiveStore
import Testing
import livestore_watch

@Suite struct WatchOptionsTests {
  private func options(_ line: [String]) throws -> WatchOptions? {
    if case .watch(let options) = try Invocation(arguments: line) { options } else { nil }
  }

  @Test func `every option has its default without arguments`() throws {
    let options = try #require(try options([]))
    #expect(options == WatchOptions())
    #expect(options.objectKey == .standard && options.files.isEmpty && options.filter == nil)
    #expect(
      options.output == .changes && options.color == .auto && options.batch == nil && options.limit == nil)
    #expect(!options.once && !options.strict && !options.demo)
  }

  @Test func `options and files may be mixed, with values apart or after an equals sign`() throws {
    let options = try #require(
      try options([
        "a.ndjson", "--key", "meta.id", "-", "--where=n == 1", "--sort", "a:desc,b.c,d:asc", "--limit=3",
        "--batch", "10", "--output=json", "--color", "never", "--once", "--strict", "--", "--odd",
      ]))
    #expect(options.files == ["a.ndjson", "-", "--odd"])
    #expect(options.objectKey.paths.map(\.steps) == [["meta", "id"]])
    #expect(options.filter?.description == "(n == 1)")
    #expect(
      options.sortKeys == [
        SortKey(path: .init(steps: ["a"]), isDescending: true),
        SortKey(path: .init(steps: ["b", "c"]), isDescending: false),
        SortKey(path: .init(steps: ["d"]), isDescending: false),
      ])
    let columns = try self.options(["--columns=id,a.b=A = B,c.0=日"])?.columns
    let titled = [Column(path: ["a", "b"], title: "A = B"), Column(path: ["c", "0"], title: "日")]
    #expect(columns == [Column(path: ["id"], title: "id")] + titled)
    #expect(options.limit == 3 && options.batch == 10)
    #expect(options.output == .json && options.color == .never && options.once && options.strict)
  }

  @Test(arguments: [
    (["--count", "--sum", "x"], "count"), (["--sum", "x,y"], "sum(x)"),
    (["--count", "--sum", "x", "--columns", "g,sum(x)=X,count"], "sum(x)"), (["--columns", "g"], "count"),
  ])
  func `a chart is that of the first total that is shown`(arguments: [String], path: String) throws {
    let line = ["--chart", "--output", "table", "--group-by", "g"] + arguments
    #expect(try options(line)?.chart?.path == [path])
    #expect(try options(Array(line.dropFirst()))?.chart == nil)
  }

  @Test func `help and version are answered whatever else is asked`() throws {
    #expect(try Invocation(arguments: ["--once", "--help"]) == .help)
    #expect(try Invocation(arguments: ["-h"]) == .help)
    #expect(try Invocation(arguments: ["file", "--version"]) == .version)
    #expect(try Invocation(arguments: ["--demo", "--man"]) == .manual)
    #expect(try Invocation(arguments: ["--completions", "zsh"]) == .completions(.zsh))
  }

  @Test(arguments: [
    (["--frob"], "unknown option --frob"),
    (["--sorted"], "unknown option --sorted (did you mean --sort?)"),
    (["--outptu", "json"], "unknown option --outptu (did you mean --output?)"),
    (["-x"], "unknown option -x"),
    (["--completions", "cmd"], "--completions cmd: expected one of bash, zsh, fish"),
    (["--man=1"], "--man takes no value"),
    (["--krey", "x"], "unknown option --krey (did you mean --key?)"),
    (["--statistics"], "unknown option --statistics"),
    (["--key"], "--key needs a value"),
    (["--key="], "--key : expected a key path such as a.b"),
    (["--once=1"], "--once takes no value"),
    (["--limit", "1", "--limit=2"], "--limit is given twice"),
    (["--limit", "-1"], "--limit -1: expected a whole number of at least 0"),
    (["--batch", "0"], "--batch 0: expected a whole number of at least 1"),
    (["--batch", "ten"], "--batch ten: expected a whole number of at least 1"),
    (
      ["--output", "jsno"],
      "--output jsno: expected one of changes, json, table, csv, tsv, count (did you mean json?)"
    ),
    (["--output", "xml"], "--output xml: expected one of changes, json, table, csv, tsv, count"),
    (["--color=blue"], "--color blue: expected one of auto, always, never"),
    (["--sort", "a:down"], "--sort a:down: expected asc or desc after a:, found \"down\""),
    (["--sort", "a,,b"], "--sort a,,b: expected a key path such as a.b"),
    (["--batch", "5,"], "--batch 5,: expected a time such as 50ms after the comma"),
    (["--batch", "5,50s"], "--batch 5,50s: expected a time such as 50ms after the comma"),
    (["--sum", "x,"], "--sum x,: expected a key path such as a.b"),
    (
      ["--sum", "items[last].p"],
      "--sum items[last].p: the path is for filters alone; expected one such as a.b"
    ),
    (["--sort", "tags[*]"], "--sort tags[*]: the path is for filters alone; expected one such as a.b"),
    (["--avg", "x", "--min", "x,x"], "totals: two values of a group would have the name min(x)"),
    (
      ["--percentile", "50,99"],
      "--percentile 50,99: expected numbers from 0 to 100 and a path, as 50,99 latency"
    ),
    (
      ["--percentile=100.1 x"],
      "--percentile 100.1 x: expected numbers from 0 to 100 and a path, as 50,99 latency"
    ),
    (
      ["--percentile", "5,,6", "x"],
      "--percentile 5,,6 x: expected numbers from 0 to 100 and a path, as 50,99 latency"
    ),
    (["--percentile", "5 x,"], "--percentile x,: expected a key path such as a.b"),
    (["--every", "10"], "--every 10: expected a length of time such as 500ms, 10s, 1m, 1h or 1d"),
    (["--every", "0s"], "--every 0s: expected a length of time such as 500ms, 10s, 1m, 1h or 1d"),
    (["--every", "367d"], "--every 367d: expected a length of time such as 500ms, 10s, 1m, 1h or 1d"),
    (["--every", "1m,"], "--every 1m,: expected a key path behind the comma, as in 1m,ts"),
    (["--every", "1m", "--distinct", "x"], "--every and --distinct exclude each other"),
    (
      ["--every", "1m", "--group-by", "window"],
      "--group-by: two values of a group would have the name window"
    ),
    (["--chart", "-o", "table"], "--chart needs --group-by"),
    (["--chart", "--group-by", "x"], "--chart needs --output table"),
    (["--keep-screen"], "--keep-screen needs --output table"),
    (["--timeout", "0"], "--timeout 0: expected a number of seconds above 0"),
    (["--follow"], "--follow needs a FILE; standard input is read to its end anyway"),
    (["-", "--follow"], "--follow needs a FILE; standard input is read to its end anyway"),
    (["a", "--follow", "--once"], "--follow and --once exclude each other"),
    (["--key", "a,"], "--key a,: expected a key path such as a.b"),
    (["--envelope", "kafka"], "--envelope kafka: expected one of kubernetes, debezium, state"),
    (["--type", "Post"], "--type needs --envelope state"),
    (
      ["--envelope", "state", "--key", "id"],
      "--key and --envelope state exclude each other: its messages have keys"
    ),
    (["--key", "a", "--no-key"], "--no-key and --key exclude each other"),
    (["--no-key", "--envelope", "debezium"], "--no-key and --envelope exclude each other"),
    (["--demo", "--progress"], "--demo and --progress exclude each other"),
    (["--exec", " "], "--exec  : expected a command"),
    (["--demo", "--exec", "true"], "--demo and --exec exclude each other"),
    (["--demo", "--envelope", "debezium"], "--demo and --envelope exclude each other"),
    (["--columns", "a,,b"], "--columns a,,b: expected a key path such as a.b"),
    (["--columns", "a="], "--columns a=: expected a title after a="),
    (["--columns", "a,b=a"], "--columns a,b=a: two columns are called a"),
    (["--demo", "x"], "--demo reads no files, but x is given"),
    (["--demo", "--once"], "--demo and --once exclude each other"),
    (["--demo", "--where", "a=1"], "--demo and --where exclude each other"),
  ])
  func `bad options get one clear message and status 64`(arguments: [String], message: String) {
    #expect(throws: Exit(.usage, message)) { try Invocation(arguments: arguments) }
  }

  @Test(arguments: [["-", "a"], ["a", "-"], ["a", "b"]])
  func `files can be followed beside standard input, in any order`(files: [String]) throws {
    var options = WatchOptions()
    (options.files, options.isFollowing) = (files, true)
    #expect(try Invocation(arguments: files + ["--follow"]) == .watch(options))
  }

  @Test(arguments: [#"2 == "b""#, "a == 1 AND NOT (3 > 2 OR b == 1)"])
  func `a filter that compares two values is refused, as one of a column without a name`(filter: String) {
    let error = #expect(throws: Exit.self) { try Invocation(arguments: ["--no-key", "--where", filter]) }
    #expect(error?.status == .usage && error?.message?.contains("two values are compared") == true)
  }

  @Test func `frequent options have one letter`() throws {
    let short = ["-k", "a", "-w", "b == 1", "-s", "c:desc", "-n", "5", "-o", "csv", "x", "-f"]
    let long = [
      "--key", "a", "--where", "b == 1", "--sort", "c:desc", "--limit", "5", "--output=csv", "x", "--follow",
    ]
    #expect(try Invocation(arguments: short) == Invocation(arguments: long))
    #expect(throws: Exit(.usage, "--key is given twice")) {
      try Invocation(arguments: ["-k", "a", "--key", "b"])
    }
    #expect(
      try Invocation(arguments: ["-h"]) == .help
        && Invocation(arguments: ["--help", "filters"]) == .filterHelp)
  }

  @Test(arguments: [
    ("a.b", ["a", "b"]), ("tags[0]", ["tags", "0"]), ("tags.0", ["tags", "0"]),
    ("tags[FIRST]", ["tags", "0"]),
    ("tags[first].x", ["tags", "0", "x"]), ("`a b`.c", ["a b", "c"]), ("a.`b.c`", ["a", "b.c"]),
    ("`a,b`", ["a,b"]), (#"["tags"]"#, ["tags"]), (#"labels["a.b/c"].d"#, ["labels", "a.b/c", "d"]),
    (#"first\ name"#, ["first name"]), (#"a["\u00e9"]"#, nil), ("a-b.c", ["a-b", "c"]),
  ])
  func `an option reads a path as filters do`(path: String, steps: [String]?) throws {
    let options = try #require(
      try options(["--where", "\(path) == 1", "--columns", path, "--sort", path, "--key", path]))
    let read = options.filter?.keyPaths.map(\.steps) ?? []
    let expected = try [#require(steps ?? read.first)]
    #expect(read == expected && options.columns?.map(\.path) == expected)
    #expect(options.sortKeys.map(\.path.steps) == expected && options.key?.paths.map(\.steps) == expected)
  }

  @Test(
    arguments: [
      (["a.csv"], .csv), (["a.CSV", "b.csv"], .csv), (["a.tsv", "-o", "json"], .tsv),
      (["a.csv", "b.tsv"], .json),
      (["a.csv", "-"], .json), (["a.csv", "--input", "json"], .json), (["a.csv.gz"], .json), (["csv"], .json),
      (["e\u{301}.csv"], .csv), ([".csv\u{301}"], .json), ([], .json),
    ] as [([String], InputFormat)])
  func `the names of files say how they are written, unless an option does`(
    line: [String], format: InputFormat
  ) throws {
    #expect(try options(line)?.format == format)
  }

  @Test(arguments: [
    "No.", "a..b", "2nd", "a 1", " a", "`a", "a[", "a[0] > 1", "#id",
  ])
  func `what is no path is the name of a member`(name: String) throws {
    #expect(try options(["--columns", name])?.columns?.map(\.path) == [[name]])
  }

  @Test(arguments: [
    (
      "a =", "--where: column 4: expected a value or a key path, found the end of the filter",
      ["  a =", "     ^"]
    ),
    (
      "a CONTAIN 'x'",
      "--where: column 3: expected a comparison operator after a, found \"CONTAIN\" (did you mean CONTAINS?)",
      ["  a CONTAIN 'x'", "    ^"]
    ),
  ])
  func `a bad filter is shown with a caret below the place`(text: String, message: String, details: [String])
  {
    #expect(throws: Exit(.usage, message, details: details)) { try Invocation(arguments: ["--where", text]) }
  }

  @Test(arguments: [
    ("", 1, ["  ", "  ^"]), ("ab", 3, ["  ab", "    ^"]), ("日本 ~ 1", 4, ["  日本 ~ 1", "       ^"]),
    ("😀e\u{301}~", 3, ["  😀e\u{301}~", "     ^"]), ("a\u{7} ~", 4, ["  a\\u0007 ~", "          ^"]),
    ("a\u{200B}~", 3, ["  a\\u200b~", "         ^"]),
    (
      String(repeating: "x", count: 500), 300,
      ["  …" + String(repeating: "x", count: 120) + "…", String(repeating: " ", count: 63) + "^"]
    ),
  ])
  func `the caret stands below the character, whatever is shown before it`(
    text: String, column: Int, lines: [String]
  ) {
    #expect(FilterExcerpt.lines(of: text, at: column) { String($0).escapingInvisibles } == lines)
  }
}
