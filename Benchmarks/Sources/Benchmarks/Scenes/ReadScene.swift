import HashTreeCollections
import LiveStore
import OrderedCollections

enum ReadScene {
  @Sendable static func run(_ session: Session) async throws {
    for count in session.rows() {
      let items = Item.many(count)
      let store = try fill(items.map { OneIndex($0) })
      let sqlite = try SQLite(items, indexes: ["score"])
      try await lookups(session, items, sqlite)
      try await indexed(session, items, store.snapshot(), sqlite)
      try await ranges(session, items, store.snapshot(), sqlite)
      try await pages(session, items, store.snapshot(), sqlite)
      try await pagesOfValues(session, items)
      try await sorts(session, items, sqlite)
      try await aggregates(session, items, sqlite)
    }
  }

  private static func lookups(_ session: Session, _ items: [Item], _ sqlite: SQLite) async throws {
    let snapshot = try fill(items).snapshot()
    let dictionary = Targets.filledDictionary(items)
    let tree = TreeDictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
    let ordered = OrderedDictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
    let probes = randomNumbers(200_000, below: items.count, seed: 31)
    let few = Array(probes.prefix(20_000))
    try await session.race(
      "lookup by id", rows: items.count,
      [
        Contestant("LiveStore") { watch in
          blackHole(watch.time(probes.count) { Targets.found(snapshot, probes) })
        },
        Contestant("Dictionary") { watch in
          blackHole(watch.time(probes.count) { Targets.found(dictionary, probes) })
        },
        Contestant("TreeDictionary") { watch in
          blackHole(watch.time(probes.count) { probes.reduce(0) { $0 &+ (tree[$1]?.score ?? 0) } })
        },
        Contestant("OrderedDictionary") { watch in
          blackHole(watch.time(probes.count) { probes.reduce(0) { $0 &+ (ordered[$1]?.score ?? 0) } })
        },
        Contestant("GRDB") { watch in
          blackHole(try watch.time(few.count) { try sqlite.lookups(few) })
        },
      ])
  }

  private static func indexed(
    _ session: Session, _ items: [Item], _ snapshot: Snapshot, _ sqlite: SQLite
  ) async throws {
    let values = randomNumbers(500, below: items.count, seed: 32).map { items[$0].score }
    try await session.race(
      "rows of one indexed value", rows: items.count,
      [
        Contestant("LiveStore") { watch in
          blackHole(
            watch.time(values.count) {
              values.reduce(0) { sum, value in
                snapshot.fetch(OneIndex.where { $0.score == value }).reduce(sum) { $0 &+ $1.id }
              }
            })
        },
        Contestant("GRDB") { watch in
          blackHole(
            try watch.time(values.count) {
              try values.reduce(0) { sum, value in
                try sqlite.records("WHERE score = ?", value).reduce(sum) { $0 &+ $1.id }
              }
            })
        },
      ])
  }

  private static func ranges(
    _ session: Session, _ items: [Item], _ snapshot: Snapshot, _ sqlite: SQLite
  ) async throws {
    let starts = randomNumbers(20, below: 900_000, seed: 33)
    try await session.race(
      "a hundredth of the rows, by an indexed range", rows: items.count,
      [
        Contestant("LiveStore") { watch in
          blackHole(
            watch.time(starts.count) {
              starts.reduce(0) { sum, start in
                snapshot.fetch(OneIndex.where { $0.score.in(start..<start + 10_000) })
                  .reduce(sum) { $0 &+ $1.id }
              }
            })
        },
        Contestant("GRDB") { watch in
          blackHole(
            try watch.time(starts.count) {
              try starts.reduce(0) { sum, start in
                try sqlite.records("WHERE score >= \(start) AND score < \(start + 10_000)")
                  .reduce(sum) { $0 &+ $1.id }
              }
            })
        },
      ])
  }

  private static func pages(
    _ session: Session, _ items: [Item], _ snapshot: Snapshot, _ sqlite: SQLite
  ) async throws {
    let thousandth = min(20_000, items.count / 4)
    for (page, offset) in [("first page", 0), ("thousandth page", thousandth)] {
      try await self.page(
        session, "\(page) by an indexed order", items.count, snapshot,
        OneIndex.sorted(by: \.score).offset(offset).limit(20), sqlite,
        "ORDER BY score LIMIT 20 OFFSET \(offset)")
      try await self.page(
        session, "\(page) by an indexed order, with another filter", items.count, snapshot,
        OneIndex.where { $0.flag == 1 }.sorted(by: \.score).offset(offset).limit(20), sqlite,
        "WHERE flag = 1 ORDER BY score LIMIT 20 OFFSET \(offset)")
    }
  }

