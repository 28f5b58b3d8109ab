import Foundation
import LiveStore
import TestSupport
import Testing
import livestore_watch

@Suite struct EnvelopeTests {
  private let files = TemporaryFiles()

  @Test(arguments: [
    (Envelope.kubernetes, #"{"type":"ADDED","object":{"a":1}}"#, Envelope.Content.put(["a": 1])),
    (.kubernetes, #"{"type":"MODIFIED","object":{"a":1}}"#, .put(["a": 1])),
    (.kubernetes, #"{"type":"DELETED","object":{"a":1}}"#, .remove(["a": 1])),
    (.kubernetes, #"{"type":"BOOKMARK","object":{"a":1}}"#, .listEnd),
    (.kubernetes, #"{"type":"ERROR","object":{"code":410,"message":"too old"}}"#, .listBegin),
    (.debezium, #"{"payload":{"op":"c","before":null,"after":{"id":1}}}"#, .put(["id": 1])),
    (
      .debezium, #"{"op":"u","before":{"id":1},"after":{"id":1,"n":2}}"#,
      .put(["id": 1, "n": 2], before: ["id": 1])
    ),
    (
      .debezium, ##"{"op":"u","after":"{\"_id\":{\"$oid\":\"5\"},\"n\":2}"}"##,
      .put(["_id": ["$oid": "5"], "n": 2])
    ),
    (.debezium, #"{"schema":{},"payload":{"op":"r","after":{"id":1}}}"#, .put(["id": 1])),
    (.debezium, #"{"op":"d","before":{"id":1},"after":null}"#, .remove(["id": 1])),
    (.debezium, #"{"op":"t"}"#, .removeAll(table: nil)),
    (.debezium, #"{"op":"t","source":{"schema":"s","table":"t"}}"#, .removeAll(table: #""s"."t""#)),
    (.debezium, #"{"op":"m","message":{}}"#, .nothing),
    (.debezium, "null", .nothing), (.debezium, #"{"schema":null,"payload":null}"#, .nothing),
  ])
  func `an envelope says what becomes of its object`(
    envelope: Envelope, line: String, content: Envelope.Content
  )
    throws
  {
    #expect(try envelope.content(of: JSONValue(parsing: line)) == content)
  }

  @Test(arguments: [
    (Envelope.kubernetes, #"{"type":"ERROR","object":{"message":"too old"}}"#, "the server reports: too old"),
    (.kubernetes, #"{"type":"ERROR","object":{"code":500}}"#, #"the server reports: {"code":500}"#),
    (.kubernetes, #"{"id":1}"#, "expected a watch event with type and object"),
    (.kubernetes, "[1]", "expected a watch event with type and object"),
    (.kubernetes, #"{"type":"MOVED","object":{}}"#, #"unknown type of event "MOVED""#),
    (.kubernetes, #"{"type":"ADDED"}"#, "object is not an object"),
    (.debezium, #"{"op":"d","before":null}"#, "before is not an object"),
    (.debezium, #"{"op":"c","after":3}"#, "after is not an object"),
    (.debezium, #"{"op":"x"}"#, #"unknown op "x""#),
    (.debezium, "3", "expected a change with op, before and after"),
  ])
  func `a line that is not in the envelope is bad, and why is said`(
    envelope: Envelope, line: String, reason: String
  )
    throws
  {
    let value = try JSONValue(parsing: line)
    #expect(throws: Envelope.Mistake(reason: reason)) { try envelope.content(of: value) }
  }

  @Test func `objects come and go as their events say, under the key of the envelope`() throws {
    func event(_ type: String, _ uid: String, _ phase: String) -> String {
      #"{"type":"\#(type)","object":{"metadata":{"uid":"\#(uid)","name":"pod-\#(uid)"},"phase":"\#(phase)"}}"#
        + "\n"
    }
    let input =
      event("ADDED", "a", "Pending") + event("ADDED", "b", "Running") + #"{"type":"BOOKMARK","object":{}}"#
      + "\n"
      + event("MODIFIED", "a", "Running") + event("DELETED", "b", "Running") + event("DELETED", "c", "Gone")
    let run = try Tool.run(
      ["--envelope", "kubernetes", "--batch", "1", "--columns", "metadata.name=name,phase"], input: input)
    #expect(run.status == 0 && run.errors == "")
    #expect(
      run.output == """
        version 1: 1 object
        = 0        {"name":"pod-a","phase":"Pending"}
        version 2: 2 objects
        + 1        {"name":"pod-b","phase":"Running"}
        version 3: 2 objects
        ~ 0        "a"  phase: "Pending" → "Running"
        version 4: 1 object
        - 1        {"name":"pod-b","phase":"Running"}

        """)
  }

  @Test func `a truncated table is empty, and a bad event is reported with its line`() throws {
    let input = """
      {"op":"c","after":{"id":1}}
      {"op":"c","after":{"id":2}}
      {"op":"d"}
      {"op":"t"}
      {"op":"c","after":{"id":3}}
      """
    let run = try Tool.run(["--envelope", "debezium", "--once", "--output", "json"], input: input)
    #expect(run.output == "{\"id\":3}\n")
    #expect(run.errors == "-:3: before is not an object\nlivestore-watch: 1 bad line skipped\n")
  }

  private func lines(_ lines: [String], _ options: [String]) throws -> [String] {
    let run = try Tool.run(options + ["--output", "json"], input: lines.joined(separator: "\n"))
    #expect(run.errors == "")
    return run.lines
  }

  @Test(arguments: [["--once"], ["--once", "--batch", "1"], ["--once", "--batch", "3"]])
  func `truncation is of one table, and a key may name the table`(options: [String]) throws {
    func line(_ op: String, _ table: String, _ id: Int, _ n: Int = 0) -> String {
      let row = #"{"id":\#(id),"n":\#(n)}"#
      let values = op == "t" ? "" : op == "d" ? #","before":\#(row)"# : #","after":\#(row)"#
      return #"{"op":"\#(op)","source":{"db":"d","table":"\#(table)"}\#(values)}"#
    }
    let input = [line("c", "a", 1), line("c", "b", 2), line("c", "b", 3), line("c", "a", 4)]
    let options = options + ["--envelope", "debezium", "--sort", "id"]
    #expect(try lines(input + [line("t", "a", 0)], options) == [#"{"id":2,"n":0}"#, #"{"id":3,"n":0}"#])
    #expect(try lines(input + [line("t", "b", 0)], options) == [#"{"id":1,"n":0}"#, #"{"id":4,"n":0}"#])
    #expect(try lines(input + [line("t", "c", 0)], options).count == 4)
    // An object of another table takes its place, and is of that table.
    #expect(
      try lines(input + [line("u", "a", 2, 5), line("t", "b", 0)], options)
        == [#"{"id":1,"n":0}"#, #"{"id":2,"n":5}"#, #"{"id":4,"n":0}"#])
    let keyed = options + ["--key", "source.table,id"]
    #expect(
      try lines([line("c", "a", 1), line("c", "b", 1, 2), line("c", "a", 1, 3)], keyed)
        == [#"{"id":1,"n":3}"#, #"{"id":1,"n":2}"#])
    #expect(
      try lines([line("c", "a", 1), line("c", "b", 1, 2), line("d", "a", 1)], keyed) == [#"{"id":1,"n":2}"#])
    let paths = try [[line("c", "a", 1)], [line("c", "b", 2), line("t", "b", 0)]].map {
      try files.file($0.joined(separator: "\n"))
    }
    #expect(try lines([], options + paths) == [#"{"id":1,"n":0}"#])
  }

  @Test(arguments: [["--once"], ["--once", "--batch", "1"]])
  func `a value that was not sent stays, and a changed key is followed`(options: [String]) throws {
    let unavailable = #""__debezium_unavailable_value""#
    let input = [
      #"{"op":"r","after":{"id":1,"n":1,"body":"long","x":"y"}}"#,
      #"{"op":"u","after":{"id":1,"n":2,"body":\#(unavailable),"x":"z"}}"#,
      #"{"op":"u","after":{"id":1,"n":3,"body":\#(unavailable),"x":\#(unavailable)}}"#,
      #"{"op":"u","before":{"id":7},"after":{"id":8,"n":1}}"#,
      #"{"op":"u","before":{"id":8},"after":{"id":9,"n":2}}"#,
    ]
    let moved = [
      #"{"op":"c","after":{"id":1,"v":"a"}}"#,
      #"{"op":"u","before":{"id":1,"v":"a"},"after":{"id":2,"v":\#(unavailable)}}"#,
    ]
    #expect(try lines(moved, options + ["--envelope", "debezium"]) == [#"{"id":2,"v":"a"}"#])
    let kept = [moved[0], #"{"op":"u","before":null,"after":{"id":1,"v":\#(unavailable)}}"#]
    #expect(
      try lines(kept, options + ["--envelope", "debezium", "--delete-when", #"v != "a""#]) == [
        #"{"id":1,"v":"a"}"#
      ])
    let tagged = [
      #"{"op":"c","after":{"id":1,"tags":["bug"]}}"#, #"{"op":"u","after":{"id":1,"tags":\#(unavailable)}}"#,
    ]
    #expect(
      try lines(tagged, options + ["--envelope", "debezium", "--delete-when", #"NOT ANY tags == "bug""#])
        == [#"{"id":1,"tags":["bug"]}"#])
    let counts = try Tool.run(
      ["--envelope", "debezium", "--batch", "1", "--output", "count"], input: moved.joined(separator: "\n"))
    #expect(counts.output == "1\n")
    let expected = [#"{"id":1,"n":3,"body":"long","x":"z"}"#, #"{"id":9,"n":2}"#]
    let options = options + ["--envelope", "debezium"]
    #expect(try lines(input, options) == expected)
    #expect(try lines(input, options + ["--where", #"body == "long""#]) == [expected[0]])
    #expect(
      try lines(input, options + ["--group-by", "x", "--sum", "n"])
        == [#"{"x":null,"sum(n)":2}"#, #"{"x":"z","sum(n)":3}"#])
  }

  @Test(arguments: [["--once"], ["--once", "--batch", "1"]])
  func `objects that a new list of a cluster does not have are deleted at its end`(options: [String]) throws {
    func event(_ type: String, _ uid: String) -> String {
      #"{"type":"\#(type)","object":{"metadata":{"uid":"\#(uid)"}}}"#
    }
    let bookmark = #"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7"}}}"#
    let input = [event("ADDED", "a"), event("ADDED", "b"), bookmark, event("ADDED", "c")]
    let gone = #"{"type":"ERROR","object":{"kind":"Status","code":410}}"#
    let options = options + ["--envelope", "kubernetes", "--columns", "metadata.uid=u"]
    let all = [#"{"u":"a"}"#, #"{"u":"b"}"#, #"{"u":"c"}"#]
    #expect(try lines(input, options) == all)
    let again = input + [gone, event("ADDED", "d"), event("ADDED", "b")]
    #expect(try lines(again, options) == all + [#"{"u":"d"}"#])
    #expect(try lines(again + [bookmark], options) == [#"{"u":"b"}"#, #"{"u":"d"}"#])
    let grouped = options.dropLast(2) + ["--group-by", "metadata.uid"]
    #expect(try lines(again + [bookmark], Array(grouped)).count == 2)
  }

  @Test func `an object that meets --delete-when leaves, and comes back when it does not`() throws {
    let lines = [
      #"{"id":1,"n":1}"#, #"{"id":2,"n":1}"#, #"{"id":1,"n":2,"deleted":true}"#, #"{"id":3,"deleted":true}"#,
      #"{"id":1,"n":3}"#,
    ].joined(separator: "\n")
    let run = try Tool.run(
      ["--delete-when", "deleted == true", "--batch", "1", "--output", "json"], input: lines)
    #expect(
      run.lines == [
        #"{"version":1,"change":"initial","id":1,"newIndex":0,"new":{"id":1,"n":1}}"#,
        #"{"version":2,"change":"insert","id":2,"newIndex":1,"new":{"id":2,"n":1}}"#,
        #"{"version":3,"change":"delete","id":1,"oldIndex":0,"old":{"id":1,"n":1}}"#,
        #"{"version":4,"change":"insert","id":1,"newIndex":1,"new":{"id":1,"n":3}}"#,
      ])
    let misspelt = try Tool.run(["--delete-when", "delted == true", "--once"], input: lines)
    #expect(misspelt.errors == "livestore-watch: no object has delted (did you mean deleted?)\n")
  }

  @Test func `several keys are one identity, of which no part may be missing`() throws {
    let lines =
      #"{"t":1,"id":1}"# + "\n" + #"{"t":2,"id":1}"# + "\n" + #"{"t":1,"id":1,"n":5}"# + "\n" + #"{"id":1}"#
    let run = try Tool.run(["--key", "t,id", "--once", "--output", "json"], input: lines)
    #expect(run.lines == [#"{"t":1,"id":1,"n":5}"#, #"{"t":2,"id":1}"#])
    #expect(run.errors.hasPrefix("-:4: the key t,id is missing or null\n"))
  }

  /// Made up changes of few objects, so that the same one is put and removed again and again.
  @Test(arguments: Seeds.forSuite(3, thorough: 10))
  func `changes without those that are replaced have the same effect on any store`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for round in 0..<100 {
      let changes = (0..<Int.random(in: 0...30, using: &random)).map { _ -> InputChange in
        let id = JSONValue(Int.random(in: 0..<4, using: &random))
        let document = Document(
          id: id,
          body: [
            "id": id, "n": JSONValue(Int.random(in: 0..<3, using: &random)),
            "m": JSONValue(Int.random(in: 0..<3, using: &random)),
          ])
        switch Int.random(in: 0..<20, using: &random) {
        case 0: return .removeAll()
        case 1: return .removeAll(but: [id, 1])
        case 2: return .nothing
        case 3..<8:
          return .complete(
            document, missing: [["n"], ["m"], ["n", "m"]].randomElement(using: &random) ?? [])
        case ..<12: return .remove(document)
        default: return .put(document)
        }
      }
      let known = (0..<3).map { Document(id: JSONValue($0), body: ["id": JSONValue($0)]) }
      let rest = changes.withoutReplaced()
      let results = try [changes, rest].map { changes in
        let store = try Store(Document.self)
        try store.write { tx in
          try tx.insert(contentsOf: known)
          try tx.apply(changes)
        }
        return store.snapshot().fetch(Document.all).map(\.text)
      }
      #expect(results[0] == results[1], "seed \(seed), round \(round): \(changes)")
      // A removal of everything, and for each id a removal and a new value.
      #expect(rest.count <= 9)
    }
  }
}
