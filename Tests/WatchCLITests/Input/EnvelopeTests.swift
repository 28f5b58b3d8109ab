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
    (.kubernetes, #"{"type":"BOOKMARK","object":{"a":1}}"#, .nothing),
    (.debezium, #"{"payload":{"op":"c","before":null,"after":{"id":1}}}"#, .put(["id": 1])),
    (.debezium, #"{"op":"u","before":{"id":1},"after":{"id":1,"n":2}}"#, .put(["id": 1, "n": 2])),
    (.debezium, #"{"schema":{},"payload":{"op":"r","after":{"id":1}}}"#, .put(["id": 1])),
    (.debezium, #"{"op":"d","before":{"id":1},"after":null}"#, .remove(["id": 1])),
    (.debezium, #"{"op":"t"}"#, .removeAll), (.debezium, #"{"op":"m","message":{}}"#, .nothing),
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
    (.kubernetes, #"{"type":"ERROR","object":{"code":410}}"#, #"the server reports: {"code":410}"#),
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
          id: id, body: ["id": id, "n": JSONValue(Int.random(in: 0..<3, using: &random))])
        switch Int.random(in: 0..<20, using: &random) {
        case 0: return .removeAll
        case ..<8: return .remove(document)
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