  /// The first rows of one of a hundred values, in the order of another property, which has an index too. SQLite has
  /// one index of both.
  private static func pagesOfValues(_ session: Session, _ items: [Item]) async throws {
    let grouped = items.map { item in
      var item = item
      item.group = Int32(scattered(-item.id) % 100)
      return item
    }
    let store = try Store(TwoIndexes.self)
    try insert(
      grouped.map { item in
        var row = TwoIndexes(item)
        row.group = item.group
        return row
      }, into: store)
    let sqlite = try SQLite(grouped, indexes: ["bucket, score"])
    let snapshot = store.snapshot()
    try await session.race(
      "first page of one value, by another order", rows: items.count,
      [
        Contestant("LiveStore") { watch in
          for group in Int32(0)..<20 {
            let query = TwoIndexes.where { $0.group == group }.sorted(by: \.score).limit(20)
            blackHole(watch.time { snapshot.fetch(query).reduce(0) { $0 &+ $1.id } })
          }
        },
        Contestant("GRDB") { watch in
          for group in 0..<20 {
            let rows = try watch.time {
              try sqlite.records("WHERE bucket = ? ORDER BY score LIMIT 20", group).reduce(0) { $0 &+ $1.id }
            }
            blackHole(rows)
          }
        },
      ])
  }

  private static func page(
    _ session: Session, _ work: String, _ count: Int, _ snapshot: Snapshot, _ query: Query<OneIndex>,
    _ sqlite: SQLite, _ sql: String
  ) async throws {
    try await session.race(
      work, rows: count,
      [
        Contestant("LiveStore") { watch in
          blackHole(watch.time { snapshot.fetch(query).reduce(0) { $0 &+ $1.id } })
        },
        Contestant("GRDB") { watch in
          blackHole(try watch.time { try sqlite.records(sql).reduce(0) { $0 &+ $1.id } })
        },
      ])
  }

  private static func sorts(_ session: Session, _ items: [Item], _ sqlite: SQLite) async throws {
    let count = items.count
    let snapshot = try fill(items).snapshot()
    try await session.race(
      "sort by an Int, without index, a row", rows: count,
      [
        Contestant("LiveStore") { watch in
          blackHole(watch.time(count) { snapshot.fetch(Item.sorted(by: \.score)).first?.id })
        },
        Contestant("Array.sorted") { watch in
          blackHole(watch.time(count) { items.sorted { $0.score < $1.score } })
        },
        Contestant("GRDB") { watch in
          blackHole(try watch.time(count) { try sqlite.records("ORDER BY +score") })
        },
      ])
    try await session.race(
      "sort by two keys, without index, a row", rows: count,
      [
        Contestant("LiveStore") { watch in
          blackHole(
            watch.time(count) { snapshot.fetch(Item.sorted(by: \.flag).sorted(by: \.name)).first?.id })
        },
        Contestant("Array.sorted") { watch in
          blackHole(watch.time(count) { items.sorted { ($0.flag, $0.name) < ($1.flag, $1.name) } })
        },
        Contestant("GRDB") { watch in
          blackHole(try watch.time(count) { try sqlite.records("ORDER BY flag, name") })
        },
      ])
  }

  private static func aggregates(_ session: Session, _ items: [Item], _ sqlite: SQLite) async throws {
    let count = items.count
    let snapshot = try fill(items).snapshot()
    try await session.race(
      "sum of half, without index, a row", rows: count,
      [
        Contestant("LiveStore") { watch in
          blackHole(watch.time(count) { snapshot.value(of: Item.where { $0.score < 500_000 }.sum(\.score)) })
        },
        Contestant("loop") { watch in blackHole(watch.time(count) { Targets.sum(items, 500_000) }) },
        Contestant("GRDB") { watch in
          blackHole(try watch.time(count) { try sqlite.number("sum(score)", "WHERE +score < 500000") })
        },
      ])
    try await session.race(
      "count of groups, a row", rows: count,
      [
        Contestant("LiveStore") { watch in
          blackHole(watch.time(count) { snapshot.value(of: Item.all.grouped(by: \.group).count) })
        },
        Contestant("Dictionary") { watch in
          blackHole(
            watch.time(count) {
              var counts: [Int32: Int] = [:]
              for item in items { counts[item.group, default: 0] += 1 }
              return counts
            })
        },
        Contestant("GRDB") { watch in
          blackHole(
            try watch.time(count) {
              // The groups stay in SQLite, which favours it.
              try sqlite.number(
                "(SELECT count(*) FROM (SELECT count(*) FROM item GROUP BY bucket))", "LIMIT 1")
            })
        },
      ])
  }
}
