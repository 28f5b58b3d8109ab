import Dispatch
import LiveStore
import Synchronization
import TestSupport
import Testing

/// The behavioural promises of `lifecycle.json`, each under its id.
@Suite(.timeLimit(.minutes(10))) struct `Lifecycle cases` {
  private let store: Store

  init() async throws {
    store = try Store(Item.self)
    try await store.write { tx in try tx.insert(Item(0)) }
  }

  @Test func `lc-19 cancelling the task that owns a subscription stops its updates`() async throws {
    let store = store
    let received = Recorder<Int>()
    let task = Task {
      for try await count in store.values(of: Item.all.count) { received.append(count) }
    }
    await received.reached(1)
    task.cancel()
    try await task.value
    try await store.write { tx in try tx.insert(Item(1)) }
    try await store.settled()
    #expect(received.events == [1])
  }

  /// Either may be called first; that one removes the other, which is then never called.
  @MainActor @Test
  func `lc-24 removing another observer inside a callback prevents its call in the same round`() async throws
  {
    for _ in 0..<20 {
      let tokens = Box()
      let called = Recorder<Int>()
      for number in 0..<4 {
        let token = store.observe(Item.all, initial: .skip) { [weak tokens] _ in
          called.append(number)
          for (other, token) in (tokens?.all ?? []).enumerated() where other != number { token.invalidate() }
        }
        tokens.append(token)
      }
      try await store.settled()
      try await store.write { tx in try tx.update(Item.self, 0) { $0.rank += 1 } }
      try await store.settled()
      #expect(called.count == 1)
      withExtendedLifetime(tokens) {}
    }
  }

  @Test func `lc-24 removing another observer on a queue prevents its call in the same round`() async throws {
    let queue = DispatchQueue(label: "handlers")
    for _ in 0..<20 {
      let tokens = Box()
      let called = Recorder<Int>()
      for number in 0..<4 {
        let token = store.observe(queue: queue, Item.all, initial: .skip) { [weak tokens] _ in
          called.append(number)
          for (other, token) in (tokens?.all ?? []).enumerated() where other != number { token.invalidate() }
        }
        tokens.append(token)
      }
      try await store.settled()
      try await store.write { tx in try tx.update(Item.self, 0) { $0.rank += 1 } }
      try await store.settled()
      #expect(called.count == 1)
      withExtendedLifetime(tokens) {}
    }
  }

  @Test func `lc-53 a rolled back transaction produces no change callback`() async throws {
    struct RolledBack: Error {}
    let received = Recorder<CollectionChange<Item>>()
    let token = store.observe(Item.all, initial: .skip) { received.append($0) }
    var events = store.changes(of: Item.all).makeAsyncIterator()
    _ = await events.next()
    try await store.settled()
    await #expect(throws: RolledBack.self) {
      try await store.write { tx in
        try tx.insert(Item(1))
        try tx.update(Item.self, 0) { $0.rank = 9 }
        throw RolledBack()
      }
    }
    try await store.settled()
    #expect(received.count == 0)
    try await store.write { tx in try tx.insert(Item(2)) }
    #expect(await events.next()?.changes?.insertions == [1])
    token.invalidate()
  }

  @Test func `lc-68 an error ends the observation, even if its cause is removed`() async throws {
    try await withWatchdog("an observer that misses commits") {
      var configuration = Store.Configuration()
      configuration.historyCommits = 2
      let store = try Store(Item.self, configuration: configuration)
      let inside = Signal()
      let leave = Signal()
      let received = Recorder<CollectionChange<Item>>()
      let queue = DispatchQueue(label: "slow")
      let token = store.observe(queue: queue, Item.all, mode: .everyCommit) { change in
        received.append(change)
        if received.count == 1 {
          inside.send()
          leave.wait()
        }
      }
      await inside.arrival()
      for id in 0..<10 { try await store.write { tx in try tx.insert(Item(id)) } }
      leave.send()
      try await store.settled()
      #expect(received.count == 2)
      guard case .error(let error) = received.last else {
        Issue.record("no error")
        return
      }
      #expect(error.code == StoreError.historyTruncated && error.oldest == .number(8))
      for id in 10..<13 {
        try await store.write { tx in try tx.insert(Item(id)) }
        try await store.settled()
      }
      #expect(received.count == 2)
      #expect(store.metrics.observers == 0)
      token.invalidate()
    }
  }

  @Test func `lc-73 leaving the loop ends the observation`() async throws {
    for await _ in store.changes(of: Item.all) { break }
    #expect(store.metrics.observers == 0)
    var taken = 0
    for try await _ in store.values(of: Item.all.count) {
      taken += 1
      if taken == 2 { break }
      try await store.write { tx in try tx.insert(Item(1)) }
    }
    #expect(store.metrics.observers == 0)
    for await _ in store.changes(of: Item.self, 0).stream() { break }
    #expect(store.metrics.observers == 0)
    try await store.write { tx in try tx.insert(Item(2)) }
    for try await _ in store.commits(after: .number(0)) { break }
    try await store.settled()
    #expect(store.metrics.liveQueries == 0)
  }
}

/// Tokens that handlers share.
private final class Box: Sendable {
  private let tokens = Mutex<[NotificationToken]>([])
  var all: [NotificationToken] { tokens.withLock { $0 } }
  func append(_ token: NotificationToken) { tokens.withLock { $0.append(token) } }
}
