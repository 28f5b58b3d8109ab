import Foundation
import LiveStore
import Synchronization
import TestSupport
import Testing
import livestore_watch

/// Totals of windows of time.
@Suite struct GroupWindowTests {
  private func time(_ text: String) -> UTCTime? {
    let bytes = Array(text.utf8)
    return bytes.withUnsafeBytes { UTCTime(JSONText($0)) }
  }

  @Test(arguments: [
    (#""1970-01-01T00:00:00Z""#, 0), (#""2026-11-29T18:30:00Z""#, 1_795_977_000_000),
    ("20261129", 1_795_910_400_000), ("21010101", 21_010_101_000),
    (#""20261129T183000Z""#, 1_795_977_000_000), (#""20261129T1930+01""#, 1_795_977_000_000),
    (#""20261129T183000.5""#, 1_795_977_000_500), (#""20261129""#, 1_795_910_400_000),
    (#""2026-11-29""#, 1_795_910_400_000), (#""2026-11-29 18:30""#, 1_795_977_000_000),
    (#""2026-11-29t18:30:00.5z""#, 1_795_977_000_500), (#""2026-11-29T18:30:00,0019""#, 1_795_977_000_001),
    (#""2026-11-29T19:30:00+01:00""#, 1_795_977_000_000), (#""2026-11-29T13:00:00-0530""#, 1_795_977_000_000),
    (#""2026-11-29 18:30:00.123456+00""#, 1_795_977_000_123), (#""1969-12-31T23:59:59.999Z""#, -1),
    (#""2024-02-29T00:00:00Z""#, 1_709_164_800_000), (#""2000-03-01""#, 951_868_800_000),
    (#""0001-01-01T00:00:00Z""#, -62_135_596_800_000), (#""9999-12-31T23:59:59Z""#, 253_402_300_799_000),
    (#""2016-12-31T23:59:60Z""#, 1_483_228_800_000),
    ("1795977000", 1_795_977_000_000), ("1795977000.3", 1_795_977_000_300),
    ("1795977000300", 1_795_977_000_300), ("1795977000300.9", 1_795_977_000_300), ("-0.001", -1), ("0", 0),
  ])
  func `times are numbers since 1970 and texts of ISO 8601`(text: String, milliseconds: Int64) throws {
    #expect(try #require(time(text)).milliseconds == milliseconds)
  }

  @Test(arguments: [
    #""""#, #""2026-11""#, #""2026-02-29""#, #""2026-13-01""#, #""2026-00-01""#, #""2026-04-31""#,
    #""2026-11-29T24:00:00Z""#, #""2026-11-29T18:60""#, #""2026-11-29T18:30:61Z""#,
    "20261301", "20260230", #""2026-11-29T18:30:00.Z""#, #""2026-1129""#, #""202611-29""#,
    #""20261129T18:30""#,
    #""2026-11-29T1830""#,
    #""2026-11-29T18:30:00+1""#, #""2026-11-29T18:30:00Z ""#, #""2026-11-29T""#, #""26-11-29""#,
    #""1795977000""#,
    "null", "true", "[1]", "1e300", "-1e12", "1e17", #""0000-01-01""#, #""２026-11-29""#,
  ])
  func `what is no time belongs to no window`(text: String) {
    #expect(time(text) == nil)
  }

  @Test(arguments: Seeds.forSuite(1, thorough: 4))
  func `times are read and written as Foundation does it`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      // Before 1582 Foundation has another calendar.
      let seconds = Int64.random(in: -12_000_000_000..<253_402_300_800, using: &random)
      let text = UTCTime(milliseconds: seconds * 1_000).text(hasMilliseconds: false)
      #expect(text == Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601), "seed \(seed)")
      #expect(time("\"\(text)\"")?.milliseconds == seconds * 1_000, "seed \(seed): \(text)")
    }
    #expect(UTCTime(milliseconds: -1).text(hasMilliseconds: true) == "1969-12-31T23:59:59.999Z")
  }

  private let lines = [
    #"{"id":1,"k":"a","x":4,"ts":"2026-11-29T18:30:00Z"}"#, #"{"id":1,"k":"a","x":2,"ts":1795977009.999}"#,
    #"{"id":2,"k":"b","x":1,"ts":"2026-11-29T18:30:10Z"}"#, #"{"id":3,"k":"b","x":1}"#,
    #"{"id":1,"k":"a","x":9,"ts":"2026-11-29 19:30:05+01"}"#, #"{"id":4,"k":"b","x":1,"ts":"soon"}"#,
  ].joined(separator: "\n")

  @Test func `every line counts in the window of its time, also if another replaces its object`() throws {
    let options = ["--every", "10s,ts", "--avg", "x", "--output", "json"]
    let all = try Tool.run(options + ["--once"], input: lines)
    #expect(
      all.lines == [
        #"{"window":"2026-11-29T18:30:00Z","count":3,"rate":0.3,"avg(x)":5}"#,
        #"{"window":"2026-11-29T18:30:10Z","count":1,"rate":0.1,"avg(x)":1}"#,
      ])
    #expect(all.errors == "livestore-watch: 2 objects without a time at ts are in no window\n")
    let live = try Tool.run(options + ["--group-by", "k", "--batch", "1"], input: lines)
    let last = try live.lines.last.map { try JSONValue(parsing: $0) }
    #expect(last?["id"] == ["2026-11-29T18:30:00Z", "a"] && last?["new"]["count"] == 3)
    let short = try Tool.run(
      ["--every", "500ms,ts", "--where", "x == 2", "--once", "--output", "csv"], input: lines)
    #expect(short.output == "window,count,rate\n2026-11-29T18:30:09.500Z,1,2\n")
  }

  @Test func `removals count in no window, and what they remove stays in its own`() throws {
    let lines = [
      #"{"payload":{"op":"c","before":null,"after":{"id":1,"ts":5}}}"#,
      #"{"payload":{"op":"u","before":{"id":1,"ts":5},"after":{"id":2,"ts":6}}}"#,
      #"{"payload":{"op":"d","before":{"id":2,"ts":6},"after":null}}"#, #"{"payload":{"op":"t"}}"#,
      #"{"payload":{"op":"c","before":null,"after":{"id":3,"ts":12}}}"#,
    ].joined(separator: "\n")
    let options = [
      "--every", "10s,ts", "--envelope", "debezium", "--columns", "window,count", "--output", "csv",
    ]
    let once = try Tool.run(options + ["--once"], input: lines)
    #expect(once.output == "window,count\n1970-01-01T00:00:00Z,2\n1970-01-01T00:00:10Z,1\n")
    let live = try Tool.run(options + ["--batch", "1"], input: lines)
    let changes = live.lines.dropFirst().map { $0.split(separator: ",").dropFirst().joined(separator: ",") }
    #expect(
      changes == [
        "initial,0,1970-01-01T00:00:00Z,1", "modify,0,0,1970-01-01T00:00:00Z,2",
        "insert,1,1970-01-01T00:00:10Z,1",
      ])
  }

  /// The groups of objects that arrive at the times that they have, also as `ts`.
  private func keeper(
    _ arguments: [String], _ lines: [(time: Double, key: String)], showsTrend: Bool = false
  ) throws -> GroupKeeper {
    guard case .watch(var options) = try Invocation(arguments: arguments) else { throw Exit(.usage) }
    options.showsChart = showsTrend
    let now = SharedTime()
    let keeper = try GroupKeeper(
      #require(options.groups), of: options.groupMembers,
      clock: { Date(timeIntervalSince1970: now.seconds.withLock { $0 }) })
    for (index, line) in lines.enumerated() {
      now.seconds.withLock { $0 = line.time }
      let body: JSONValue = ["k": .string(line.key), "ts": JSONValue(line.time)]
      keeper.take([InputChange.put(Document(id: JSONValue(index), body: body))])
    }
    keeper.update()
    return keeper
  }

  private final class SharedTime: Sendable {
    let seconds = Mutex(0.0)
  }

  private func texts(_ keeper: GroupKeeper) -> [String] {
    keeper.store.snapshot().fetch(Document.all).map(\.text).sorted()
  }

  @Test func `without a path lines belong to the window in which they arrive`() throws {
    let keeper = try keeper(
      ["--every", "1m"], [(59.9, "a"), (60, "a"), (61, "b"), (119.999, "a"), (120, "a")])
    #expect(
      texts(keeper) == [
        #"{"window":"1970-01-01T00:00:00Z","count":1,"rate":\#(1.0 / 60)}"#,
        #"{"window":"1970-01-01T00:01:00Z","count":3,"rate":0.05}"#,
        #"{"window":"1970-01-01T00:02:00Z","count":1,"rate":\#(1.0 / 60)}"#,
      ])
    let (minute, half) = (
      GroupWindow(length: "1m", path: nil), GroupWindow(length: "500ms", path: KeyPathText("t"))
    )
    #expect(minute?.seconds == 60 && minute?.isByArrival == true)
    #expect(half?.seconds == 0.5 && half?.isByArrival == false)
  }

  @Test func `the newest 1,000 windows are kept, and lines of older ones are left out`() throws {
    let times = (0..<1_003).map { (time: Double($0 * 2), key: "a") } + [(4, "a"), (6, "a"), (7, "a")]
    let keeper = try keeper(["--every", "1s,ts"], times)
    let windows = texts(keeper)
    #expect(windows.count == 1_000)
    // 3, 4, …, 1002 times two seconds were there; 7 is a window between, which displaces 6.
    #expect(windows.first == #"{"window":"1970-01-01T00:00:07Z","count":1,"rate":1}"#)
    #expect(windows[1] == #"{"window":"1970-01-01T00:00:08Z","count":1,"rate":1}"#)
    let once = (0..<1_003).map { #"{"ts":\#($0)}"# }.joined(separator: "\n")
    let all = try Tool.run(["--every", "1s,ts", "--once", "--output", "count"], input: once)
    #expect(all.output == "1003\n")
    let live = try Tool.run(["--every", "1s,ts", "--output", "count"], input: once)
    #expect(live.lines.last == "1000")
  }

  /// ```
  /// window   0   1   2 … 29  30  31
  /// a        2       1
  /// b            1
  /// ```
  @Test func `a trend moves on with time, and ends with the last window that has objects`() throws {
    let lines = [(0.5, "a"), (0.9, "a"), (1.2, "b"), (2, "a")].map { (time: $0.0, key: $0.1) }
    let keeper = try keeper(["--every", "1s", "--group-by", "k"], lines, showsTrend: true)
    func row(_ key: String, _ window: String, _ count: Int, _ counts: [Int: Int]) -> String {
      let trend = (0..<30).map { "\(counts[$0] ?? 0)" }.joined(separator: ",")
      return
        #"{"window":"1970-01-01T00:00:\#(window)Z","k":"\#(key)","count":\#(count),"rate":\#(count),"trend":[\#(trend)]}"#
    }
    #expect(texts(keeper) == [row("a", "02", 1, [27: 2, 29: 1]), row("b", "02", 0, [28: 1])])
    keeper.advance(to: Date(timeIntervalSince1970: 29.9))
    #expect(texts(keeper) == [row("a", "29", 0, [0: 2, 2: 1]), row("b", "29", 0, [1: 1])])
    keeper.advance(to: Date(timeIntervalSince1970: 30))
    #expect(texts(keeper) == [row("a", "30", 0, [1: 1]), row("b", "30", 0, [0: 1])])
    keeper.advance(to: Date(timeIntervalSince1970: 31))
    #expect(texts(keeper) == [row("a", "31", 0, [0: 1])])
    keeper.advance(to: Date(timeIntervalSince1970: 1_000_000))
    #expect(texts(keeper).isEmpty)
  }

  @Test func `with times of objects a trend moves on when a newer one is read`() throws {
    let lines = [(10.0, "a"), (40, "b"), (10, "a"), (11, "a"), (39, "b"), (40, "b")].map {
      (time: $0.0, key: $0.1)
    }
    let keeper = try keeper(
      ["--every", "1s,ts", "--group-by", "k", "--sum", "ts"], lines, showsTrend: true)
    keeper.advance(to: Date(timeIntervalSince1970: 1_000))
    let rows = try texts(keeper).map { try JSONValue(parsing: $0) }.sorted { $0["k"] < $1["k"] }
    // 10 is 30 windows before 40.
    #expect(rows.map { $0["k"] } == ["a", "b"] && rows.map { $0["count"] } == [0, 2])
    // The totals are those of the newest window.
    #expect(rows.map { $0["sum(ts)"] } == [0, 80])
    #expect(rows[0][path: ["trend", "0"]] == 1)
    #expect(rows[1][path: ["trend", "28"]] == 1 && rows[1][path: ["trend", "29"]] == 2)
  }

  @Test(arguments: Seeds.forSuite(2, thorough: 8))
  func `trends are the counts of the last 30 windows, whatever the order of times`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let lines = (0..<400).map { index in
      // Times move on, with some that are late by up to 50 windows.
      let time = max(0, index / 3 - Int.random(in: 0..<50, using: &random))
      return (time: Double(time), key: ["a", "b", "c"][Int.random(in: 0..<9, using: &random) / 4])
    }
    let options = ["--every", "1s,ts", "--group-by", "k", "--sum", "ts", "--percentile", "50 ts"]
    let rows = texts(try keeper(options, lines, showsTrend: true))
    let newest = lines.map(\.time).max() ?? 0
    let expected = ["a", "b", "c"].compactMap { key -> String? in
      let times = lines.filter { $0.key == key }.map(\.time)
      let trend = (0..<30).map { index in times.count { $0 == newest - 29 + Double(index) } }
      let count = trend[29]
      let clock = [Int(newest) / 60, Int(newest) % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(
        separator: ":")
      let (sum, median) = (count * Int(newest), count == 0 ? "null" : "\(Int(newest))")
      let counts = trend.map { "\($0)" }.joined(separator: ",")
      return trend.allSatisfy { $0 == 0 }
        ? nil
        : #"{"window":"1970-01-01T00:\#(clock)Z","k":"\#(key)","count":\#(count),"rate":\#(count),"#
          + #""sum(ts)":\#(sum),"p50(ts)":\#(median),"trend":[\#(counts)]}"#
    }
    #expect(rows == expected && !rows.isEmpty, "seed \(seed)")
  }
}
