import Dispatch
import Foundation
import LiveStore
import Synchronization
import TestSupport
import Testing

/// What a view model of an app does: keeps a token and a list, both on the main actor.
@MainActor private final class Model {
  var ids: [[Int]] = []
  var token: NotificationToken?

  func start(_ store: Store) {
    token = store.observe(Item.all) { [weak self] change in
      MainActor.assertIsolated()
      self?.ids.append(change.results?.map(\.id) ?? [])
    }
  }
}

/// An actor that observes on itself, by both ways there are.
private actor Screen {
  private(set) var ids: [[Int]] = []
  private(set) var counts: [Int] = []
  private var tokens: [NotificationToken] = []

  func start(_ store: Store) {
    tokens.append(
      store.observe(isolation: self, Item.all) { [weak self] change in
        // A closure that holds its actor weakly is not of that actor's isolation for the compiler.
        self?.assumeIsolated { $0.ids.append(change.results?.map(\.id) ?? []) }
      })
    tokens.append(
      store.observe(Item.all.count) { change in
        // One that holds it strongly is; so the token must not be kept for ever.
        self.assertIsolated()
        self.counts.append(change.value ?? -1)
      })
  }

  func stop() { tokens = [] }
}

/// Whether the calling thread is inside a call of `observe`.
private enum Inside {
  @TaskLocal static var task = false
  static var thread: Bool {
    get { Thread.current.threadDictionary["observing"] as? Bool ?? false }
    set { Thread.current.threadDictionary["observing"] = newValue }
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Isolation of handlers` {
  private let store: Store

  init() async throws {
    store = try Store(Item.self)
    try await store.write { tx in try tx.insert(Item(1)) }
  }

  private func insert(_ id: Int) async throws {
    try await store.write { tx in try tx.insert(Item(id)) }
    try await store.settled()
  }

  @MainActor @Test func `a handler written on the main actor runs there`() async throws {
    let model = Model()
    model.start(store)
    try await store.settled()
    try await insert(2)
    try await insert(3)
    #expect(model.ids == [[1], [1, 2], [1, 2, 3]])
  }

  @Test func `a handler written on an actor, or given one, runs on that actor`() async throws {
    let screen = Screen()
    await screen.start(store)
    try await store.settled()
    try await insert(2)
    try await insert(3)
    #expect(await screen.ids == [[1], [1, 2], [1, 2, 3]])
    #expect(await screen.counts == [1, 2, 3])
    await screen.stop()
  }

  @MainActor @Test func `a handler runs on a given actor, wherever it was written`() async throws {
    let actor = ManualActor()
    let recorder = Recorder<CollectionChange<Item>>()
    let start = Task { [store] in
      await actor.run { actor in
        store.observe(isolation: actor, Item.all) { change in
          actor.assertIsolated()
          recorder.append(change)
        }
      }
    }
    await actor.executor.run(1)
    let token = await start.value
    await actor.executor.run(2)
    #expect(recorder.count == 1)
    token.invalidate()
  }

  @Test func `a handler runs on a given queue`() async throws {
    let queue = DispatchQueue(label: "handlers")
    let recorder = Recorder<CollectionChange<Item>>()
    let token = store.observe(queue: queue, Item.all) { change in
      dispatchPrecondition(condition: .onQueue(queue))
      recorder.append(change)
    }
    try await store.settled()
    try await insert(2)
    #expect(recorder.events.map { $0.results?.count } == [1, 2])
    token.invalidate()
  }

  @Test func `a handler written without an isolation runs`() async throws {
    let recorder = Recorder<CollectionChange<Item>>()
    let token = store.observe(Item.all) { @Sendable change in recorder.append(change) }
    try await store.settled()
    try await insert(2)
    #expect(recorder.events.map { $0.results?.count } == [1, 2])
    token.invalidate()
  }

  @MainActor @Test func `a handler that is a nonisolated function runs off the main actor`() async throws {
    let recorder = Recorder<Bool>()
    let handler: @Sendable (CollectionChange<Item>) -> Void = { _ in recorder.append(Thread.isMainThread) }
    let token = store.observe(Item.all, handler)
    try await store.settled()
    #expect(recorder.events == [false])
    token.invalidate()
  }

  /// The query is observed already, so its result is there at once and could be delivered inside the call.
  @Test func `a handler never runs inside the call of observe`() async throws {
    let kept = store.observe(Item.all) { _ in }
    try await store.settled()
    let inside = Recorder<Bool>()
    let queue = DispatchQueue(label: "handlers")
    let tokens = Inside.$task.withValue(true) {
      Inside.thread = true
      defer { Inside.thread = false }
      return (0..<20).map { number in
        number % 2 == 0
          ? store.observe(Item.all) { _ in inside.append(Inside.thread) }
          : store.observe(queue: queue, Item.all) { _ in inside.append(Inside.thread) }
      }
    }
    try await store.settled()
    #expect(inside.count == 20)
    #expect(!inside.events.contains(true))
    for token in tokens + [kept] { token.invalidate() }
  }

  @MainActor @Test func `a handler on the main actor never runs inside the call of observe`() async throws {
    let kept = store.observe(Item.all) { _ in }
    try await store.settled()
    let model = Model()
    model.start(store)
    #expect(model.ids.isEmpty)
    try await store.settled()
    #expect(model.ids == [[1]])
    kept.invalidate()
  }

  @Test func `a handler on a queue never runs inside the call of observe on that queue`() async throws {
    let queue = DispatchQueue(label: "handlers")
    let recorder = Recorder<CollectionChange<Item>>()
    let (token, count) = queue.sync {
      let token = store.observe(queue: queue, Item.all) { recorder.append($0) }
      return (token, recorder.count)
    }
    #expect(count == 0)
    try await store.settled()
    #expect(recorder.count == 1)
    token.invalidate()
  }

  @MainActor @Test func `a handler runs neither inside a write nor before the main actor is free`()
    async throws
  {
    let model = Model()
    model.start(store)
    try await store.settled()
    let elsewhere = Signal()
    let queue = DispatchQueue(label: "elsewhere")
    let token = store.observe(queue: queue, Item.all, initial: .skip) { _ in elsewhere.send() }
    try await store.settled()
    // The other handler has been called, so this one's event is ready; the main actor is not.
    try block(until: elsewhere)
    #expect(model.ids == [[1]])
    try await store.settled()
    #expect(model.ids == [[1], [1, 2]])
    token.invalidate()
  }

  private nonisolated func block(until signal: Signal) throws {
    try store.write { tx in try tx.insert(Item(2)) }
    signal.wait()
  }

  @Test func `handlers of one object and of a count are called for each change`() async throws {
    let objects = Recorder<ObjectChange<Item>>()
    let counts = Recorder<ValueChange<Int>>()
    let tokens = [
      store.observe(Item.self, 5) { objects.append($0) },
      store.observe(Item.where { $0.rank > 0 }.count) { counts.append($0) },
    ]
    try await store.settled()
    let steps: [@Sendable (inout WriteTransaction) throws -> Void] = [
      { tx in try tx.insert(Item(5, rank: 1)) },
      { tx in try tx.update(Item.self, 5) { $0.rank = 2 } },
      { tx in try tx.upsert(Item(5, rank: 2)) },
      { tx in try tx.delete(Item.self, 5) },
      { tx in try tx.insert(Item(5, rank: 3)) },
    ]
    for step in steps {
      try await store.write(step)
      try await store.settled()
    }
    let received = objects.events.map { event in
      switch event {
      case .initial(let item): "initial \(item?.rank ?? -1)"
      case .inserted(let item): "inserted \(item.rank)"
      case .change(let old, let new, let properties):
        "change \(old.rank) \(new.rank) \(properties.map(\.name))"
      case .deleted(let item): "deleted \(item.rank)"
      case .error(let error): "\(error)"
      }
    }
    #expect(received == ["initial -1", "inserted 1", "change 1 2 [\"rank\"]", "deleted 2", "inserted 3"])
    #expect(counts.events.map(\.value) == [0, 1, 0, 1])
    for token in tokens { token.invalidate() }
  }
}
