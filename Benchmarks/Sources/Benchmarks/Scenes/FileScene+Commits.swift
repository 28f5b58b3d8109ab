import Foundation
import LiveStore
import LiveStoreSQLite
import Synchronization

extension FileScene {
  /// What commits cost beside a live query, with and without a file, in turns of some hundred commits.
  @Sendable static func commits(_ session: Session) async throws {
    for count in session.rows([1_000, 100_000, 1_000_000]) {
      try await commits(session, MixedItem.self, "6 mixed columns", count)
      try await commits(session, NarrowItem.self, "UUID and Int", count)
    }
  }

  private static func commits<Element: FileItem>(
    _ session: Session, _ type: Element.Type, _ shape: String, _ count: Int
  ) async throws {
    let items = (0..<count).map { Element($0) }
    let folder = try TemporaryFolder()
    let file = try await StoreFile.open(at: folder.file("own"), Element.self)
    try insert(items, into: file.store)
    try await file.durable(through: file.store.version)
    let plain = try Store(Element.self)
    try insert(items, into: plain)
    let ids = items.filter { $0.score < 500_000 }.map(\.id)
    let stores = try [file.store, plain].map { try ObservedStore<Element>($0, ids) }
    for pace in CommitPace.allCases {
      var (calls, deliveries): ([[Double]], [[Double]]) = ([[], []], [[], []])
      for turn in 0...session.runs * 4 {
        for index in turn % 2 == 0 ? [0, 1] : [1, 0] {
          let (call, delivery) = try await stores[index].run(pace)
          try await file.durable(through: file.store.version)
          if turn == 0 { continue }
          calls[index].append(call)
          deliveries[index].append(delivery)
        }
      }
      for (name, samples) in [("the call", calls), ("delivered", deliveries)] {
        session.record(
          "commits, \(shape), \(pace.rawValue): \(name)", rows: count,
          wanted: [.ratio(1.1, to: "without a file")],
          samples: [("with a file", samples[0]), ("without a file", samples[1])])
      }
    }
    for store in stores { store.stop() }
    try await file.close()
    withExtendedLifetime(folder) {}
  }

  /// Writers that wait for the disk: how much they share a wait.
  @Sendable static func writers(_ session: Session) async throws {
    for count in session.rows([1_000, 100_000]) {
      try await writers(session, MixedItem.self, "6 mixed columns", count)
      try await writers(session, NarrowItem.self, "UUID and Int", count)
    }
  }

  private static func writers<Element: FileItem>(
    _ session: Session, _ type: Element.Type, _ shape: String, _ count: Int
  ) async throws {
    let items = (0..<count).map { Element($0) }
    let folder = try TemporaryFolder()
    let file = try await StoreFile.open(at: folder.file("own"), Element.self)
    try insert(items, into: file.store)
    try await file.durable(through: file.store.version)
    let sqlite = try FileSQLite<Element>(folder.file("peer"))
    try sqlite.insert(items)
    let ids = items.map(\.id)

    /// A contestant of a number of writers, each of which waits for its transactions one after the other.
    func contestant(
      _ name: String, _ writers: Int, _ write: @escaping @Sendable (UUID, Int) async throws -> Void
    ) -> Contestant {
      // No contestant repeats what another has written: what changes nothing is not written.
      let seeds = Mutex(UInt64(writers) << 32)
      return Contestant(name) { watch in
        let rounds = writers == 1 ? 200 : 100
        try await watch.time(writers * rounds) {
          try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<writers {
              let seed = seeds.withLock { seed in
                seed += 1
                return seed
              }
              group.addTask {
                var random = SplitMix64(state: seed)
                for _ in 0..<rounds {
                  try await write(
                    ids[Int.random(in: 0..<ids.count, using: &random)], Int(random.next() % 1_000_000))
                }
              }
            }
            try await group.waitForAll()
          }
        }
      }
    }
    let own: @Sendable (UUID, Int) async throws -> Void = { id, score in
      try await file.write { tx in try tx.update(Element.self, id) { $0.score = score } }
    }
    try await session.race(
      "durable transactions of 64 writers, \(shape)", rows: count,
      wanted: [.ratio(0.05, to: "LiveStore, one writer")],
      [
        contestant("LiveStore", 64, own), contestant("LiveStore, one writer", 1, own),
        contestant("GRDB, 64 writers", 64) { try await sqlite.setScore($0, $1) },
        contestant("GRDB, one writer", 1) { try await sqlite.setScore($0, $1) },
      ])
    try await file.close()
    withExtendedLifetime(folder) {}
  }
}

/// When commits come.
private enum CommitPace: String, CaseIterable {
  /// Each when the observer has the one before.
  case chained = "one after the other"
  /// As fast as they can be made; the observer has the last of them at the end.
  case burst = "a burst"
  case paced = "one a millisecond"
}

/// A store, and an observer of half of its objects.
private final class ObservedStore<Element: FileItem> {
  private let store: Store
  private let ids: [UUID]
  private var random = SplitMix64(state: 5)
  /// The version whose arrival is reported.
  private let goal: Goal
  private let receiver: Receiver

  private final class Goal: Sendable {
    let version = Atomic<UInt64>(0)
  }

  init(_ store: Store, _ ids: [UUID]) throws {
    (self.store, self.ids) = (store, ids)
    let changes = try store.subscribe(Element.half).changes
    let goal = Goal()
    self.goal = goal
    receiver = Receiver { arrived in
      for await change in changes {
        guard case .update(let results, let changes) = change else { continue }
        blackHole(changes.modifications.count)
        if results.version.number >= goal.version.load(ordering: .acquiring) { arrived() }
      }
    }
  }

  func stop() { receiver.cancel() }

  /// Runs commits.
  ///
  /// - Returns: nanoseconds of a commit's call, and from it to the observer. Of a burst they are its mean, otherwise the
  ///   median.
  func run(_ pace: CommitPace) async throws -> (call: Double, delivery: Double) {
    let (calls, deliveries) = (Stopwatch(), Stopwatch())
    let rounds = pace == .burst ? 50_000 : 500
    if pace == .burst {
      expect(rounds)
      let start = ContinuousClock.now
      for _ in 0..<rounds { try await commit() }
      calls.add(ContinuousClock.now - start, rounds)
      deliveries.add(try await receiver.arrival() - start, rounds)
    } else {
      for _ in 0..<rounds {
        if pace == .paced { try await Task.sleep(for: .milliseconds(1)) }
        expect(1)
        let start = ContinuousClock.now
        try await commit()
        calls.add(ContinuousClock.now - start)
        deliveries.add(try await receiver.arrival() - start)
      }
    }
    return (Spread(calls.laps).median, Spread(deliveries.laps).median)
  }

  private func expect(_ commits: Int) {
    goal.version.store(UInt64(store.version.number) + UInt64(commits), ordering: .releasing)
  }

  /// A commit that moves an object within the observed result.
  private func commit() async throws {
    let id = ids[Int.random(in: 0..<ids.count, using: &random)]
    let score = Int.random(in: 0..<499_999, using: &random)
    try await store.write { tx in
      try tx.update(Element.self, id) { $0.score = $0.score == score ? score + 1 : score }
    }
  }
}
