// Live queries.
//
// The engine keeps the trees of each distinct query up to date. Commits are *routed* in a pass: rows that
// differ are handed to the queries they can matter to, and wait there as a step. Each query is then brought
// over its steps by itself.
//
// - **L1** The trees of a query without a pending step are its result in the routed state. The trees of a
//   query that is behind are its result in the state that they are pinned to, and its steps lead from there
//   to the routed state, without a gap: a commit that was not routed to a query does not change its result.
//   So results of several queries are brought to one version for the observer that asks, not for all.
// - **L2** Within a stage, entries of changed rows are removed while all rows are read in the old state, and
//   inserted again in the new one; in between the tree holds unchanged rows only, which read the same in
//   both.
// - **L3** A query that a changed row could matter to is found by the row's old or new value (Q1), or gets
//   every changed row.
// - **L4** A result without a pending step holds no old version: its trees are read in the routed state. When
//   it gets a step, the state before is pinned to the trees, at which cursors may still stand.
// - **L5** A stage after a window applies the difference of the windows, so its cost follows the rows that
//   enter and leave.
// - **L6** Upkeep works in either direction: an observer that begins at an older version gets its first
//   trees by going back.
// - **L7** Entries of a list that tie by a sort are in the order of their labels, which is the order of the
//   list. An entry whose label changes is removed and inserted with another stamp, so the stages after see it
//   as changed.
// - **L8** No tree has an entry of a deleted row. If a search does not find the entry of a row, a filter,
//   `==`, `<` or a hash is inconsistent, and the whole chain is evaluated again. Filters and orders of types
//   that are not the standard library's or Foundation's are checked for this, by one more search for each
//   row.
// - **L9** Upkeep and delivery run on `Store.Configuration.executor` where there is one, so that a
//   simulation decides what runs when. Otherwise upkeep is on a queue of its own, since writers that block
//   may hold all threads that tasks run on.
// - **L10** One query is brought up to date by one thread at a time, under its own lock, where its filters
//   and values run. Of all observers, only the query's own wait for that lock; a worker that takes the query
//   again and a writer over the limit (E3) wait, too. The number of waiting steps is bounded: beyond a few
//   they become one, the difference of the states at its ends.
// - **L11** In the background, queries that are expected to take longer than 100 µs (by the recent time for a
//   row) wait for workers, which take them in rounds, the cheapest of a round first, and leave one core free.
//   While queries wait and none is taken, since a filter blocks, one more worker starts every 50 ms.
// - **L12** A query that routing does not know yet, or still routes by values that no longer lead to it, gets
//   every commit unrouted until routing has applied the edit. So inserting and removing queries never waits
//   for a pass.
// - **L13** A commit of few rows is routed by the thread that commits it, unless another pass is under way,
//   its rows lead to more than a few queries, over links or to lists, or a query is found by values of user
//   types. So no user code runs, nothing is evaluated, and a row costs a few lookups, whatever the number of
//   queries. A commit that concerns no query wakes no thread. Observers are marked before upkeep finds out
//   whether the result changes, if that takes microseconds: a waiting consumer brings the query up to date
//   itself, instead of waiting for another thread. If it is the only observer, the background leaves the
//   query to it, except for a second step or a call of `settled()`.
// - **L14** A delivery is reported when its event has been freed. So once `settled()` returns, a handler that
//   has ended its observation is no observer any more and holds no version. Values that upkeep has replaced
//   are freed after observers are woken, since freeing may run user code, and before the calls of `settled()`
//   return that waited for this upkeep. Upkeep on other threads may hold them for a moment longer.
// - **L15** Subscribers that are woken together are woken in the order of their ids, which is the order of
//   creation, and not in the order of a set or dictionary. So a simulation repeats itself in another process,
//   whose hashes differ. The ids of a query's observers are an array that keeps the slots of removed ones for
//   a while (`SubscriberList`), and the *q* queries that a commit is routed to are sorted, in O(*q* log *q*).
// - **L16** A handler is released on the actor that it is called on (`ActorBound`), wherever its token is
//   invalidated: it may have captured objects that only the actor may touch, also in their `deinit`. The last
//   reference to the handler starts a task that releases it there. An actor that is being deallocated runs no
//   task; then the owner of the token releases the handler, mostly inside that deallocation.
// - **L17** An evaluation or a step of upkeep ends early if nothing waits for it: if the cursor that it is
//   for, or each cursor of the maintained query, is abandoned (`Abandonment`). It then has no result. The
//   steps return to the query, for a later observer, or for the background if an observer came
//   meanwhile.
// - **L20** While all observers have a tolerance, a commit is recorded and nothing else: no query is looked up and no
//   thread is woken. The engine's queue looks at intervals of the least tolerance, and routes what has come, as one
//   sum where it can; it stops after some without a commit, so an idle store has no timer. A poll routes, as ever.

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
  /// How many commits may wait for a pass before the committing thread makes it itself: a bound of memory.
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
  /// Whether times are recorded.
  let recordsTimes = Atomic(false)
  var isRecording: Bool { recordsTimes.load(ordering: .relaxed) }
  let now: @Sendable () -> ContinuousClock.Instant
  /// When it was made.
  let begin: ContinuousClock.Instant
  /// Where upkeep and delivery run; nil for `queue` and the tasks' own threads (L9).
  let executor: (any TaskExecutor)?

  init(
    _ newest: StoreState, _ executor: (any TaskExecutor)?,
    now: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    inbox = Mutex(Inbox(newest: newest))
    self.executor = executor
    (self.now, begin) = (now, now())
    registry = Mutex(Registry(isCostMeasured: executor == nil))
    LiveCounts.add(.engines)
  }

  deinit { LiveCounts.remove(.engines) }

  /// Runs an event through the registry, and then the work that it has deferred.
  func update<Result: Sendable>(_ event: (inout Registry, inout DeferredWork) -> Result) -> Result {
    var wakes = DeferredWork()
    let result = registry.withLock { event(&$0, &wakes) }
    wakes.perform()
    return result
  }

  /// Records a commit, or objects of which only ignored properties differ; called in the order of versions.
  func recordCommit(_ record: CommitRecord) {
    let (next, count, merged) = inbox.withLock { inbox -> (Inbox.Next, Int, CommitRecord?) in
      inbox.newest = record.after
      guard inbox.isActive, record.version > record.before.version else { return (.nothing, 0, nil) }
      let merged = inbox.add(record)
      return (inbox.next(), inbox.records.count, merged)
    }
    switch next {
    case .nothing: break
    case .route: if count > 1 || !routeAtOnce(record) { scheduleUpkeep() }
    case .start(let timer): start(timer)
    }
    if merged == nil, count == 1, isCatchingUp.load(ordering: .relaxed) {
      scheduleStallCheck(hasCommits: true)
    }
    if count > Self.maximumBacklog || isOverLimit.exchange(false, ordering: .relaxed) {
      route()
      for query in update({ registry, _ in registry.takeOverLimit() }) { bringUpToDate(query) }
    }
    // Freeing it may run user code.
    withExtendedLifetime(merged) {}
  }

  /// Runs a closure where upkeep runs.
  private func schedule(_ work: @escaping @Sendable (LiveEngine) -> Void) {
    if let executor {
      Task.detached(executorPreference: executor) { [self] in work(self) }
    } else {
      // Not a task: writers that block may hold all threads that tasks run on.
      queue.async { [self] in work(self) }
    }
  }

  /// Schedules upkeep in the background.
  func scheduleUpkeep() { schedule { $0.catchUpInBackground() } }

  /// Has commits routed at intervals, until none have come for some (L20).
  private func start(_ timer: RoutingTimer) {
    let fire: @Sendable (LiveEngine) -> Void = { engine in
      // Starting it costs a committing thread as much as waking another, so it goes on over pauses; not on a given
      // executor, where nothing but commits happens by itself.
      let limit = engine.executor == nil ? 16 : 0
      let (hasCommits, next) = engine.inbox.withLock { $0.fired(timer, limit: limit) }
      if hasCommits { engine.catchUpInBackground() }
      if let next { engine.start(next) }
    }
    if executor != nil { return schedule(fire) }
    queue.asyncAfter(deadline: .now() + .microseconds(Int(timer.interval / .microseconds(1)))) {
      [weak self] in
      if let self { fire(self) }
    }
  }

  private func catchUpInBackground() {
    inbox.withLock { $0.isScheduled = false }
    isCatchingUp.store(true, ordering: .relaxed)
    defer { isCatchingUp.store(false, ordering: .relaxed) }
    // In one step if a consumer has routed the commits: each further wait for the lock delays its poll.
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

  /// Schedules a later check whether queries or commits wait for a filter that blocks.
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
      let hasCommits = inbox.withLock { !$0.records.isEmpty }
      let (starts, checksAgain) = registry.withLock { $0.queue.checkForStall(hasCommits: hasCommits) }
      if let starts { startWorker(starts) }
      if checksAgain { checkForStallLater() }
    }
  }

  var isClosed: Bool { registry.withLock { $0.isClosed } }

  /// Ends everything that observes this store.
  func close() {
    // In one step: without the inbox's commits, no result can be brought to the newest state, or read in it.
    update { registry, wakes in
      registry.close(&wakes)
      let records = inbox.withLock { inbox in
        inbox.isActive = false
        return inbox.takeRecords()
      }
      wakes.keep(records)
    }
    applyRoutingChanges()
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

  /// Stops waking a delivery, which would not answer.
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
