import LiveStore
import Synchronization
import TestSupport
import Testing

/// Consumers for whom there is something new whenever they look, on a pool of one thread, beside another task of it.
///
/// ```
/// consumer                     the other
/// takes an event, writes       is enqueued
/// takes an event, writes
/// …                            runs
/// sees that it did, ends
/// ```
@Suite(.timeLimit(.minutes(10))) struct `Fairness of consumers` {
  /// Events after which it is given up.
  private static let patience = 1_000

  private let pool: FixedPool
  private let store: Store
  private let isOtherDone = Recorder<Bool>()

  init() async throws {
    let pool = FixedPool(threads: 1)
    var configuration = Store.Configuration()
    configuration.executor = pool
    self.pool = pool
    store = try Store(Item.self, configuration: configuration)
    try await store.write { tx in try tx.insert(Item(0)) }
  }

  /// What the consumer does with an event: starts the other task, and makes the next event.
  ///
  /// - Returns: whether to end.
  private func isEnough(_ event: Int) throws -> Bool {
    if event == 1 { Task.detached(executorPreference: pool) { isOtherDone.append(true) } }
    if isOtherDone.count > 0 || event == Self.patience { return true }
    try store.write { tx in try tx.update(Item.self, 0) { $0.rank += 1 } }
    return false
  }

  /// Consumers that receive nothing, whenever they look: each look at a commit makes another.
  ///
  /// - Parameter consume: follows the number of objects, which stays the same, until the other has run.
  private func expectOthersRanBeside(
    _ consume: @escaping @Sendable (Count<Item>) async throws -> Void
  ) async throws {
    let isBegun = Recorder<Bool>()
    let looks = Recorder<Int>()
    let query = Item.filter { (_: Item) in
      guard isBegun.count > 0, isOtherDone.count == 0 else { return true }
      looks.append(0)
      _ = try? isEnough(min(looks.count, Self.patience))
      return true
    }
    let consumer = Task.detached(executorPreference: pool) { try await consume(query.count) }
    while store.metrics.observers == 0 { await Task.yield() }
    try await store.settled()
    isBegun.append(true)
    try await store.write { tx in try tx.update(Item.self, 0) { $0.rank += 1 } }
    await isOtherDone.reached(1)
    consumer.cancel()
    try await consumer.value
    #expect(looks.count < Self.patience)
    pool.close()
  }

  @Test(arguments: [DeliveryMode.latest, .everyCommit])
  func `a loop that skips steps without events lets other tasks run`(_ mode: DeliveryMode) async throws {
    try await expectOthersRanBeside { count in
      for await _ in store.changes(of: count, mode: mode) {}
    }
  }

  @Test(arguments: [DeliveryMode.latest, .everyCommit])
  func `a handler that receives no event lets other tasks run`(_ mode: DeliveryMode) async throws {
    try await expectOthersRanBeside { count in
      let token = store.observe(count, mode: mode) { _ in }
      await isOtherDone.reached(1)
      token.invalidate()
    }
  }

  private func expectOthersRan(_ body: @escaping @Sendable () async throws -> Int) async throws {
    #expect(try await Task.detached(executorPreference: pool) { try await body() }.value < Self.patience)
    await isOtherDone.reached(1)
    pool.close()
  }

  @Test func `a loop over change sets lets other tasks run`() async throws {
    try await expectOthersRan {
      var events = 0
      for await _ in store.changes(of: Item.all) {
        events += 1
        if try isEnough(events) { break }
      }
      return events
    }
  }

  @Test func `a loop over values lets other tasks run`() async throws {
    try await expectOthersRan {
      var events = 0
      for try await _ in store.values(of: Item.all.sum(\.rank)) {
        events += 1
        if try isEnough(events) { break }
      }
      return events
    }
  }

  @Test func `a loop over commits lets other tasks run`() async throws {
    try await expectOthersRan {
      var events = 0
      for try await _ in store.commits(after: .zero) {
        events += 1
        if try isEnough(events) { break }
      }
      return events
    }
  }

  @Test func `a loop over a plain stream lets other tasks run`() async throws {
    try await expectOthersRan {
      var events = 0
      for await _ in store.changes(of: Item.all).stream() {
        events += 1
        if try isEnough(events) { break }
      }
      return events
    }
  }

  @Test func `a handler with the next event always ready lets other tasks run`() async throws {
    try await expectOthersRan {
      let ended = Recorder<Int>()
      let events = Mutex(0)
      let token = store.observe(Item.all) { @Sendable _ in
        let event = events.withLock { events in
          events += 1
          return events
        }
        if ended.count == 0, (try? isEnough(event)) != false { ended.append(event) }
      }
      await ended.reached(1)
      token.invalidate()
      return ended.last ?? 0
    }
  }
}
