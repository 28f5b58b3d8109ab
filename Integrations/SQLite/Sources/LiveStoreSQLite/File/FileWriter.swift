import Crypto
import Foundation
import LiveStore
import Synchronization

/// Writes to the file what its store has and it has not, in the background.
///
/// It is one more reader of the store (`Store.differences(since:)`): one transaction writes the difference of the version
/// in the file and the newest. So the file always has exactly one version, commits made meanwhile share the next
/// transaction, and what is held while a disk is slow are three versions (X2, X3).
///
/// While no caller waits for a version, a pass starts ``collectionDelay`` after the commit that it begins with: it shares
/// the processor with none of the observers of that commit, and many commits share it.
///
/// State: which version is durable, the callers that wait for one, the pass's own sleep, and counts; guarded by the
/// mutex, which is never held while anything is waited for or code of the user's runs.
final class FileWriter: Sendable {
  private let database: FileDatabase
  private let owner: FileOwner
  private let store: Store
  private let retryDelay: Duration
  private let state: Mutex<State>

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
    /// The loop of passes while it sleeps, and how many waiters end the sleep.
    var sleeper: CheckedContinuation<Void, Never>?
    var wakingCount = 1
    /// Whether no sleep is due: a caller waits since the last pass, or the writer is to end.
    var isUrgent = false
    /// When a sleep is ended next.
    var alarm: ContinuousClock.Instant?
    var syncs = 0
    var failures = 0
    var time = Duration.zero
    /// How long the last pass took, and how many waited for it.
    var lastTime = Duration.zero
    var released = 0
    var failure: StoreFileError?
    /// How large a log is not emptied.
    var toleratedLog = FileWriter.largeLog

    /// Whether a sleep that a number of waiters ends is over.
    func isAwake(for callers: Int) -> Bool {
      isUrgent && (isFinishing || waiters.count >= callers || callers == 1)
    }

    /// Records that something waits for a pass.
    ///
    /// - Returns: the sleep to end.
    mutating func hurry() -> CheckedContinuation<Void, Never>? {
      isUrgent = true
      return isAwake(for: wakingCount) ? sleeper.take() : nil
    }

    mutating func makeID() -> UInt64 {
      nextID += 1
      return nextID
    }

