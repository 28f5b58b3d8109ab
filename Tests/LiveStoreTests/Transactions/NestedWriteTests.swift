import LiveStore
import Synchronization
import TestSupport
import Testing

/// Writes in the blocking form, from a function that is not asynchronous.
private func block(_ store: Store, _ item: Item) throws {
  try store.write { tx in try tx.upsert(item) }
}

@Suite(.timeLimit(.minutes(10))) struct `A write inside a write` {
  private let store: Store
  private let other: Store

  init() throws {
    store = try Store(Item.self)
    other = try Store(Item.self)
  }

  @Test func `a write inside a write of the same store is nestedWrite, in an asynchronous body`() async throws
  {
    await #expect {
      try await store.write { tx in
        try tx.insert(Item(1))
        try block(store, Item(2))
      }
    } throws: {
      StoreError.nestedWrite ~= $0
    }
    #expect(store.version.number == 0)
  }

  @Test func `a write inside a write of the same store is nestedWrite, in a blocking body`() async throws {
    let store = store
    let worker = Worker {
      try store.write { tx in
        try tx.insert(Item(1))
        try store.write { tx in try tx.insert(Item(2)) }
      }
    }
    await #expect {
      try await worker.value()
    } throws: {
      StoreError.nestedWrite ~= $0
    }
    #expect(store.version.number == 0)
  }

  /// Whatever a body runs on its thread is inside it: here a task of an executor that the body runs.
  @Test func `a write inside a write is nestedWrite, in a task that the body runs on its own thread`()
    async throws
  {
    let (store, actor) = (store, ManualActor())
    let task = Task {
      try await actor.run { _ in try await store.write { tx in try tx.insert(Item(2)) } }
    }
    await actor.executor.arrival(1)
    let worker = Worker {
      try store.write { tx in
        try tx.insert(Item(1))
        actor.executor.runHere()
      }
    }
    try await worker.value()
    await #expect {
      try await task.value
    } throws: {
      StoreError.nestedWrite ~= $0
    }
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [1])
  }

  @Test func `a write inside a write is found in closures of the body: savepoints, edits, sequences`()
    async throws
  {
    try await store.write { tx in try tx.insert(contentsOf: [Item(1), Item(2)]) }
    let errors = Mutex<[StoreError.Code?]>([])
    @Sendable func attempt() {
      do {
        try block(store, Item(9))
        errors.withLock { $0.append(nil) }
      } catch {
        errors.withLock { $0.append((error as? StoreError)?.code) }
      }
    }
    try await store.write { tx in
      attempt()
      tx.savepoint { _ in attempt() }
      try tx.update(Item.self, 1) { _ in attempt() }
      try tx.insert(
        contentsOf: (10..<12).lazy.map { id in
          attempt()
          return Item(id)
        })
      [3, 1, 2].sorted {
        attempt(); return $0 < $1
      }.forEach { _ in }
    }
    #expect(errors.withLock { $0.count } >= 6)
    #expect(errors.withLock { $0.allSatisfy { $0 == StoreError.nestedWrite } })
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [1, 2, 10, 11])
  }

  @Test func `a nested write that is caught does not spoil the outer one`() async throws {
    try await store.write { tx in
      try tx.insert(Item(1))
      try? block(store, Item(2))
      try tx.insert(Item(3))
    }
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [1, 3])
    try await store.write { tx in try tx.insert(Item(4)) }
    #expect(store.snapshot().count(Item.all) == 3)
  }

  @Test func `a write inside a write of another store is committed by itself`() async throws {
    struct Stop: Error {}
    try await store.write { tx in
      try block(other, Item(1))
      #expect(other.snapshot().count(Item.all) == 1)
      try tx.insert(Item(1))
    }
    await #expect(throws: Stop.self) {
      try await store.write { _ in
        try block(other, Item(2))
        throw Stop()
      }
    }
    #expect(store.snapshot().count(Item.all) == 1)
    #expect(other.snapshot().count(Item.all) == 2)
  }

  @Test func `a write of the first store inside a write of another is nested`() async throws {
    let nested = await #expect(throws: StoreError.self) {
      try await store.write { [store, other] _ in
        try other.write { _ in try block(store, Item(1)) }
      }
    }
    #expect(nested?.code == StoreError.nestedWrite)
  }

  @Test func `a write is possible again as soon as the body before it has returned or thrown`() async throws {
    struct Stop: Error {}
    let store = store
    let worker = Worker {
      try store.write { _ in }
      try store.write { tx in try tx.insert(Item(1)) }
      try? store.write { _ in throw Stop() }
      try store.write { tx in try tx.insert(Item(2)) }
      try? store.write { _ in try block(store, Item(3)) }
      try store.write { tx in try tx.insert(Item(4)) }
    }
    try await worker.value()
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [1, 2, 4])
  }

  /// ```
  /// a body                         another thread
  /// starts it, does not wait
  ///                                writes: waits for the lock
  /// returns, commit
  ///                                the lock is free
  /// ```
  @Test func `a write on another thread started from the body is not nested`() async throws {
    let store = store
    let worker = try await store.write { tx in
      try tx.insert(Item(1))
      return Worker { try block(store, Item(2)) }
    }
    try await worker.value()
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [1, 2])
  }

  /// A task started in a body carries the body's task-local values; the write it makes later is its own.
  @Test func `a write in a task started from the body is not nested`() async throws {
    let task = try await store.write { [store] tx in
      try tx.insert(Item(1))
      return Task { try await store.write { tx in try tx.insert(Item(2)) } }
    }
    try await task.value
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [1, 2])
  }
}

@Suite struct `Transactions of two stores` {
  @Test func `transactions of two stores do not mix: each writes to its own`() async throws {
    let first = try Store(Item.self)
    let second = try Store(Item.self)
    func nested(_ tx: borrowing WriteTransaction) throws {
      try second.write { inner in
        try tx.insert(Item(1))
        try inner.insert(Item(2))
        #expect(inner[Item.self, 1] == nil)
        #expect(tx[Item.self, 2] == nil)
      }
    }
    try await first.write { tx in try nested(tx) }
    #expect(first.snapshot().fetch(Item.all).map(\.id) == [1])
    #expect(second.snapshot().fetch(Item.all).map(\.id) == [2])
  }
}
