import Crypto
import Foundation
import LiveStore
import Synchronization

/// Writes to the file what its store has and it has not.
///
/// A pass writes, as one transaction, the difference of the version in the file and the newest. So the file always has
/// exactly one version, and commits made meanwhile share the next pass (X2). A caller that waits for a version begins a pass
/// at once, unless one is running; those that come meanwhile share the next, which begins with the end of this one. While no
/// caller waits, a pass begins ``collectionDelay`` after a commit: it shares the processor with none of the observers of
/// that commit, and many commits share it. For that, a loop follows the store as one more reader
/// (`Store.differences(since:)`), and waits for the version as any other caller. So what is held while a disk is slow are
/// three versions (X3).
///
/// A pass runs on the queue of the database, from one callback to the next, and not in a task.
///
/// State: which version is durable, the callers that wait for one, whether a pass is running, and counts; guarded by the
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
    /// Whether no pass begins any more, since the database is closed.
    var isClosing = false
    var isEnded = false
    var phase = Phase.idle
    var waiters: [UInt64: (version: Version, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var observers: [UInt64: AsyncStream<StoreFile.State>.Continuation] = [:]
    var endWaiters: [CheckedContinuation<Void, Never>] = []
    var nextID: UInt64 = 0
    /// The sleep of the loop.
    var sleep: Task<Void, Never>?
    var syncs = 0
    var failures = 0
    var time = Duration.zero
    /// How long the last pass took, and how many waited for it.
    var lastTime = Duration.zero
    var released = 0
    var failure: StoreFileError?
    /// How large a log is not emptied.
    var toleratedLog = FileWriter.largeLog
    /// Whether the log is to be emptied when no caller waits.
    var isTrimDue = false

    mutating func makeID() -> UInt64 {
      nextID += 1
      return nextID
    }

    /// What observers get.
    var current: StoreFile.State { failure.map(StoreFile.State.failing) ?? .durable(durable) }

    /// Decides about a pass when callers wait for a version that there is.
    ///
    /// Those who waited for the last pass commit again a moment after it. If a pass began with the first of them, the
    /// others would wait for two.
    mutating func next() -> Step {
      if phase == .writing || isClosing { return .wait }
      if waiters.count < released {
        if phase == .sharing { return .wait }
        phase = .sharing
        return .share(for: min(lastTime / 4, .milliseconds(1)), pass: syncs)
      }
      phase = .writing
      return .write
    }
  }

  private enum Phase { case idle, sharing, writing }

  private enum Step {
    case wait, write
    /// Waits for more callers, for so long at the most, to share the pass after a number of others.
    case share(for: Duration, pass: Int)
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

  // MARK: Commits that no caller waits for

  private func follow() async {
    var delay = retryDelay
    // Since the writer is to end.
    var attempts = 0
    // It ends when the store is closed; no other error comes.
    var differences = store.differences(since: state.withLock { $0.saved }).makeAsyncIterator()
    var isOver = false
    while !isOver {
      // Also before the first: callers may have written before this task began.
      await trimLog()
      isOver = (try? await differences.next()) == nil
      await sleep(for: Self.collectionDelay, isRetry: false)
      // A caller's pass may have succeeded.
      if durableVersion >= store.version { delay = retryDelay }
      while durableVersion < store.version {
        do {
          try await durable(through: store.version)
          delay = retryDelay
          // The cursor takes the next version, and lets go of the one before.
          if !isOver { break }
        } catch {
          let isFinishing = state.withLock { $0.isFinishing }
          // No attempt mends that.
          if isFinishing, (error as? StoreFileError)?.code == .moved { break }
          // There can be no more waiters, and it may never succeed.
          if isFinishing { attempts += 1 }
          if attempts > 5 { break }
          await sleep(for: delay, isRetry: true)
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
    // A change of the key, or a backup, is completed.
    await database.upkeep.close()
    state.withLock { $0.isClosing = true }
    try? database.close()
    owner.release()
    end()
  }

  /// How long commits that no caller waits for are collected before they are written.
  private static let collectionDelay = Duration.milliseconds(20)

  /// Sleeps, until the writer is to end.
  ///
  /// - Parameter isRetry: whether it has been told so before, and tries again.
  private func sleep(for duration: Duration, isRetry: Bool) async {
    let sleep = Task { () -> Void in try? await Task.sleep(for: duration) }
    let isNeeded = state.withLock { state in
      state.sleep = sleep
      return isRetry || !state.isFinishing
    }
    if !isNeeded { sleep.cancel() }
    await sleep.value
  }

  /// How many bytes the log may have when nothing waits for the file.
  fileprivate static let largeLog: Int64 = 16 << 20

  /// Empties a log that is large: a large transaction would leave it as large, until the file is closed. Beside a reader, it
  /// stays, and is not tried each time. Callers that wait do not wait for that, too: the last pass of theirs has it emptied.
  private func trimLog() async {
    let size = database.logBytes
    let isDue = state.withLock { state in
      guard size > state.toleratedLog, !state.isClosing else { return false }
      state.isTrimDue = !state.waiters.isEmpty
      return state.waiters.isEmpty
    }
    guard isDue else { return }
    await database.checkpointBesideReaders()
    let rest = database.logBytes
    state.withLock { $0.toleratedLog = max(Self.largeLog, 2 * rest) }
  }

  // MARK: Passes

  private func take(_ step: Step) {
    switch step {
    case .wait: break
    case .write: pass()
    case .share(let duration, let pass):
      Task {
        try? await Task.sleep(for: duration)
        let isDue = state.withLock { state in
          guard state.phase == .sharing, state.syncs == pass, !state.isClosing else { return false }
          state.phase = .writing
          return true
        }
        if isDue { self.pass() }
      }
    }
  }

  private func pass() {
    let newest = store.snapshot()
    do {
      let difference = try newest.difference(from: state.withLock { $0.saved })
      database.write(difference) { result in
        switch result {
        case .success(let time): self.succeed(newest, time)
        case .failure(let error): self.fail(error, at: newest.version)
        }
      }
    } catch {
      fail(error, at: newest.version)
    }
  }

  private func succeed(_ newest: Snapshot, _ time: Duration) {
    let (done, observers, current, step, isTrimDue) = state.withLock { state in
      // Read here: a caller that found its version there, and this pass running, relies on it.
      let version = store.version
      state.saved = newest
      state.syncs += 1
      state.lastTime = time
      state.time += time
      state.failure = nil
      var (ready, isDue) = ([CheckedContinuation<Void, any Error>](), false)
      for (id, waiter) in state.waiters {
        if waiter.version <= newest.version {
          ready.append(waiter.continuation)
          state.waiters[id] = nil
        } else if waiter.version <= version {
          isDue = true
        }
      }
      state.released = ready.count
      state.phase = .idle
      let isTrimDue = state.isTrimDue && state.waiters.isEmpty
      if isTrimDue { state.isTrimDue = false }
      return (
        ready, Array(state.observers.values), state.current, isDue ? state.next() : .wait, isTrimDue
      )
    }
    take(step)
    if isTrimDue { Task { await trimLog() } }
    for waiter in done { waiter.resume() }
    for observer in observers { observer.yield(current) }
  }

  /// Ends a pass that failed. Callers that wait for a later version than it was to write have the next.
  private func fail(_ error: any Error, at attempted: Version) {
    let error = error as? StoreFileError ?? StoreFileError(.ioFailed, "\(error)")
    let (waiters, observers, step) = state.withLock { state in
      let version = store.version
      state.failures += 1
      state.failure = error
      (state.phase, state.released) = (.idle, 0)
      let failed = state.waiters.filter { $0.value.version <= attempted }
      for id in failed.keys { state.waiters[id] = nil }
      let isDue = state.waiters.contains { $0.value.version <= version }
      return (
        failed.values.map(\.continuation), Array(state.observers.values), isDue ? state.next() : .wait
      )
    }
    take(step)
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
      logBytes: Int(database.logBytes), sealCount: database.sealCount)
  }

  func durable(through version: Version) async throws {
    let id = state.withLock { $0.makeID() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // One that is to come is waited for; its commit begins a pass.
        let isThere = version <= store.version
        let (result, step) = state.withLock { state -> (Result<Void, any Error>?, Step) in
          if state.durable >= version { return (.success(()), .wait) }
          if Task.isCancelled { return (.failure(CancellationError()), .wait) }
          if state.isClosing { return (.failure(Self.closedError), .wait) }
          state.waiters[id] = (version, continuation)
          return (nil, isThere ? state.next() : .wait)
        }
        if let result { continuation.resume(with: result) }
        take(step)
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
    let sleep = state.withLock { state in
      state.isFinishing = true
      return state.sleep
    }
    store.close()
    sleep?.cancel()
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
