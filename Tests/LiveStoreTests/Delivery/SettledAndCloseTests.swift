import Dispatch
import LiveStore
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A settled store` {
  private let store: Store
  private let recorder = Recorder<CollectionChange<Item>>()

  init() async throws {
    store = try Store(Item.self)
    try await store.write { tx in try tx.insert(Item(0)) }
  }

  @Test func `a wait for a version to come includes the handlers that the version wakes`() async throws {
    let (store, actor) = (try Store(Item.self), ManualActor())
    let (inside, leave) = (Signal(), Signal())
    let token = store.observe(queue: DispatchQueue(label: "slow"), Item.all, initial: .skip) { _ in
      inside.send()
      leave.wait()
    }
    let task = Task { try await actor.run { _ in try await store.settled(through: .number(1)) } }
    await actor.executor.run(1)
    try await store.write { tx in try tx.insert(Item(1)) }
    await inside.arrival()
    for _ in 0..<100 { await Task.yield() }
    #expect(actor.executor.arrived == 1, "the handler has not returned")
    leave.send()
    await actor.executor.run(2)
    try await task.value
    token.invalidate()
  }

  @Test func `every handler of a settled store has received all earlier commits`() async throws {
    let tokens = (0..<10).map { _ in store.observe(Item.all) { [recorder] in recorder.append($0) } }
    for round in 1...20 {
      try await store.write { tx in try tx.insert(Item(round)) }
      try await store.settled()
      let newest = recorder.events.suffix(10).map { $0.results?.version }
      #expect(newest == Array(repeating: store.version, count: 10))
    }
    for token in tokens { token.invalidate() }
  }

  @Test func `a store without observers is settled`() async throws {
    try await store.settled()
    try await store.settled(through: store.version)
  }

  /// ```
  /// handler, on a queue            a task
  /// receives, waits
  ///                                asks to be settled: suspended
  /// returns
  ///                                goes on
  /// ```
  @Test func `a store is not settled while a handler is running`() async throws {
    try await withWatchdog("settling while a handler runs") {
      let inside = Signal()
      let leave = Signal()
      let order = Recorder<String>()
      let token = store.observe(queue: DispatchQueue(label: "slow"), Item.all) { _ in
        inside.send()
        leave.wait()
        order.append("handler")
      }
      await inside.arrival()
      let hasAsked = Gate()
      let store = store
      let task = Task {
        hasAsked.open()
        try await store.settled()
        order.append("settled")
      }
      await hasAsked.wait()
      leave.send()
      try await task.value
      #expect(order.events == ["handler", "settled"])
      token.invalidate()
    }
  }

  @Test func `a store is settled while an observer is paused`() async throws {
    let token = store.observe(Item.all) { [recorder] in recorder.append($0) }
    try await store.settled()
    token.pause()
    try await store.write { tx in try tx.insert(Item(1)) }
    try await store.settled()
    #expect(recorder.count == 1)
    token.invalidate()
  }

  @Test func `a store is settled while a consumer does not ask`() async throws {
    var events = store.changes(of: Item.all).makeAsyncIterator()
    _ = await events.next()
    try await store.write { tx in try tx.insert(Item(1)) }
    try await store.settled()
    #expect(await events.next()?.changes?.insertions == [1])
  }

  @Test func `a wait for a settled version lasts until the version is committed and delivered`() async throws
  {
    let token = store.observe(Item.all) { [recorder] in recorder.append($0) }
    let store = store
    let task = Task {
      try await store.settled(through: .number(4))
      return store.version
    }
    for id in 1...3 { try await store.write { tx in try tx.insert(Item(id)) } }
    #expect(try await task.value == .number(4))
    #expect(recorder.last?.results?.count == 4)
    token.invalidate()
  }

  @Test func `a wait for a settled store ends when its task is cancelled`() async throws {
    try await withWatchdog("a cancelled wait for a settled store") {
      let inside = Signal()
      let leave = Signal()
      let token = store.observe(queue: DispatchQueue(label: "slow"), Item.all) { _ in
        inside.send()
        leave.wait()
      }
      await inside.arrival()
      let store = store
      let hasAsked = Gate()
      let task = Task {
        hasAsked.open()
        try await store.settled()
      }
      await hasAsked.wait()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      leave.send()
      token.invalidate()
      try await store.settled()
    }
  }

  @Test func `a wait for a settled store ignores a token that is invalidated or released meanwhile`()
    async throws
  {
    try await withWatchdog("settling while a token is released") {
      let queue = DispatchQueue(label: "blocked")
      let leave = Signal()
      queue.async { leave.wait() }
      var token: NotificationToken? = store.observe(queue: queue, Item.all) { _ in }
      let other = store.observe(queue: queue, Item.all) { _ in }
      let store = store
      let hasAsked = Gate()
      let task = Task {
        hasAsked.open()
        try await store.settled()
      }
      await hasAsked.wait()
      other.invalidate()
      token = nil
      _ = token
      leave.send()
      try await task.value
    }
  }

  @Test func `a wait for a settled store in a handler's task does not wait for itself`() async throws {
    let done = Recorder<Bool>()
    let store = store
    let token = store.observe(Item.all, initial: .skip) { @Sendable _ in
      Task {
        try await store.settled()
        done.append(true)
      }
    }
    try await store.write { tx in try tx.insert(Item(1)) }
    await done.reached(1)
    token.invalidate()
  }
}

