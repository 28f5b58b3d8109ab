import Dispatch
import LiveStore
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Pacing of events` {
  private let store: Store
  private let recorder = Recorder<CollectionChange<Item>>()

  init() async throws {
    store = try Store(Item.self)
    try await store.write { tx in try tx.insert(contentsOf: (0..<5).map { Item($0, rank: $0) }) }
  }

  @Test func `an observer receives the results first, then what changed since`() async throws {
    let token = store.observe(Item.where { $0.rank >= 2 }) { recorder.append($0) }
    try await store.settled()
    guard case .initial(let results) = recorder.events.first else {
      Issue.record("no initial event")
      return
    }
    #expect(results.map(\.id) == [2, 3, 4] && results.version.number == 1)
    try await store.write { tx in
      try tx.update(Item.self, 0) { $0.rank = 7 }
      try tx.update(Item.self, 2) { $0.rank = 0 }
      try tx.update(Item.self, 3) { $0.name = "x" }
    }
    try await store.settled()
    let change = try #require(recorder.last?.changes)
    #expect(change.deletions == [0] && change.insertions == [0] && change.modifications.map(\.id) == [3])
    #expect(change.previous.map(\.id) == [2, 3, 4] && change.current.map(\.id) == [0, 3, 4])
    #expect(change.previous.version.number == 1 && change.current.version.number == 2)
    #expect(change.previous[0].rank == 2)
    token.invalidate()
  }

  @Test func `an observer receives no event for a commit that does not concern its query`() async throws {
    let token = store.observe(Item.where { $0.rank >= 3 }) { recorder.append($0) }
    try await store.settled()
    for rank in 0..<3 {
      try await store.write { tx in _ = try tx.update(Item.self, 0) { $0.rank = rank } }
      try await store.settled()
    }
    #expect(recorder.count == 1)
    try await store.write { tx in _ = try tx.update(Item.self, 0) { $0.rank = 3 } }
    try await store.settled()
    #expect(recorder.count == 2)
    token.invalidate()
  }

  @Test func `an observer that skips the first event receives changes since the version of the call`()
    async throws
  {
    let token = store.observe(Item.all, initial: .skip) { recorder.append($0) }
    try await store.write { tx in try tx.insert(Item(10)) }
    try await store.settled()
    try await store.write { tx in try tx.insert(Item(11)) }
    try await store.settled()
    #expect(recorder.events.allSatisfy { $0.changes != nil })
    #expect(recorder.events.first?.changes?.previous.version.number == 1)
    #expect(recorder.events.flatMap { $0.changes?.insertions ?? [] } == [5, 6])
    token.invalidate()
  }

  @Test func `events are delivered one at a time and in order, each starting where the last one ended`()
    async throws
  {
    let store = store
    let observers = (0..<4).map { _ in CheckedObserver<Item>() }
    let queries = [
      Item.all, Item.where { $0.rank > 3 }, Item.sorted(by: \.rank), Item.sorted(by: \.rank).limit(3),
    ]
    let tokens = zip(observers, queries).map { observer, query in
      store.observe(query) { @Sendable change in observer.receive(change) }
    }
    let threads = (0..<2).map { thread in
      Worker {
        for step in 0..<150 {
          try store.write { tx in
            try tx.upsert(Item(step % 20, rank: (step * 7 + thread) % 9))
            if step % 5 == 0 { try tx.delete(Item.self, step % 7) }
          }
        }
      }
    }
    for thread in threads { try await thread.value() }
    try await store.settled()
    for (observer, query) in zip(observers, queries) {
      #expect(observer.breaches == [])
      #expect(observer.rows == Array(store.snapshot().fetch(query)))
    }
    for token in tokens { token.invalidate() }
  }

  /// ```
  /// handler, on a queue            this test
  /// receives version 1, waits
  ///                                commits 2 to 21
  /// returns
  /// receives 21, from 1
  /// ```
  @Test func `events for a busy handler are merged into one`() async throws {
    try await withWatchdog("a slow handler") {
      let queue = DispatchQueue(label: "slow")
      let inside = Signal()
      let leave = Signal()
      let observer = CheckedObserver<Item>()
      let token = store.observe(queue: queue, Item.all) { [recorder] change in
        recorder.append(change)
        observer.receive(change)
        inside.send()
        leave.wait()
      }
      await inside.arrival()
      for id in 10..<30 { try await store.write { tx in try tx.insert(Item(id)) } }
      try await store.write { tx in try tx.insert(Item(99)) }
      try await store.write { tx in _ = try tx.delete(Item.self, 99) }
      leave.send()
      leave.send()
      try await store.settled()
      #expect(recorder.count == 2)
      let change = try #require(recorder.last?.changes)
      #expect(change.previous.version.number == 1 && change.current.version == store.version)
      #expect(change.insertions == Array(5..<25) && change.deletions.isEmpty)
      #expect(observer.breaches == [])
      token.invalidate()
    }
  }

  @Test func `a busy handler delays no other observer`() async throws {
    try await withWatchdog("a handler beside a slow one") {
      let inside = Signal()
      let leave = Signal()
      let slow = store.observe(queue: DispatchQueue(label: "slow"), Item.all) { _ in
        inside.send()
        leave.wait()
      }
      await inside.arrival()
      let token = store.observe(queue: DispatchQueue(label: "fast"), Item.all) { [recorder] in
        recorder.append($0)
      }
      var stream = store.changes(of: Item.all.count).makeAsyncIterator()
      #expect(await stream.next()?.value == 5)
      await recorder.reached(1)
      for number in 1...10 {
        try await store.write { tx in try tx.insert(Item(100 + number)) }
        await recorder.reached(1 + number)
        #expect(await stream.next()?.value == 5 + number)
      }
      #expect(recorder.events.map { $0.results?.count } == Array(5...15))
      leave.send()
      slow.invalidate()
      token.invalidate()
      leave.send()
    }
  }

  @Test func `a paused observer receives nothing, and one merged event on resuming`() async throws {
    let token = store.observe(Item.all) { recorder.append($0) }
    try await store.settled()
    token.pause()
    for id in 10..<20 {
      try await store.write { tx in try tx.insert(Item(id)) }
      try await store.settled()
    }
    #expect(recorder.count == 1)
    token.resume()
    try await store.settled()
    #expect(recorder.count == 2)
    #expect(recorder.last?.changes?.insertions == Array(5..<15))
    #expect(recorder.last?.changes?.previous.version.number == 1)
    try await store.write { tx in try tx.insert(Item(30)) }
    try await store.settled()
    #expect(recorder.count == 3)
    token.invalidate()
  }

  @Test func `a paused observer receives nothing on resuming when its changes cancel out`() async throws {
    let token = store.observe(Item.all) { recorder.append($0) }
    try await store.settled()
    token.pause()
    token.pause()
    try await store.write { tx in try tx.insert(Item(10)) }
    try await store.write { tx in _ = try tx.delete(Item.self, 10) }
    token.resume()
    try await store.settled()
    #expect(recorder.count == 1)
    token.resume()
    try await store.write { tx in try tx.insert(Item(11)) }
    try await store.settled()
    #expect(recorder.count == 2)
    token.invalidate()
  }

  @Test func `an observer that is paused before its first event receives it on resuming`() async throws {
    let queue = DispatchQueue(label: "handlers")
    let token = queue.sync {
      let token = store.observe(queue: queue, Item.all) { [recorder] in recorder.append($0) }
      token.pause()
      return token
    }
    try await store.settled()
    try await store.write { tx in try tx.insert(Item(10)) }
    try await store.settled()
    #expect(recorder.count == 0)
    token.resume()
    try await store.settled()
    #expect(recorder.events.last?.results?.count == 6)
    token.invalidate()
  }

  @Test func `all changes of one transaction are one event`() async throws {
    let token = store.observe(Item.sorted(by: \.rank)) { recorder.append($0) }
    try await store.settled()
    try await store.write { tx in
      for id in 0..<5 {
        try tx.update(Item.self, id) { $0.rank = -id }
        try tx.insert(Item(100 + id, rank: 100))
      }
    }
    try await store.settled()
    #expect(recorder.count == 2)
    token.invalidate()
  }

  @Test func `an object deleted and inserted again while paused is one object in the merged event`()
    async throws
  {
    let token = store.observe(Item.all) { recorder.append($0) }
    try await store.settled()
    token.pause()
    try await store.write { tx in _ = try tx.delete(Item.self, 1) }
    try await store.write { tx in _ = try tx.delete(Item.self, 4) }
    try await store.write { tx in try tx.insert(Item(1, rank: 50)) }
    try await store.write { tx in try tx.insert(Item(70)) }
    try await store.write { tx in _ = try tx.delete(Item.self, 70) }
    try await store.write { tx in _ = try tx.update(Item.self, 2) { $0.rank = 9 } }
    try await store.write { tx in _ = try tx.update(Item.self, 2) { $0.rank = 2 } }
    token.resume()
    try await store.settled()
    let change = try #require(recorder.last?.changes)
    #expect(recorder.count == 2)
    #expect(change.deletions == [4] && change.insertions.isEmpty)
    #expect(change.modifications.map(\.id) == [1] && change.moves.map(\.id) == [1])
    token.invalidate()
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Handlers that write` {
  private let store: Store

  init() async throws {
    store = try Store(Item.self)
    try await store.write { tx in try tx.insert(Item(0)) }
  }

  /// Counts an object up to ten in the blocking form, noting how deep calls nest.
  private final class Counter: Sendable {
    let store: Store
    private let state = Mutex((depth: 0, deepest: 0, seen: [Int]()))

    init(_ store: Store) { self.store = store }

    var deepest: Int { state.withLock { $0.deepest } }
    var seen: [Int] { state.withLock { $0.seen } }

    func receive(_ change: CollectionChange<Item>) {
      let rank = change.results?.first?.rank ?? -1
      state.withLock {
        $0.depth += 1
        $0.deepest = max($0.deepest, $0.depth)
        $0.seen.append(rank)
      }
      if rank < 10 { try? store.write { tx in try tx.update(Item.self, 0) { $0.rank += 1 } } }
      state.withLock { $0.depth -= 1 }
    }
  }

  private func check(_ counter: Counter, _ token: NotificationToken) async throws {
    var values = store.values(of: Item.where { $0.rank == 10 }.count).makeAsyncIterator()
    while try await values.next() != 1 {}
    try await store.settled()
    #expect(counter.deepest == 1)
    #expect(counter.seen == Array(0...10))
    token.invalidate()
  }

  @Test func `a handler that writes receives its write after it has returned`() async throws {
    let counter = Counter(store)
    try await check(counter, store.observe(Item.all) { @Sendable in counter.receive($0) })
  }

  @Test func `a handler that writes receives its write after it has returned, on a queue`() async throws {
    let counter = Counter(store)
    let queue = DispatchQueue(label: "handlers")
    try await check(counter, store.observe(queue: queue, Item.all) { counter.receive($0) })
  }

  @MainActor @Test func `a handler that writes receives its write after it has returned, on the main actor`()
    async throws
  {
    let counter = Counter(store)
    try await check(counter, store.observe(Item.all) { counter.receive($0) })
  }

  @Test func `a handler does not write inside the transaction that it receives`() async throws {
    let errors = Recorder<String>()
    let store = store
    let token = store.observe(Item.all, initial: .skip) { @Sendable change in
      do {
        if change.results?.count == 2 { try store.write { tx in try tx.insert(Item(2)) } }
      } catch {
        errors.append("\(error)")
      }
    }
    try await store.settled()
    try await store.write { tx in try tx.insert(Item(1)) }
    var values = store.values(of: Item.all.count).makeAsyncIterator()
    while try await values.next() != 3 {}
    #expect(errors.events == [])
    token.invalidate()
  }
}
