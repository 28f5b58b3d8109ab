import Foundation
import Testing
import livestore_watch

/// What shells offer.
@Suite struct CompletionTests {
  private let files = TemporaryFiles()

  /// What the function of bash offers for the words of a line, of which the last but some is completed.
  private func complete(_ words: [String], before rest: [String] = []) throws -> [String] {
    let tool = try Tool.executable().path
    // Bash makes a word of each equals sign and colon.
    let before = ([tool] + words).joined(separator: " ").replacing(#/ ([=:])( |$)/#) { "\($0.1)" }
    func quoted(_ text: String) -> String {
      "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
    let script = """
      \(Shell.bash.completions)
      COMP_WORDS=(\(([tool] + words + rest).map(quoted).joined(separator: " ")))
      COMP_CWORD=\(words.count)
      COMP_LINE=\(quoted(([before] + rest).joined(separator: " ")))
      COMP_POINT=\(before.count)
      _livestore_watch
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let answer = try #require(try SystemProgram.run("bash", ["--norc", "-c", script]))
    return answer.split(separator: "\n").map(String.init)
  }

  @Test(arguments: [
    (["--out"], ["--output"]), (["--output", "js"], ["json"]), (["--output", "=", "js"], ["json"]),
    (["--output", "="], OutputMode.allCases.map(\.rawValue)), (["--co"], nil), (["--where", "st"], []),
    (["x.ndjson", "--onc"], ["--once"]), (["-h"], ["-h"]), (["--completions", ""], ["bash", "zsh", "fish"]),
  ])
  func `bash completes options and the words that they accept`(typed: [String], offered: [String]?) throws {
    let answer = try complete(typed)
    let names = ToolOption.all.map(\.name).filter { $0.hasPrefix(typed[typed.count - 1]) }
    #expect(answer == (offered ?? names))
  }

  @Test(arguments: Shell.allCases)
  func `completions name every option once and are read by their shell`(shell: Shell) throws {
    let script = shell.completions
    for option in ToolOption.all {
      let name = shell == .fish ? "-l \(option.name.dropFirst(2)) " : option.name
      #expect(script.contains(name), "\(option.name)")
    }
    if let answer = try SystemProgram.run(shell.rawValue, ["-n", files.file(script + "\n")]) {
      #expect(answer == "")
    }
  }

  @Test(arguments: [
    (["--sort", ""], ["id", "owner", "owner.name", "order", #"\[\"a\ b\"\]"#]),
    (["--sort", "o"], ["owner", "owner.name", "order"]),
    (["-s", "owner."], ["owner.name"]), (["--sort", "=", "or"], ["order"]),
    (["--columns", "id,ow"], ["id,owner", "id,owner.name"]), (["--sum", "x"], []),
    (["--sort", "id", ":", "desc,or"], ["desc,order"]),
    (["--columns", "id", "=", "Number,or"], ["Number,order"]),
    (["--sort", "'o"], []), (["--where", "o"], []), (["--limit", ""], []),
  ])
  func `bash completes paths with those of the objects in the files`(typed: [String], offered: [String])
    throws
  {
    let lines = #"{"id":1,"owner":{"name":"Ann"}}"# + "\n" + #"{"id":2,"order":3,"a b":4,"e\u0085":5}"#
    let file = try files.file(lines)
    #expect(try complete([file] + typed) == offered)
    #expect(try complete(typed, before: [file]) == offered, "with the file behind the cursor")
  }

  @Test func `paths are those of the format, envelope and query that the command line names`() throws {
    let csv = try files.file("Nr.;total;owner.name\n1;2;Ann\n")
    let queries = try files.file("semicolons: --input csv --delimiter ';'\nslow: --limit 3\n")
    let expected = [#"\[\"Nr.\"\]"#, "total", #"\[\"owner.name\"\]"#]
    #expect(try complete(["--input", "csv", "--delimiter", "\\;", csv, "--key", ""]) == expected)
    let line = ["--queries", queries, csv, "--query"]
    #expect(try complete(line + ["semicolons", "--key", "to"]) == ["total"])
    #expect(try complete(line + [""]) == ["semicolons", "slow"])
    #expect(try complete(line + ["sl"]) == ["slow"])
    let grouped = [csv, "--input", "csv", "--group-by", "a", "--sum", "b", "--count"]
    #expect(try complete(grouped + ["--sort", ""]) == ["a", "count", #"sum\(b\)"#])
    let events = try files.file(#"{"op":"c","after":{"id":1,"state":"new"}}"#)
    #expect(try complete([events, "--envelope", "debezium", "--key", ""]) == ["id", "state"])
    let rows = (1...2).map {
      #"{"key":"\#($0)","value":{"n\#($0)":1},"headers":{"operation":"insert","txid":"1"}}"#
    }
    let stream = try files.file("[" + rows.joined(separator: ",") + "]")
    #expect(try complete([stream, "--envelope", "state", "--sort", ""]) == ["id", "n1", "n2"])
  }

  @Test func `the first hundred objects and 256 KB of a file are looked at, and a pipe is not`() throws {
    let many = try files.file((1...101).map { "{\"n\($0)\":1}\n" }.joined())
    let found = try complete([many, "--key", ""])
    #expect(found.count == 100 && found.last == "n100")
    let long = try files.file(
      #"{"a":1}"# + "\n" + String(repeating: " ", count: 1 << 18) + "\n" + #"{"b":1}"#)
    #expect(try complete([long, "--key", ""]) == ["a"])
    #expect(try complete(["/dev/stdin", "missing.ndjson", "-", "--key", ""]) == [])
    let run = try Tool.run(["--complete", "livestore-watch missing --frob --key ", ""])
    #expect(run.status == 0 && run.errors == "" && run.output == "")
  }
}
