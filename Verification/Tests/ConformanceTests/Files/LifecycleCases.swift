import LiveStore
import Synchronization

/// Promises in words, each with a check written for it by its id.
enum LifecycleCases {
  static func run(_ content: JSONValue, _ report: inout CaseReport) async throws {
    for value in try content.elements("cases") {
      await report.run(value) { value in
        let lines = try await LineStore(ids: [0, 1, 2])
        switch try value.text("id") {
        case "lc-19": try await cancelledTask(lines.store)
        case "lc-24": try await removalByAnother(lines.store)
        case "lc-53": try await rollback(lines.store)
        case "lc-68": try await errorIsLast()
        case "lc-73": try await leftLoop(lines.store)
        default: throw CaseFailure.notApplicable("a check written for this promise")
        }
      }
    }
  }

  /// Changes a row.
  private static func touch(_ store: Store, origin: String? = nil) async throws {
    try await store.write(origin: origin) { tx in try tx.update(Line.self, 1) { $0.value += 1 } }
  }

  private static func cancelledTask(_ store: Store) async throws {
    let (begun, continuation) = AsyncStream<Void>.makeStream()
    let seen = Mutex(0)
    let count: @Sendable () -> Int = { seen.withLock { $0 } }
    let task = Task {
      for await _ in store.changes(of: Line.all) {
        seen.withLock { $0 += 1 }
        continuation.yield()
      }
    }
    for await _ in begun { break }
    task.cancel()
    await task.value
    try await touch(store)
    try await store.settled()
    try demand("events", expected: 1, seen: count())
    try demand("observers", expected: 0, seen: store.metrics.observers)
  }

  /// Two observers on one actor, each of which removes the other when called: one of them is called.
  @MainActor private static func removalByAnother(_ store: Store) async throws {
    final class Tokens {
      var tokens: [NotificationToken] = []
      var calls = 0
    }
    let state = Tokens()
    for index in 0..<2 {
      let token = store.observe(Line.all, initial: .skip) { _ in
        state.calls += 1
        state.tokens[1 - index].invalidate()
      }
      state.tokens.append(token)
    }
    try await touch(store)
    try await store.settled()
    try demand("calls", expected: 1, seen: state.calls)
    try await touch(store)
    try await store.settled()
    try demand("calls of the one that is left", expected: 2, seen: state.calls)
  }

  private static func rollback(_ store: Store) async throws {
    struct Cancelled: Error {}
    let observation = Observation<CollectionChange<Line>> { recorder in
      store.observe(Line.all, initial: .skip) { recorder.add($0) }
    }
    do {
      try await store.write { tx in
        try tx.update(Line.self, 1) { $0.value += 1 }
        throw Cancelled()
      }
    } catch is Cancelled {}
    try await store.settled()
    let events = observation.take()
    guard events.isEmpty else { throw CaseFailure.wrong("events", expected: "none", seen: events) }
  }

  /// An observer of each commit that falls behind the history receives the error once, and nothing after it.
  private static func errorIsLast() async throws {
    var configuration = Store.Configuration()
    configuration.historyCommits = 2
    let store = try Store(Line.self, configuration: configuration)
    try await store.write { tx in try tx.insert(Line(id: 1, position: 0)) }
    let observation = Observation<CollectionChange<Line>> { recorder in
      store.observe(Line.all, initial: .skip, mode: .everyCommit) { recorder.add($0) }
    }
    observation.pause()
    for _ in 0..<5 { try await touch(store) }
    observation.resume()
    try await store.settled()
    let events = observation.take()
    guard events.count == 1, case .error(let error) = events[0] else {
      throw CaseFailure.wrong("events", expected: "one error", seen: events)
    }
    try demand("error", expected: StoreError.historyTruncated, seen: error.code)
    try await touch(store)
    try await store.settled()
    let later = observation.take()
    guard later.isEmpty else { throw CaseFailure.wrong("later events", expected: "none", seen: later) }
  }

  private static func leftLoop(_ store: Store) async throws {
    for await _ in store.changes(of: Line.all) {
      try demand("observers", expected: 1, seen: store.metrics.observers)
      break
    }
    try demand("observers", expected: 0, seen: store.metrics.observers)
  }
}
