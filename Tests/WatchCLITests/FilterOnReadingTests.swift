import LiveStore
import TestSupport
import Testing
import livestore_watch

/// The filter is evaluated as objects are read, and of those that fail it only the id is kept.
@Suite struct FilterOnReadingTests {
  private func lines(_ arguments: [String], _ objects: [String]) throws -> [String] {
    let run = try Tool.run(arguments, input: objects.map { $0 + "\n" }.joined())
    #expect(run.status == 0)
    return run.lines
  }

  @Test(arguments: [true, false])
  func `an object keeps its place while it fails the filter`(isOnce: Bool) throws {
    let objects = [
      #"{"id":1,"n":5}"#, #"{"id":2,"n":5}"#, #"{"id":1,"n":0}"#, #"{"id":3,"n":5}"#, #"{"id":1,"n":6}"#,
    ]
    let lines = try lines(
      ["--where", "n > 3", "--output", "csv", "--columns", "id,n", "--batch", "1"]
        + (isOnce ? ["--once"] : []),
      objects)
    let once = ["id,n", "1,6", "2,5", "3,5"]
    let changes = [
      "version,change,oldIndex,newIndex,id,n", "1,initial,,0,1,5", "2,insert,,1,2,5", "3,delete,0,,1,5",
      "4,insert,,1,3,5", "5,insert,,0,1,6",
    ]
    #expect(lines == (isOnce ? once : changes))
  }

  @Test func `changes of objects that stay outside the filter make no version`() throws {
    let objects = [
      #"{"id":1,"n":0}"#, #"{"id":1,"n":1,"x":true}"#, #"{"id":1,"n":2}"#, #"{"id":2,"n":9}"#,
    ]
    let lines = try lines(["--where", "n > 3", "--batch", "1"], objects)
    #expect(lines == ["version 1: 0 objects", "version 2: 1 object", #"+ 0        {"id":2,"n":9}"#])
  }

  @Test func `an object that fails a filter is not shown where one without values meets it`() throws {
    let objects = [
      #"{"id":1,"status":"done"}"#, #"{"id":2}"#, #"{"id":3,"status":"open"}"#, #"{"id":2,"status":"done"}"#,
    ]
    let ids = ["--output", "json", "--columns", "id", "--once"]
    let three = Array(objects.prefix(3))
    #expect(try lines(["--where", "status != 'done'"] + ids, objects) == [#"{"id":3}"#])
    #expect(try lines(["--where", "status == nil"] + ids, three) == [#"{"id":2}"#])
    #expect(try lines(["--where", "NOT (status IN {'done', 'open'})"] + ids, three) == [#"{"id":2}"#])
  }

  @Test(arguments: [["--once"], ["--batch", "1"], ["--batch", "1", "--explain"]])
  func `groups are of the objects that meet a filter, also one that an object without values meets`(
    options: [String]
  ) throws {
    let objects = [
      #"{"id":1,"k":"a","s":"x"}"#, #"{"id":2,"k":"a"}"#, #"{"id":3,"k":"b"}"#, #"{"id":3,"k":"b","s":"x"}"#,
      #"{"id":1,"k":"c","s":"y"}"#,
    ]
    let arguments = ["--where", "s != 'x'", "--group-by", "k", "--output", "json"]
    let last = try #require(try lines(arguments + options, objects).last)
    let groups = try lines(arguments + ["--once"], objects)
    #expect(groups == [#"{"k":"a","count":1}"#, #"{"k":"c","count":1}"#])
    #expect(options == ["--once"] || last.contains(#""new":{"k":"c","count":1}"#), "\(last)")
  }

  @Test func `lines without a key that fail the filter are not kept`() throws {
    let objects = [#"{"n":1}"#, #"{"n":9}"#, #"{"n":2}"#, #"{"n":9}"#]
    let lines = try lines(["--no-key", "--where", "n > 3", "--batch", "1"], objects)
    #expect(
      lines == [
        "version 0: 0 objects", "version 1: 1 object", #"+ 0        {"n":9}"#, "version 2: 2 objects",
        #"+ 1        {"n":9}"#,
      ])
  }

  @Test(arguments: [["--once"], [], ["--explain"], ["--group-by", "id"], ["--group-by", "id", "--once"]])
  func `a pattern that takes too long for an object is an error, however objects are read`(
    options: [String]
  ) throws {
    let objects = [#"{"id":1,"t":"y"}"#, #"{"id":2,"t":"\#(String(repeating: "a", count: 3_000))"}"#]
    for filter in ["--where", "--delete-when", "--until"] {
      let run = try Tool.run(
        [filter, "t MATCHES '([a-z ]?){2000}x'"] + options, input: objects.map { $0 + "\n" }.joined())
      #expect(run.status == 64, "\(filter)")
      #expect(run.errors.contains("takes more than 3100000 steps for one text"), "\(run.errors)")
    }
  }

  @Test func `ids of every kind stay apart while their objects fail the filter`() throws {
    let keys = ["1", #""1""#, "1.5", "true", #"[1,"a"]"#, #"{"a":1}"#, #""é 中""#]
    let failing = keys.map { #"{"id":\#($0),"n":0}"# }
    let passing = keys.map { #"{"id":\#($0),"n":7}"# }
    let lines = try lines(["--where", "n > 3", "--once", "--output", "json"], failing + passing.reversed())
    #expect(lines == passing)
  }

  private static let filters = [
    "n > 4", "n != 4", "NOT n > 4", "n == nil", "n > 2 AND name CONTAINS 'b'", "ANY tags == 'x'",
    "name == nil OR n < 3", "n BETWEEN {2, 5}", "tags.@count > 1", "TRUEPREDICATE", "FALSEPREDICATE",
  ]

  /// With `--explain`, objects are kept whole, and the store evaluates the filter. In the usual run, each filter
  /// has one of the ways to print.
  @Test(arguments: filters, Seeds.forSuite(1, thorough: 3))
  func `what is printed is the same as with objects that are kept whole`(
    filter: String, seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let objects = (0..<Environment.size(150, thorough: 400)).map { _ in
      let id = Int.random(in: 0..<30, using: &random)
      let n = Bool.random(using: &random) ? #","n":\#(Int.random(in: 0..<8, using: &random))"# : ""
      let name =
        ["", #","name":"ab""#, #","name":"cd""#, #","name":null"#].randomElement(using: &random) ?? ""
      let tags =
        ["", #","tags":["x"]"#, #","tags":["x","y"]"#, #","tags":[]"#].randomElement(using: &random) ?? ""
      return "{\"id\":\(id)\(n)\(name)\(tags)}"
    }
    let ways = [
      ["--batch", "7"], ["--batch", "7", "--sort", "n:desc"], ["--limit", "5", "--batch", "20"],
    ]
    let number = Self.filters.firstIndex(of: filter) ?? 0
    for options in Environment.isThorough ? ways : [ways[number % ways.count]] {
      let arguments = ["--where", filter, "--output", "changes"] + options
      let (ids, whole) = (try lines(arguments, objects), try lines(arguments + ["--explain"], objects))
      // Fewer versions are made of ids.
      let withoutNumbers = [ids, whole].map { lines in
        lines.map { $0.hasPrefix("version") ? String($0.drop { $0 != ":" }) : $0 }
      }
      #expect(
        withoutNumbers[0] == withoutNumbers[1],
        "seed \(seed), \(options) of\n\(objects.joined(separator: "\n"))")
      #expect(!ids.isEmpty)
    }
  }
}
