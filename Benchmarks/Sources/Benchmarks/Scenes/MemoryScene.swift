import HashTreeCollections
import LiveStore

enum MemoryScene {
  @Sendable static func run(_ session: Session) async throws {
    for count in session.rows() {
      let items = Item.many(count)
      try await rows(session, items)
      try await indexes(session, items)
      try await queries(session, items)
      try await versions(session, items)
    }
  }

  private static func record(
    _ session: Session, _ work: String, _ count: Int, _ samples: [(name: String, values: [Double])]
  ) {
    session.record(work, rows: count, unit: .bytes, samples: samples)
  }

  /// Whole bytes of a row, in each place where it may be. Its text is shared with the array that it came from.
  private static func rows(_ session: Session, _ items: [Item]) async throws {
    let count = Double(items.count)
    func perRow<Value>(_ make: () throws -> Value) async throws -> [Double] {
      [Double(try await session.bytes(make).1) / count]
    }
    record(
      session, "a row", items.count,
      [
        ("LiveStore", try await perRow { try fill(items) }),
        ("Array", try await perRow { Array(items.lazy.map(\.self)) }),
        ("Dictionary", try await perRow { Targets.filledDictionary(items) }),
        (
          "TreeDictionary",
          try await perRow { TreeDictionary(uniqueKeysWithValues: items.map { ($0.id, $0) }) }
        ),
        ("GRDB", try await perRow { try SQLite(items) }),
      ])
  }

  private static func indexes(_ session: Session, _ items: [Item]) async throws {
    let count = Double(items.count)
    let (one, two, five) = (
      items.map { OneIndex($0) }, items.map { TwoIndexes($0) }, items.map { FiveIndexes($0) }
    )
    let bare = Double(try await session.bytes { try fill(items) }.1)
    let first = Double(try await session.bytes { try fill(one) }.1) - bare
    let both = Double(
      try await session.bytes {
        let store = try Store(TwoIndexes.self)
        try insert(two, into: store)
        return store
      }.1)
    let all = Double(
      try await session.bytes {
        let store = try Store(FiveIndexes.self)
        try insert(five, into: store)
        return store
      }.1)
    let plain = Double(try await session.bytes { try SQLite(items) }.1)
    let indexed = Double(try await session.bytes { try SQLite(items, indexes: ["score"]) }.1)
    record(
      session, "an index, a row", items.count,
      [("LiveStore", [first / count]), ("GRDB", [(indexed - plain) / count])])
    record(session, "two indexes, a row", items.count, [("LiveStore", [(both - bare) / count])])
    let wider = Double(MemoryLayout<FiveIndexes>.stride - MemoryLayout<Item>.stride) * count
    record(session, "five indexes, a row", items.count, [("LiveStore", [(all - bare - wider) / count])])
  }

  private static func queries(_ session: Session, _ items: [Item]) async throws {
    let store = try fill(items)
    let (half, size) = try await session.bytes { try store.subscribe(Targets.sortedHalf) }
    record(
      session, "a live query of half the rows, a row of its result", items.count,
      [("LiveStore", [Double(size) / Double(half.value.count)])])
    let number = 1_000
    let (few, fewSize) = try await session.bytes {
      try (0..<number).map { group in
        let group = Int32(group)
        return try store.subscribe(Item.where { $0.group == group }).changes.makeAsyncIterator()
      }
    }
    record(
      session, "a live query of few rows", items.count, [("LiveStore", [Double(fewSize) / Double(number)])])
    withExtendedLifetime(few) {}
  }

  /// What a million updates leave behind, beside what the table takes: in the history alone, and when a snapshot is
  /// held before each of ten
  /// thousand more, of which the history alone holds a thousand.
  private static func versions(_ session: Session, _ items: [Item]) async throws {
    let updates = session.isQuick ? 20_000 : 1_000_000
    let ids = randomNumbers(updates, below: items.count, seed: 51)
    let (store, loaded) = try await session.bytes { try fill(items) }
    let (_, grown) = try await session.bytes {
      for (round, id) in ids.enumerated() { try setScore(store, id, round) }
    }
    let (snapshots, held) = try await session.bytes {
      try ids.prefix(10_000).map { id in
        try setScore(store, id, -1)
        return store.snapshot()
      }
    }
    record(
      session, "the table after \(Table.grouped(updates)) updates, a row", items.count,
      [
        ("LiveStore", [Double(loaded + grown) / Double(items.count)]),
        ("as loaded", [Double(loaded) / Double(items.count)]),
      ])
    record(
      session, "a snapshot held before each of 10,000 updates, an update", items.count,
      [("LiveStore", [Double(held) / 10_000])])
    withExtendedLifetime(snapshots) {}
  }
}
