import Foundation
import LiveStore
import TestSupport
import Testing

private struct Reading: Entity {
  let id: Int
  var level = 0
  var score: Double?
  var weight = 0.0
  var name = ""
  var note: String?
  var isDone = false
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var plain = 0
  static let schema = Schema<Reading> {
    Property(\.level, .indexed)
    Property(\.score, .indexed)
    Property(\.weight, .indexed)
    Property(\.name, .indexed)
    Property(\.note, .indexed)
    Property(\.isDone, .indexed)
    Property(\.date, .indexed)
    \.plain
  }
}

private typealias Condition = (filter: Filter<Reading>, test: @Sendable (Reading) -> Bool)

/// Counts and extremes that the ends of index ranges give.
@Suite struct IndexedCountTests {
  private static let scores: [Double?] = [nil, .nan, -1, -0.0, 0, 1.5, 7, .infinity, nil]
  private static let names = ["", "a", "Zoe", "zoë", "zoe\u{308}", "é", "e\u{301}", "ea", "~"]

  private static let rows = (0..<400).map { id in
    Reading(
      id: id, level: id * 37 % 50, score: scores[id % 9], weight: scores[id % 8] ?? 3, name: names[id % 9],
      note: id % 3 == 0 ? nil : names[id % 7], isDone: id % 2 == 0,
      date: Date(timeIntervalSinceReferenceDate: id % 11 == 0 ? .nan : Double(id % 13)), plain: id % 5)
  }

  private func store() throws -> Store {
    let store = try Store(Reading.self)
    try store.write { try $0.insert(contentsOf: Self.rows) }
    return store
  }

  /// What one range of an index, or several, answer exactly.
  private static let exact: [Condition] = [
    (Filter { $0.level == 7 }, { $0.level == 7 }), (Filter { $0.level > 20 }, { $0.level > 20 }),
    (Filter { $0.level <= 20 }, { $0.level <= 20 }), (Filter { $0.level != 7 }, { $0.level != 7 }),
    (Filter { $0.level.in([3, 9, 3, 99]) }, { [3, 9, 99].contains($0.level) }),
    (Filter { $0.level > 5 && $0.level < 9 }, { (6..<9).contains($0.level) }),
    (
      Filter { $0.level < 5 || $0.level > 45 || $0.level == 20 },
      { $0.level < 5 || $0.level > 45 || $0.level == 20 }
    ),
    (Filter { !($0.level < 5) }, { $0.level >= 5 }), (Filter { $0.level.in(10...) }, { $0.level >= 10 }),
    (Filter { $0.score == nil }, { $0.score == nil }), (Filter { $0.score != nil }, { $0.score != nil }),
    (Filter { $0.score < 1 }, { $0.score.map { $0 < 1 } ?? false }),
    (Filter { $0.score <= 0 }, { $0.score.map { $0 <= 0 } ?? false }),
    (Filter { $0.score > -1 }, { $0.score.map { $0 > -1 } ?? false }),
    (Filter { $0.score.in(...0) }, { $0.score.map { $0 <= 0 } ?? false }),
    (Filter { !($0.score < 1) }, { !($0.score.map { $0 < 1 } ?? false) }),
    (Filter { $0.weight < 1 }, { $0.weight < 1 }), (Filter { $0.weight >= 0 }, { $0.weight >= 0 }),
    (Filter { $0.name == "é" }, { $0.name == "é" }), (Filter { $0.name != "zoë" }, { $0.name != "zoë" }),
    (Filter { $0.note == nil }, { $0.note == nil }), (Filter { $0.note == "a" }, { $0.note == "a" }),
    (Filter { $0.isDone }, { $0.isDone }), (Filter { !$0.isDone }, { !$0.isDone }),
    (
      Filter { $0.date < Date(timeIntervalSinceReferenceDate: 4) },
      { $0.date < Date(timeIntervalSinceReferenceDate: 4) }
    ),
    (Filter { $0.level > 20 && $0.level < 10 }, { _ in false }), (.everything, { _ in true }),
  ]

  /// What ranges may have more rows than, or other rows.
  private static let others: [Condition] = [
    (Filter { $0.score == .nan }, { _ in false }), (Filter { $0.score != .nan }, { _ in true }),
    (Filter { $0.score > .nan }, { _ in false }), (Filter { $0.score <= .nan }, { _ in false }),
    (Filter { $0.score.in([.nan, 7, nil]) }, { $0.score == 7 || $0.score == nil }),
    (Filter { $0.level > 40 && $0.plain == 1 }, { $0.level > 40 && $0.plain == 1 }),
    (Filter { $0.level > 40 || $0.plain == 1 }, { $0.level > 40 || $0.plain == 1 }),
    (Filter { $0.level > 40 || $0.isDone }, { $0.level > 40 || $0.isDone }),
    (Filter { $0.name.beginsWith("z") }, { $0.name.hasPrefix("z") }),
    (Filter { $0.level == 7 && $0.score == nil }, { $0.level == 7 && $0.score == nil }),
  ]

