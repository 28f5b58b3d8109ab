import LiveStore
import TestSupport
import Testing
import livestore_watch

/// Totals other than counts and sums.
@Suite struct GroupAggregateTests {
  private let options = [
    "--count", "--sum", "x", "--avg", "x", "--min", "x", "--max", "x", "--distinct-count", "x",
    "--percentile",
    "0,25,50,90,100", "x",
  ]

  /// The totals of some values, each computed by its definition.
  private func totals(_ values: [JSONValue]) -> [(key: String, value: JSONValue)] {
    func isNumber(_ value: JSONValue) -> Bool { if case .number = value { true } else { false } }
    func isText(_ value: JSONValue) -> Bool { if case .string = value { true } else { false } }
    let numbers = values.filter(isNumber).sorted()
    let texts = values.filter(isText).sorted()
    let sum = numbers.reduce(0.0) { sum, number in sum + (Double(number.description) ?? .nan) }
    let average = numbers.isEmpty ? JSONValue.null : JSONValue(sum / Double(numbers.count))
    let different = Set(values.filter { !$0.isNull }).count
    let percentiles = [0, 25, 50, 90, 100].map { percentage in
      let index = numbers.indices.first { ($0 + 1) * 100 >= percentage * numbers.count }
      return (key: "p\(percentage)(x)", value: index.map { numbers[$0] } ?? .null)
    }
    return [
      ("count", JSONValue(values.count)), ("sum(x)", JSONValue(sum)), ("avg(x)", average),
      ("min(x)", numbers.first ?? texts.first ?? .null), ("max(x)", numbers.last ?? texts.last ?? .null),
      ("distinct(x)", JSONValue(different)),
    ] + percentiles
  }

  /// The groups of the objects that lines leave, in order.
  private func groups(_ lines: [String]) throws -> [JSONValue] {
    var objects: [JSONValue: JSONValue] = [:]
    for object in try lines.map({ try JSONValue(parsing: $0) }) {
      // `nil` alone would be the value null.
      objects[object["id"]] = object["del"] == true ? Optional.none : object
    }
    let members = Dictionary(grouping: objects.values.filter { $0["w"] != 1 }) { $0["k"] }
    return members.sorted { $0.key < $1.key }.map { key, objects in
      .object(JSONObject([("k", key)] + totals(objects.map { $0["x"] })))
    }
  }

  @Test(arguments: Seeds.forSuite(3, thorough: 12))
  func `every total is that of the objects that are left, whatever changes and is removed`(seed: UInt64)
    throws
  {
    var random = SplitMix64(seed: seed)
    let values = ["1", "1.0", "2.5", "-3", "0.25", "\"b\"", "\"a\"", "null", "true", "[1]", "1e3", "7"]
    let lines = (0..<300).map { _ in
      let (id, key) = (Int.random(in: 0..<30, using: &random), Int.random(in: 0..<4, using: &random))
      // Some groups have no numbers, or nothing but null.
      let value =
        [values, ["\"c\"", "\"d\"", "null"], ["null"], values][key]
        .randomElement(using: &random) ?? "null"
      let (isDeleted, isHidden) = (
        Int.random(in: 0..<6, using: &random), Int.random(in: 0..<4, using: &random)
      )
      return #"{"id":\#(id),"k":\#(key),"x":\#(value),"del":\#(isDeleted == 0),"w":\#(isHidden)}"#
    }
    let input = lines.joined(separator: "\n")
    let common = ["--where", "w != 1", "--delete-when", "del == true", "--group-by", "k", "--output", "json"]
    let expected = try groups(lines)
    for stored in [[], ["--distinct", "id"]] {
      let once = try Tool.run(common + options + stored + ["--once"], input: input)
      #expect(try once.lines.map { try JSONValue(parsing: $0) } == expected, "seed \(seed) \(stored)")
      let live = try Tool.run(common + options + stored + ["--batch", "5"], input: input)
      var rebuilt = RebuiltResult()
      for version in try RebuiltResult.versions(live.lines) { try rebuilt.apply(version.changes) }
      #expect(rebuilt.rows == expected, "seed \(seed) \(stored)")
    }
  }

