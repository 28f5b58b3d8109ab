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
    #expect(run.errors == "livestore-watch: x is a number in 5 objects and text in 1\n")
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
    #expect(run.status == 0 && !run.output.isEmpty)
    #expect(form == "count" || run.output.contains("0.5"))
  }

  private func sum(_ values: [String]) throws -> [String] {
    let arguments = ["--group-by", "k", "--sum", "x", "--output", "json", "--once"]
    let lines = values.enumerated().map { #"{"id":\#($0),"k":1,"x":\#($1)}"# }
    return try Tool.run(arguments, input: lines.joined(separator: "\n")).lines
  }

  /// Bug: numbers of more than 38 digits, or beyond 10¹²⁸, made a sum null.
  @Test(arguments: [
    (["1e308", "1e308", "-1e308"], "1e+308"), (["1e30", "1e-9", "-1e30"], "1e-09"),
    (["1e200", "5", "-1e200"], "5"),
    (["1e308", "1e308"], "null"), (["1e-300", "1", "-1"], "1e-300"), (["-1e128", "1e128", "3"], "3"),
    (["123456789012345678901234567890123456789012", "1"], "123456789012345678901234567890123456789013"),
    (
      ["0.1234567890123456789012345678901234567890129", "-0.1"],
      "0.0234567890123456789012345678901234567890129"
    ),
  ])
  func `sums are exact as long as they are numbers of JSON`(values: [String], sum: String) throws {
    let found = try #require(try self.sum(values).first)
    #expect(try JSONValue(parsing: found)["sum(x)"] == JSONValue(parsing: sum), "\(found)")
  }

  @Test func `objects are grouped by several values`() throws {
    let lines = [("x", 1), ("x", 2), ("x", 1), ("y", 1)].enumerated().map {
      #"{"id":\#($0),"s":"\#($1.0)","a.b":\#($1.1)}"#
    }
    func run(_ options: [String]) throws -> Tool.Run {
      try Tool.run(
        ["--group-by", #"s,["a.b"]"#, "--once", "--output", "json"] + options,
        input: lines.joined(separator: "\n"))
    }
    let groups = [
      #"{"s":"x","a.b":1,"count":2}"#, #"{"s":"x","a.b":2,"count":1}"#, #"{"s":"y","a.b":1,"count":1}"#,
    ]
    #expect(try run([]).lines == groups)
    #expect(try run(["--sort", "count:desc,a.b:desc"]).lines == [groups[0], groups[1], groups[2]])
    #expect(try run(["--where", #"["a.b"] > 1"#]).lines == [groups[1]])
    for name in ["sum(a.b)", #"sum(["a.b"])"#, #"["sum(a.b)"]"#] {
      let sums = try Tool.run(
        [
          "--group-by", "s", "--sum", #"["a.b"]"#, "--sort", "\(name):desc", "--limit", "1", "--once",
          "--output", "csv",
        ]
          + ["--columns", "\(name)=S"], input: lines.joined(separator: "\n"))
      #expect(sums.output == "S\n4\n" && sums.errors == "", "\(name): \(sums.output) \(sums.errors)")
    }
    let live = try Tool.run(
      ["--group-by", "s,t", "--batch", "1"],
      input: #"{"id":1,"s":1}"# + "\n" + #"{"id":1,"s":1,"t":2}"# + "\n")
    #expect(
      live.lines.suffix(2) == [
        #"- 0        {"s":1,"t":null,"count":1}"#, #"+ 0        {"s":1,"t":2,"count":1}"#,
      ])
    #expect(
      try Tool.run(["--group-by", "s,s"]).errors.contains("two values of a group would have the name s"))
  }

  /// Bug: a sum had 38 digits, so that a large number took the small ones with it when it left.
  @Test func `sums are exact, whatever numbers come and go`() throws {
    var totals = DecimalSum()
    let numbers = [
      "1e50", "-5", "9e127", "9e127", "0.000000000000000001", "-1e-30", "123456789012345678.9", "7",
    ]
    .compactMap { JSONNumber(decimalText: $0) }
    try #require(numbers.count == 8)
    func sum(_ numbers: [JSONNumber]) -> String {
      var sum = DecimalSum()
      for number in numbers { sum.add(.value(.number(number)), isRemoval: false) }
      return sum.description
    }
    for number in numbers { totals.add(.value(.number(number)), isRemoval: false) }
    for removed in [[0], [0, 2], [0, 2, 3], [0, 2, 3, 4], [0, 2, 3, 4, 5, 6]] {
      var rest = totals
      for index in removed { rest.add(.value(.number(numbers[index])), isRemoval: true) }
      #expect(rest.description == sum(numbers.indices.filter { !removed.contains($0) }.map { numbers[$0] }))
    }
    #expect(sum([numbers[0], numbers[1]]) == "9" + String(repeating: "9", count: 48) + "5")
    #expect(sum([numbers[1], numbers[4]]) == "-4.999999999999999999")
    #expect(sum([numbers[2], numbers[3]]) == "18" + String(repeating: "0", count: 127))
    #expect(sum([numbers[6], numbers[1], numbers[5]]) == "123456789012345673.899999999999999999999999999999")
    #expect(sum([numbers[5], numbers[7]]) == "6.999999999999999999999999999999")
    #expect(sum([numbers[0], -numbers[0]]) == "0" && sum([]) == "0" && sum([numbers[1]]) == "-5")
    let lines = [("1", "1e50"), ("2", "5"), ("1", "0")].map { #"{"id":\#($0),"k":1,"x":\#($1)}"# }
    let run = try Tool.run(
      ["--group-by", "k", "--sum", "x", "--batch", "1", "--output", "json"],
      input: lines.joined(separator: "\n"))
    #expect(run.lines.last?.contains(#""sum(x)":5}"#) == true, "\(run.lines)")
  }

  /// Bug: a line of separators took fifty times its length of memory.
  @Test func `a row of too many columns is refused`() throws {
    let row = String(repeating: ",", count: 1 << 20)
    let titles = try Tool.run(["--input", "csv"], input: row + "\n")
    #expect(titles.status == 65 && titles.errors.contains("1048577 titles; up to 1048576 are read"))
    let rows = try Tool.run(["--input", "csv"], input: "id,x\n" + row.dropFirst() + ",7\n")
    #expect(rows.status == 65 && rows.errors.contains("-:2: 1048577 fields below 2 titles"), "\(rows.errors)")
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
        == "livestore-watch: plan: group in one pass, filter (x > 0); kept is what each key contributes\n"
        + "livestore-watch: x is a number in 5 objects and text in 1\n")
    let keyless = try Tool.run(["--group-by", "k.n", "--no-key", "--explain", "--once"], input: input)
    #expect(keyless.errors == "livestore-watch: plan: group in one pass; no object is kept\n")
  }
}