  @Test func `what a range of an index has exactly is counted without reading a row`() throws {
    let (snapshot, rows) = (try store().snapshot(), Self.rows)
    for (filter, test) in Self.exact {
      let query = Reading.where(filter)
      var work = QueryWork()
      let count = snapshot.state.context.count(query, &work)
      #expect(count == rows.count(where: test), "\(query)")
      #expect(work == QueryWork(), "\(query)")
      #expect(snapshot.value(of: query.count) == count, "\(query)")
      #expect(snapshot.count(query.offset(3).limit(5)) == min(5, max(0, count - 3)), "\(query)")
      #expect(snapshot.exists(query) == (count > 0), "\(query)")
    }
  }

  @Test func `what no range has exactly is counted by its rows`() throws {
    let (snapshot, rows) = (try store().snapshot(), Self.rows)
    for (filter, test) in Self.others {
      let query = Reading.where(filter)
      #expect(snapshot.count(query) == rows.count(where: test), "\(query)")
      #expect(snapshot.value(of: query.count) == rows.count(where: test), "\(query)")
    }
  }

  @Test func `a transaction counts what it has written`() throws {
    let store = try store()
    try store.write { tx in
      var rows = Self.rows
      for id in stride(from: 0, to: 400, by: 7) {
        try tx.update(Reading.self, id) { ($0.level, $0.score) = (99 - $0.level, nil) }
        (rows[id].level, rows[id].score) = (99 - rows[id].level, nil)
      }
      try tx.delete(Reading.self, 3)
      rows.remove(at: 3)
      for (filter, test) in Self.exact + Self.others {
        #expect(tx.count(Reading.where(filter)) == rows.count(where: test), "\(filter)")
      }
      #expect(tx.value(of: Reading.all.max(\.level)) == rows.map(\.level).max())
    }
  }

  @Test func `an extreme is read at the end of an index`() throws {
    let (snapshot, rows) = (try store().snapshot(), Self.rows)
    func check<Value: Equatable>(_ aggregate: Aggregate<Reading, Value>, _ expected: Value) {
      let found = aggregate.indexedValue(in: snapshot.state.context)
      #expect(found == .some(expected), "\(aggregate)")
      #expect(snapshot.value(of: aggregate) == expected, "\(aggregate)")
    }
    check(Reading.all.min(\.level), rows.map(\.level).min())
    check(Reading.where { $0.level > 20 }.min(\.level), rows.map(\.level).filter { $0 > 20 }.min())
    check(Reading.where { $0.level.in([3, 60, 9]) }.max(\.level), 9)
    check(Reading.where { $0.level > 60 }.max(\.level), nil)
    check(Reading.where { $0.score == nil }.min(\.score), nil)
    check(Reading.where { $0.score == nil }.max(\.score), nil)
    check(Reading.all.max(\.score), .infinity)
    check(Reading.where { $0.score < 7 }.min(\.score), -1)
    check(Reading.where { $0.score < 7 }.max(\.score), 1.5)
    check(Reading.all.max(\.name), "é")
    check(Reading.all.min(\.note), "")
    // NaN is the least value.
    #expect(snapshot.value(of: Reading.all.min(\.score))?.isNaN == true)
    #expect(Reading.all.min(\.weight).indexedValue(in: snapshot.state.context)??.isNaN == true)
  }

  @Test func `an extreme of other rows than those of a range is that of the rows`() throws {
    let (snapshot, rows) = (try store().snapshot(), Self.rows)
    for query in [
      Reading.where { $0.level > 20 && $0.plain == 1 }, Reading.sorted(by: \.plain).limit(7),
      Reading.where { $0.score > 0 }, Reading.filter { $0.id > 300 }, Reading.all.offset(390),
    ] {
      #expect(query.min(\.level).indexedValue(in: snapshot.state.context) == .none, "\(query)")
      #expect(snapshot.value(of: query.min(\.level)) == snapshot.fetch(query).map(\.level).min(), "\(query)")
    }
    #expect(Reading.all.max(\.plain).indexedValue(in: snapshot.state.context) == .none)
    #expect(snapshot.value(of: Reading.all.max(\.plain)) == rows.map(\.plain).max())
  }
}
