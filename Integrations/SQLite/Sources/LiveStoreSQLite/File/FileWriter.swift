import Crypto
import Foundation
import LiveStore
import Synchronization

/// Writes to the file what its store has and it has not, in the background.
///
/// It is one more reader of the store (`Store.differences(since:)`): one transaction writes the difference of the version
/// in the file and the newest. So the file always has exactly one version, commits made meanwhile share the next
/// transaction, and what is held while a disk is slow are two versions (X2, X3).
///
/// State: which version is durable, who waits for one, and counts; guarded by the mutex, and never held while anything
/// is waited for or code of the user's runs.
final class FileWriter: Sendable {
  private let database: FileDatabase
  private let owner: FileOwner
  private let store: Store
  private let retryDelay: Duration
  private let state: Mutex<State>
  /// Ends the pause after a failure.
  private let pokes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  private struct State {
    /// The version that is in the file.
    var saved: Snapshot
    var durable: Version { saved.version }
    var isFinishing = false
    var isEnded = false
    var waiters: [UInt64: (version: Version, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var observers: [UInt64: AsyncStream<StoreFile.State>.Continuation] = [:]
    var endWaiters: [CheckedContinuation<Void, Never>] = []
    var nextID: UInt64 = 0
    var syncs = 0
    var failures = 0
    var time = Duration.zero
    /// How long the last pass took, and how many waited for it.
    var lastTime = Duration.zero
    var released = 0
    var failure: StoreFileError?

    mutating func makeID() -> UInt64 {
      nextID += 1
      return nextID
    }

    var news: StoreFile.State { failure.map(StoreFile.State.failing) ?? .durable(durable) }
  }

  /// - Parameters:
  ///   - saved: the version of the store that the file has.
  init(
    _ database: FileDatabase, _ owner: FileOwner, _ store: Store, since saved: Snapshot,
    retryDelay: Duration
  ) {
    (self.database, self.owner, self.store) = (database, owner, store)
    self.retryDelay = retryDelay
    state = Mutex(State(saved: saved))
  }

  func run() { Task.detached { await self.follow() } }

  // MARK: Passes

  private func follow() async {
    var saved = state.withLock { $0.saved }
    var delay = retryDelay
    var attempts = 0
    // It ends when the store is closed; no other error comes.
    var differences = store.differences(since: saved).makeAsyncIterator()
    var isOver = false
    while !isOver {
      isOver = (try? await differences.next()) == nil
      while saved.version < store.version {
        await gather()
        let newest = store.snapshot()
        do {
          try await write(newest, since: saved)
          saved = newest
          (delay, attempts) = (retryDelay, 0)
        } catch {
          fail(error as? StoreFileError ?? StoreFileError(.ioFailed, "\(error)"))
          attempts += 1
          // There can be no more waiters, and it may never succeed.
          if attempts > 5, state.withLock({ $0.isFinishing }) { break }
          await pause(delay)
          delay = min(delay * 2, retryDelay * 100)
        }
      }
    }
    try? database.close()
    owner.release()
    end()
  }

  private func write(_ newest: Snapshot, since saved: Snapshot) async throws {
    let clock = ContinuousClock()
    let begin = clock.now
    try await database.write(newest.difference(from: saved))
    let (done, observers, news) = state.withLock { state in
      state.saved = newest
      state.syncs += 1
      state.lastTime = clock.now - begin
      state.time += state.lastTime
      state.failure = nil
      let ready = state.waiters.filter { $0.value.version <= newest.version }
      for id in ready.keys { state.waiters[id] = nil }
      state.released = ready.count
      return (ready.values.map(\.continuation), Array(state.observers.values), state.news)
    }
    for waiter in done { waiter.resume() }
    for observer in observers { observer.yield(news) }
  }

  /// Lets those who waited for the last pass commit again, and share the next: they do so a moment after it. Without
  /// this, a pass would begin with the first of them, and the others would wait for two.
  private func gather() async {
    let (expected, limit) = state.withLock { ($0.released, $0.lastTime / 4) }
    if expected < 2 { return }
    let clock = ContinuousClock()
    let end = clock.now + min(limit, .milliseconds(1))
    while clock.now < end, state.withLock({ $0.waiters.count < expected }) { await Task.yield() }
  }

  private func fail(_ error: StoreFileError) {
    let (waiters, observers) = state.withLock { state in
      state.failures += 1
      state.failure = error
      defer { state.waiters = [:] }
      return (state.waiters.values.map(\.continuation), Array(state.observers.values))
    }
    for waiter in waiters { waiter.resume(throwing: error) }
    for observer in observers { observer.yield(.failing(error)) }
  }

  /// Waits for a while, or until someone waits for the file.
  private func pause(_ delay: Duration) async {
    let alarm = Task { [pokes] in
      try await Task.sleep(for: delay)
      pokes.continuation.yield()
    }
    var iterator = pokes.stream.makeAsyncIterator()
    _ = await iterator.next()
    alarm.cancel()
  }

  private func end() {
    let (waiters, observers, endWaiters) = state.withLock { state in
      state.isEnded = true
      defer { (state.waiters, state.observers, state.endWaiters) = ([:], [:], []) }
      return (state.waiters.values.map(\.continuation), Array(state.observers.values), state.endWaiters)
    }
    for waiter in waiters { waiter.resume(throwing: Self.closedError) }
    for observer in observers { observer.finish() }
    for waiter in endWaiters { waiter.resume() }
  }

  // MARK: Users

  private static let closedError = StoreFileError(
    .closed, "The file was closed before it had the version that was waited for.")

  var durableVersion: Version { state.withLock { $0.durable } }

  var metrics: StoreFile.Metrics {
    let newest = store.snapshot()
    let (saved, syncs, time, failures) = state.withLock { ($0.saved, $0.syncs, $0.time, $0.failures) }
    // A version is written after it is there: the one in the file may be newer than the snapshot.
    let difference = newest.version > saved.version ? try? newest.difference(from: saved) : nil
    return StoreFile.Metrics(
      version: max(newest.version, saved.version), durableVersion: saved.version, syncs: syncs,
      writingTime: time, failures: failures, lagBytes: difference.map(database.byteCount) ?? 0)
  }

  func durable(through version: Version) async throws {
    let id = state.withLock { $0.makeID() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = state.withLock { state in
          if state.durable >= version { return .success(()) }
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.isEnded { return .failure(Self.closedError) }
          state.waiters[id] = (version, continuation)
          return nil
        }
        if let result { continuation.resume(with: result) } else { pokes.continuation.yield() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(
        throwing: CancellationError())
    }
  }

  var states: AsyncStream<StoreFile.State> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: StoreFile.State.self, bufferingPolicy: .bufferingNewest(1))
    let id: UInt64? = state.withLock { state in
      if state.isEnded { return nil }
      let id = state.makeID()
      state.observers[id] = continuation
      continuation.yield(state.news)
      return id
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      let observer = self?.state.withLock { $0.observers.removeValue(forKey: id) }
      withExtendedLifetime(observer) {}
    }
    return stream
  }

  func backup(to url: URL) async throws {
    try checkIsOpen()
    try await database.backup(to: url)
  }

  func compact() async throws {
    try checkIsOpen()
    try await database.compact()
  }

  func changeKey(to key: SymmetricKey?) async throws {
    try checkIsOpen()
    try await database.changeKey(to: key)
  }

  private func checkIsOpen() throws(StoreFileError) {
    if state.withLock({ $0.isFinishing || $0.isEnded }) { throw Self.closedError }
  }

  /// Closes the store, which ends the passes after its last version.
  func finish() {
    state.withLock { $0.isFinishing = true }
    store.close()
    pokes.continuation.yield()
  }

  /// The same, and waits for the end.
  ///
  /// - Throws: `closed` if the last version could not be written.
  func close() async throws {
    finish()
    await withCheckedContinuation { continuation in
      let isEnded = state.withLock { state in
        if !state.isEnded { state.endWaiters.append(continuation) }
        return state.isEnded
      }
      if isEnded { continuation.resume() }
    }
    try await durable(through: store.version)
  }
}
