import LiveStore
import TestSupport
import Testing

/// Optimistic transactions that depend on one object at the same time.
///
/// Bug: of fifty, six succeeded and 44 threw `conflict`.
/// Cause: all that were refused ran again side by side, so that each round committed one, and there are six rounds.
/// Mend: those that were refused run again one after another (T8).
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct `Optimistic transactions that contend` {
  private func store(_ configuration: Store.Configuration = Store.Configuration()) throws -> Store {
    let store = try Store(Item.self, configuration: configuration)
    try store.write { tx in for id in 1...3 { try tx.insert(Item(id)) } }
    return store
  }

  /// A store in whose queues transactions wait without a limit, so that the order of all runs is certain.
  private func orderedStore() throws -> Store {
    var configuration = Store.Configuration()
    configuration.executor = SeededExecutor()
    return try store(configuration)
  }

  /// Suspends callers until a number of them have come.
  private actor Gate {
    private let count: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isOpen = false

    init(_ count: Int) { self.count = count }

    func pass() async {
      if isOpen { return }
      await withCheckedContinuation { continuation in
        waiting.append(continuation)
        if waiting.count == count {
          isOpen = true
          for continuation in waiting { continuation.resume() }
        }
      }
    }
  }

  /// Runs fifty transactions of one object, all of which have read it before the first commits.
  ///
  /// - Returns: how often their bodies ran.
  private func runFifty(on store: Store) async throws -> Int {
    let gate = Gate(50)
    let runs = Recorder<Void>()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          try await store.transaction { tx in
            runs.append(())
            let rank = tx[Item.self, 1]?.rank ?? 0
            await gate.pass()
            try tx.update(Item.self, 1) { $0.rank = rank + 1 }
          }
        }
      }
      try await group.waitForAll()
    }
    return runs.count
  }

  @Test func `fifty that read one object side by side all commit`() async throws {
    let store = try store()
    _ = try await runFifty(on: store)
    #expect(store.snapshot()[Item.self, 1]?.rank == 50)
    #expect(store.retryQueue.count == 0)
  }

  @Test func `the first of fifty runs once, and each of the others twice`() async throws {
    let store = try orderedStore()
    #expect(try await runFifty(on: store) == 99)
    #expect(store.snapshot()[Item.self, 1]?.rank == 50)
  }

  @Test func `those that are refused over a query run again one after another, too`() async throws {
    let store = try orderedStore()
    let gate = Gate(10)
    let runs = Recorder<Void>()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<10 {
        group.addTask {
          try await store.transaction { tx in
            runs.append(())
            let count = tx.count(Item.all)
            await gate.pass()
            try tx.insert(Item(100 + number, rank: count))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(runs.count == 19)
    #expect(Set(store.fetch(Item.where { $0.id >= 100 }).map(\.rank)) == Set(3..<13))
  }

  /// ```
  /// the first                        another
  /// reads 1, is refused
  /// runs again, reads 1
  ///                                  writes 1, waits with its commit
  /// commits
  ///                                  is refused, runs again, commits
  /// ```
  @Test func `a transaction waits with its commit behind one that was refused for the same object`()
    async throws
  {
    let store = try orderedStore()
    var (runs, later) = (0, Task<Int, any Error>?.none)
    try await store.transaction { tx in
      runs += 1
      let rank = tx[Item.self, 1]?.rank ?? 0
      if runs == 1 { try await store.write { other in try other.update(Item.self, 1) { $0.rank = 10 } } }
      if runs == 2 {
        later = Task {
          var runs = 0
          try await store.transaction { tx in
            runs += 1
            try tx.update(Item.self, 1) { $0.rank *= 2 }
          }
          return runs
        }
        #expect(await isReached { store.retryQueue.count == 2 })
      }
      try tx.update(Item.self, 1) { $0.rank = rank + 1 }
    }
    #expect(runs == 2)
    #expect(try await later?.value == 2)
    #expect(store.snapshot()[Item.self, 1]?.rank == 22 && store.retryQueue.count == 0)
  }

  @Test func `transactions of other objects, and every write, pass one that runs again`() async throws {
    let store = try orderedStore()
    var runs = 0
    try await store.transaction { tx in
      runs += 1
      let rank = tx[Item.self, 1]?.rank ?? 0
      if runs == 1 { try await store.write { other in try other.update(Item.self, 1) { $0.rank = 10 } } }
      if runs == 2 {
        // It would wait for ever if it waited for this one.
        try await store.transaction { other in try other.update(Item.self, 2) { $0.rank = 5 } }
        try await store.write { other in try other.update(Item.self, 3) { $0.rank = 6 } }
      }
      try tx.update(Item.self, 1) { $0.rank = rank + 1 }
    }
    #expect(runs == 2 && store.fetch(Item.all).map(\.rank) == [11, 5, 6])
  }

  @Test func `a body that waits for another transaction of its object goes on after a time`() async throws {
    let store = try store()
    var runs = 0
    try await store.transaction { tx in
      runs += 1
      let rank = tx[Item.self, 1]?.rank ?? 0
      if runs == 1 { try await store.write { other in try other.update(Item.self, 1) { $0.rank = 10 } } }
      if runs == 2 {
        try await store.transaction { other in try other.update(Item.self, 1) { $0.rank = 20 } }
      }
      try tx.update(Item.self, 1) { $0.rank = rank + 1 }
    }
    #expect(runs == 3 && store.snapshot()[Item.self, 1]?.rank == 21 && store.retryQueue.count == 0)
  }

  @Test func `conflicts are retried until the deadline, and the error names the object`() async throws {
    let store = try store()
    let deadline = ContinuousClock.now + .milliseconds(50)
    var runs = 0
    let error = await #expect(throws: StoreError.self) {
      try await store.transaction(until: deadline) { tx in
        runs += 1
        try await store.write { other in try other.update(Item.self, 1) { $0.rank += 1 } }
        try tx.update(Item.self, 1) { $0.rank = 0 }
        _ = tx[Item.self, 1]
        try await store.write { other in try other.update(Item.self, 1) { $0.rank += 1 } }
      }
    }
    #expect(ContinuousClock.now >= deadline && runs > 1)
    #expect(error?.code == StoreError.conflict && error?.id == "1")
    #expect(store.snapshot()[Item.self, 1]?.rank == runs * 2 && store.retryQueue.count == 0)
  }

  @Test func `after the deadline a transaction runs once, and commits without a conflict`() async throws {
    let (store, past) = (try store(), ContinuousClock.now)
    try await store.transaction(until: past) { tx in try tx.update(Item.self, 1) { $0.rank = 7 } }
    var runs = 0
    await #expect(throws: StoreError.self) {
      try await store.transaction(until: past) { tx in
        runs += 1
        try tx.update(Item.self, 1) { $0.rank = 8 }
        try await store.write { other in try other.update(Item.self, 1) { $0.rank = 9 } }
      }
    }
    #expect(runs == 1 && store.snapshot()[Item.self, 1]?.rank == 9)
  }

  @Test func `a task that is cancelled while it waits leaves the queue, and the next goes on`() async throws {
    let store = try orderedStore()
    var (runs, waiting) = (0, Task<Void, any Error>?.none)
    try await store.transaction { tx in
      runs += 1
      let rank = tx[Item.self, 1]?.rank ?? 0
      if runs == 1 { try await store.write { other in try other.update(Item.self, 1) { $0.rank = 10 } } }
      if runs == 2 {
        let task = Task {
          try await store.transaction { tx in try tx.update(Item.self, 1) { $0.rank = 100 } }
        }
        waiting = task
        #expect(await isReached { store.retryQueue.count == 2 })
        task.cancel()
        #expect(await isReached { store.retryQueue.count == 1 })
      }
      try tx.update(Item.self, 1) { $0.rank = rank + 1 }
    }
    await #expect(throws: CancellationError.self) { try await waiting?.value }
    #expect(runs == 2 && store.snapshot()[Item.self, 1]?.rank == 11 && store.retryQueue.count == 0)
  }

  @Test func `a body that throws when it runs again leaves the queue`() async throws {
    struct Refusal: Error {}
    let store = try store()
    var runs = 0
    await #expect(throws: Refusal.self) {
      try await store.transaction { tx in
        runs += 1
        if runs == 2 { throw Refusal() }
        try tx.update(Item.self, 1) { $0.rank = 1 }
        try await store.write { other in try other.update(Item.self, 1) { $0.rank = 2 } }
      }
    }
    #expect(store.retryQueue.count == 0)
  }

  @Test(arguments: Seeds.forSuite(3, thorough: 30))
  func `clients that write to a few objects without a pause all succeed`(seed: UInt64) async throws {
    let store = try store()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in 0..<8 {
        group.addTask {
          var random = SplitMix64(seed: seed &+ UInt64(client))
          for _ in 0..<20 {
            let id = Int.random(in: 1...2, using: &random)
            try await store.transaction(until: .now + .seconds(120)) { tx in
              let rank = tx[Item.self, id]?.rank ?? 0
              await Task.yield()
              try tx.update(Item.self, id) { $0.rank = rank + 1 }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(store.fetch(Item.all).reduce(0) { $0 + $1.rank } == 160, "seed \(seed)")
    #expect(store.retryQueue.count == 0)
  }
}
