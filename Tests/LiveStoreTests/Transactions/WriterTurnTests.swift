import Foundation
import LiveStore
import Synchronization
import TestSupport
import Testing

/// Writes in the blocking form, from a function that is not asynchronous.
private func block(_ store: Store, _ id: Int) throws {
  try store.write { tx in try tx.insert(Item(id)) }
}

/// Blocks until a holder's write has returned.
private func join(_ holder: Holder) throws { try holder.leaveAndJoin() }

/// Blocked and suspended writers never wait for each other in a ring.
@Suite(.timeLimit(.minutes(10))) struct `Writers that block and writers that suspend` {
  /// ```
  /// a thread                       the main actor
  /// body begins
  ///                                a task asks for the lock: suspended, next in the queue
  /// body returns; the task is
  /// woken, and needs the main actor
  ///                                a blocking write, with the main thread
  ///                                the task's write
  /// ```
  /// Had the lock been handed to the task, the blocking write would wait for ever.
  @MainActor @Test func `the main actor may block while a writer that needs it was woken`() async throws {
    try await withWatchdog("a blocking write on the main actor, an asynchronous writer woken") {
      let store = try Store(Item.self)
      let holder = Holder(store) { tx in try tx.insert(Item(1)) }
      await holder.hasTurn()
      var hasAsked = false
      let task = Task {
        hasAsked = true
        try await store.write { tx in
          MainActor.assertIsolated()
          try tx.insert(Item(3))
        }
      }
      while !hasAsked { await Task.yield() }
      try join(holder)
      try block(store, 2)
      try await task.value
      #expect(store.snapshot().fetch(Item.all).map(\.id) == [1, 2, 3])
    }
  }

  /// ```
  /// a thread                       the main actor
  /// body begins
  ///                                three tasks ask for the lock
  ///                                a blocking write, with the main thread: waits
  /// body returns
  ///                                the blocking write, then the tasks in order
  /// ```
  @MainActor @Test func `the main actor may block behind writers that need it`() async throws {
    try await withWatchdog("a blocking write on the main actor, behind asynchronous writers") {
      let store = try Store(Item.self)
      let isBlocking = Signal()
      let holder = Holder(store) { tx in
        isBlocking.wait()
        try tx.insert(Item(1))
      }
      await holder.hasTurn()
      var asked = 0
      let tasks = (0..<3).map { number in
        Task {
          asked += 1
          try await store.write { tx in try tx.insert(Item(10 + number)) }
        }
      }
      while asked < 3 { await Task.yield() }
      holder.leave()
      isBlocking.send()
      try block(store, 2)
      try await holder.end()
      for task in tasks { try await task.value }
      #expect(store.snapshot().fetch(Item.all).map(\.id) == [1, 2, 10, 11, 12])
    }
  }

  /// ```
  /// a thread                       a pool of two threads
  /// body begins
  ///                                three tasks ask for the lock: suspended, first in the queue
  ///                                six tasks make blocking writes: both threads wait
  /// body returns; the first task
  /// is woken, and needs a thread
  ///                                blocked writers pass, until a thread is free
  /// ```
  @Test func `every thread of the pool may block while writers that need one were woken`() async throws {
    try await withWatchdog("blocking writes on every thread of a pool") {
      let threads = 2
      let pool = FixedPool(threads: threads)
      let store = try Store(Item.self)
      let holder = Holder(store) { tx in try tx.insert(Item(0)) }
      await holder.hasTurn()
      var suspended: [Task<Void, any Error>] = []
      for number in 0..<3 {
        suspended.append(
          Task(executorPreference: pool) { try await store.write { tx in try tx.insert(Item(100 + number)) } }
        )
        // One after the other, so that they ask in this order.
        await pool.idle()
      }
      let started = Recorder<Int>()
      let blocked = (0..<3 * threads).map { number in
        Task.detached(executorPreference: pool) {
          started.append(number)
          try block(store, 200 + number)
        }
      }
      await started.reached(threads)
      holder.leave()
      try await holder.end()
      for task in blocked + suspended { try await task.value }
      pool.close()
      let ids = store.snapshot().fetch(Item.all).map(\.id)
      #expect(ids.first == 0)
      #expect(ids.sorted() == [0, 100, 101, 102] + (200..<206))
      #expect(ids.filter { (100..<200).contains($0) } == [100, 101, 102])
    }
  }

  /// The same on the standard pool, with as many blocking tasks as it may have threads, and more.
  @Test func `every thread of the standard pool may block while asynchronous writers wait`() async throws {
    try await withWatchdog("blocking writes on every thread of the standard pool") {
      let store = try Store(Item.self)
      let count = ProcessInfo.processInfo.activeProcessorCount * 2
      let holder = Holder(store) { tx in try tx.insert(Item(0)) }
      await holder.hasTurn()
      let writers = (0..<4).map { number in SteppedWriter(store) { tx in try tx.insert(Item(100 + number)) } }
      for writer in writers { await writer.ask() }
      let release = Signal()
      let releaser = Worker {
        release.wait()
        try holder.leaveAndJoin()
      }
      let blocked = (0..<count).map { number in
        Task.detached {
          if number == 0 { release.send() }
          try block(store, 200 + number)
        }
      }
      try await releaser.value()
      for task in blocked { try await task.value }
      for writer in writers {
        await writer.wake()
        try await writer.task.value
      }
      #expect(store.snapshot().count(Item.all) == 1 + 4 + count)
    }
  }

  /// Two threads that write without a pause must not keep anybody else from writing.
  @Test func `no writer starves beside threads that write all the time`() async throws {
    try await withWatchdog("writers beside threads that write all the time") {
      let store = try Store(Item.self)
      let isDone = Atomic(false)
      let busy = (0..<2).map { number in
        Worker {
          while !isDone.load(ordering: .acquiring) {
            try store.write { tx in
              try tx.upsert(Item(number, rank: (tx[Item.self, number]?.rank ?? 0) + 1))
            }
          }
        }
      }
      try await onOwnThreads {
        for id in 10..<60 { try await store.write { tx in try tx.insert(Item(id)) } }
        try await Worker { for id in 60..<110 { try block(store, id) } }.value()
      }
      isDone.store(true, ordering: .releasing)
      for worker in busy { try await worker.value() }
      #expect(store.snapshot().count(Item.where { $0.id >= 10 }) == 100)
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct `The queue of writers` {
  private let store: Store

  init() throws { store = try Store(Item.self) }

  private var ids: [Int] { store.snapshot().fetch(Item.all).map(\.id) }

  /// A writer that asked for the write lock and waits for it.
  private func waiting(_ id: Int) async -> SteppedWriter {
    let writer = SteppedWriter(store) { tx in try tx.insert(Item(id)) }
    await writer.ask()
    return writer
  }

  private func holding(_ id: Int) async -> Holder {
    let holder = Holder(store) { tx in try tx.insert(Item(id)) }
    await holder.hasTurn()
    return holder
  }

  @Test func `asynchronous writers take the write lock in queue order`() async throws {
    try await withWatchdog("writers in a queue") {
      let holder = await holding(0)
      var writers: [SteppedWriter] = []
      for id in 1...8 { writers.append(await waiting(id)) }
      holder.leave()
      for writer in writers { await writer.wake() }
      for writer in writers { try await writer.task.value }
      try await holder.end()
      #expect(ids == Array(0...8))
    }
  }

  @Test func `no writer waits while the write lock is free`() async throws {
    let writer = await waiting(1)
    try await writer.task.value
    #expect(ids == [1])
  }

  /// ```
  /// A (asynchronous)      a thread                                     B (asynchronous)
  ///                       body begins
  /// A asks
  ///                       body returns; A is woken and does not start
  ///                                                                    B asks and waits behind A
  /// A starts and writes
  ///                                                                    B is woken and writes
  /// ```
  @Test func `a task waits behind another that was woken and has not started`() async throws {
    try await withWatchdog("a task beside one that was woken") {
      let holder = await holding(0)
      let first = await waiting(1)
      try join(holder)
      let second = await waiting(2)
      #expect(ids == [0])
      await first.wake()
      await second.wake()
      try await first.task.value
      try await second.task.value
      #expect(ids == [0, 1, 2])
    }
  }

  /// ```
  /// A, B (asynchronous)            a thread
  ///                                body begins
  /// A asks, B asks
  ///                                body returns; A is woken and does not start
  ///                                a blocking write passes A
  /// A starts and writes
  /// B is woken and writes
  /// ```
  @Test func `a blocking writer overtakes one that was woken and has not started`() async throws {
    try await withWatchdog("a blocking writer beside one that was woken") {
      let holder = await holding(0)
      let first = await waiting(1)
      let second = await waiting(2)
      try join(holder)
      let store = store
      try await Worker { try block(store, 9) }.value()
      #expect(ids == [0, 9])
      await first.wake()
      await second.wake()
      try await first.task.value
      try await second.task.value
      #expect(ids == [0, 9, 1, 2])
    }
  }

  /// ```
  /// A, B (asynchronous)            threads
  ///                                body begins
  /// A asks, B asks
  ///                                body returns; A is woken and does not start
  ///                                another body begins, passing A
  /// A starts, finds the lock
  /// held and waits, first
  ///                                body returns; A is woken again
  /// A writes, then B
  /// ```
  @Test func `a writer that was overtaken keeps its queue position`() async throws {
    try await withWatchdog("a writer that was passed") {
      let holder = await holding(0)
      let first = await waiting(1)
      let second = await waiting(2)
      try join(holder)
      let passing = await holding(9)
      await first.wake()
      #expect(ids == [0])
      passing.leave()
      try await passing.end()
      await first.wake(2)
      try await first.task.value
      await second.wake()
      try await second.task.value
      #expect(ids == [0, 9, 1, 2])
    }
  }

  @Test func `a body that throws passes the write lock on`() async throws {
    struct Stop: Error {}
    try await withWatchdog("writers behind one that throws") {
      let holder = Holder(store) { _ in throw Stop() }
      await holder.hasTurn()
      let failing = SteppedWriter(store) { _ in throw Stop() }
      await failing.ask()
      let last = await waiting(1)
      holder.leave()
      await #expect(throws: Stop.self) { try await holder.end() }
      await failing.wake()
      await #expect(throws: Stop.self) { try await failing.task.value }
      await last.wake()
      try await last.task.value
      #expect(ids == [1])
    }
  }

  @Test func `the body of a write runs where its caller runs`() async throws {
    let actor = ManualActor()
    let store = store
    let task = Task {
      try await actor.run { actor in
        try await store.write { tx in
          actor.assertIsolated()
          try tx.insert(Item(1))
        }
        actor.assertIsolated()
      }
    }
    await actor.executor.run(1)
    try await task.value
    try await onMain()
    #expect(ids == [1, 2])
  }

  @MainActor private func onMain() async throws {
    let holder = await holding(2)
    let release = Worker { holder.leave() }
    try await store.write { tx in
      MainActor.assertIsolated()
      #expect(tx[Item.self, 2] != nil)
    }
    try await release.value()
  }

  /// A writer that does not suspend needs no other job of its executor.
  @Test func `writes one after another from many tasks lose nothing`() async throws {
    try await withWatchdog("counters") {
      try await store.write { tx in try tx.insert(Item(0)) }
      let store = store
      let threads = (0..<2).map { _ in
        Worker {
          for _ in 0..<100 { try store.write { tx in try tx.update(Item.self, 0) { $0.rank += 1 } } }
        }
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            for _ in 0..<50 {
              try await store.write { tx in try tx.update(Item.self, 0) { $0.rank += 1 } }
            }
          }
        }
        try await group.waitForAll()
      }
      for thread in threads { try await thread.value() }
      #expect(store.snapshot()[Item.self, 0]?.rank == 600)
      #expect(store.version.number == 601)
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Cancelling a writer` {
  private let store: Store

  init() throws { store = try Store(Item.self) }

  private var ids: [Int] { store.snapshot().fetch(Item.all).map(\.id) }

  private func waiting(_ id: Int) async -> SteppedWriter {
    let writer = SteppedWriter(store) { tx in try tx.insert(Item(id)) }
    await writer.ask()
    return writer
  }

  /// ```
  /// a thread                       A, B, C (asynchronous)
  /// body begins
  ///                                all ask
  ///                                B is cancelled: it ends with CancellationError
  /// body returns
  ///                                A, then C
  /// ```
  @Test func `a cancelled writer that waits throws CancellationError and leaves no trace`() async throws {
    try await withWatchdog("a cancelled writer in the queue") {
      let recorder = Recorder<CollectionChange<Item>>()
      let token = store.observe(Item.all, initial: .skip) { recorder.append($0) }
      let holder = Holder(store) { tx in try tx.insert(Item(0)) }
      await holder.hasTurn()
      let writers = [await waiting(1), await waiting(2), await waiting(3)]
      writers[1].task.cancel()
      await writers[1].wake()
      await #expect(throws: CancellationError.self) { try await writers[1].task.value }
      #expect(store.version.number == 0)
      holder.leave()
      try await holder.end()
      await writers[0].wake()
      await writers[2].wake()
      try await writers[0].task.value
      try await writers[2].task.value
      #expect(ids == [0, 1, 3])
      #expect(store.version.number == 3)
      try await store.settled()
      #expect(recorder.last?.results?.map(\.id) == [0, 1, 3])
      token.invalidate()
    }
  }

  /// ```
  /// a thread                       A, B (asynchronous)
  /// body begins
  ///                                both ask
  /// body returns: A is woken
  ///                                A is cancelled before it starts
  ///                                A ends with CancellationError; B has the lock
  /// ```
  @Test func `a cancelled writer that was woken and has not started passes the write lock on`() async throws {
    try await withWatchdog("a cancelled writer that was woken") {
      let holder = Holder(store) { tx in try tx.insert(Item(0)) }
      await holder.hasTurn()
      let first = await waiting(1)
      let second = await waiting(2)
      try join(holder)
      first.task.cancel()
      await first.wake()
      await #expect(throws: CancellationError.self) { try await first.task.value }
      await second.wake()
      try await second.task.value
      #expect(ids == [0, 2])
    }
  }

  @Test func `a cancelled writer that was woken does not lose the write lock for a blocked writer`()
    async throws
  {
    try await withWatchdog("a blocked writer behind a cancelled one") {
      let holder = Holder(store) { tx in try tx.insert(Item(0)) }
      await holder.hasTurn()
      let first = await waiting(1)
      let store = store
      let blocked = Worker { try block(store, 5) }
      first.task.cancel()
      holder.leave()
      try await blocked.value()
      try await holder.end()
      await first.wake()
      await #expect(throws: CancellationError.self) { try await first.task.value }
      #expect(ids == [0, 5])
      try await store.write { tx in try tx.insert(Item(6)) }
    }
  }

  @Test func `cancelling all writers that wait leaves the write lock free`() async throws {
    try await withWatchdog("cancelled writers") {
      let holder = Holder(store) { tx in try tx.insert(Item(0)) }
      await holder.hasTurn()
      var writers: [SteppedWriter] = []
      for id in 1...5 { writers.append(await waiting(id)) }
      for writer in writers { writer.task.cancel() }
      for writer in writers {
        await writer.wake()
        await #expect(throws: CancellationError.self) { try await writer.task.value }
      }
      try join(holder)
      try await store.write { tx in try tx.insert(Item(9)) }
      #expect(ids == [0, 9])
    }
  }

  @Test func `a writer that is cancelled before it starts never runs its body`() async throws {
    let gate = Gate()
    let hasRun = Atomic(false)
    let store = store
    let task = Task {
      await gate.wait()
      try await store.write { _ in hasRun.store(true, ordering: .relaxed) }
    }
    task.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    let ran = hasRun.load(ordering: .relaxed)
    #expect(!ran)
    try await store.write { tx in try tx.insert(Item(1)) }
  }

  @Test func `cancelling a writer inside its body changes nothing: the body decides`() async throws {
    let store = store
    let task = Task {
      try await store.write { tx in
        withUnsafeCurrentTask { $0?.cancel() }
        try tx.insert(Item(1))
      }
    }
    try await task.value
    #expect(ids == [1])
    let careful = Task {
      try await store.write { tx in
        withUnsafeCurrentTask { $0?.cancel() }
        try tx.insert(Item(2))
        try Task.checkCancellation()
      }
    }
    await #expect(throws: CancellationError.self) { try await careful.value }
    #expect(ids == [1])
  }

  @Test func `cancelling writers in many tasks at once never loses the write lock`() async throws {
    await withWatchdog("many cancelled writers") {
      let store = store
      for _ in 0..<50 {
        let before = store.version.number
        let tasks = (0..<6).map { _ in
          Task { try await store.write { tx in try tx.upsert(Item(1, rank: Int(tx.version.number))) } }
        }
        for task in tasks.dropFirst(2) { task.cancel() }
        var done: UInt64 = 0
        for task in tasks {
          switch await task.result {
          case .success: done += 1
          case .failure(let error): #expect(error is CancellationError)
          }
        }
        #expect(done >= 2)
        #expect(store.version.number - before == done)
      }
    }
  }
}
