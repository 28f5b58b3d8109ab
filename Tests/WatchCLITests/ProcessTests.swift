import Foundation
import LiveStore
import Testing
import livestore_watch

@Suite struct ProcessTests {
  private let files = TemporaryFiles()

  @Test func `what is written to a pipe is shown before there is more`() throws {
    let tool = try Conversation(["--output", "json", "--sort", "n"])
    try tool.say(#"{"id":1,"n":1}"# + "\n")
    #expect(try tool.line() == #"{"version":1,"change":"initial","id":1,"newIndex":0,"new":{"id":1,"n":1}}"#)
    try tool.say(#"{"id":2,"n":0}"# + "\n" + #"{"id":3,"#)
    #expect(try tool.line() == #"{"version":2,"change":"insert","id":2,"newIndex":0,"new":{"id":2,"n":0}}"#)
    try tool.say(#""n":2}"#)
    try tool.finish()
    #expect(try tool.line() == #"{"version":3,"change":"insert","id":3,"newIndex":2,"new":{"id":3,"n":2}}"#)
    #expect(try tool.line() == nil)
    #expect(try tool.end() == (0, ""))
  }

  @Test func `an interrupt ends the tool with a summary line and status 130`() throws {
    let tool = try Conversation(["--output", "count"])
    try tool.say("{\"id\":1}\n{\"id\":2}\nbad\n")
    #expect(try tool.line() == "2")
    tool.interrupt()
    let (status, errors) = try tool.end()
    #expect(status == 130)
    #expect(
      errors.split(separator: "\n") == [
        "-:3: column 1: expected a value, found b",
        "livestore-watch: interrupted: 3 lines, 1 bad, version 1, 2 in the result",
      ])
  }

  @Test func `a request to terminate ends the tool as an interrupt does, with status 143`() throws {
    let tool = try Conversation(["--output", "count", "--where", "ad > 0"])
    try tool.say("{\"id\":1}\n{\"id\":2}\n")
    #expect(try tool.line() == "0")
    tool.terminate()
    let (status, errors) = try tool.end()
    #expect(status == 143)
    #expect(
      errors.split(separator: "\n") == [
        "livestore-watch: terminated: 2 lines, version 1, 0 in the result",
        "livestore-watch: no object has ad (did you mean id?)",
      ])
  }

  /// Bug: with standard input or output closed, the pipe for signals took its number, and the tool waited for itself.
  @Test(arguments: [
    ("<&-", 66, "livestore-watch: cannot read standard input: Bad file descriptor\n"),
    (">&-", 74, "livestore-watch: cannot write the output: Bad file descriptor\n"),
    ("<&- >&-", 66, "livestore-watch: cannot read standard input: Bad file descriptor\n"),
    ("2>&-", 0, ""),
  ])
  func `a closed standard file is an error of its own`(closing: String, status: Int32, errors: String) throws
  {
    let run = try Tool.run(["--output", "count"], input: "{\"id\":1}\nbad\n", closing: closing)
    #expect(run.status == status)
    #expect(run.errors.hasSuffix(errors))
  }

  @Test func `a file is read though standard input is closed`() throws {
    let path = try files.file("{\"id\":1}\n")
    let run = try Tool.run([path, "--output", "count"], closing: "<&-")
    #expect(run.status == 0 && run.output == "1\n" && run.errors == "")
  }

  /// Bug: the largest number of lines overflowed a sum.
  @Test func `a transaction may have as many lines as can be counted`() throws {
    let input = (0..<3_000).map { "{\"id\":\($0 % 7)}\n" }.joined()
    for batch in [Int.max, Int.max - 1] {
      let run = try Tool.run(["--batch", "\(batch)", "--output", "count"], input: input)
      #expect(run.status == 0 && run.output == "7\n" && run.errors == "")
    }
  }

  @Test func `a forgotten key is a few lines, a count and a hint, with status 65`() throws {
    let run = try Tool.run(["packages.ndjson", "--once", "--output", "count"], in: SampleTests.folder)
    #expect(run.status == 65 && run.output == "0\n")
    #expect(
      run.errors.split(separator: "\n") == (1...5).map {
        "packages.ndjson:\($0): the key id is missing or null"
      } + [
        "livestore-watch: further bad lines are only counted",
        "livestore-watch: 1234 bad lines, and no other",
        "livestore-watch: no object has the key id: the first has package, version, status, section, priority, size, source; choose one with --key, or say --no-key if every line is an object of its own",
      ])
  }