    /// What observers get.
    var current: StoreFile.State { failure.map(StoreFile.State.failing) ?? .durable(durable) }
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
    // Since the writer is to end.
    var attempts = 0
    // It ends when the store is closed; no other error comes.
    var differences = store.differences(since: saved).makeAsyncIterator()
    var isOver = false
    while !isOver {
      isOver = (try? await differences.next()) == nil
      while saved.version < store.version {
        await collect()
        let newest = store.snapshot()
        do {
          try await write(newest, since: saved)
          saved = newest
          delay = retryDelay
          // The cursor takes the next version, and lets go of the one before.
          if !isOver { break }
        } catch {
          let failure = error as? StoreFileError ?? StoreFileError(.ioFailed, "\(error)")
          fail(failure)
          // No attempt mends that.
          if failure.code == .moved, state.withLock({ $0.isFinishing }) { break }
          // There can be no more waiters, and it may never succeed.
          if state.withLock({ $0.isFinishing }) { attempts += 1 }
          if attempts > 5 { break }
          await sleep(until: .now + delay)
          delay = min(delay * 2, retryDelay * 100)
        }
      }
    }
    // Nothing that was acknowledged may be missing from the file that has the name.
    if state.withLock({ $0.failure }) == nil, await database.hasMoved() {
      state.withLock { $0.failure = FileDatabase.moved(database.url) }
    }
    // Then no version was lost.
    if state.withLock({ $0.failure }) == nil { try? await database.endVersions(at: store.version) }
    try? database.close()
    owner.release()
    end()
  }

  private func write(_ newest: Snapshot, since saved: Snapshot) async throws {
    let clock = ContinuousClock()
    let begin = clock.now
    try await database.write(newest.difference(from: saved))
    let (done, observers, current) = state.withLock { state in
      state.saved = newest
      state.syncs += 1
      state.lastTime = clock.now - begin
      state.time += state.lastTime
      state.failure = nil
      let ready = state.waiters.filter { $0.value.version <= newest.version }
      for id in ready.keys { state.waiters[id] = nil }
      state.released = ready.count
      state.isUrgent = !state.waiters.isEmpty || state.isFinishing
      return (ready.values.map(\.continuation), Array(state.observers.values), state.current)
    }
    for waiter in done { waiter.resume() }
    for observer in observers { observer.yield(current) }
    // A large transaction would leave it as large, until the file is closed. Beside a reader, it stays, and is not tried
    // with each pass.
    if database.logBytes > state.withLock({ $0.waiters.isEmpty ? $0.toleratedLog : .max }) {
      await database.checkpointBesideReaders()
      let rest = database.logBytes
      state.withLock { $0.toleratedLog = max(Self.largeLog, 2 * rest) }
    }
  }

  /// How many bytes the log may have when nothing waits for the file.
  fileprivate static let largeLog: Int64 = 16 << 20

  /// How long commits that no caller waits for are collected before they are written.
  private static let collectionDelay = Duration.milliseconds(20)

  /// Waits for commits that share the next pass.
  ///
  /// Those who waited for the last pass commit again a moment after it. Without this, a pass would begin with the first
  /// of them, and the others would wait for two.
  private func collect() async {
    let (released, isUrgent, limit) = state.withLock {
      ($0.released, $0.isUrgent, min($0.lastTime / 4, .milliseconds(1)))
    }
    if released == 0 {
      if !isUrgent { await sleep(until: .now + Self.collectionDelay) }
    } else if released > 1 {
      await sleep(until: .now + limit, orFor: released)
    }
  }

  /// Sleeps until a time, or until callers wait for the file.
  ///
  /// - Parameter callers: how many must wait to end it.
  private func sleep(until end: ContinuousClock.Instant, orFor callers: Int = 1) async {
    while ContinuousClock.now < end, !state.withLock({ $0.isAwake(for: callers) }) {
      setAlarm(end)
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          // The alarm may have rung before.
          if state.alarm == nil || state.isAwake(for: callers) { return true }
          (state.sleeper, state.wakingCount) = (continuation, callers)
          return false
        }
        if isOver { continuation.resume() }
      }
    }
  }

  /// Has a sleep end at a time, or earlier: an alarm that was set for a sleep which ended is used again.
  private func setAlarm(_ end: ContinuousClock.Instant) {
    let isNeeded = state.withLock { state in
      if let alarm = state.alarm, alarm <= end { return false }
      state.alarm = end
      return true
    }
    if !isNeeded { return }
    Task { [weak self] in
      try? await Task.sleep(until: end, clock: .continuous)
      let sleeper = self?.state.withLock { state in
        if state.alarm == end { state.alarm = nil }
        return state.sleeper.take()
      }
      sleeper?.resume()
    }
  }

  private func fail(_ error: StoreFileError) {
    let (waiters, observers) = state.withLock { state in
      state.failures += 1
      state.failure = error
      state.isUrgent = false
      defer { state.waiters = [:] }
      return (state.waiters.values.map(\.continuation), Array(state.observers.values))
    }
    for waiter in waiters { waiter.resume(throwing: error) }
    for observer in observers { observer.yield(.failing(error)) }
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
      writingTime: time, failures: failures, lagBytes: difference.map(database.byteCount) ?? 0,
      logBytes: Int(database.logBytes))
  }

  func durable(through version: Version) async throws {
    let id = state.withLock { $0.makeID() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (result, sleeper) = state.withLock {
          state -> (Result<Void, any Error>?, CheckedContinuation<Void, Never>?) in
          if state.durable >= version { return (.success(()), nil) }
          if Task.isCancelled { return (.failure(CancellationError()), nil) }
          if state.isEnded { return (.failure(Self.closedError), nil) }
          state.waiters[id] = (version, continuation)
          return (nil, state.hurry())
        }
        if let result { continuation.resume(with: result) }
        sleeper?.resume()
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
      continuation.yield(state.current)
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

  func backup(to url: URL, _ progress: ProgressReporter) async throws {
    try checkIsOpen()
    try await database.backup(to: url, progress)
  }

  func compact(_ progress: ProgressReporter) async throws {
    try checkIsOpen()
    try await database.compact(progress)
  }

  func changeKey(to key: SymmetricKey?, _ progress: ProgressReporter) async throws {
    try checkIsOpen()
    try await database.changeKey(to: key, progress)
  }

  private func checkIsOpen() throws(StoreFileError) {
    if state.withLock({ $0.isFinishing || $0.isEnded }) { throw Self.closedError }
  }

  /// Closes the store, which ends the passes after its last version.
  func finish() {
    let sleeper = state.withLock { state in
      state.isFinishing = true
      return state.hurry()
    }
    store.close()
    sleeper?.resume()
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
    if let failure = state.withLock({ $0.failure }), failure.code == .moved { throw failure }
    try await durable(through: store.version)
  }
}
