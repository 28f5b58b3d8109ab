import LiveStore

extension Targets {
  /// Equality filters, of which a commit concerns one, against that one alone.
  @Sendable static func queries(_ session: Session) async throws {
    let (rows, many) = (10_000, session.isQuick ? 10_000 : 100_000)
    let (alone, crowd) = (try fill(Item.many(rows)), try fill(Item.many(rows)))
    var others: [Any] = []
    for group in 1..<many {
      let number = Int32(group)
      others.append(try crowd.subscribe(Item.where { $0.group == number }).changes.makeAsyncIterator())
    }
    try await session.race(
      "commit that concerns one live query", rows: rows, parameter: ("queries", many),
      wanted: [.ratio(2, to: "LiveStore, 1 query")],
      [
        Contestant("LiveStore", .median) { watch in try await updateFirst(crowd, watch) },
        Contestant("LiveStore, 1 query", .median) { watch in try await updateFirst(alone, watch) },
      ])
    withExtendedLifetime(others) {}
  }

  static func updateFirst(_ store: Store, _ watch: Stopwatch) async throws {
    var iterator = try store.subscribe(Item.where { $0.group == 0 }).changes.makeAsyncIterator()
    for _ in 0..<1_000 {
      let score = store.version.number
      try await watch.time {
        try await store.write { tx in try tx.update(Item.self, 0) { $0.score = -Int(score) } }
        guard case .update? = await iterator.next() else { throw Failure.noEvent }
      }
    }
  }
}
