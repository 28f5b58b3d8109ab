import Foundation
import Testing
import livestore_watch

/// `--exec` in a process of the tool.
@Suite struct ExecTests {
  private let files = TemporaryFiles()

  @Test func `a command is given the lines of --output json, and its end is waited for`() throws {
    let tool = try Conversation(["--output", "csv", "--columns", "id", "--exec", "cat; echo end"])
    try tool.say("{\"id\":1}\n")
    let first = try (1...4).map { _ in try tool.line() ?? "none" }
    #expect(
      Set(first) == [
        "version,change,oldIndex,newIndex,id", "1,initial,,0,1",
        #"{"version":1,"change":"initial","id":1,"newIndex":0,"new":{"id":1}}"#, "end",
      ])
    try tool.say("{\"id\":2}\n")
    try tool.finish()
    let second = try (1...3).map { _ in try tool.line() ?? "none" }
    #expect(
      Set(second) == [
        "2,insert,,1,2", #"{"version":2,"change":"insert","id":2,"newIndex":1,"new":{"id":2}}"#, "end",
      ])
    #expect(try tool.line() == nil)
    #expect(try tool.end() == (0, ""))
  }

  @Test func `with --once a command is given the objects, with --group-by the groups`() throws {
    let input = "{\"id\":1,\"k\":\"a\"}\n{\"id\":2,\"k\":\"b\"}\n{\"id\":3,\"k\":\"a\"}\n"
    let once = try Tool.run(["--once", "--output", "count", "--exec", "cat"], input: input)
    #expect(once.status == 0 && once.errors == "" && once.output == "3\n" + input)
    let groups = try Tool.run(
      ["--group-by", "k", "--once", "--output", "count", "--exec", "cat"], input: input)
    #expect(groups.lines == ["2", #"{"k":"a","count":2}"#, #"{"k":"b","count":1}"#])
  }

  @Test(arguments: [
    ("exit 7", "the command ended with status 7 at version 1"),
    ("kill -9 $$", "the command was ended by signal 9 at version 1"),
    ("no-such-program 2>&-", "the command ended with status 127 at version 1"),
  ])
  func `a command that fails is reported, and the tool ends with status 3`(command: String, message: String)
    throws
  {
    let run = try Tool.run(["--output", "count", "--exec", command], input: "{\"id\":1}\n")
    #expect(run.status == 3 && run.output == "1\n")
    #expect(
      run.errors.split(separator: "\n") == [
        "livestore-watch: --exec: \(message)", "livestore-watch: --exec: 1 of 1 command failed",
      ])
    let strict = try Tool.run(["--strict", "--exec", command], input: "{\"id\":1}\nbad\n")
    #expect(strict.status == 1, "another reason to end has its own status")
  }

  @Test func `a command need not read its input, and a broken pipe ends its programs as in a shell`() throws {
    let path = try files.file((0..<20_000).map { "{\"id\":\($0)}\n" }.joined())
    let run = try Tool.run([path, "--once", "--output", "count", "--exec", "exec 0<&-; echo done"])
    #expect(run.status == 0 && run.errors == "" && run.lines == ["20000", "done"])
    // 141 is 128 and the number of SIGPIPE, which programs do not ignore.
    let pipe = try Tool.run(
      [path, "--once", "--output", "count", "--exec", "(cat; echo $? >&2) | head -n 1"])
    #expect(pipe.status == 0 && pipe.errors == "141\n" && pipe.lines == ["20000", #"{"id":0}"#])
  }

  /// The pipes of the tool end only when no process has them any more.
  @Test func `an interrupt ends the command with all its processes`() throws {
    let tool = try Conversation(
      ["--output", "count", "--exec", "sleep 300 & echo ready; sleep 300; echo late"])
    try tool.say("{\"id\":1}\n")
    #expect(try Set([tool.line(), tool.line()]) == ["1", "ready"])
    tool.interrupt()
    let (status, errors) = try tool.end()
    #expect(status == 130 && errors == "livestore-watch: interrupted: 1 line, version 1, 1 in the result\n")
    #expect(try tool.line() == nil)
  }

  @Test func `a second signal kills a command that ignores the first`() throws {
    let command = "trap '' INT TERM; echo ready; sleep 300; echo late"
    let tool = try Conversation(["--output", "count", "--exec", command])
    try tool.say("{\"id\":1}\n")
    #expect(try Set([tool.line(), tool.line()]) == ["1", "ready"])
    tool.interrupt()
    tool.terminate()
    _ = try tool.end()
    #expect(try tool.line() == nil)
  }

  @Test func `--timeout ends the command, too`() throws {
    let tool = try Conversation(
      ["--output", "count", "--timeout", "0.2", "--exec", "sleep 300"])
    // It has ended if the time was over at once.
    try? tool.say("{\"id\":1}\n")
    try tool.finish()
    #expect(try tool.end().status == 124)
  }

  /// Nothing can run when a process is killed by SIGKILL; its pipes are closed.
  @Test func `a command that reads its input sees the end of it when the tool is killed`() throws {
    let path = try files.file((0..<20_000).map { "{\"id\":\($0)}\n" }.joined())
    let report = try NamedPipe(path + ".report")
    let tool = try Conversation(
      [
        path, "--exec",
        "exec >\(report.path); head -c 1; kill -9 $PPID; cat >/dev/null; echo end",
      ])
    _ = try tool.end()
    #expect(try report.text().hasSuffix("end\n"))
  }
}
