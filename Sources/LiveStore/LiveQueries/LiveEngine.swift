import Foundation
import Synchronization

/// Keeps observed results up to date in the background, and wakes their observers.
///
/// ```
/// commit ──▶ inbox ──▶ routing ──▶ steps of each query ──▶ upkeep ──▶ cursors ──▶ deliveries, streams, models
/// ```
/// State, and what guards it:
/// - `inbox`: where commits are recorded, in a few instructions: the newest state and, while they are few, the commits
///   since the last pass.
/// - `routing`: which queries a changed row can matter to. Its lock is held for a pass, in which values are hashed.
/// - `registry`: all else. Its lock is held for moments; nothing is evaluated and no code of the user's runs under it.
/// - each ``MaintainedQuery``'s `lock` is held while that query is brought up to date.
/// - `models` lists the models of each actor.
///
/// Lock order: a query's lock or `routing`, then `registry`, then `inbox`; `models` by itself.
package final class LiveEngine: Sendable {
  /// Commits that wait for a pass before the committing thread makes it itself, so that memory is bounded.
  package static let maximumBacklog = 256

  let inbox: Mutex<Inbox>
  let routing = Mutex(Routing())
  let registry: Mutex<Registry>
  let models = ModelRegistry()
  /// Whether upkeep is under way in the background.
  private let isCatchingUp = Atomic(false)
  /// Whether some query has too many commits to be applied one by one.
  let isOverLimit = Atomic(false)
  private let queue = DispatchQueue(label: "livestore.upkeep", qos: .userInitiated)
  private let supervisor = DispatchQueue(label: "livestore.upkeep.supervisor", qos: .userInitiated)
  /// Where upkeep and delivery run; nil for `queue` and the tasks' own threads (L9).
  let executor: (any TaskExecutor)?

  init(_ newest: StoreState, _ executor: (any TaskExecutor)?) {
    inbox = Mutex(Inbox(newest: newest))
    self.executor = executor
    registry = Mutex(Registry(isCostMeasured: executor == nil))
    LiveCounts.add(.engines)
  }

  deinit { LiveCounts.remove(.engines) }

  /// Runs an event through the registry, and does what it calls for.
  func update<Result: Sendable>(_ event: (inout Registry, inout DeferredWork) -> Result) -> Result {
    var wakes = DeferredWork()
    let result = registry.withLock { event(&$0, &wakes) }
    wakes.perform()
    return result
  }

  /// Records a commit; called in the order of versions.
  ///
  /// - Parameter writer: the actor that wrote it, if it has models.
  func recordCommit(_ record: CommitRecord, writer: ActorID?) {
    let part = Inbox.Part(record, writer: writer)
    let (mustSchedule, count, merged) = inbox.withLock { inbox -> (Bool, Int, Inbox.Part?) in
      inbox.newest = record.after
      guard inbox.isActive else { return (false, 0, nil) }
      let merged = inbox.add(part)
      let mustSchedule = !inbox.isScheduled
      inbox.isScheduled = true
      return (mustSchedule, inbox.parts.count, merged)
    }
    if mustSchedule, count > 1 || !routeAtOnce(part) { scheduleUpkeep() }
    if merged == nil, count == 1, isCatchingUp.load(ordering: .relaxed) {
      scheduleStallCheck(hasCommits: true)
    }
    if count > Self.maximumBacklog || isOverLimit.exchange(false, ordering: .relaxed) {
      route()
      for query in update({ registry, _ in registry.takeOverLimit() }) { bringUpToDate(query) }
    }
    // What is freed with it may run code of the user's.
    withExtendedLifetime(merged) {}
  }

  /// Records objects of which only ignored properties differ.
  func recordIgnored(_ state: StoreState) { inbox.withLock { $0.newest = state } }

  /// Runs something where upkeep runs.
  private func schedule(_ work: @escaping @Sendable (LiveEngine) -> Void) {
    if let executor {
      Task.detached(executorPreference: executor) { [self] in work(self) }
    } else {
      // Not a task: writers that block may hold all threads that tasks run on.
      queue.async { [self] in work(self) }
    }
  }

  /// Has upkeep look for what to do.
  func scheduleUpkeep() { schedule { $0.catchUpInBackground() } }

  private func catchUpInBackground() {
    inbox.withLock { $0.isScheduled = false }
    isCatchingUp.store(true, ordering: .relaxed)
    defer { isCatchingUp.store(false, ordering: .relaxed) }
    // In one step where a consumer has routed the commits: while it polls, each more wait for the lock delays it.
    var next = registry.withLock { isRouted($0) ? $0.nextInBackground() : nil }
    if next == nil { makePass() }
    while true {
      let (query, workers, checksForStall) = next.take() ?? registry.withLock { $0.nextInBackground() }
      if checksForStall && executor == nil { checkForStallLater() }
      for _ in 0..<workers { startWorker(.long) }
      guard let query else { return }
      bringUpToDate(query)
    }
  }

  private func startWorker(_ kind: UpkeepQueue.Kind) {
    // A queue of its own, since others' work may hold all threads that queues share.
    DispatchQueue(label: "livestore.upkeep.worker", qos: .userInitiated).async { [self] in
      while true {
        route()
        guard let query = registry.withLock({ $0.nextQueued(of: kind) }) else { return }
        bringUpToDate(query)
      }
    }
  }

  /// Has a stall check run after a while: whether queries or commits wait for a filter that blocks.
  ///
  /// - Parameter hasCommits: whether commits wait behind upkeep that is under way.
  private func scheduleStallCheck(hasCommits: Bool) {
    if executor != nil || !registry.withLock({ $0.queue.scheduleStallCheck(hasCommits: hasCommits) }) {
      return
    }
    checkForStallLater()
  }

  private func checkForStallLater() {
    supervisor.asyncAfter(deadline: .now() + .milliseconds(50)) { [weak self] in
      guard let self else { return }
      let hasCommits = inbox.withLock { !$0.parts.isEmpty }
      let (starts, checksAgain) = registry.withLock { $0.queue.checkForStall(hasCommits: hasCommits) }
      if let starts { startWorker(starts) }
      if checksAgain { checkForStallLater() }
    }
  }

  var isClosed: Bool { registry.withLock { $0.isClosed } }

  /// Ends everything that observes this store.
  func close() {
    // In one step: without what waits in the inbox, results cannot be brought to the newest state, nor be read in it.
    let parts = update { registry, wakes in
      registry.close(&wakes)
      return inbox.withLock { inbox in
        inbox.isActive = false
        return inbox.takeParts()
      }
    }
    applyRoutingChanges()
    withExtendedLifetime(parts) {}
  }
}

