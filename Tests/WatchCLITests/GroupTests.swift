import Foundation
import LiveStore
import TestSupport
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
  @Test(arguments: Seeds.forSuite(1, thorough: 6))
  func `the last totals are those of the objects that are left`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
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
    #expect(rebuilt.rows.map(\.description) == once, "seed \(seed): \(lines)")
    #expect(!once.isEmpty)
  }

  /// Totals by the definition: those of the objects that are left, each the last of its key.
  private func totals(_ events: [String], _ isMember: (JSONValue) -> Bool) throws -> [String] {
    var objects: [JSONValue: JSONValue] = [:]
    for event in try events.map({ try JSONValue(parsing: $0) }) {
      switch event["op"] {
      case "t": objects = [:]
      case "d": objects[event["before"]["id"]] = nil
      default: objects[event["after"]["id"]] = event["after"]
      }
    }
    var groups: [JSONValue: (count: Int, hundredths: Int)] = [:]
    for object in objects.values where isMember(object) {
      let hundredths = Int((Double("\(object["x"])") ?? 0) * 100)
      let group = groups[object["k"], default: (0, 0)]
      groups[object["k"]] = (group.count + 1, group.hundredths + hundredths)
    }
    return groups.sorted { $0.key < $1.key }.map { key, group in
      let sum = JSONValue(Double(group.hundredths) / 100)
      return "{\"k\":\(key),\"count\":\(group.count),\"sum(x)\":\(sum)}"
    }
  }

  @Test(arguments: Seeds.forSuite(2, thorough: 6))
  func `totals are those of the last objects, whatever is replaced, removed or truncated`(seed: UInt64) throws
  {
    var random = SplitMix64(seed: seed)
    let events = (0..<300).map { _ in
      let id = Int.random(in: 0..<25, using: &random)
      if Int.random(in: 0..<6, using: &random) == 0 { return "{\"op\":\"d\",\"before\":{\"id\":\(id)}}" }
      if Int.random(in: 0..<120, using: &random) == 0 { return #"{"op":"t"}"# }
      let (key, quarters) = (["1", "\"a\"", "null", "[1]"][id % 4], Int.random(in: -9...9, using: &random))
      let x = quarters == 9 ? "\"none\"" : "\(Double(quarters) / 4)"
      let k = Bool.random(using: &random) ? key : "\(Int.random(in: 0..<4, using: &random))"
      return "{\"op\":\"u\",\"after\":{\"id\":\(id),\"k\":\(k),\"x\":\(x)}}"
    }
    let input = events.joined(separator: "\n")
    let options = ["--envelope", "debezium", "--group-by", "k", "--count", "--sum", "x", "--output", "json"]
    let all = try Tool.run(options + ["--once"], input: input)
    #expect(try all.lines == totals(events) { _ in true }, "seed \(seed)")
    let some = try Tool.run(options + ["--where", "x > 0"], input: input)
    var rebuilt = RebuiltResult()
    for version in try RebuiltResult.versions(some.lines) { try rebuilt.apply(version.changes) }
    let expected = try totals(events) { object in
      if case .number = object["x"] { object["x"] > JSONValue(0) } else { false }
    }
    #expect(rebuilt.rows.map(\.description) == expected, "seed \(seed)")
    // The same by way of a store of the objects.
    let stored = try Tool.run(options + ["--once", "--distinct", "id"], input: input)
    #expect(stored.lines == all.lines, "seed \(seed)")
  }

  @Test func `without keys every line counts`() throws {
    let lines = (1...5_000).map { "{\"id\":1,\"level\":\"\($0 % 5 == 0 ? "error" : "info")\",\"n\":\($0)}" }
    let options = ["--no-key", "--group-by", "level", "--count", "--sum", "n", "--output", "csv", "--once"]
    let run = try Tool.run(options, input: lines.joined(separator: "\n"))
    #expect(run.output == "level,count,sum(n)\nerror,1000,2502500\ninfo,4000,10000000\n" && run.errors == "")
  }

  @Test func `--explain says what is kept of the objects of groups`() throws {
    let keyed = try Tool.run(["--group-by", "k.n", "--where", "x > 0", "--explain", "--once"], input: input)
    #expect(
      keyed.errors
        == "livestore-watch: plan: group in one pass, filter (x > 0); kept is what each key contributes\n")
    let keyless = try Tool.run(["--group-by", "k.n", "--no-key", "--explain", "--once"], input: input)
    #expect(keyless.errors == "livestore-watch: plan: group in one pass; no object is kept\n")
  }
}
