import Dispatch
import LiveStore
import Synchronization
import TestSupport
import Testing

/// Tells when it is released.
private final class Witness: Sendable {
  private let released: Recorder<Void>
  init(_ released: Recorder<Void>) { self.released = released }
  deinit { released.append(()) }
  func touch() {}
}

/// An actor with a handler on itself, which keeps the token of it.
private actor Screen {
  private let released: Recorder<Void>
  let received: Recorder<Int>
  private var token: NotificationToken?

  init(_ released: Recorder<Void>, _ received: Recorder<Int>) {
    self.released = released
    self.received = received
  }

  deinit { released.append(()) }

  func start(_ store: Store) -> NotificationToken {
    let token = store.observe(isolation: self, Item.all) { [received] in
      received.append($0.results?.count ?? -1)
    }
    self.token = token
    return token
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Lifetimes of observers` {
  private let released = Recorder<Void>()

  private func store() async throws -> Store {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(Item(0)) }
    return store
  }

  @Test func `a token does not keep the actor of its handler alive`() async throws {
    let store = try await store()
    let received = Recorder<Int>()
    var screen: Screen? = Screen(released, received)
    let token = await screen?.start(store)
    try await store.settled()
    try await store.write { tx in try tx.insert(Item(1)) }
    try await store.settled()
    #expect(received.events == [1, 2])
    screen = nil
    await released.reached(1)
    try await store.write { tx in try tx.insert(Item(2)) }
    try await store.settled()
    #expect(received.events == [1, 2])
    #expect(store.metrics.observers == 0)
    token?.invalidate()
  }

  @Test func `an invalidated token does not keep what its handler captured alive`() async throws {
    let store = try await store()
    let witness = Mutex<Witness?>(Witness(released))
    let token = store.observe(Item.all) { [witness = witness.withLock { $0 }] _ in witness?.touch() }
    try await store.settled()
    witness.withLock { $0 = nil }
    #expect(released.count == 0)
    token.invalidate()
    await released.reached(1)
    _ = token
  }

  @Test func `a released token does not keep what its handler captured alive, on any isolation`() async throws
  {
    let store = try await store()
    try await onMain(store)
    await released.reached(1)
    do {
      let witness = Witness(released)
      let queue = DispatchQueue(label: "handlers")
      let token = store.observe(queue: queue, Item.all) { _ in witness.touch() }
      try await store.settled()
      token.pause()
    }
    await released.reached(2)
  }

  @MainActor private func onMain(_ store: Store) async throws {
    let witness = Witness(released)
    let token = store.observe(Item.all) { _ in witness.touch() }
    try await store.settled()
    withExtendedLifetime(token) {}
  }

  @Test func `a closed store does not keep what its handlers captured alive`() async throws {
    let store = try await store()
    let token = { [released] in
      let witness = Witness(released)
      return store.observe(Item.all) { _ in witness.touch() }
    }()
    try await store.settled()
    store.close()
    await released.reached(1)
    _ = token
  }

  @Test func `ended tokens, streams and iterators do not keep their store alive`() async throws {
    weak var weakStore: Store?
    do {
      let store = try await store()
      weakStore = store
      let tokens = [
        store.observe(Item.all) { _ in _ = store.version },
        store.observe(queue: DispatchQueue(label: "handlers"), Item.all) { _ in _ = store.version },
      ]
      var events = store.changes(of: Item.all).makeAsyncIterator()
      _ = await events.next()
      var values = store.changes(of: Item.all.count).stream().makeAsyncIterator()
      _ = await values.next()
      _ = try store.subscribe(Item.sorted(by: \.rank))
      try await store.settled()
      try await store.write { tx in try tx.insert(Item(1)) }
      try await store.settled()
      for token in tokens { token.invalidate() }
    }
    // A delivery that has called its handler looks for more, and keeps the handler until it has looked.
    #expect(await isReached { weakStore == nil })
  }

  @Test func `neither its store nor its handler keeps a token alive`() async throws {
    let store = try await store()
    weak var weakToken: NotificationToken?
    do {
      let token = store.observe(Item.all) { _ in }
      weakToken = token
      try await store.settled()
      try await store.write { tx in try tx.insert(Item(1)) }
      try await store.settled()
    }
    #expect(weakToken == nil)
    // A delivery that has called its handler looks for more, and keeps what it observes until it has looked.
    #expect(await isReached { store.metrics.observers == 0 })
  }

  @Test func `a cancelled task that waited in a loop is released`() async throws {
    let store = try await store()
    let received = Recorder<Int>()
    let task = { [released] in
      let witness = Witness(released)
      return Task {
        for await change in store.changes(of: Item.all) {
          witness.touch()
          received.append(change.results?.count ?? -1)
        }
      }
    }()
    await received.reached(1)
    task.cancel()
    await task.value
    await released.reached(1)
    #expect(store.metrics.observers == 0)
  }

  @Test func `an observer that took an event does not keep the previous version alive`() async throws {
    var configuration = Store.Configuration()
    configuration.historyCommits = 0
    let store = try Store(Item.self, configuration: configuration)
    var events = store.changes(of: Item.sorted(by: \.rank)).makeAsyncIterator()
    _ = await events.next()
    for id in 0..<10 {
      try await store.write { tx in try tx.insert(Item(id)) }
      _ = await events.next()
    }
    try await store.settled()
    // Upkeep frees what it has replaced after its observers are woken.
    #expect(
      await isReached { store.metrics.oldestPinned == store.version && store.metrics.versionsPinned == 1 })
  }
}
