import LiveStore

enum QueryScene {
  private enum Kind: String, CaseIterable { case equality, range, mixed }

  @Sendable static func run(_ session: Session) async throws {
    let sizes = session.isQuick ? [1, 100, 1_000] : [1, 100, 10_000, 100_000]
    for kind in Kind.allCases {
      for size in sizes { try await one(session, kind, size) }
    }
    for size in sizes where size <= 10_000 { try await all(session, size) }
  }

  /// Ranges divide the scores below a million.
  private static func query(_ kind: Kind, _ index: Int, of count: Int) -> Query<Item> {
    if kind == .equality || kind == .mixed && index % 2 == 0 {
      let group = Int32(index)
      return Item.where { $0.group == group }
    }
    let width = max(2, 1_000_000 / count)
    let range = index * width..<(index + 1) * width
    return Item.where { $0.score.in(range) }
  }

  private static func subscriptions(_ store: Store, _ kind: Kind, _ count: Int) throws -> [Any] {
    try (1..<max(2, count)).map { index in
      try store.subscribe(query(kind, index, of: count)).changes.makeAsyncIterator()
    }
  }

  /// A commit that concerns the first query alone. By hand: the filters as closures, each asked with the row before
  /// and after.
  private static func one(_ session: Session, _ kind: Kind, _ count: Int) async throws {
    let store = try fill(Item.many(10_000))
    let others: [Any] = count > 1 ? try subscriptions(store, kind, count) : []
    let first = query(kind == .mixed ? .range : kind, 0, of: count)
    let filters = (0..<count).map { index -> (Item) -> Bool in
      let width = max(2, 1_000_000 / count)
      let (group, range) = (Int32(index), index * width..<(index + 1) * width)
      let isEquality = kind == .equality || kind == .mixed && index % 2 == 0
      return isEquality ? { $0.group == group } : { range.contains($0.score) }
    }
    try await session.race(
      "a commit that concerns one of many, \(kind.rawValue)", rows: 10_000, parameter: ("queries", count),
      [
        Contestant("LiveStore", .median) { watch in
          try await store.write { tx in try tx.update(Item.self, 0) { $0.score = 0 } }
          var iterator = try store.subscribe(first).changes.makeAsyncIterator()
          for round in 0..<1_000 {
            try await watch.time {
              try await store.write { tx in try tx.update(Item.self, 0) { $0.score = (round + 1) % 2 } }
              guard await iterator.next() != nil else { throw Failure.noEvent }
            }
          }
        },
        Contestant("closures by hand") { watch in
          var item = Item(0)
          let matches = watch.time {
            var matches = 0
            let old = item
            item.score = 1 - min(1, max(0, item.score))
            for filter in filters where filter(old) != filter(item) || filter(item) { matches += 1 }
            return matches
          }
          blackHole(matches)
        },
      ])
    withExtendedLifetime(others) {}
  }

  /// One commit of 10,000 rows that concerns all queries, until the last has its change set.
  private static func all(_ session: Session, _ count: Int) async throws {
    let items = Item.many(10_000).map { item in
      var item = item
      item.group = Int32(item.id % count)
      return item
    }
    let store = try fill(items)
    // One in `count` of the rows each.
    var iterators = try (0..<count).map { index in
      let number = Int32(index)
      return try store.subscribe(Item.where { $0.group == number }).changes.makeAsyncIterator()
    }
    var round = 0
    try await session.race(
      "a commit of 10,000 rows that concerns all", rows: 10_000, parameter: ("queries", count),
      [
        Contestant("LiveStore") { watch in
          round += 1
          let add = round
          try await watch.time {
            try await store.write { tx in try tx.update(Item.all) { $0.score &+= add } }
            for index in iterators.indices {
              guard await iterators[index].next() != nil else { throw Failure.noEvent }
            }
          }
        }
      ])
  }
}