  @Test(arguments: Seeds.forSuite(3, thorough: 12))
  func `values stand in order with their counts, however many chunks they take`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var counts = OrderedCounts(capacity: 4)
    var values: [JSONValue] = []
    for step in 0..<1_500 {
      // It grows, shrinks to nothing, and grows again.
      let isRemoval = Int.random(in: 0..<10, using: &random) < (step % 600 < 300 ? 3 : 7)
      if isRemoval, let index = values.indices.randomElement(using: &random) {
        counts.add(values.remove(at: index), isRemoval: true)
      } else {
        let value = JSONValue(Int.random(in: 0..<60, using: &random))
        counts.add(value)
        values.append(value)
      }
      let sorted = values.sorted()
      let isSame = counts.count == sorted.count && sorted.indices.allSatisfy { counts[$0] == sorted[$0] }
      #expect(isSame, "seed \(seed), step \(step)")
      #expect(counts.distinctCount == Set(values).count, "seed \(seed), step \(step)")
      #expect(counts.first == sorted.first && counts.last == sorted.last, "seed \(seed), step \(step)")
    }
  }

  /// By hand: of 1, 2, …, n the value at a percentage is the nearest rank, the least integer that is not below p/100·n.
  @Test(arguments: [
    ("0", 10, 1), ("10", 10, 1), ("10.1", 10, 2), ("50", 10, 5), ("50", 9, 5), ("50", 1, 1), ("99", 100, 99),
    ("99", 101, 100), ("99.9", 1_000, 999), ("99.9", 1_001, 1_000), ("100", 7, 7), ("33.3", 1_000, 333),
    ("000.000001", 100, 1),
  ])
  func `a percentile is the value at the nearest rank`(text: String, count: Int, value: Int) throws {
    let percentile = try #require(Percentile(text))
    #expect(percentile.index(in: count) + 1 == value)
  }

  @Test(arguments: ["", "101", "100.1", "-1", "1e1", "5.", ".5", "+5", "5 ", "1.2.3", "٣"])
  func `a percentage is a number from 0 to 100 in digits`(text: String) {
    #expect(Percentile(text) == nil)
  }

  @Test func `totals without --group-by are of all objects, also if there are none`() throws {
    let input = #"{"id":1,"x":3}"# + "\n" + #"{"id":2,"x":4.5}"# + "\n" + #"{"id":1,"x":"n"}"#
    let live = try Tool.run(["--count", "--avg", "x", "--batch", "1"], input: input)
    #expect(
      live.lines == [
        "version 1: 1 object", #"= 0        {"count":1,"avg(x)":3}"#, "version 2: 1 object",
        #"~ 0        []  count: 1 → 2, avg(x): 3 → 3.75"#, "version 3: 1 object",
        #"~ 0        []  avg(x): 3.75 → 4.5"#,
      ])
    let names = ["--count", "--sum", "x", "--avg", "x", "--min", "x", "--distinct-count", "x"]
    for once in [["--once"], []] {
      let empty = try Tool.run(names + ["--percentile", "50 x", "--output", "csv"] + once)
      let (versions, values) =
        once.isEmpty ? ("version,change,oldIndex,newIndex,", "1,initial,,0,") : ("", "")
      #expect(
        empty.lines == [
          versions + "count,sum(x),avg(x),min(x),distinct(x),p50(x)", values + "0,0,,,0,",
        ])
    }
  }

  @Test func `totals are sorted and shown by their names`() throws {
    let input = [("a", 3), ("b", 9), ("a", 5), ("c", 1)].enumerated().map {
      #"{"id":\#($0),"k":"\#($1.0)","t":{"ms":\#($1.1)}}"#
    }.joined(separator: "\n")
    for name in ["p99.9(t.ms)", "max(t.ms)", "avg(t.ms)", "min(t.ms)", "distinct(t.ms)"] {
      let run = try Tool.run(
        ["--group-by", "k", "--percentile=99.9", "t.ms", "--max", "t.ms", "--avg", "t.ms", "--min", "t.ms"]
          + [
            "--distinct-count", "t.ms", "--sort", "\(name):desc", "--limit", "1", "--once", "--output", "csv",
          ]
          + ["--columns", "k,\(name)=V"], input: input)
      #expect(run.output == (name.hasPrefix("distinct") ? "k,V\na,2\n" : "k,V\nb,9\n"), "\(run.errors)")
    }
  }

  @Test(arguments: [
    (["0.1", "0.2", "0.3"], "0.2"), (["1", "2"], "1.5"), (["1", "1", "0"], "0.6666666666666666"),
    (["1e308", "1e308"], "1e+308"), (["-1e-300", "0"], "-5e-301"), (["9007199254740993"], "9007199254740992"),
    (["-1", "1"], "0"), (["1e30", "-1e30", "3"], "1"), (["\"a\""], "null"), (["10", "\"a\"", "null"], "10"),
  ])
  func `an average is the exact sum divided by how many numbers there are`(values: [String], average: String)
    throws
  {
    let lines = values.enumerated().map { #"{"id":\#($0),"x":\#($1)}"# }
    let run = try Tool.run(
      ["--avg", "x", "--once", "--output", "json"], input: lines.joined(separator: "\n"))
    #expect(run.lines == [#"{"avg(x)":\#(average)}"#])
  }

  @Test func `without keys the smallest and the largest are those of all lines`() throws {
    let lines = [5, 3, 9, 4, 9, 3, 1, 12, 7].map { "{\"x\":\($0),\"t\":\"v\($0 % 5)\"}" }
    let run = try Tool.run(
      ["--no-key", "--min", "x,t", "--max", "x,t", "--batch", "1", "--output", "tsv", "--columns"]
        + ["min(x),max(x),min(t),max(t)"], input: lines.joined(separator: "\n"))
    let values = run.lines.dropFirst().map { $0.split(separator: "\t").suffix(4).joined(separator: " ") }
    #expect(
      values == [
        "5 5 v0 v0", "3 5 v0 v3", "3 9 v0 v4", "1 9 v0 v4", "1 12 v0 v4",
      ])
  }
}