  @Test func `paths that no object has are named at the end`() throws {
    let run = try Tool.run(
      [
        "packages.ndjson", "--key", "package", "--where", "statsu == 'x' OR source.name == glibc", "--sort",
        "siez",
        "--output", "count",
      ], in: SampleTests.folder)
    #expect(run.status == 0)
    #expect(
      run.errors.split(separator: "\n") == [
        "livestore-watch: no object has statsu (did you mean status?)",
        "livestore-watch: no object has glibc (text is written in quotes: 'glibc')",
        "livestore-watch: no object has siez (did you mean size?)",
      ])
    let empty = try Tool.run(["--where", "statsu == 'x'"])
    #expect(empty.errors == "", "without objects there is nothing to compare with")
  }

  @Test func `an interrupt reaches a tool whose output is not read`() throws {
    let path = try files.file((0..<20_000).map { "{\"id\":\($0)}" }.joined(separator: "\n"))
    let tool = try Conversation([path, "--batch", "100"])
    #expect(try tool.line() == "version 1: 100 objects")
    tool.interrupt()
    let (status, errors) = try tool.end()
    #expect(status == 130)
    #expect(
      errors.hasPrefix("livestore-watch: interrupted: ") && errors.split(separator: "\n").count == 1,
      "\(errors.debugDescription)")
  }

  @Test func `a closed pipe ends the tool quietly`() throws {
    let path = try files.file((0..<20_000).map { "{\"id\":\($0)}" }.joined(separator: "\n"))
    for arguments in [[path], [path, "--once", "--output", "json"], ["--demo"]] {
      let tool = try Conversation(arguments, hangsUp: true)
      #expect(try tool.line() != nil)
      try tool.hangUp()
      #expect(try tool.end() == (0, ""))
    }
  }

  @Test func `bad lines are named on standard error, counted and skipped`() throws {
    let path = try files.file("{\"id\":1}\n{\"id\":\n{\"no\":1}\n{\"id\":2}\n")
    let run = try Tool.run([path, "--output", "count"])
    #expect(run.status == 0 && run.output == "2\n")
    #expect(
      run.errors == """
        \(path):2: column 7: expected a value, found the end of the text
        \(path):3: the key id is missing or null
        livestore-watch: 2 bad lines skipped

        """)
  }

  @Test func `--strict shows what came before the bad line and stops with status 1`() throws {
    let path = try files.file("{\"id\":1}\n{\"id\":2}\nbad\n{\"id\":3}\n")
    let run = try Tool.run([path, "--strict", "--output", "count"])
    #expect(run.status == 1 && run.output == "2\n")
    #expect(
      run.errors == """
        \(path):3: column 1: expected a value, found b
        livestore-watch: stopped at the first bad line

        """)
    let once = try Tool.run([path, "--strict", "--once", "--output", "count"])
    #expect(once.status == 1 && once.output == "")
  }

  @Test(arguments: [
    (["--frob"], 64, "livestore-watch: unknown option --frob\n"),
    (
      ["--where", "a ="], 64,
      """
      livestore-watch: --where: column 4: expected a value or a key path, found the end of the filter
        a =
           ^

      """
    ),
    (
      ["--limit", "x"], 64,
      "livestore-watch: --limit x: expected a whole number of at least 0\n"
    ),
    (["/nowhere"], 66, "livestore-watch: cannot read /nowhere: No such file or directory\n"),
    (["/"], 66, "livestore-watch: cannot read /: Is a directory\n"),
  ])
  func `an action that cannot be done is reported in one sentence`(
    arguments: [String], status: Int32, message: String
  )
    throws
  {
    let run = try Tool.run(arguments)
    #expect(run.status == status && run.errors == message)
    #expect(run.output == "")
  }

  @Test func `help and version are written to standard output`() throws {
    let (help, version) = (try Tool.run(["--help"]), try Tool.run(["--version"]))
    #expect(help.status == 0 && help.output == Help.text + "\n" && help.errors == "")
    #expect(version.status == 0 && version.output == Help.version + "\n")
  }

  @Test func `colours are not for files unless asked for`() throws {
    let input = "{\"id\":1}\n{\"id\":2}\n"
    #expect(try !Tool.run(["--batch", "1"], input: input).output.contains("\u{1B}"))
    #expect(
      try Tool.run(["--batch", "1", "--color", "always"], input: input).output.contains("\u{1B}[32m+ 1"))
  }

  @Test func `the demo ends by itself, and its output rebuilds`() throws {
    let run = try Tool.run(["--demo", "--output", "json"])
    #expect(run.status == 0 && run.errors.hasPrefix("livestore-watch: 4 users wrote "))
    var rebuilt = RebuiltResult()
    let versions = try RebuiltResult.versions(run.lines)
    #expect(versions.count > 10)
    for version in versions {
      try rebuilt.apply(version.changes)
      let likes = rebuilt.rows.map { $0["likes"] }
      #expect(likes == likes.sorted(by: >) && likes.count <= 5)
    }
    #expect(rebuilt.rows.count == 5)
  }

  @Test(arguments: [
    (
      "largest.ndjson",
      [
        "--where", #"section == "libs" AND source.name BEGINSWITH "g""#,
        "--sort", "size:desc,package", "--limit", "12", "--once", "--output", "json",
      ]
    ),
    ("unpacked-count.txt", ["--where", #"status == "unpacked""#, "--batch", "100", "--output", "count"]),
    (
      "upgrades.txt",
      [
        "--where", #"source.name IN {"glibc", "python3.11", "gnupg2", "curl"}"#,
        "--sort", "status:desc,package", "--limit", "8", "--batch", "25",
      ]
    ),
  ])
  func `commands on the sample print what is expected`(name: String, options: [String]) throws {
    let run = try Tool.run(["packages.ndjson", "--key", "package"] + options, in: SampleTests.folder)
    #expect(run.status == 0 && run.errors == "")
    #expect(
      run.output == (try String(contentsOfFile: "\(SampleTests.folder)/Expected/\(name)", encoding: .utf8)))
  }
}
