import Dispatch
import LiveStore
import Synchronization
import TestSupport
import Testing

/// What an observer does wrong is its own affair: all others, writers and the store go on.
@Suite(.timeLimit(.minutes(10))) struct `Handlers that fail` {
  private let store: Store
  private let query = Item.where { $0.rank >= 0 }.sorted(by: \.rank, .descending).limit(3)

  init() async throws {
    var configuration = Store.Configuration()
    configuration.historyCommits = 0
    store = try Store(Item.self, configuration: configuration)
    try await store.write { tx in try tx.insert(contentsOf: (0..<10).map { Item($0, rank: $0) }) }
  }

  /// Writes, and waits until an observer of its own has seen every commit's result.
  private func writeBeforeOthers(_ times: Int) async throws {
    let seen = CheckedObserver<Item>()
    let versions = Recorder<Version>()
    let token = store.observe(queue: DispatchQueue(label: "other"), query) { change in
      seen.receive(change)
      if let version = change.results?.version { versions.append(version) }
    }
    var events = store.changes(of: query).makeAsyncIterator()
    _ = await events.next()
    await versions.reached(1)
    for round in 1...times {
      try await store.write { tx in
        try tx.update(Item.self, round % 10) { $0.rank = 1_000 * round }
      }
      #expect(await events.next()?.results?.version == store.version)
      var count = versions.count
      while versions.last != store.version {
        await versions.reached(count + 1)
        count = versions.count
      }
      #expect(seen.rows == Array(store.snapshot().fetch(query)))
    }
    #expect(seen.breaches == [])
    token.invalidate()
  }

  /// Nothing grows with what the stuck observer does not take.
  private func expectNothingGrew() async {
    // Upkeep frees what it has replaced after its observers are woken.
    #expect(await isReached { store.metrics.versionsPinned <= 4 })
    #expect(store.metrics.liveQueries == 1)
    #expect(store.metrics.observers <= 2)
  }

  /// ```
  /// handler, on a queue     others                 this test
  /// called, never returns
  ///                                                writes 50 times
  ///                         receives every commit
  ///                                                asks to be settled: waits, is cancelled
  ///                                                closes the store
  /// returns: not called again
  /// ```
  @Test func `a handler on a queue that never returns delays only a wait for a settled store`() async throws {
    try await withWatchdog("a handler that never returns, on a queue") {
      let (inside, leave, calls) = (Signal(), Signal(), Recorder<Version?>())
      let token = store.observe(queue: DispatchQueue(label: "stuck"), query) { change in
        calls.append(change.results?.version)
        inside.send()
        leave.wait()
      }
      await inside.arrival()
      try await writeBeforeOthers(50)
      await expectNothingGrew()
      try await expectUnsettled()
      store.close()
      try await store.settled()
      leave.send()
      token.invalidate()
      #expect(calls.count == 1)
    }
  }

  @Test func `a handler on an actor that never returns delays only a wait for a settled store`() async throws
  {
    try await withWatchdog("a handler that never returns, on an actor") {
      let (actor, inside, leave) = (ManualActor(), Signal(), Signal())
      let store = store, query = query
      let made = Recorder<NotificationToken>()
      let task = Task {
        await actor.run { isolated in
          made.append(
            store.observe(isolation: isolated, query) { _ in
              inside.send()
              leave.wait()
            })
        }
      }
      await actor.executor.run(1)
      await task.value
      let handler = Task { await actor.executor.run(2) }
      await inside.arrival()
      try await writeBeforeOthers(50)
      await expectNothingGrew()
      try await expectUnsettled()
      store.close()
      leave.send()
      await handler.value
      made.last?.invalidate()
    }
  }

  /// Settled means delivered: it waits for the stuck handler, until it is cancelled.
  private func expectUnsettled() async throws {
    let store = store
    let hasReturned = Flags()
    let waiting = Task {
      defer { hasReturned.set() }
      try await store.settled()
    }
    try await store.write { tx in try tx.update(Item.self, 0) { $0.rank += 100 } }
    #expect(!hasReturned.isSet)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  private final class Flags: Sendable {
    private let flag = Mutex(false)
    var isSet: Bool { flag.withLock { $0 } }
    func set() { flag.withLock { $0 = true } }
  }

  @Test func `a handler that writes receives its own writes in order`() async throws {
    try await withWatchdog("a handler that writes") {
      let store = store
      let seen = CheckedObserver<Item>()
      let rounds = Recorder<Int>()
      let token = store.observe(queue: DispatchQueue(label: "writing"), Item.all) { change in
        seen.receive(change)
        rounds.append(0)
        if rounds.count <= 20 {
          do {
            try store.write { tx in try tx.update(Item.self, 0) { $0.rank += 1 } }
          } catch {
            Issue.record("\(error)")
          }
        }
      }
      await rounds.reached(21)
      try await store.settled()
      #expect(store.snapshot()[Item.self, 0]?.rank == 20)
      #expect(seen.breaches == [] && seen.rows == Array(store.snapshot().fetch(Item.all)))
      token.invalidate()
    }
  }

  @Test func `a handler may observe, fetch, pause and invalidate without delay`() async throws {
    try await withWatchdog("a handler that enters the store") {
      let store = store, query = query
      let tokens = Mutex<[NotificationToken]>([])
      let inner = Recorder<Version?>()
      let outer = store.observe(queue: DispatchQueue(label: "entering"), query) { change in
        let results = change.results
        #expect(results.map { Array($0) } == results?.snapshot.fetch(query).map { $0 })
        let token = store.observe(query) { @Sendable change in inner.append(change.results?.version) }
        token.pause()
        token.resume()
        let older = tokens.withLock { tokens in
          tokens.append(token)
          return tokens.count > 2 ? tokens.removeFirst() : nil
        }
        older?.invalidate()
        _ = store.metrics
      }
      for round in 0..<10 {
        try await store.write { tx in try tx.update(Item.self, round) { $0.rank += 1_000 } }
        try await store.settled()
      }
      try await store.settled()
      #expect(inner.last == store.version)
      #expect(store.metrics.observers == 3)
      outer.invalidate()
      tokens.withLock { $0 = [] }
      // Deliveries that have called their handlers look for more, and keep what they observe until they have.
      #expect(await isReached { store.metrics.observers == 0 })
    }
  }

  @Test func `a handler that closes the store is the last to be called`() async throws {
    try await withWatchdog("a handler that closes the store") {
      let store = store
      let calls = Recorder<Void>()
      let token = store.observe(queue: DispatchQueue(label: "closing"), Item.all, initial: .skip) { _ in
        calls.append(())
        store.close()
        #expect(throws: StoreError.self) { try store.write { tx in try tx.insert(Item(99)) } }
      }
      var events = store.changes(of: query).makeAsyncIterator()
      _ = await events.next()
      try await store.write { tx in try tx.insert(Item(50)) }
      await calls.reached(1)
      try await store.settled()
      while await events.next() != nil {}
      #expect(calls.count == 1 && store.snapshot().fetch(Item.all).count == 11)
      token.invalidate()
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Streams that fail` {
  private let store: Store

  init() async throws {
    var configuration = Store.Configuration()
    configuration.historyCommits = 0
    store = try Store(Item.self, configuration: configuration)
    try await store.write { tx in try tx.insert(contentsOf: (0..<10).map { Item($0, rank: $0) }) }
  }

  @Test func `a stream that is never pulled holds one version and delays no other observer`() async throws {
    let query = Item.where { $0.rank >= 0 }
    var idle: [LiveChanges<CollectionChange<Item>>.Iterator] = []
    for _ in 0..<100 {
      var events = store.changes(of: query).makeAsyncIterator()
      _ = await events.next()
      idle.append(events)
      // One that was never begun, too.
      idle.append(store.changes(of: Item.all).makeAsyncIterator())
    }
    let seen = CheckedObserver<Item>()
    let token = store.observe(query) { seen.receive($0) }
    try await store.settled()
    for round in 1...100 {
      try await store.write { tx in try tx.update(Item.self, round % 10) { $0.rank += 1 } }
      try await store.settled()
    }
    #expect(seen.breaches == [] && seen.eventCount == 101)
    // Upkeep frees what it has replaced after its observers are woken.
    #expect(await isReached { store.metrics.versionsPinned <= 3 })
    token.invalidate()
    #expect(idle.count == 200)
    idle = []
    // A handler's task that is on its way out counts for a moment.
    #expect(await isReached { store.metrics.observers == 0 })
  }

  private struct Enough: Error {}

  @Test func `a stream that is left by an error ends, and other observers continue`() async throws {
    let store = store
    let seen = CheckedObserver<Item>()
    let token = store.observe(Item.all) { seen.receive($0) }
    for _ in 0..<5 {
      let pulled = Recorder<Void>()
      let task = Task {
        for await _ in store.changes(of: Item.sorted(by: \.rank)) {
          pulled.append(())
          if pulled.count == 3 { throw Enough() }
        }
      }
      for round in 1...2 {
        await pulled.reached(round)
        try await store.write { tx in try tx.update(Item.self, 1) { $0.rank += 1 } }
      }
      await #expect(throws: Enough.self) { try await task.value }
      try await store.settled()
      #expect(store.metrics.observers == 1 && store.metrics.liveQueries == 1)
    }
    #expect(seen.breaches == [] && seen.rows == Array(store.snapshot().fetch(Item.all)))
    token.invalidate()
  }
}
