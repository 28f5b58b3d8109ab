import Foundation
import LiveStore
import TestSupport
import Testing

private struct Measurement: Entity, Equatable {
  let id: Int
  var value: Double
  var code: Double?
  static let schema = Schema<Measurement> {
    Property(\.value, .indexed)
    Property(\.code, .unique)
  }
}

@Suite struct `NaN in properties` {
  private let store: Store

  init() async throws {
    store = try Store(Measurement.self)
    try await store.write { tx in
      for (id, value) in [3, .nan, -.infinity, .nan, 0, -0.0, .infinity].enumerated() {
        try tx.insert(Measurement(id: id, value: value))
      }
    }
  }

  private func ids(_ query: Query<Measurement>) -> [Int] { store.snapshot().fetch(query).map(\.id) }

  @Test
  func `NaN sorts first, equals nothing in a filter and is one key of groups, sections and distinct rows`() {
    #expect(ids(Measurement.sorted(by: \.value)) == [1, 3, 2, 4, 5, 0, 6])
    #expect(ids(Measurement.sorted(by: \.value, .descending)) == [6, 0, 4, 5, 2, 1, 3])
    #expect(ids(Measurement.where { $0.value == .nan }) == [])
    #expect(ids(Measurement.where { $0.value != .nan }) == Array(0..<7))
    #expect(ids(Measurement.where { $0.value < 0 }) == [2])
    #expect(ids(Measurement.where { $0.value >= -.infinity }) == [0, 2, 4, 5, 6])
    #expect(ids(Measurement.all.distinct(by: \.value)) == [0, 1, 2, 4, 6])
    let snapshot = store.snapshot()
    #expect(snapshot.value(of: Measurement.all.grouped(by: \.value).count).map(\.value) == [2, 1, 2, 1, 1])
    #expect(
      snapshot.value(of: Measurement.all.sectioned(by: \.value)).map { $0.map(\.id) } == [
        [1, 3], [2], [4, 5], [0], [6],
      ])
  }

  @Test func `a NaN that is written again is no modification, and a unique property has it once`()
    async throws
  {
    let received = Recorder<Int>()
    let token = store.observe(Measurement.all, initial: .skip) {
      received.append($0.changes?.modifications.count ?? -1)
    }
    let before = store.version
    try await store.write { tx in
      try tx.upsert(Measurement(id: 1, value: .nan))
      try tx.update(Measurement.self, 3) { $0.value = .nan + 1 }
    }
    try await store.settled()
    #expect(store.version == before && received.count == 0)
    try await store.write { tx in try tx.update(Measurement.self, 1) { $0.code = .nan } }
    try await store.settled()
    let error = await #expect(throws: StoreError.self) {
      try await store.write { tx in try tx.update(Measurement.self, 2) { $0.code = .nan } }
    }
    #expect(
      error?.code == StoreError.uniqueViolation && error?.property == "code" && error?.entity == "Measurement"
    )
    try await store.write { tx in
      try tx.update(Measurement.self, 1) { $0.code = 1 }
      try tx.update(Measurement.self, 2) { $0.code = .nan }
      try tx.update(Measurement.self, 3) { $0.value = 7 }
      try tx.update(Measurement.self, 0) { $0.value = .nan }
    }
    try await store.settled()
    #expect(received.events == [1, 4])
    #expect(ids(Measurement.sorted(by: \.value)) == [0, 1, 2, 4, 5, 3, 6])
    #expect(try store.snapshot().breachOfTables() == nil)
    token.invalidate()
  }
}

private struct Visit: Entity {
  let id: Int
  var date: Date
  var end: Date?
  var others: [Date] = []
  static let schema = Schema<Visit> {
    Property(\.date, .unique)
    \.end
    \.others
  }
}

/// Bug: Foundation ends the process when it describes such a date, and a filter of forty bytes had it described.
@Suite struct `Dates that are not numbers` {
  private static let nan = Date(timeIntervalSinceReferenceDate: .nan)

