import Foundation
import LiveStore
import TestSupport
import Testing

import livestore_watch

/// Ends and lines that depend on the result and its changes, and objects that leave with time.
@Suite(.timeLimit(.minutes(20))) struct ResultConditionTests {
  private let files = TemporaryFiles()

  private func object(_ id: Int, _ state: String) -> String { #"{"id":\#(id),"state":"\#(state)"}"# + "\n" }

  // MARK: The end

  @Test(arguments: [
    ("3", [2: false, 3: true, 4: true]), (">= 3", [2: false, 3: true]), ("> 3", [3: false, 4: true]),
    ("<3", [2: true, 3: false]), ("<= 3", [3: true, 4: false]), ("== 0", [0: true, 1: false]),
    ("=2", [2: true, 3: false]),
  ]) func `a number of objects may stand behind a comparison`(text: String, answers: [Int: Bool]) throws {
    let condition = try #require(CountCondition(text))
    for (count, isMet) in answers { #expect(condition.isMet(by: count) == isMet) }
  }

  @Test(arguments: ["", "x", "-1", "!= 3", "=> 3", "3 4", "1.5"])
  func `what is no number of objects is refused`(text: String) {
    #expect(CountCondition(text) == nil)
  }

  @Test func `--until-empty ends when the last object has left the result`() throws {
    let tool = try Conversation(["--where", "state != 'done'", "--until-empty", "--output", "count"])
    try tool.say(object(1, "new") + object(2, "new"))
    #expect(try tool.line() == "2")
    try tool.say(object(1, "done"))
    #expect(try tool.line() == "1")
    try tool.say(object(2, "done"))
    #expect(try tool.line() == "0")
    #expect(try tool.end() == (0, ""))
  }

  @Test
  func `--until-empty ends where nothing that was read is in the result, and not while more can be read`()
    throws
  {
    let tool = try Conversation(["--where", "state != 'done'", "--until-empty", "--output", "count"])
    try tool.say(object(1, "done"))
    #expect(try tool.line() == "0")
    #expect(try tool.end() == (0, ""))
    // The first transaction of 1,000 lines has no object that is not done; a later one has.
    let done = (0..<1_000).map { object($0, "done") }.joined()
    let path = try files.file(done + object(2_000, "new"))
    let run = try Tool.run(["--where", "state != 'done'", "--until-empty", "--output", "count", path])
    #expect(run.lines == ["0", "1"])
    #expect(run.status == 2)
    #expect(run.errors == "livestore-watch: the input ended before --until-empty was met\n")
  }

  @Test func `--until-count ends with the version that has so many objects`() throws {
    let tool = try Conversation(["--until-count", "2", "--output", "count"])
    try tool.say(object(1, "a"))
    #expect(try tool.line() == "1")
    try tool.say(object(2, "a"))
    #expect(try tool.line() == "2")
    #expect(try tool.end() == (0, ""))
    let run = try Tool.run(["--until-count", "3"], input: object(1, "a"))
    #expect(run.status == 2)
    #expect(run.errors == "livestore-watch: the input ended before --until-count was met\n")
    // At the end of the input it is enough that the count is met.
    #expect(try Tool.run(["--until-count", "< 3"], input: object(1, "a")).status == 0)
  }

  // MARK: Which changes are printed

  /// An object in three states, and another one.
  private var changes: String { object(1, "new") + object(1, "open") + object(2, "new") + object(1, "shut") }

  @Test(arguments: [
    (#"old.state == "open" AND new.state != "open""#, ["modify 1"]),
    (#"change == "insert""#, ["insert 2"]), ("id == 1", ["initial 1", "modify 1", "modify 1"]),
    (#"new.state == "new""#, ["initial 1", "insert 2"]), ("version > 3", ["modify 1"]),
    ("newIndex == 1", ["insert 2"]),
  ]) func `only the changes that meet a filter are printed`(filter: String, expected: [String]) throws {
    let options = ["--batch", "1", "--changes-where", filter]
    let run = try Tool.run(options + ["--output", "json"], input: changes)
    let lines = try run.lines.map { line in
      let value = try JSONValue(parsing: line)
      guard case .string(let change) = value[path: ["change"]] else { return line }
      return "\(change) \(value[path: ["id"]])"
    }
    #expect(lines == expected)
    // With lines to look at, a version of which nothing is printed has no heading.
    let text = try Tool.run(options, input: changes)
    #expect(text.lines.count == 2 * expected.count)
  }

  @Test func `a command is given only the changes that meet a filter`() throws {
    let path = try files.file("")
    // However many versions a command is given together: the second object is new in them.
    let options = ["--batch", "1", "--changes-where", #"change == "insert""#]
    let run = try Tool.run(options + ["--output", "count", "--exec", "cat >>\(path)"], input: changes)
    #expect(run.status == 0)
    let given = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(given.count == 1)
    #expect(given.first?.contains(#""change":"insert","id":2"#) == true)
  }

  @Test func `a path behind old or new that no object has is named`() throws {
    let run = try Tool.run(["--changes-where", "new.stat == 'new' OR change == 'insert'"], input: changes)
    #expect(run.errors == "livestore-watch: no object has stat (did you mean state?)\n")
  }

  // MARK: Templates

  @Test(arguments: [
    ("{id} is {state}", ["1 is new", "1 is open", "2 is new", "1 is shut"]),
    (
      "{@change}: {@old.state}→{state}",
      ["initial: →new", "modify: new→open", "insert: →new", "modify: open→shut"]
    ),
    (#"{{{["state"]}}}\t{missing}\\"#, ["{new}\t\\", "{open}\t\\", "{new}\t\\", "{shut}\t\\"]),
    ("{id}", ["1", "2"]), ("x", ["x", "x", "x", "x"]),
    // What is named of the object before is named.
    ("{id} {@old.state}", ["1 ", "1 new", "2 ", "1 open"]), ("{@version}", ["1", "2", "3", "4"]),
  ]) func `a template makes a line of each change of the values that it names`(
    template: String, lines: [String]
  ) throws {
    let run = try Tool.run(["--batch", "1", "--format", template], input: changes)
    #expect(run.output == lines.map { $0 + "\n" }.joined())
    #expect(run.status == 0)
  }

  @Test func `a template has numbers as they were read, and one line of each text`() throws {
    let csv = "id,price,name\n1,12.50,\"a\nb\"\n"
    let run = try Tool.run(["--input", "csv", "--once", "--format", "{name}: {price}"], input: csv)
    #expect(run.output == "a\\nb: 12.50\n")
  }

  @Test func `null is nothing in a template, and a command is given whole objects beside it`() throws {
    let path = try files.file("")
    let input = #"{"id":1,"a":null,"b":2}"# + "\n"
    let run = try Tool.run(["--format", "<{a}>", "--exec", "cat >>\(path)"], input: input)
    #expect(run.output == "<>\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains(#""new":{"id":1,"a":null,"b":2}"#))
  }

  @Test(arguments: [
    (["--changes-where", "state == 'new'"], "--changes-where: the line of --output json has no state"),
    (["--format", "{@stat}"], "--format: the line of --output json has no stat"),
    (["--changes-where", "id == 1", "--output", "count"], "--changes-where needs --output changes"),
    (["--sum", "v", "--columns", "g"], "--columns: a group has no g, but sum(v)"),
    (
      ["--group-by", "g", "--sort", "cont"], "--sort: a group has no cont, but g, count (did you mean count?)"
    ),
    (["--group-by", "g", "--format", "{g} {v}"], "--format: a group has no v, but g, count"),
    (["--percentile", "50", "--once"], "--percentile 50: expected numbers from 0 to 100 and a path"),
  ]) func `a path of what is known is refused if it is not there`(options: [String], message: String) throws {
    let run = try Tool.run(options)
    #expect(run.status == 64)
    #expect(run.errors.hasPrefix("livestore-watch: " + message), "\(run.errors)")
  }

  @Test func `totals of text alone, and lines older than the windows that are kept, have a line at the end`()
    throws
  {
    let texts = #"{"id":1,"v":"12.5"}"# + "\n" + #"{"id":2,"v":"7"}"# + "\n"
    let sum = try Tool.run(["--sum", "v", "--once", "--output", "json"], input: texts)
    #expect(sum.output == #"{"sum(v)":0}"# + "\n")
    #expect(sum.errors == "livestore-watch: v is totalled as a number, and is text in 2 objects\n")
    let times = (0..<1_001).map { #"{"id":1,"t":\#($0)}"# + "\n" }.joined() + #"{"id":1,"t":0}"# + "\n"
    let windows = try Tool.run(["--every", "1s,t", "--output", "count"], input: times)
    #expect(windows.lines.last == "1000")
    #expect(
      windows.errors
        == "livestore-watch: 1 object older than the windows that are kept live is in no window\n")
  }

  @Test func `totals of the command line replace those of a named query`() throws {
    let queries = try files.file("a: --sum v --percentile 50 v --avg v\n")
    let options = ["--queries", queries, "--query", "a", "--sum", "id", "--percentile", "99", "v", "--once"]
    let run = try Tool.run(options + ["--output", "json"], input: #"{"id":1,"v":3}"# + "\n")
    #expect(run.output == #"{"avg(v)":3,"sum(id)":1,"p99(v)":3}"# + "\n")
  }

  @Test func `a template of groups names their values`() throws {
    let options = ["--group-by", "state", "--count", "--sum", "id", "--once"]
    let run = try Tool.run(options + ["--format", "{state} {count} {sum(id)}"], input: changes)
    #expect(run.output == "new 1 2\nshut 1 1\n")
  }

  @Test(arguments: ["{", "{a", "a}", "{}", "{@}", "{{a}", "\\"])
  func `a template with a brace that is not closed, or without a path, is refused`(template: String) throws {
    let run = try Tool.run(["--format", template])
    #expect(run.status == 64)
    #expect(run.errors.hasPrefix("livestore-watch: --format"))
  }

  // MARK: Objects that leave

  @Test func `an object that is not written for a time leaves the result`() throws {
    let tool = try Conversation(["--expire", "300ms", "--output", "json", "--columns", "state"])
    try tool.say(object(1, "a"))
    #expect(try tool.line()?.contains(#""change":"initial","id":1"#) == true)
    #expect(try tool.line()?.contains(#""change":"delete","id":1"#) == true)
    try tool.say(object(1, "b"))
    #expect(try tool.line()?.contains(#""change":"insert","id":1"#) == true)
    try tool.finish()
    #expect(try tool.line() == nil)
    #expect(try tool.end().status == 0)
  }

  @Test func `an object that leaves is subtracted from its group`() throws {
    let options = ["--expire", "300ms", "--group-by", "state", "--no-key", "--output", "count"]
    let tool = try Conversation(options)
    try tool.say(object(1, "a") + object(1, "a") + object(2, "b"))
    #expect(try tool.line() == "2")
    #expect(try tool.line() == "0")
  }

  /// The times of writing in a dictionary.
  private struct PlainExpiry {
    var written: [Int: ContinuousClock.Instant] = [:]
  }

  @Test func `objects leave after their time, and no later than a 64th of it after that`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for _ in 0..<50 {
      let start = ContinuousClock.now
      var (now, model) = (start, PlainExpiry())
      let period = Duration.milliseconds(Int.random(in: 1...2_000, using: &random))
      var expiry = Expiry(seconds: period / .seconds(1), now: start)
      for _ in 0..<300 {
        now += period * Double.random(in: 0...0.2, using: &random)
        let id = Int.random(in: 0..<20, using: &random)
        let document = Document(id: JSONValue(id), body: .object([:]))
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
          expiry.apply([.remove(document)], now: now)
          model.written[id] = nil
        case 1:
          expiry.apply([.removeAll(but: [document.id])], now: now)
          model.written = model.written.filter { $0.key == id }
        case 2: break
        default:
          expiry.apply([.several([.put(document), .nothing])], now: now)
          model.written[id] = now
        }
        let removed = Set(expiry.removals(now: now).compactMap { $0.document.flatMap { Int("\($0.id)") } })
        for (id, time) in model.written {
          let age = now - time
          if age < period * 0.999_999 { #expect(!removed.contains(id), "seed \(seed)") }
          if age > period * (1 + 1 / 64 + 0.000_001) { #expect(removed.contains(id), "seed \(seed)") }
        }
        for id in removed { #expect(model.written.removeValue(forKey: id) != nil, "seed \(seed)") }
        // It wakes for those that are left, and not before the first of them.
        #expect((expiry.next == nil) == model.written.isEmpty, "seed \(seed)")
        if let next = expiry.next { #expect(next > now, "seed \(seed)") }
      }
    }
  }
}