@Suite(.timeLimit(.minutes(10))) struct `A closed store` {
  private let store: Store

  init() async throws {
    store = try Store(Item.self)
    try await store.write { tx in try tx.insert(Item(0)) }
  }

  @Test func `a closed store ends streams without an error, waiting or not`() async throws {
    let store = store
    let recorder = Recorder<String>()
    let changes = Task {
      for await change in store.changes(of: Item.all) {
        recorder.append("changes")
        if case .error = change { Issue.record("an error") }
      }
    }
    let values = Task {
      for try await _ in store.values(of: Item.all.count) { recorder.append("values") }
    }
    let commits = Task {
      for try await _ in store.commits(after: .number(0)) { recorder.append("commits") }
    }
    let groups = Task {
      for await _ in store.changes(of: Item.all, Item.all.count) { recorder.append("groups") }
    }
    var idle = store.changes(of: Item.all).makeAsyncIterator()
    await recorder.reached(4)
    store.close()
    await changes.value
    try await values.value
    try await commits.value
    await groups.value
    #expect(Set(recorder.events) == ["changes", "values", "commits", "groups"])
    #expect(recorder.count == 4)
    // One that had not asked yet may receive the end only.
    #expect(await idle.next()?.changes == nil)
    #expect(await idle.next() == nil)
  }

  @Test func `a closed store calls no handler again and delivers no error to it`() async throws {
    let recorder = Recorder<CollectionChange<Item>>()
    let token = store.observe(Item.all) { recorder.append($0) }
    try await store.settled()
    store.close()
    try await store.settled()
    #expect(recorder.count == 1)
    #expect(store.metrics.observers == 0)
    token.pause()
    token.resume()
    token.invalidate()
    #expect(recorder.count == 1)
  }

  @Test func `a closed store refuses writes`() async throws {
    let store = store
    store.close()
    await #expect {
      try await store.write { tx in try tx.insert(Item(1)) }
    } throws: {
      StoreError.closed ~= $0
    }
    await #expect {
      try await Worker { try store.write { tx in try tx.insert(Item(1)) } }.value()
    } throws: {
      StoreError.closed ~= $0
    }
    #expect(store.version.number == 1)
  }

  @Test func `a closed store refuses observers, with the error as the only event`() async throws {
    store.close()
    let recorder = Recorder<CollectionChange<Item>>()
    let token = store.observe(Item.all) { recorder.append($0) }
    var codes: [StoreError.Code] = []
    for await change in store.changes(of: Item.all) {
      if case .error(let error) = change { codes.append(error.code) }
    }
    #expect(codes == [StoreError.closed])
    await recorder.reached(1)
    guard case .error(let error) = recorder.events.first else {
      Issue.record("no error")
      return
    }
    #expect(error.code == StoreError.closed)
    await #expect {
      for try await _ in store.values(of: Item.all.count) {}
    } throws: {
      StoreError.closed ~= $0
    }
    await #expect {
      for try await _ in store.commits(after: .number(0)) {}
    } throws: {
      StoreError.closed ~= $0
    }
    #expect {
      _ = try store.subscribe(Item.all)
    } throws: {
      StoreError.closed ~= $0
    }
    token.invalidate()
    #expect(recorder.count == 1)
  }

  @Test func `snapshots of a closed store stay readable`() async throws {
    let snapshot = store.snapshot()
    store.close()
    store.close()
    #expect(snapshot.fetch(Item.all).map(\.id) == [0])
    #expect(store.snapshot().fetch(Item.where { $0.rank == 0 }).count == 1)
    #expect(Store(copying: snapshot).snapshot().count(Item.all) == 1)
    try await store.settled()
  }

  /// ```
  /// a thread                       a writer          this test
  /// body begins
  ///                                asks, waits
  ///                                                  closes
  /// body returns
  ///                                closed
  /// ```
  @Test func `closing a store ends the writers that wait, while the running body ends by itself`()
    async throws
  {
    await withWatchdog("closing while writers wait") {
      let holder = Holder(store) { tx in try tx.insert(Item(1)) }
      await holder.hasTurn()
      let writer = SteppedWriter(store) { tx in try tx.insert(Item(2)) }
      await writer.ask()
      store.close()
      holder.leave()
      try? await holder.end()
      await writer.wake()
      await #expect {
        try await writer.task.value
      } throws: {
        StoreError.closed ~= $0
      }
      #expect(store.snapshot()[Item.self, 2] == nil)
    }
  }

  @Test func `a handler may close its store`() async throws {
    let store = store
    let recorder = Recorder<CollectionChange<Item>>()
    let token = store.observe(Item.all) { @Sendable change in
      recorder.append(change)
      store.close()
    }
    await recorder.reached(1)
    try await store.settled()
    #expect(recorder.count == 1)
    token.invalidate()
  }
}
