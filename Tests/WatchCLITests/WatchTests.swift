import Foundation
import LiveStore
import TestSupport
import Testing
import livestore_watch

@Suite struct WatchTests {
  private let files = TemporaryFiles()

  /// Lines that insert and update objects with few ids and few values, so that much changes and ties.
  private func randomLines(_ count: Int, _ random: inout some RandomNumberGenerator) -> [String] {
    let values = [
      "null", "false", "true", "0", "1", "1.0", "2.5", "-3", "\"a\"", "\"B\"", "\"é\"", "[1]", "{\"x\":1}",
    ]
    return (0..<count).map { _ in
      let id =
        ["1", "1.0", "\"1\"", "2", "3", "4", "\"x\"", "true", "[0]"].randomElement(using: &random) ?? "5"
      var members = ["\"id\":\(id)"]
      for name in ["a", "b"] where Int.random(in: 0..<5, using: &random) > 0 {
        members.append("\"\(name)\":\(values.randomElement(using: &random) ?? "0")")
      }
      return "{\(members.joined(separator: ","))}"
    }
  }

  private static let commands: [[String]] = [
    [], ["--sort", "a"], ["--sort", "a:desc,b"], ["--sort", "b,a:desc", "--limit", "3"], ["--limit", "2"],
    ["--where", "a == 1"], ["--where", "a != nil AND b < 2", "--sort", "a:desc"],
    ["--where", "a IN {1, 'a', nil} OR NOT b == true", "--sort", "b", "--limit", "4"],
    ["--where", "a BETWEEN {0, 2} OR a CONTAINS[cd] 'E' OR a BEGINSWITH 'a'", "--sort", "b:desc"],
    ["--where", "a >= b", "--sort", "a,b", "--limit", "5"], ["--where", "1 IN a OR b.x = 1"],
  ]

  @Test(arguments: commands, Seeds.forSuite(1, thorough: 3))
  func `the JSON output rebuilds every version, and each is what a search finds`(
    options: [String], seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    for batch in Environment.sizes([3], thorough: [1, 20]) {
      let lines = randomLines(batch * 40, &random)
      let path = try files.file(lines.joined(separator: "\n"))
      let run = try Tool.run([path, "--output", "json", "--batch", "\(batch)"] + options)
      // By chance no object has what a filter names, or some have numbers there and others text, which is said.
      let complaints = run.errors.split(separator: "\n").filter {
        !$0.contains("no object has b.x") && !$0.contains(" is a number in ")
      }
      #expect(run.status == 0 && complaints.isEmpty)
      var versions = try RebuiltResult.versions(run.lines)[...]
      var (naive, rebuilt) = (try NaiveWatch(options), RebuiltResult())
      for (number, start) in stride(from: 0, to: lines.count, by: batch).enumerated() {
        let previous = naive.result
        for line in lines[start..<start + batch] {
          let body = try JSONValue(parsing: line)
          naive.upsert(Document(id: body["id"], body: body))
        }
        let expected = naive.result.map(\.body)
        if expected == previous.map(\.body) && number > 0 { continue }
        if !expected.isEmpty || !previous.isEmpty, let version = versions.popFirst() {
          try rebuilt.apply(version.changes)
        }
        #expect(rebuilt.rows == expected, "after \(start + batch) lines of\n\(lines.joined(separator: "\n"))")
        guard rebuilt.rows == expected else { return }
      }
      #expect(versions.isEmpty)
    }
  }

  @Test(arguments: commands, Seeds.forSuite(1, thorough: 3))
  func `--once prints what a search finds`(options: [String], seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let lines = randomLines(60, &random)
    var naive = try NaiveWatch(options)
    for line in lines {
      let body = try JSONValue(parsing: line)
      naive.upsert(Document(id: body["id"], body: body))
    }
    let run = try Tool.run(["--once", "--output", "json"] + options, input: lines.joined(separator: "\n"))
    #expect(run.lines == naive.result.map { $0.body.description }, "\(lines.joined(separator: "\n"))")
    let count = try Tool.run(["--once", "--output", "count"] + options, input: lines.joined(separator: "\n"))
    #expect(count.output == "\(naive.result.count)\n")
  }

  @Test func `an object that is moved and modified has both lines`() throws {
    let lines =
      ["a", "b", "c"].enumerated().map { #"{"id":"\#($0.element)","n":\#($0.offset)}"# } + [
        #"{"id":"a","n":9}"#
      ]
    let run = try Tool.run(
      ["--batch", "3", "--sort", "n", "--output", "json"], input: lines.joined(separator: "\n"))
    #expect(
      run.lines.suffix(2) == [
        #"{"version":2,"change":"modify","id":"a","oldIndex":0,"newIndex":2,"old":{"id":"a","n":0},"new":{"id":"a","n":9}}"#,
        #"{"version":2,"change":"move","id":"a","oldIndex":0,"newIndex":2}"#,
      ])
  }

  @Test func `--once makes one version of everything`() throws {
    let lines = (0..<3_000).map { "{\"id\":\($0 % 1_000),\"n\":\($0)}" }.joined(separator: "\n")
    let run = try Tool.run(["--once", "--where", "n == 2999"], input: lines)
    #expect(run.lines == ["version 1: 1 object", "= 0        {\"id\":999,\"n\":2999}"])
    #expect(try Tool.run(["--once"]).lines == ["version 0: 0 objects"])
  }

  @Test func `a line that changes nothing makes no version`() throws {
    let input = #"{"id":1,"n":1,"m":2}"# + "\n" + #"{"m":2.0,"id":1.0,"n":1e0}"# + "\n" + #"{"id":1,"n":2}"#
    let run = try Tool.run(["--batch", "1", "--output", "json"], input: input)
    #expect(try RebuiltResult.versions(run.lines).map(\.version) == [1, 2])
  }

  @Test func `files are read in order, standard input where the hyphen stands`() throws {
    let (first, last) = (
      try files.file(#"{"id":1,"from":"first"}"#), try files.file(#"{"id":3,"from":"last"}"#)
    )
    let run = try Tool.run(
      [first, "-", last, "--once", "--output", "json"], input: #"{"id":2,"from":"input"}"#)
    #expect(run.lines.count == 3 && run.lines[1].contains("input") && run.lines[2].contains("last"))
  }

  @Test func `an empty result is shown without input`() throws {
    #expect(try Tool.run([]).output == "version 0: 0 objects\n")
    #expect(try Tool.run(["--output", "json"]).output == "")
    #expect(try Tool.run(["--output", "count"]).output == "0\n")
    #expect(try Tool.run(["--once", "--output", "count"]).output == "0\n")
  }
}