extension LiveEngine {
  /// Suspends until there may be something new for a subscriber; returns at once when cancelled.
  func wait(_ id: UInt64) async {
    let waiter = registry.withLock { $0.makeID() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = registry.withLock { registry in
          guard let subscriber = registry.subscriber(id), !subscriber.isMarked, !subscriber.isEnded,
            !Task.isCancelled
          else {
            return true
          }
          subscriber.waiters[waiter] = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      registry.withLock { $0.subscriber(id)?.waiters.removeValue(forKey: waiter) }?.resume()
    }
  }

  /// Calls `onMark`, outside the lock, whenever there may be something new for a subscriber.
  func connect(_ subscriber: UInt64, to delivery: UInt64, onMark: @escaping @Sendable () -> Void) {
    registry.withLock { $0.subscriber(subscriber)?.delivery = (delivery, onMark) }
  }

  /// No longer wakes a delivery, which would not answer.
  func disconnect(_ subscriber: UInt64, from delivery: UInt64) {
    registry.withLock { registry in
      guard let subscriber = registry.subscriber(subscriber), subscriber.delivery?.id == delivery else {
        return
      }
      subscriber.delivery = nil
    }
  }

  /// Suspends until the handlers of all tokens have returned for everything up to a version.
  func settle(through version: Version) async throws {
    route()
    let id = registry.withLock { $0.makeID() }
    // The last observer may have left meanwhile.
    defer { updateAndDeactivateIfIdle() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let isDone = update { registry, wakes in
          if registry.isClosed || Task.isCancelled { return true }
          let isRouted = registry.routed.map { $0.version >= version } ?? true
          registry.settling.add(id, version, isRouted: isRouted, continuation, &wakes)
          registry.enqueueAll()
          return false
        }
        if isDone { continuation.resume() } else { scheduleUpkeep() }
      }
    } onCancel: {
      registry.withLock { $0.settling.remove(id) }?.resume(throwing: CancellationError())
    }
    try Task.checkCancellation()
  }
}
