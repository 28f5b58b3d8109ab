import Foundation
import LiveStore
import TestSupport
import Testing
import livestore_watch

@Suite struct StateStreamTests {
  private let files = TemporaryFiles()

  /// The forms in which messages come.
  enum Form: CaseIterable { case events, arrays, lines }

  /// A stream of random steps, and the rows after each of them.
  private struct History {
    var text = ""
    var states: [[(key: String, value: Int)]] = []
    private var random: SplitMix64
    private let form: Form
    private var rows: [(key: String, value: Int)] = []

    init(seed: UInt64, form: Form) {
      (random, self.form) = (SplitMix64(seed: seed), form)
      snapshot()
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        Int.random(in: 0..<8, using: &random) == 0 ? snapshot() : step()
      }
    }

    private mutating func changed() -> [(key: String, value: Int)] {
      var next = rows.filter { _ in Int.random(in: 0..<6, using: &random) > 0 }
      for _ in 0..<Int.random(in: 0...3, using: &random) where !next.isEmpty {
        let row = next.remove(at: Int.random(in: next.indices, using: &random))
        next.insert(row, at: Int.random(in: 0...next.count, using: &random))
      }
      for index in next.indices where Int.random(in: 0..<5, using: &random) == 0 { next[index].value += 1 }
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let key = "\(Int.random(in: 0..<20, using: &random))"
        if next.contains(where: { $0.key == key }) { continue }
        next.insert((key, 0), at: Int.random(in: 0...next.count, using: &random))
      }
      return next
    }

    private mutating func step() {
      let next = changed()
      var messages: [String] = []
      var stays: Set<String> = []
      var last = -1
      for row in next {
        guard let old = rows.firstIndex(where: { $0.key == row.key }), old > last else { continue }
        stays.insert(row.key)
        last = old
      }
      let keys = Set(next.map(\.key))
      for (index, row) in rows.enumerated() where !keys.contains(row.key) {
        messages.append(message(row.key, nil, #""operation":"delete","from":\#(index)"#))
      }
      for (index, row) in next.enumerated() {
        let old = rows.firstIndex { $0.key == row.key }
        if let old, stays.contains(row.key) {
          if rows[old].value == row.value { continue }
          messages.append(message(row.key, row.value, #""operation":"update","index":\#(index)"#))
        } else if let old {
          messages.append(
            message(row.key, row.value, #""operation":"update","index":\#(index),"from":\#(old)"#))
        } else {
          messages.append(message(row.key, row.value, #""operation":"insert","index":\#(index)"#))
        }
      }
      if messages.isEmpty { return }
      rows = next
      write(messages)
    }

    private mutating func snapshot() {
      let isFirst = states.isEmpty
      rows = changed()
      let txid = states.count + 1
      func mark(_ control: String, _ more: String = "") -> String {
        #"{"headers":{"control":"\#(control)","offset":"x","txid":"\#(txid)"\#(more)}}"#
      }
      write(
        (isFirst ? [] : [mark("reset")]) + [mark("snapshot-start")]
          + rows.enumerated().map {
            message($1.key, $1.value, #""operation":"insert","index":\#($0)"#)
          } + [mark("snapshot-end", #","rowCount":\#(rows.count)"#)])
    }

    private func message(_ key: String, _ value: Int?, _ headers: String) -> String {
      let value = value.map { #""value":{"n":\#($0)},"# } ?? ""
      return #"{"type":"T","key":"\#(key)",\#(value)"headers":{\#(headers),"txid":"\#(states.count + 1)"}}"#
    }

    private mutating func write(_ messages: [String]) {
      states.append(rows)
      let isBroken = Bool.random(using: &random)
      switch form {
      case .lines: text += messages.joined(separator: "\n") + "\n"
      case .arrays: text += "[" + messages.joined(separator: isBroken ? ",\n" : ",") + "]\n"
      case .events:
        text += "event: data\ndata: [" + messages.joined(separator: isBroken ? ",\ndata:" : ",") + "]\n\n"
        text += "event: control\ndata: {\"streamNextOffset\":\"x\",\"upToDate\":true}\n\n: a comment\n"
      }
    }

    /// The text in parts of random lengths.
    mutating func parts() -> [[UInt8]] {
      var (rest, parts) = (Array(text.utf8)[...], [[UInt8]]())
      while !rest.isEmpty {
        let count = min(rest.count, [1, 7, 40, 1_000].randomElement(using: &random) ?? 1)
        parts.append(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
      }
      return parts
    }
  }

  private func fail(_ line: BadLine) -> Bool {
    Issue.record("\(line)")
    return false
  }

  private func rules(type: String? = nil, filter: String? = nil) throws -> WatchOptions {
    var arguments = ["--envelope", "state"]
    if let type { arguments += ["--type", type] }
    if let filter { arguments += ["--where", filter] }
    guard case .watch(let options) = try Invocation(arguments: arguments) else { throw Exit(.software) }
    return options
  }

  @Test(arguments: Form.allCases, Seeds.forSuite(40, thorough: 1_000))
  func `each step is one commit, after which the objects are those of the stream, in its order`(
    form: Form, seed: UInt64
  ) throws {
    var history = History(seed: seed, form: form)
    let options = try rules(filter: seed.isMultiple(of: 2) ? nil : "n < 2")
    var reader = DocumentReader(file: "-", rules: options.inputRules)
    var changes: [InputChange] = []
    for part in history.parts() {
      part.withUnsafeBytes { reader.read($0, into: &changes, onBadLine: fail) }
    }
    reader.read(nil, into: &changes, onBadLine: fail)
    #expect(changes.count == history.states.count, "seed \(seed)")
    let store = try Store(Document.self)
    for (change, state) in zip(changes, history.states) {
      try store.write { try $0.apply([change]) }
      let expected = state.filter { options.filter == nil || $0.value < 2 }
        .map {
          Document(id: .string($0.key), body: ["id": .string($0.key), "n": JSONValue($0.value)]).text + $0.key
        }
      let found = store.fetch(options.query).map { document -> String in
        if case .string(let key) = document.id { document.text + key } else { "\(document.id)" }
      }
      #expect(found == expected, "seed \(seed)")
    }
  }

  @Test func `a step leads to the lines of its change, a move to that of a move alone`() throws {
    let input = """
      event: data
      data: [{"headers":{"control":"snapshot-start","offset":"o","txid":"1"}},
      data: {"type":"Post","key":"7","value":{"title":"a"},"headers":{"operation":"insert","index":0,"txid":"1"}},
      data: {"type":"Post","key":"8","value":{"title":"b"},"headers":{"operation":"insert","index":1,"txid":"1"}},
      data: {"headers":{"control":"snapshot-end","offset":"o","txid":"1","rowCount":2}}]

      event: control
      data: {"streamNextOffset":"o","streamCursor":"1","upToDate":true,"rowCount":2}

      event: data
      data: [{"type":"Post","key":"8","value":{"title":"b"},"headers":{"operation":"update","index":0,"from":1,"txid":"2"}}]

      event: data
      data: [{"type":"Post","key":"8","headers":{"operation":"delete","from":0,"txid":"3"}},
      data: {"type":"Post","key":"7","value":{"title":"c"},"headers":{"operation":"update","index":0,"txid":"3"}}]

      event: data
      data: [{"headers":{"control":"reset","offset":"o","txid":"9"}},
      data: {"headers":{"control":"snapshot-start","offset":"o","txid":"9"}},
      data: {"type":"Post","key":"5","value":{"title":"d"},"headers":{"operation":"insert","index":0,"txid":"9"}},
      data: {"type":"Post","key":"7","value":{"title":"c"},"headers":{"operation":"insert","index":1,"txid":"9"}},
      data: {"headers":{"control":"snapshot-end","offset":"o","txid":"9","rowCount":2}}]


      """
    let expected = """
      version 1: 2 objects
      = 0        {"id":"7","title":"a"}
      = 1        {"id":"8","title":"b"}
      version 2: 2 objects
      > 1 → 0    "8"
      version 3: 1 object
      - 0        {"id":"8","title":"b"}
      ~ 0        "7"  title: "a" → "c"
      version 4: 2 objects
      + 0        {"id":"5","title":"d"}

      """
    for input in [input, input.replacingOccurrences(of: "\n", with: "\r\n")] {
      for options in [[], ["--batch", "1"]] {
        let run = try Tool.run(["--envelope", "state"] + options, input: input)
        #expect(run.output == expected)
        #expect(run.errors == "")
      }
    }
    let sorted = try Tool.run(
      ["--envelope", "state", "--sort", "title:desc", "--once", "--output", "json"], input: input)
    #expect(sorted.lines == [#"{"id":"5","title":"d"}"#, #"{"id":"7","title":"c"}"#])
  }

  @Test func `an event is shown when it is complete, and not only when the next one begins`() throws {
    let tool = try Conversation(["--envelope", "state", "--output", "count"])
    for (number, count) in [(1, "1"), (2, "2"), (3, "3")] {
      let headers = #"{"operation":"insert","index":0,"txid":"\#(number)"}"#
      try tool.say("data: [{\"type\":\"T\",\"key\":\"\(number)\",\"value\":{},\"headers\":\(headers)}]\n\n")
      #expect(try tool.line() == count)
    }
    try tool.say(#"[{"type":"T","key":"1","headers":{"operation":"delete","from":2,"txid":"4"}}]"# + "\n")
    #expect(try tool.line() == "2")
  }

  @Test func `messages of other servers need no places, no txid and no events`() throws {
    let input = """
      {"type":"user","key":"a","value":{"n":1},"headers":{"operation":"insert"}}
      {"type":"user","key":"b","value":{"n":2},"headers":{"operation":"insert","timestamp":"2026-01-01T00:00:00Z"}}
      {"headers":{"control":"heartbeat"}}
      {"type":"user","key":"a","value":{"n":3},"old_value":{"n":1},"headers":{"operation":"update"}}
      {"type":"user","key":"b","headers":{"operation":"delete"}}
      {"headers":{"control":"reset"}}
      {"type":"user","key":"c","value":{"n":4},"headers":{"operation":"insert"}}
      """
    let run = try Tool.run(["--envelope", "state", "--output", "csv", "--columns", "n"], input: input)
    #expect(run.errors == "")
    #expect(
      run.lines == [
        "version,change,oldIndex,newIndex,n", "1,initial,,0,1", "2,insert,,1,2", "3,modify,0,0,3",
        "4,delete,1,,2", "5,delete,0,,3", "6,insert,,0,4",
      ])
  }

  @Test(arguments: [
    ("3", "expected a message with key, value and headers"),
    (#"{"id":1}"#, "expected a message with key, value and headers"),
    (#"{"error":{"code":"invalidFilter","message":"no"}}"#, "the server reports: no"),
    (
      #"{"key":"a","value":{},"headers":{"operation":"merge"}}"#,
      #"unknown operation "merge""#
    ),
    (#"{"key":1,"value":{},"headers":{"operation":"insert"}}"#, "the key is a number, not a text"),
    (#"{"key":"a","value":3,"headers":{"operation":"insert"}}"#, "value is not an object"),
    (#"{"key":"a","value":{},"headers":{"operation":"insert","index":-1}}"#, "index is not a place: -1"),
    (
      #"{"key":"a","value":{},"headers":{"operation":"insert","index":1}}"#,
      #"the object "a" is put at 1 of 0 objects"#
    ),
    (
      #"{"key":"a","headers":{"operation":"delete","from":0}}"#,
      #"the object "a" is not at 0, where it is taken from"#
    ),
    (
      #"[{"headers":{"control":"snapshot-start"}},{"headers":{"control":"snapshot-end","rowCount":2}}]"#,
      "the snapshot has 0 objects, and 2 at the server"
    ),
    (#"[{"headers":{"control":"snapshot-start"}}]"#, "the snapshot does not end"),
    (#"data: {"key":"a""#, "expected , or }, found the end of the text"),
  ])
  func `a message that makes no sense is a bad line, and why is said`(line: String, reason: String) throws {
    let good = #"{"key":"z","value":{},"headers":{"operation":"insert"}}"#
    let run = try Tool.run(
      ["--envelope", "state", "--once", "--output", "count"], input: good + "\n" + line + "\n\n")
    let message = run.errors.split(separator: "\n").first.map(String.init)
    #expect(message?.hasPrefix("-:2: ") == true && message?.contains(reason) == true, "\(run.errors)")
  }

  @Test func `types whose keys differ are read together, and --type selects one of others`() throws {
    func line(_ type: String, _ key: String, _ n: Int) -> String {
      #"{"type":"\#(type)","key":"\#(key)","value":{"n":\#(n)},"headers":{"operation":"insert"}}"# + "\n"
    }
    let options = ["--envelope", "state", "--once", "--output", "json"]
    let apart = try Tool.run(options, input: line("A", "1", 1) + line("B", "2", 2))
    #expect(apart.lines == [#"{"id":"1","n":1}"#, #"{"id":"2","n":2}"#] && apart.errors == "")
    let common = line("A", "1", 1) + line("B", "1", 2)
    let run = try Tool.run(options, input: common)
    #expect(run.lines == [#"{"id":"1","n":1}"#])
    #expect(run.errors.hasPrefix(#"-:2: the key "1" is of two types, "A" and "B"; --type selects one"#))
    let selected = try Tool.run(options + ["--type", "B"], input: common)
    #expect(selected.lines == [#"{"id":"1","n":2}"#] && selected.errors == "")
  }

  @Test func `a snapshot that was cut is forgotten when another begins, and so is half an event`() throws {
    let row = #"{"type":"T","key":"1","value":{"n":1},"headers":{"operation":"insert","index":0,"txid":"1"}}"#
    let start = #"{"headers":{"control":"snapshot-start","txid":"1"}}"#
    let end = #"{"headers":{"control":"snapshot-end","txid":"1","rowCount":1}}"#
    let input = """
      event: data
      data: [\(start),
      data: \(row.replacingOccurrences(of: "\"1\",\"value\"", with: "\"9\",\"value\"")),
      data: {"type":"T","ke
      event: data
      data: [\(start),
      data: \(row),
      data: \(end)]


      """
    let run = try Tool.run(["--envelope", "state", "--output", "json"], input: input)
    #expect(
      run.lines == [#"{"version":1,"change":"initial","id":"1","newIndex":0,"new":{"id":"1","n":1}}"#],
      "\(run.errors)"
    )
    #expect(run.errors.hasPrefix("-:4: "), "\(run.errors)")
    #expect(!run.errors.contains("the snapshot does not end"), "\(run.errors)")
  }

  @Test func `events without the option are recognised, and the option is named`() throws {
    let run = try Tool.run([], input: "event: data\ndata: [{\"key\":\"1\"}]\n\n")
    #expect(run.status == 65)
    #expect(run.errors.contains("the input seems to be server-sent events, which --envelope state reads"))
  }

  @Test func `the key is the id of an object that has none of its own`() throws {
    let input = [#"{"id":7,"n":1}"#, #"{"n":2}"#].enumerated().map {
      #"{"key":"k\#($0)","value":\#($1),"headers":{"operation":"insert"}}"# + "\n"
    }.joined()
    let run = try Tool.run(["--envelope", "state", "--once", "--output", "json"], input: input)
    #expect(run.lines == [#"{"id":7,"n":1}"#, #"{"id":"k1","n":2}"#])
  }

  @Test func `groups, and windows of time, are those of the values`() throws {
    let input = (1...4).map {
      #"{"key":"\#($0 % 3)","value":{"k":"\#($0 % 2)","n":\#($0)},"headers":{"operation":"insert"}}"# + "\n"
    }.joined()
    let groups = ["--group-by", "k", "--sum", "n", "--once", "--output", "csv"]
    // The fourth replaces the first, which has the same key.
    #expect(
      try Tool.run(["--envelope", "state"] + groups, input: input).lines == ["k,sum(n)", "0,6", "1,3"])
  }
}

@Suite struct StreamPlaceTests {
  @Test(arguments: Seeds.forSuite(5, thorough: 100))
  func `there is a place between any two, and its text has its order`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var places: [StreamPlace] = []
    for _ in 0..<2_000 {
      // Often beside the same ones, where room gets scarce.
      let index =
        [0, places.count, places.count / 2, Int.random(in: 0...places.count, using: &random)]
        .randomElement(using: &random) ?? 0
      let (low, high) = (
        index > 0 ? places[index - 1] : nil, index < places.count ? places[index] : nil
      )
      let place = StreamPlace(between: low, and: high)
      if let low { #expect(low.text < place.text, "seed \(seed)") }
      if let high { #expect(place.text < high.text, "seed \(seed)") }
      places.insert(place, at: index)
    }
  }

  @Test func `places stay short where objects come at the same place, whichever it is`() {
    for isBehind in [true, false] {
      var (low, high): (StreamPlace?, StreamPlace?) = (nil, nil)
      var longest = 0
      for _ in 0..<100_000 {
        let place = StreamPlace(between: low, and: high)
        longest = max(longest, place.text.utf8.count)
        if isBehind { low = place } else { high = place }
        if low == nil { low = StreamPlace(between: nil, and: place) }
        if high == nil { high = StreamPlace(between: place, and: nil) }
      }
      #expect(longest <= 36)
    }
  }
}
