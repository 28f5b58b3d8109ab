import LiveStore

extension Targets {
  @Sendable static func page(_ session: Session) async throws {
    for count in rows(session) {
      let items = Item.many(count)
      let store = try fill(items.map { OneIndex($0) })
      let sqlite = try SQLite(items, indexes: ["score"])
      let starts = randomNumbers(200, below: 900_000, seed: 1)
      for (text, lower) in [("from the start of the index", [500]), ("from anywhere", starts)] {
        let starts = (0..<200).map { lower[$0 % lower.count] }
        try await session.race(
          "first page of a range by its order, \(text)", rows: count, wanted: [.cost(20_000)],
          [
            Contestant("LiveStore") { watch in blackHole(watch.time(starts.count) { pages(store, starts) }) },
            Contestant("GRDB") { watch in
              blackHole(try watch.time(starts.count) { try pages(sqlite, starts) })
            },
          ])
      }
    }
  }

  private static func pages(_ store: Store, _ starts: [Int]) -> Int {
    var sum = 0
    for start in starts {
      for row in store.fetch(OneIndex.where { $0.score > start }.sorted(by: \.score).limit(20)) {
        sum &+= row.id
      }
    }
    return sum
  }

  private static func pages(_ sqlite: SQLite, _ starts: [Int]) throws -> Int {
    var sum = 0
    for start in starts {
      for row in try sqlite.records("WHERE score > ? ORDER BY score LIMIT 20", start) { sum &+= row.id }
    }
    return sum
  }

  @Sendable static func reads(_ session: Session) async throws {
    for count in rows(session) {
      let items = Item.many(count)
      let snapshot = try fill(items).snapshot()
      try await scans(session, items, snapshot)
      try await session.race(
        "sum of half of the rows, a row", rows: count, wanted: [.ratio(3, to: "loop")],
        [
          Contestant("LiveStore") { watch in
            blackHole(
              watch.time(count) { snapshot.value(of: Item.where { $0.score < 500_000 }.sum(\.score)) })
          },
          Contestant("loop") { watch in blackHole(watch.time(count) { sum(items, 500_000) }) },
        ])
      try await session.race(
        "fetch of half of the rows, a row", rows: count, wanted: [.ratio(1.1, to: "Array.filter")],
        [
          Contestant("LiveStore") { watch in
            blackHole(watch.time(count) { snapshot.fetch(Item.where { $0.score < 500_000 }).count })
          },
          Contestant("Array.filter") { watch in
            blackHole(watch.time(count) { items.filter { $0.score < 500_000 } })
          },
        ])
      try await session.race(
        "sort of all rows by an Int, a row", rows: count, wanted: [.ratio(0.7, to: "Array.sorted")],
        [
          Contestant("LiveStore") { watch in
            blackHole(watch.time(count) { snapshot.fetch(Item.sorted(by: \.score)).first?.id })
          },
          Contestant("Array.sorted") { watch in
            blackHole(watch.time(count) { items.sorted { $0.score < $1.score } })
          },
        ])
    }
  }

  private static func scans(_ session: Session, _ items: [Item], _ snapshot: Snapshot) async throws {
    for (text, limit) in [("a thousandth matches", 1_000), ("half match", 500_000)] {
      try await session.race(
        "count by an Int filter, \(text), a row", rows: items.count, wanted: [.ratio(1.1, to: "loop")],
        [
          Contestant("LiveStore") { watch in
            blackHole(watch.time(items.count) { snapshot.count(Item.where { $0.score < limit }) })
          },
          Contestant("loop") { watch in blackHole(watch.time(items.count) { count(items, limit) }) },
        ])
    }
  }

  @inline(never) static func count(_ items: [Item], _ limit: Int) -> Int {
    var matches = 0
    for item in items where item.score < limit { matches += 1 }
    return matches
  }

  @inline(never) static func sum(_ items: [Item], _ limit: Int) -> Int {
    var sum = 0
    for item in items where item.score < limit { sum += item.score }
    return sum
  }

  @Sendable static func snapshot(_ session: Session) async throws {
    for count in rows(session) {
      let store = try fill(Item.many(count))
      try await session.race(
        "snapshot", rows: count, wanted: [.cost(100)],
        [
          Contestant("LiveStore") { watch in
            watch.time(100_000) { for _ in 0..<100_000 { blackHole(store.snapshot()) } }
          }
        ])
    }
  }
}
