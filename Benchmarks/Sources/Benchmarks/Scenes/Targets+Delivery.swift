import LiveStore

extension Targets {
  static let sortedHalf = Item.where { $0.score < 500_000 }.sorted(by: \.score)

  /// What is computed, without threads that wake each other: the commit in a store without observers, the upkeep by
  /// the store's own count, and the change set of two results.
  @Sendable static func computation(_ session: Session) async throws {
    for count in rows(session) {
      let (store, small) = (try fill(Item.many(count)), try fill(Item.many(10_000)))
      let (observed, observedSmall) = (try fill(Item.many(count)), try fill(Item.many(10_000)))
      try await session.race(
        "commit to change set, half match, sorted: computation", rows: count,
        wanted: [.cost(20_000), .ratio(2, to: "LiveStore, 10,000 rows")],
        [
          Contestant("LiveStore") { watch in try await compute(store, observed, count, watch) },
          Contestant("LiveStore, 10,000 rows") { watch in
            try await compute(small, observedSmall, 10_000, watch)
          },
        ])
    }
  }

  static func compute(_ store: Store, _ observed: Store, _ count: Int, _ watch: Stopwatch) async throws {
    let rounds = 500
    let (commits, upkeep, changes) = (Stopwatch(), Stopwatch(), Stopwatch())
    var random = SplitMix64(state: UInt64(observed.version.number))
    for _ in 0..<rounds {
      let (id, score) = (
        Int.random(in: 0..<count, using: &random), Int.random(in: 0..<500_000, using: &random)
      )
      try commits.time { try setScore(store, id, score) }
    }
    let subscription = try observed.subscribe(sortedHalf)
    var iterator = subscription.changes.makeAsyncIterator()
    var before = subscription.value
    for _ in 0..<rounds {
      let (id, score) = (
        Int.random(in: 0..<count, using: &random), Int.random(in: 0..<500_000, using: &random)
      )
      if observed[Item.self, id]?.score == score { continue }
      let spent = observed.metrics.upkeepTime
      try setScore(observed, id, score)
      guard case .update? = await iterator.next() else { throw Failure.noEvent }
      upkeep.add(observed.metrics.upkeepTime - spent)
      let after = try observed.subscribe(sortedHalf).value
      changes.time { blackHole(before.changes(to: after)) }
      before = after
    }
    let parts = [commits, upkeep, changes].map { Spread($0.laps).median }
    watch.add(.nanoseconds(parts.reduce(0, +) * Double(rounds)), rounds)
  }

  /// From a write to the event in a task that waits for it.
  @Sendable static func delivery(_ session: Session) async throws {
    for count in rows(session) {
      let items = Item.many(count)
      let (store, small) = (try fill(items), try fill(Item.many(10_000)))
      let sqlite = try SQLite(items, indexes: ["score"])
      let byHand = LockedDictionary(items)
      // The demand against GRDB is one at a million rows, of which it reads half after each commit.
      let wanted: [Wanted] = [.cost(30_000), .ratio(2, to: "LiveStore, 10,000 rows")]
      let beyond: [Wanted] = count < 1_000_000 ? [] : [.ratio(0.0001, to: "GRDB observation")]
      try await session.race(
        "commit to change set, half match, sorted: delivered", rows: count, wanted: wanted + beyond,
        [
          Contestant("LiveStore", .median) { watch in try await deliver(store, count, 1_000, watch) },
          Contestant("LiveStore, 10,000 rows", .median) { watch in
            try await deliver(small, 10_000, 1_000, watch)
          },
          Contestant("AsyncStream alone", .median) { watch in try await wake(1_000, watch) },
          Contestant("GRDB observation", .median) { watch in try await deliver(sqlite, count, watch) },
          Contestant("Dictionary, filter, sort, difference") { watch in
            try await deliver(byHand, count, watch)
          },
        ])
    }
  }

  static func deliver(_ store: Store, _ count: Int, _ rounds: Int, _ watch: Stopwatch) async throws {
    var random = SplitMix64(state: UInt64(store.version.number))
    let subscription = try store.subscribe(sortedHalf)
    let changes = subscription.changes
    let receiver = Receiver { arrived in
      for await change in changes {
        if case .update(_, let changes) = change { blackHole(changes.modifications.count) }
        arrived()
      }
    }
    for round in 0..<rounds {
      // Half of the updates move a row across the edge, the others within the result.
      let (id, score) = (
        Int.random(in: 0..<count, using: &random), Int.random(in: 0..<500_000, using: &random)
      )
      let old = store[Item.self, id]?.score ?? 0
      if old >= 500_000 && round % 2 == 0 || old == score { continue }
      watch.add(
        try await receiver.time {
          try await store.write { tx in try tx.update(Item.self, id) { $0.score = score } }
        })
    }
    receiver.cancel()
  }

  /// What waking a task takes, without anything that is stored or computed.
  static func wake(_ rounds: Int, _ watch: Stopwatch) async throws {
    let (numbers, source) = AsyncStream.makeStream(of: Int.self)
    let receiver = Receiver { arrived in
      for await number in numbers {
        blackHole(number)
        arrived()
      }
    }
    for round in 0..<rounds { watch.add(try await receiver.time { source.yield(round) }) }
    receiver.cancel()
  }

  static func deliver(_ sqlite: SQLite, _ count: Int, _ watch: Stopwatch) async throws {
    var random = SplitMix64(state: 7)
    let observation = sqlite.observation("WHERE score < 500000 ORDER BY score")
    let receiver = Receiver { arrived in
      for try await records in observation {
        blackHole(records.count)
        arrived()
      }
    }
    _ = try await receiver.arrival()  // The initial value.
    for _ in 0..<3 {
      let (id, score) = (
        Int.random(in: 0..<count, using: &random), Int.random(in: 0..<500_000, using: &random)
      )
      watch.add(try await receiver.time { try sqlite.setScore(id, score) })
    }
    receiver.cancel()
  }

  static func deliver(_ byHand: LockedDictionary, _ count: Int, _ watch: Stopwatch) async throws {
    var before = byHand.sorted(below: 500_000)
    for id in randomNumbers(2, below: count, seed: 8) {
      watch.time {
        byHand.setScore(id, scattered(id) / 2)
        let after = byHand.sorted(below: 500_000)
        blackHole(after.difference(from: before).count)
        before = after
      }
      byHand.setScore(id, scattered(id))
      before = byHand.sorted(below: 500_000)
    }
  }
}

enum Failure: Error { case noEvent }
