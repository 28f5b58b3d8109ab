import LiveStore

enum ObserverScene {
  @Sendable static func run(_ session: Session) async throws {
    for count in session.isQuick ? [1, 100] : [1, 100, 10_000] { try await observers(session, count) }
    try await bursts(session)
  }

  /// One commit, until each observer of one query has its change set.
  private static func observers(_ session: Session, _ count: Int) async throws {
    let store = try fill(Item.many(10_000))
    var iterators = try (0..<count).map { _ in
      try store.subscribe(Targets.sortedHalf).changes.makeAsyncIterator()
    }
    var round = 0
    var contestants = [
      Contestant("LiveStore") { watch in
        round += 1
        let (id, score) = (round % 10_000, scattered(round) / 2)
        try await watch.time {
          try await store.write { tx in try tx.update(Item.self, id) { $0.score = score } }
          for index in iterators.indices where await iterators[index].next() == nil { throw Failure.noEvent }
        }
      }
    ]
    if count <= 100 {
      let sqlite = try SQLite(Item.many(10_000), indexes: ["score"])
      let receivers = (0..<count).map { _ in
        Receiver(sqlite.observation("WHERE score < 500000 ORDER BY score"))
      }
      for receiver in receivers { _ = try await receiver.arrival() }
      contestants.append(
        Contestant("GRDB observation") { watch in
          round += 1
          let (id, score) = (round % 10_000, scattered(round) / 2)
          try await watch.time {
            try sqlite.setScore(id, score)
            for receiver in receivers { _ = try await receiver.arrival() }
          }
        })
    }
    try await session.race(
      "a commit until all observers have its change set", rows: 10_000, parameter: ("observers", count),
      contestants)
  }

  /// What a commit costs its writer while observers of one query keep up, or do not.
  private static func bursts(_ session: Session) async throws {
    let commits = 10_000
    let (alone, followed, ignored) = (
      try fill(Item.many(10_000)), try fill(Item.many(10_000)), try fill(Item.many(10_000))
    )
    let changes = try followed.subscribe(Targets.sortedHalf).changes
    let fast = Receiver { arrived in for await _ in changes { arrived() } }
    let slow = try ignored.subscribe(Targets.sortedHalf)
    var stopped = slow.changes.makeAsyncIterator()
    var round = 0
    func burst(_ store: Store) -> (Stopwatch) async throws -> Void {
      { watch in
        round += 1
        let add = round
        try await watch.time(commits) {
          for commit in 0..<commits {
            try await store.write { tx in
              try tx.update(Item.self, commit) { $0.score = scattered(commit + add) }
            }
          }
        }
      }
    }
    let work = "a burst of 10,000 commits, a commit"
    try await session.race(
      work, rows: 10_000,
      [
        Contestant("LiveStore, a fast observer", run: burst(followed)),
        Contestant("LiveStore, no observer", run: burst(alone)),
        Contestant("LiveStore, a stopped observer", run: burst(ignored)),
      ])
    try await session.race(
      "the stopped observer's merged change after 10,000 commits", rows: 10_000,
      [
        Contestant("LiveStore") { watch in
          try await burst(ignored)(Stopwatch())
          try await watch.time { if await stopped.next() == nil { throw Failure.noEvent } }
        }
      ])
    fast.cancel()
  }
}
