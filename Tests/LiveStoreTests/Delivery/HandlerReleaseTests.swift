import LiveStore
import TestSupport
import Testing

/// What only its actor may touch, `deinit` included; it is not `Sendable`.
private final class Witness {
  private let released: Recorder<Void>
  private(set) var count = 0

  init(_ released: Recorder<Void>) { self.released = released }
  deinit { released.append(()) }

  func touch() { count += 1 }
}

/// A global actor whose jobs run when the test says so.
@globalActor private actor Stage {
  static let shared = Stage()
  nonisolated let executor = ManualExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// What a handler is given to observe.
  enum Source: CaseIterable { case query, count, object }

  @Stage static func observe(
    _ source: Source, _ store: Store, _ released: Recorder<Void>
  ) -> NotificationToken {
    let witness = Witness(released)
    return switch source {
    case .query: store.observe(Item.all, initial: .skip) { _ in witness.touch() }
    case .count: store.observe(Item.all.count, initial: .skip) { _ in witness.touch() }
    case .object: store.observe(Item.self, 1, initial: .skip) { _ in witness.touch() }
    }
  }
}

/// An actor with a handler on itself, which may keep the token of it.
private actor Screen {
  private var token: NotificationToken?

  func start(_ store: Store, _ released: Recorder<Void>) { token = observe(store, released) }

  func observe(_ store: Store, _ released: Recorder<Void>) -> NotificationToken {
    let witness = Witness(released)
    return store.observe(isolation: self, Item.all, initial: .skip) { _ in witness.touch() }
  }
}

/// Bug: objects that only an actor may touch were freed on any thread, in code that Swift 6 accepts.
///
/// Cause: a handler was released by whatever invalidated its token, or by the delivery that called it last. Mend: its actor
/// releases it.
@Suite(.timeLimit(.minutes(10))) struct `Release of handlers` {
  private let store: Store
  private let released = Recorder<Void>()
  private let actor = ManualActor()

  init() throws { store = try Store(Item.self) }

  private func observe(initial: InitialDelivery, isOnce: Bool = false) async throws -> NotificationToken {
    let start = Task { [store, released, actor] in
      await actor.run { actor in
        let witness = Witness(released)
        let tokens = Recorder<NotificationToken>()
        let token = store.observe(isolation: actor, Item.all, initial: initial) { _ in
          witness.touch()
          if isOnce { tokens.events.first?.invalidate() }
        }
        if isOnce { tokens.append(token) }
        return token
      }
    }
    await actor.executor.run(1)
    return await start.value
  }

  @Test func `a handler that was given an actor is released there, wherever its token is invalidated`()
    async throws
  {
    let token = try await observe(initial: .skip)
    try await store.settled()
    token.invalidate()
    try #require(released.count == 0)
    await actor.executor.run(2)
    await released.reached(1)
  }

  @Test func `a handler that was given an actor is released there when its token is released`() async throws {
    var token: NotificationToken? = try await observe(initial: .skip)
    try await store.settled()
    withExtendedLifetime(token) {}
    token = nil
    try #require(released.count == 0)
    await actor.executor.run(2)
    await released.reached(1)
  }

  @Test func `a handler that ends its observation is released on its actor, not by its delivery`()
    async throws
  {
    let token = try await observe(initial: .deliver, isOnce: true)
    // The handler is called, and lets go of its token. Its delivery ends elsewhere.
    await actor.executor.run(2)
    await actor.executor.arrival(3)
    try #require(released.count == 0)
    await actor.executor.run(3)
    await released.reached(1)
    withExtendedLifetime(token) {}
  }

  @Test func `a handler that was written on a global actor is released there, whatever it observes`()
    async throws
  {
    for (number, source) in Stage.Source.allCases.enumerated() {
      let start = Task { [store, released] in await Stage.observe(source, store, released) }
      await Stage.shared.executor.run(2 * number + 1)
      let token = await start.value
      try await store.settled()
      token.invalidate()
      try #require(released.count == number)
      await Stage.shared.executor.run(2 * number + 2)
      await released.reached(number + 1)
    }
  }

  @Test func `a handler whose actor is deallocated with its token is released`() async throws {
    var screen: Screen? = Screen()
    await screen?.start(store, released)
    try await store.settled()
    #expect(released.count == 0)
    screen = nil
    await released.reached(1)
    #expect(store.metrics.observers == 0)
  }

  @Test func `a handler whose actor is gone is released with its token, and not by a delivery`() async throws
  {
    var screen: Screen? = Screen()
    let token = await screen?.observe(store, released)
    try await store.settled()
    screen = nil
    try await store.write { tx in try tx.insert(Item(1)) }
    try await store.settled()
    #expect(store.metrics.observers == 0 && released.count == 0)
    token?.invalidate()
    #expect(released.count == 1)
  }
}
