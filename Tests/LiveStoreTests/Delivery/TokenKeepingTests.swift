import Foundation
import LiveStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A token` {
  private let store: Store
  private let recorder = Recorder<Int>()

  init() throws { store = try Store(Item.self) }

  private func observe() -> NotificationToken {
    store.observe(Item.all.count) { [recorder] change in recorder.append(change.value ?? -1) }
  }

  private func insert(_ id: Int) async throws {
    try await store.write { tx in try tx.insert(Item(id)) }
    try await store.settled()
  }

  /// A store whose deliveries wait, so that no handler is called before the test has done its next step.
  private static func waitingStore() throws -> (store: Store, executor: SeededExecutor) {
    let executor = SeededExecutor()
    var configuration = Store.Configuration()
    configuration.executor = executor
    return (try Store(Item.self, configuration: configuration), executor)
  }

  @Test func `a token that is dropped at once ends its observation`() throws {
    let (store, executor) = try Self.waitingStore()
    _ = store.observe(Item.all.count) { [recorder] change in recorder.append(change.value ?? -1) }
    try store.write { tx in try tx.insert(Item(1)) }
    var random = SplitMix64(seed: 1)
    while executor.step(&random) {}
    #expect(recorder.events.isEmpty && store.metrics.observers == 0)
  }

  #if DEBUG
    @Test func `a token that is dropped at once is reported on standard error in debug builds`() async throws
    {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let (store, executor) = try Self.waitingStore()
        _ = store.observe(Item.all) { _ in }
        withExtendedLifetime(executor) {}
      }
      let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(text.contains("a token was released before its handler was called"))
    }

    @Test func `a token that was invalidated, received its result or skipped it is dropped in silence`()
      async throws
    {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let store = try Store(Item.self)
        store.observe(Item.all) { _ in }.invalidate()
        _ = store.observe(Item.all, initial: .skip) { _ in }
        let token = store.observe(Item.all) { _ in }
        try await store.settled()
        withExtendedLifetime(token) {}
        // Whether its handler was called before the store was closed or not.
        let late = store.observe(Item.all) { _ in }
        store.close()
        withExtendedLifetime(late) {}
        try Self.dropDuringFirstCall()
      }
      let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(!text.contains("a token was released"))
    }

    private static func dropDuringFirstCall() throws {
      let store = try Store(Item.self)
      let (begun, dropped) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      var token: NotificationToken? = store.observe(Item.all) { _ in
        begun.signal()
        dropped.wait()
      }
      begun.wait()
      withExtendedLifetime(token) {}
      token = nil
      dropped.signal()
    }
  #endif

  @Test func `a token in a set of tokens lives as long as it is in the set`() async throws {
    var tokens: Set<NotificationToken> = []
    observe().store(in: &tokens)
    observe().store(in: &tokens)
    try await store.settled()
    #expect(recorder.events == [0, 0] && tokens.count == 2)
    tokens.removeAll()
    try await insert(1)
    #expect(recorder.events == [0, 0])
  }

  @Test func `a token in an array of tokens lives as long as it is in the array`() async throws {
    var tokens: [NotificationToken] = []
    observe().store(in: &tokens)
    try await store.settled()
    tokens.removeLast()
    try await insert(1)
    #expect(recorder.events == [0])
  }

  @Test func `a token that is kept until the store is closed need not be held`() async throws {
    observe().keepUntilClosed()
    try await store.settled()
    try await insert(1)
    #expect(recorder.events == [0, 1])
    #expect(store.metrics.observers == 1)
    store.close()
    #expect(store.metrics.observers == 0)
  }

  @Test func `a token that is kept ends its observation when it is invalidated`() async throws {
    let token = observe()
    token.keepUntilClosed()
    try await store.settled()
    token.invalidate()
    try await insert(1)
    #expect(recorder.events == [0])
    #expect(store.metrics.observers == 0)
  }

  @Test func `a token that was invalidated, or whose store was closed, is not kept`() async throws {
    weak var first: NotificationToken?
    weak var second: NotificationToken?
    do {
      let (one, other) = (observe(), observe())
      (first, second) = (one, other)
      one.invalidate()
      one.keepUntilClosed()
      store.close()
      other.keepUntilClosed()
    }
    // A delivery that ends with the store may be releasing it.
    #expect(await isReached { first == nil && second == nil })
  }

  /// Bug: it was never released, and with it all that its handler holds.
  @Test(arguments: [true, false]) func `a token that is kept and paused is released when the store is closed`(
    isPausedFirst: Bool
  ) async throws {
    weak var kept: NotificationToken?
    do {
      let token = observe()
      token.keepUntilClosed()
      try await store.settled()
      if isPausedFirst { token.pause() }
      store.close()
      if !isPausedFirst { token.pause() }
      kept = token
    }
    #expect(await isReached { kept == nil })
  }

  @Test func `a token that is kept is released with its store`() async throws {
    weak var kept: NotificationToken?
    let recorder = Recorder<Int>()
    var store: Store? = try Store(Item.self)
    do {
      let token = try #require(store).observe(Item.all.count) { change in recorder.append(change.value ?? -1)
      }
      token.keepUntilClosed()
      kept = token
    }
    try await store?.settled()
    #expect(kept != nil)
    store = nil
    #expect(await isReached { kept == nil })
  }
}
