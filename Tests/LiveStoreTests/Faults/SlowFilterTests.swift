import Dispatch
import LiveStore
import Synchronization
import TestSupport
import Testing

private struct Other: Entity {
  let id: Int
  static let schema = Schema<Other> {}
}

/// A filter that blocks delays its own observers: no writer, no other observer, and no call that does not need its rows.
@Suite(.timeLimit(.minutes(10))) struct `A filter that blocks` {
  /// A filter that waits, once it is armed, for each row of rank 7.
  private final class Obstacle: Sendable {
    let inside = Signal()
    let leave = Signal()
    private let isArmed = Mutex(false)

    func arm() { isArmed.withLock { $0 = true } }

    func disarm() { isArmed.withLock { $0 = false } }

    func passes(_ item: Item) -> Bool {
      guard item.rank == 7, isArmed.withLock({ $0 }) else { return true }
      inside.send()
      leave.wait()
      return true
    }
  }

  private let store: Store
  private let obstacle = Obstacle()
  private let blocking: Query<Item>

  init() throws {
    store = try Store(Item.self, Other.self)
    try store.write { tx in try tx.insert(contentsOf: (0..<10).map { Item($0, rank: $0 == 0 ? 7 : 1) }) }
    let obstacle = obstacle
    blocking = Item.filter { (item: Item) in obstacle.passes(item) }
  }

  /// Has the observer of the blocking query wait inside its filter.
  private func block() async throws {
    obstacle.arm()
    try await store.write { tx in try tx.update(Item.self, 0) { $0.name += "x" } }
    await obstacle.inside.arrival()
  }

  /// ```
  /// blocking query    another query of the table     this test
  /// observed          observed
  ///                                                  writes
  /// blocks
  ///                   delivered
  ///                                                  writes again
  ///                   delivered
  /// ```
  @Test func `a filter that blocks in upkeep delays no observer of another query and no writer`() async throws
  {
    try await withWatchdog("a filter that blocks in upkeep") {
      let (blocked, others) = (Recorder<Version?>(), Recorder<Version?>())
      let first = store.observe(blocking) { blocked.append($0.results?.version) }
      let tokens = (0..<5).map { rank in
        store.observe(Item.where { $0.rank >= .init(rank - 5) }) { others.append($0.results?.version) }
      }
      await blocked.reached(1)
      await others.reached(5)
      try await block()
      await others.reached(10)
      try await store.write { tx in try tx.update(Item.self, 0) { $0.name += "y" } }
      await others.reached(15)
      #expect(others.events.suffix(5).allSatisfy { $0 == store.version })
      #expect(blocked.count == 1)
      obstacle.disarm()
      for _ in 0..<4 { obstacle.leave.send() }
      try await store.settled()
      #expect(blocked.last == store.version)
      withExtendedLifetime((first, tokens)) {}
    }
  }

  @Test
  func
    `a filter that blocks in upkeep delays neither taking nor dropping a token, nor metrics, nor a snapshot`()
    async throws
  {
    try await withWatchdog("calls beside a filter that blocks") {
      let blocked = Recorder<Version?>()
      let first = store.observe(blocking) { blocked.append($0.results?.version) }
      await blocked.reached(1)
      try await block()
      let others = Recorder<Version?>()
      var token: NotificationToken? = store.observe(Other.all) { others.append($0.results?.version) }
      await others.reached(1)
      #expect(store.metrics.observers == 2)
      token?.invalidate()
      token = nil
      // Its handler may still run.
      #expect(await isReached { store.metrics.observers == 1 })
      #expect(store.snapshot().fetch(Item.all).count == 10)
      obstacle.disarm()
      for _ in 0..<4 { obstacle.leave.send() }
      first.invalidate()
    }
  }

  @Test func `an observer whose filter blocks lags by the commits that it has not received`() async throws {
    try await withWatchdog("lags beside a filter that blocks") {
      let (blocked, others) = (Recorder<Version?>(), Recorder<Version?>())
      let first = store.observe(blocking) { blocked.append($0.results?.version) }
      let second = store.observe(Item.where { $0.rank >= 0 }) { others.append($0.results?.version) }
      await blocked.reached(1)
      await others.reached(1)
      try await block()
      await others.reached(2)
      #expect(store.metrics.lags.sorted() == [0, 1])
      try await store.write { tx in try tx.update(Item.self, 0) { $0.name += "y" } }
      await others.reached(3)
      #expect(store.metrics.lags.sorted() == [0, 2])
      obstacle.disarm()
      for _ in 0..<4 { obstacle.leave.send() }
      try await store.settled()
      #expect(store.metrics.lags == [0, 0])
      withExtendedLifetime((first, second)) {}
    }
  }

  @Test func `a filter that blocks in its first evaluation delays no other observer`() async throws {
    try await withWatchdog("a filter that blocks when it is first evaluated") {
      obstacle.arm()
      let others = Recorder<Version?>()
      // On a thread of its own: those that tasks run on are as few as there are cores.
      let first = Worker { [store, blocking] in try store.subscribe(blocking).value.count }
      await obstacle.inside.arrival()
      let second = store.observe(Item.all) { others.append($0.results?.version) }
      await others.reached(1)
      try await store.write { tx in try tx.update(Item.self, 1) { $0.rank = 2 } }
      await others.reached(2)
      #expect(!first.isFinished)
      obstacle.disarm()
      for _ in 0..<4 { obstacle.leave.send() }
      #expect(try await first.value() == 10)
      withExtendedLifetime(second) {}
    }
  }

  @Test func `a store closes without waiting for a filter that blocks`() async throws {
    try await withWatchdog("closing beside a filter that blocks") {
      let blocked = Recorder<Version?>()
      let token = store.observe(blocking) { blocked.append($0.results?.version) }
      await blocked.reached(1)
      try await block()
      store.close()
      try await store.settled()
      obstacle.disarm()
      for _ in 0..<4 { obstacle.leave.send() }
      #expect(blocked.count == 1)
      token.invalidate()
    }
  }

  /// Results that were brought up to date are delivered before those that still wait behind a slow filter.
  @Test func `a filter that blocks does not delay the other queries of its upkeep pass`() async throws {
    try await withWatchdog("deliveries of one pass") {
      let delivered = Recorder<Int>()
      let tokens = (0..<4).map { number in
        let obstacle = obstacle
        let query = Item.filter { (item: Item) in number != 0 || obstacle.passes(item) }.sorted(
          by: \.rank, .descending
        ).limit(5 + number)
        return store.observe(query, initial: .skip) { _ in delivered.append(number) }
      }
      try await store.settled()
      try await block()
      await delivered.reached(3)
      #expect(Set(delivered.events) == [1, 2, 3])
      obstacle.disarm()
      for _ in 0..<8 { obstacle.leave.send() }
      try await store.settled()
      #expect(Set(delivered.events) == [0, 1, 2, 3])
      withExtendedLifetime(tokens) {}
    }
  }
}

/// Holds the token of another observer.
private final class Holder: Sendable {
  let token: NotificationToken

  init(_ token: NotificationToken) { self.token = token }

  func passes(_ item: Item) -> Bool { item.rank >= 0 }
}

/// Bug: the filter was freed under a lock of the engine, which freeing the other token takes as well, so the process
/// ended. Mend: what an observer was the last to hold is freed after the locks are left.
@Suite struct `A filter that holds the token of another observer` {
  @Test(arguments: [true, false])
  func `a filter that holds another observer's token releases it when its own token is released`(
    isDelivered: Bool
  )
    async throws
  {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(Item(1)) }
    let delivered = Recorder<Int>()
    do {
      let holder = Holder(store.observe(Item.all) { _ in })
      let token = store.observe(Item.filter { (item: Item) in holder.passes(item) }) { change in
        delivered.append(change.results?.count ?? 0)
      }
      if isDelivered { await delivered.reached(1) }
      token.invalidate()
    }
    #expect(await isReached { store.metrics.observers == 0 && store.metrics.liveQueries == 0 })
  }
}
