import Dispatch
import LiveStore
import Synchronization
import TestSupport
import Testing

/// A thread that writes in a loop, with bodies of a millisecond, until it is asked to end or has written 4,000 times.
private final class WritingLoop: Sendable {
  private let writes = Atomic(0)
  private let overtakes = Atomic(0)
  private let isDone = Atomic(false)
  private let hasBegun = Signal()
  private let worker = Mutex<Worker<Void>?>(nil)

  /// Returns when it has begun to write.
  init(_ store: Store) async {
    let worker = Worker { [self] in
      while !isDone.load(ordering: .acquiring) && count < 4_000 {
        try store.write { tx in
          if store.writeLock.waitingTasks > 0 { overtakes.add(1, ordering: .relaxed) }
          try tx.upsert(Item(0, rank: writes.add(1, ordering: .relaxed).newValue))
          if count == 1 { hasBegun.send() }
          let end = ContinuousClock.now.advanced(by: .milliseconds(1))
          while ContinuousClock.now < end {}
        }
      }
    }
    self.worker.withLock { $0 = worker }
    await hasBegun.arrival()
  }

  private var count: Int { writes.load(ordering: .relaxed) }

  /// How many bodies have begun while a task waited for the write lock, since this was last asked.
  func takeOvertakes() -> Int { overtakes.exchange(0, ordering: .relaxed) }

  func end() async throws {
    isDone.store(true, ordering: .releasing)
    try await worker.withLock { $0 }?.value()
  }
}

/// A pool on which everything starts two milliseconds late, as on a machine with other work to do.
private final class LatePool: TaskExecutor {
  private let queue = DispatchQueue(label: "late")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.asyncAfter(deadline: .now() + .milliseconds(2)) { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

/// A thread whose writes follow one another finds the write lock free each time, before a task that was woken can run.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `Writers beside a looping thread` {
  private let store: Store
  private let pool = LatePool()

  init() throws {
    var configuration = Store.Configuration()
    // A yield that ends before the task has run lets the thread overtake it again: how often would depend on when
    // the machine runs the task.
    configuration.writeYieldTime = .seconds(3_600)
    store = try Store(Item.self, configuration: configuration)
  }

  /// 16 writes overtake a task, and one may have asked for the write lock before it.
  private let bound = 17

  @Test func `asynchronous writers write after a bounded number of writes of a looping thread`() async throws
  {
    try await onOwnThreads { [store, pool, bound] in
      let loop = await WritingLoop(store)
      for id in 1...8 {
        try await Task(executorPreference: pool) {
          try await store.write { tx in try tx.insert(Item(id)) }
        }.value
        #expect(loop.takeOvertakes() <= bound, "writer \(id)")
      }
      try await loop.end()
    }
  }

  @Test func `asynchronous writers in a queue write after a bounded number of writes of a looping thread`()
    async throws
  {
    try await onOwnThreads { [store, pool, bound] in
      let loop = await WritingLoop(store)
      let tasks = (1...6).map { id in
        Task(executorPreference: pool) {
          try await store.write { tx in try tx.insert(Item(id)) }
        }
      }
      for task in tasks { try await task.value }
      #expect(loop.takeOvertakes() <= tasks.count * bound)
      try await loop.end()
    }
  }

  @Test func `optimistic transactions commit after a bounded number of writes of a looping thread`()
    async throws
  {
    try await onOwnThreads { [store, pool, bound] in
      let loop = await WritingLoop(store)
      for id in 1...6 {
        try await Task(executorPreference: pool) {
          try await store.transaction { tx in try tx.insert(Item(id)) }
        }.value
        #expect(loop.takeOvertakes() <= bound, "transaction \(id)")
      }
      try await loop.end()
    }
  }
}
