import LiveStore
import TestSupport
import Testing

private struct Reading: Entity {
  let id: Int
  var sensor: Int
  var value: Int
  var level: Double
  var small: Int8?
  var wide: UInt64
  var label: String
  static let schema = Schema<Reading> {
    Property(\.sensor, .indexed)
    \.value
    \.level
    \.small
    \.wide
    \.label
  }

  init(_ id: Int, _ random: inout SplitMix64) {
    self.id = id
    sensor = Int.random(in: 0..<7, using: &random)
    value = Int.random(in: .min / 4 ... .max / 4, using: &random)
    level = id % 50 == 3 ? .nan : Double(Int.random(in: -9...9, using: &random)) / 8
    small = id % 3 == 0 ? nil : Int8.random(in: .min ... .max, using: &random)
    wide = random.next()
    label =
      ["é", "e\u{301}", "a", "b", "prefix of eight bytes 1", "prefix of eight bytes 2"][
        Int.random(in: 0..<6, using: &random)]
  }
}

/// Aggregates that are read from a snapshot, which are folded while the rows are visited.
@Suite struct FoldedAggregateTests {
  private func check(_ count: Int, deletedPart: Int) throws {
    var random = SplitMix64(seed: UInt64(count))
    var rows = (0..<count).map { Reading($0, &random) }
    let store = try Store(Reading.self)
    try store.write { tx in
      try tx.insert(contentsOf: rows)
      for row in rows where row.id % deletedPart == 1 { try tx.delete(row) }
    }
    rows.removeAll { $0.id % deletedPart == 1 }
    let snapshot = store.snapshot()
    let filters: [(Query<Reading>, (Reading) -> Bool)] = [
      (Reading.all, { _ in true }), (Reading.where { $0.level > 0 }, { $0.level > 0 }),
      (Reading.where { $0.sensor == 3 }, { $0.sensor == 3 }),
      (
        Reading.where { $0.sensor.in(1..<3) && $0.value > 0 }, { (1..<3).contains($0.sensor) && $0.value > 0 }
      ),
      (Reading.where { $0.sensor > 99 }, { _ in false }),
      (Reading.filter { $0.id % 5 == 0 }, { $0.id % 5 == 0 }),
      // A sort makes no difference.
      (Reading.where { $0.level < 0 }.sorted(by: \.label, .descending), { $0.level < 0 }),
    ]
    for (query, test) in filters {
      let passing = rows.filter(test)
      let whole = passing.reduce(Int128(0)) { $0 + Int128($1.value) }
      #expect(snapshot.value(of: query.sum(\.value)) == Int(clamping: whole), "\(query)")
      let wide = passing.reduce(Int128(0)) { $0 + Int128($1.wide) }
      #expect(snapshot.value(of: query.sum(\.wide)) == UInt64(clamping: wide), "\(query)")
      let small = passing.compactMap(\.small)
      #expect(
        snapshot.value(of: query.sum(\.small)) == Int8(clamping: small.reduce(0) { $0 + Int($1) }), "\(query)"
      )
      let mean = small.isEmpty ? nil : Double(small.reduce(0) { $0 + Int($1) }) / Double(small.count)
      #expect(snapshot.value(of: query.average(\.small)) == mean, "\(query)")
      #expect(snapshot.value(of: query.min(\.small)) == .some(small.min()), "\(query)")
      #expect(snapshot.value(of: query.max(\.wide)) == passing.map(\.wide).max(), "\(query)")
      #expect(snapshot.value(of: query.count) == passing.count, "\(query)")
      // Eighths add up exactly.
      let level = snapshot.value(of: query.sum(\.level))
      let sum = passing.reduce(0) { $0 + $1.level }
      #expect(level == sum || level.isNaN && sum.isNaN, "\(query)")
    }
  }

  @Test(arguments: [0, 1, 2, 31, 32, 33, 64, 65, 1_000])
  func `an aggregate of a filter is that of the rows that pass`(count: Int) throws {
    try check(count, deletedPart: 7)
    try check(count, deletedPart: 2)
  }

  @Test
  func `of rows that tie, an extreme is that of the first or the last, read from an index or not`() throws {
    var random = SplitMix64(seed: 5)
    var rows = (0..<200).map { Reading($0, &random) }
    for index in rows.indices {
      rows[index].label = index % 2 == 0 ? "e\u{301}" : "é"
      // An index lists the last row first.
      rows[index].sensor = 200 - index
    }
    let store = try Store(Reading.self)
    try store.write { [rows] in try $0.insert(contentsOf: rows) }
    let snapshot = store.snapshot()
    for query in [Reading.all, Reading.where { $0.sensor.in(50..<58) }] {
      let passing = rows.filter { query == Reading.all || (50..<58).contains($0.sensor) }
      let (least, greatest) = (
        snapshot.value(of: query.min(\.label)), snapshot.value(of: query.max(\.label))
      )
      #expect(least.map { Array($0.unicodeScalars) } == passing.first.map { Array($0.label.unicodeScalars) })
      #expect(
        greatest.map { Array($0.unicodeScalars) } == passing.last.map { Array($0.label.unicodeScalars) })
    }
  }

  @Test
  func `the least of values with NaN is NaN, and the greatest is a number`() throws {
    var random = SplitMix64(seed: 6)
    let rows = (0..<100).map { Reading($0, &random) }
    let store = try Store(Reading.self)
    try store.write { [rows] in try $0.insert(contentsOf: rows) }
    let snapshot = store.snapshot()
    #expect(snapshot.value(of: Reading.all.min(\.level))?.isNaN == true)
    let numbers = rows.map(\.level).filter { !$0.isNaN }
    #expect(snapshot.value(of: Reading.all.max(\.level)) == numbers.max())
    #expect(snapshot.value(of: Reading.where { $0.level <= 9 }.min(\.level)) == numbers.min())
  }
}