  @Test(arguments: [
    "ifnull(end, CAST(NAN, 'NSDate')) == date", "date == CAST(NAN, 'NSDate')",
    "date IN {CAST(NAN, 'NSDate')}",
    "date BETWEEN {CAST(NAN, 'NSDate'), CAST(INF, 'NSDate')}", "ANY others == CAST(NAN, 'NSDate')",
  ])
  func `a filter about such a date is read, described and run`(text: String) throws {
    let query = try Visit.where(format: text)
    #expect(!"\(query)".isEmpty)
    let store = try Store(Visit.self)
    try store.write { tx in try tx.insert(Visit(id: 1, date: .now)) }
    #expect(store.fetch(query).isEmpty)
    #expect(!query.explain(in: store.snapshot()).isEmpty)
  }

  @Test func `such a date is shown as nan, alone, wrapped and in lists`() throws {
    #expect(shown(Self.nan) == "nan" && shown(Optional(Self.nan)) == "nan")
    #expect(shown([Self.nan]) == "[nan]" && shown(Set([Self.nan])) == "[nan]")
    let store = try Store(Visit.self)
    try store.write { tx in try tx.insert(Visit(id: 1, date: Self.nan, others: [Self.nan])) }
    let query = Visit.where { $0.date == Self.nan || $0.others.contains(Self.nan) }
    #expect(!"\(query)".isEmpty)
  }

  private struct Day: RawRepresentable, Hashable, Sendable {
    var rawValue: Date
  }

  private struct Holiday: Entity {
    let id: Int
    var day: Day
    static let schema = Schema<Holiday> { \.day }
  }

  @Test func `values with such a date in them are shown without it`() throws {
    let query = try Holiday.where(format: "day == CAST(NAN, 'NSDate')")
    #expect("\(query)".contains("a date that is not a number"))
    let day = Day(rawValue: Self.nan)
    for value in [[day], [1: day], [Optional(Self.nan), nil], ["a": Self.nan], (1, [day])] as [Any] {
      #expect(shown(value).hasPrefix("a value of type"))
    }
    #expect(shown([Optional(Date(timeIntervalSinceReferenceDate: 0))]).contains("2001"))
  }
}

private struct Stay: Entity {
  let id: Int
  var start: Date
  var again: Date
  var end: Date?
  static let schema = Schema<Stay> {
    \.start
    Property(\.again, .indexed)
    \.end
  }
}

@Suite struct `The order of dates that are not numbers` {
  private let never = Date(timeIntervalSinceReferenceDate: .nan)

  /// Bug: `Date` has no `<=` of its own, so that one that is no number was `<=` and `>=` every other, but not by an index,
  /// and a live query had not what a fetch had.
  @Test(arguments: ["<", "<=", ">", ">="])
  func `a date that is no number is neither before nor behind another, however a filter is evaluated`(
    relation: String
  ) throws {
    let store = try Store(Stay.self)
    let texts = ["start", "again", "end", "ifnull(end, start)"].flatMap { path in
      ["\(path) \(relation) CAST(NAN, 'NSDate')", "\(path) \(relation) end AND id == 1"]
    }
    let queries = try texts.map { try Stay.where(format: $0) }
    try store.write { tx in
      try tx.insert(Stay(id: 0, start: Date(timeIntervalSinceReferenceDate: 5), again: .now, end: .now))
      try tx.insert(Stay(id: 1, start: never, again: never, end: never))
    }
    let snapshot = store.snapshot()
    for query in queries { #expect(snapshot.count(query) == 0, "\(query)") }
    let range = Date.distantPast...Date.distantFuture
    #expect(snapshot.fetch(Stay.where { $0.start.in(range) }).map(\.id) == [0])
    #expect(snapshot.fetch(Stay.where { $0.again.in(range) }).map(\.id) == [0])
    #expect(snapshot.fetch(Stay.where { $0.end.in(range) }).map(\.id) == [0])
  }
}
