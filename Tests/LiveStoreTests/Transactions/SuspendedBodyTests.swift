import LiveStore
import TestSupport
import Testing

/// Transactions whose bodies suspend come back on other threads, on which other writers have begun meanwhile. What
/// holds the write lock is the thread that claimed it, and no other.
///
/// An optimised build once asked for the thread before the suspension, since `pthread_self()` is declared to be the same
/// each time: a transaction then claimed the lock in another thread's name, and the writer that ran on that thread was
/// refused as nested.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct `Bodies that suspend` {
  private static let steps = Environment.isLong ? 20_000 : Environment.size(500, thorough: 3_000)

  private func makeStore(_ count: Int) throws -> Store {
    let store = try Store(Item.self)
    try store.write { tx in try tx.insert(contentsOf: (0..<count).map { Item($0) }) }
    return store
  }

  private func check(_ store: Store, _ count: Int, rank: Int) {
    #expect(store.fetch(Item.all).map(\.rank) == Array(repeating: rank, count: count))
    #expect(store.version.number == UInt64(count * rank + 1))
  }

  @Test func `optimistic transactions of several tasks are not treated as nested`() async throws {
    let store = try makeStore(4)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in 0..<4 {
        group.addTask {
          for _ in 0..<Self.steps {
            try await store.transaction { tx in
              try tx.update(Item.self, id) { $0.rank += 1 }
              await Task.yield()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    check(store, 4, rank: Self.steps)
  }

  @Test func `asynchronous writes and blocking threads beside transactions are not treated as nested`()
    async throws
  {
    let store = try makeStore(6)
    let steps = Self.steps / 2
    let threads = (0..<2).map { id in
      Worker {
        for _ in 0..<steps { try store.write { tx in try tx.update(Item.self, id) { $0.rank += 1 } } }
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in 2..<4 {
        group.addTask {
          for _ in 0..<steps {
            try await store.write { tx in try tx.update(Item.self, id) { $0.rank += 1 } }
            await Task.yield()
          }
        }
      }
      for id in 4..<6 {
        group.addTask {
          for _ in 0..<steps {
            try await store.transaction { tx in
              await Task.yield()
              try tx.update(Item.self, id) { $0.rank += 1 }
              await Task.yield()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    for thread in threads { try await thread.value() }
    check(store, 6, rank: steps)
  }

  /// A body of an optimistic transaction holds no lock: it may write by itself, before and after it suspends.
  @Test func `a body that suspends may use savepoints, and write to the same store beside its transaction`()
    async throws
  {
    struct Stop: Error {}
    let store = try makeStore(4)
    let steps = Self.steps / 3
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in [0, 2] {
        group.addTask {
          for step in 0..<steps {
            try await store.write { tx in try tx.update(Item.self, id) { $0.rank += 1 } }
            try await store.transaction { tx in
              try? tx.savepoint { tx in
                try tx.update(Item.self, id + 1) { $0.rank = -1 }
                throw Stop()
              }
              await Task.yield()
              if step.isMultiple(of: 2) {
                try await store.write { tx in try tx.update(Item.self, id) { $0.group = step } }
                await Task.yield()
              }
              try tx.savepoint { tx in try tx.update(Item.self, id + 1) { $0.rank += 1 } }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(store.fetch(Item.all).map(\.rank) == Array(repeating: steps, count: 4))
  }
}
