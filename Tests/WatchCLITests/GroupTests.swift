import Foundation
import LiveStore
import Testing
import livestore_watch

@Suite struct GroupTests {
  private let input = [
    #"{"id":1,"k":{"n":"a"},"x":0.1}"#, #"{"id":2,"k":{"n":"b"},"x":5}"#, #"{"id":3,"k":{"n":"a"},"x":0.2}"#,
    #"{"id":4,"x":1}"#, #"{"id":2,"k":{"n":"a"},"x":0.3}"#, #"{"id":1,"k":{"n":"a"},"x":"none"}"#,
  ].joined(separator: "\n")

  @Test func `groups have their counts and exact sums, in the order of their values`() throws {
    let arguments = ["--group-by", "k.n", "--count", "--sum", "x", "--once", "--output", "json"]
    let run = try Tool.run(arguments, input: input)
    #expect(run.lines == [#"{"k.n":null,"count":1,"sum(x)":1}"#, #"{"k.n":"a","count":3,"sum(x)":0.5}"#])
    #expect(run.errors == "")
    let sorted = try Tool.run(
      ["--group-by", "k.n", "--sort", "count:desc", "--limit", "1", "--once", "--output", "csv"], input: input
    )
    #expect(sorted.output == "k.n,count\na,3\n")
  }

  @Test func `groups come, change and go as their objects do`() throws {
    let run = try Tool.run(["--group-by", "k.n", "--where", "x != 1", "--batch", "1"], input: input)
    #expect(
      run.output == """
        version 1: 1 object
        = 0        {"k.n":"a","count":1}
        version 2: 2 objects
        + 1        {"k.n":"b","count":1}
        version 3: 2 objects
        ~ 0        "a"  count: 1 → 2
        version 4: 1 object
        - 1        {"k.n":"b","count":1}
        ~ 0        "a"  count: 2 → 3

        """)
  }

  @Test(arguments: ["changes", "json", "table", "csv", "tsv", "count"])
  func `groups are shown in every form of output`(form: String) throws {
    let run = try Tool.run(["--group-by", "k.n", "--sum", "x", "--output", form], input: input)
    #expect(run.status == 0 && run.errors == "" && !run.output.isEmpty)
    #expect(form == "count" || run.output.contains("0.5"))
  }

  @Test func `a misspelt path of a group is named at the end`() throws {
    let run = try Tool.run(["--group-by", "k.m", "--sum", "y", "--output", "count"], input: input)
    #expect(
      run.errors.contains("no object has k.m (did you mean k.n?)") && run.errors.contains("no object has y"))
  }

  /// Made up rows that change their groups, compared with groups that are made again.
  @Test func `the last totals are those of the objects that are left`() throws {
    var random = SystemRandomNumberGenerator()
    let lines = (0..<400).map { _ in
      let (id, key) = (Int.random(in: 0..<20, using: &random), Int.random(in: 0..<5, using: &random))
      let value = Double(Int.random(in: -500...500, using: &random)) / 100
      return "{\"id\":\(id),\"k\":\(key),\"x\":\(value)}"
    }.joined(separator: "\n")
    let options = ["--group-by", "k", "--count", "--sum", "x", "--where", "x > -1", "--output", "json"]
    let once = try Tool.run(options + ["--once"], input: lines).lines
    var rebuilt = RebuiltResult()
    for version in try RebuiltResult.versions(try Tool.run(options + ["--batch", "7"], input: lines).lines) {
      try rebuilt.apply(version.changes)
    }
    #expect(rebuilt.rows.map(\.description) == once, "\(lines)")
    #expect(!once.isEmpty)
  }
}
