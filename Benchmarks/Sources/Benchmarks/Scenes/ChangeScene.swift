import LiveStore

/// A live query of each form, and commits of which each changes its result.
enum ChangeScene {
  @Sendable static func run(_ session: Session) async throws {
    for count in session.rows() {
      let items = Item.many(count)
      let store = try fill(items)
      let sqlite = try SQLite(items, indexes: ["score"])
      let within = EditWithin(items, below: 500_000)
      try await follow(
        session, "half of the rows, sorted", store, Targets.sortedHalf, within, sqlite,
        "WHERE score < 500000 ORDER BY score")
      try await follow(
        session, "one row in a thousand, sorted", store, Item.where { $0.score < 1_000 }.sorted(by: \.score),
        EditWithin(items, below: 1_000), sqlite, "WHERE score < 1000 ORDER BY score")
      let across = EditAcross(items)
      try await follow(
        session, "the first 20 by order", store, Item.sorted(by: \.score).limit(20), across, sqlite,
        "ORDER BY score LIMIT 20")
      let offset = min(100_000, count / 2)
      try await follow(
        session, "20 rows after 100,000 (or half)", store, Item.sorted(by: \.score).offset(offset).limit(20),
        across, sqlite, "ORDER BY score LIMIT 20 OFFSET \(offset)")
      try await follow(
        session, "distinct by a property", store, Item.sorted(by: \.score).distinct(by: \.group),
        EditFirst(items),
        sqlite, "GROUP BY bucket HAVING min(score) IS NOT NULL ORDER BY min(score)")
      try await follow(
        session, "two sections, sorted", store, Item.sorted(by: \.score).sectioned(by: \.flag),
        EditFlag(items),
        sqlite, "ORDER BY flag, score")
      try await follow(
        session, "sum of half of the rows", store, Item.where { $0.score < 500_000 }.sum(\.score), within,
        sqlite,
        nil)
      try await relation(session, count)
    }
  }

  /// - Parameter condition: the same query in SQL; nil for the sum.
  private static func follow<Source: LiveSource>(
    _ session: Session, _ work: String, _ store: Store, _ source: Source, _ edit: some Edit, _ sqlite: SQLite,
    _ condition: String?
  ) async throws {
    try await session.race(
      work, rows: store.fetch(Item.all).count, runs: min(session.runs, 3),
      [
        Contestant("LiveStore", .median) { watch in
          var iterator = try store.subscribe(source).changes.makeAsyncIterator()
          for round in 0..<500 {
            let (id, change) = edit.next(round, store)
            try await watch.time {
              try await store.write { tx in try tx.update(Item.self, id, change) }
              guard await iterator.next() != nil else { throw Failure.noEvent }
            }
          }
        },
        Contestant("GRDB observation", .median) { watch in
          let receiver =
            condition.map { Receiver(sqlite.observation($0)) } ?? Receiver(sqlite.sumObservation())
          _ = try await receiver.arrival()
          for round in 0..<2 {
            let id = round * 2 + 1
            watch.add(try await receiver.time { try sqlite.touch(id) })
          }
          receiver.cancel()
        },
      ])
  }

  /// A writer moves to another country, and with it ten books leave or enter the result.
  private static func relation(_ session: Session, _ count: Int) async throws {
    let (store, books) = try library(count)
    try insert(books, into: store)
    let writers = count / 10
    try await session.race(
      "across a relation, ten rows enter or leave", rows: count, runs: min(session.runs, 3),
      [
        Contestant("LiveStore", .median) { watch in
          let query = Book.where { $0.writer.country == 3 }.sorted(by: \.score)
          var iterator = try store.subscribe(query).changes.makeAsyncIterator()
          for round in 0..<300 {
            let writer = (round * 7) % writers
            let target = store[Writer.self, writer]?.country == 3 ? 4 : 3
            if store.count(Book.where { $0.writer == Ref(writer) }) == 0 { continue }
            try await watch.time {
              try await store.write { tx in try tx.update(Writer.self, writer) { $0.country = target } }
              guard await iterator.next() != nil else { throw Failure.noEvent }
            }
          }
        }
      ])
  }
}
