import Synchronization

extension LiveEngine {
  /// Routes all commits: afterwards each query has steps for the changes that may matter to it.
  ///
  /// - Complexity: O(*k* log *n*) for the *k* rows that differ.
  func route() { if !registry.withLock({ isRouted($0) }) { makePass() } }

  /// Whether there is nothing to route; asked under the registry's lock.
  func isRouted(_ registry: borrowing Registry) -> Bool {
    let routed = registry.routed
    return inbox.withLock { $0.parts.isEmpty && (routed == nil || routed === $0.newest) }
  }

  /// Routes all commits so far.
  func makePass() {
    var wakes = DeferredWork()
    let routingChanges = routing.withLock { routing in
      var (parts, newest, routingChanges, from) = registry.withLock { registry in
        let (parts, newest) = inbox.withLock { ($0.takeParts(), $0.newest) }
        return (parts, newest, registry.takeRoutingChanges(), registry.routed)
      }
      wakes.keep(parts)
      wakes.keep(newest)
      routing.apply(routingChanges, from?.catalog)
      wakes.keep(from)
      for (number, part) in parts.enumerated() {
        guard let old = from else { break }
        let newest = number + 1 == parts.count ? newest : nil
        from = route(part, from: old, newest: newest, &routing, &wakes)
      }
      if parts.isEmpty { registry.withLock { $0.finishPass(newest, &wakes) } }
      return routingChanges
    }
    wakes.perform()
    withExtendedLifetime(routingChanges) {}
    applyRoutingChanges()
  }

  /// Routes a commit of few rows on the thread that commits it, which then wakes consumers that wait for the rows (L13).
  ///
  /// - Returns: whether nothing is left to do in the background.
  func routeAtOnce(_ part: Inbox.Part) -> Bool {
    guard let record = part.record else { return false }
    var wakes = DeferredWork()
    let isDone = routing.withLockIfAvailable { routing -> Bool in
      let isNext = registry.withLock {
        $0.routingChanges.isEmpty && !$0.isExcludingAny && $0.routed?.version == record.before.version
      }
      guard isNext else { return false }
      let clock = ContinuousClock()
      let start = clock.now
      let changes = StoreChanges(record)
      guard let rows = routing.routeAtOnce(changes) else { return false }
      let (tests, duration) = (routing.takeTests(), clock.now - start)
      return registry.withLock { registry in
        guard
          advance(
            &registry, changes, rows, part, newest: record.after, tests, duration, marksEarly: true, &wakes)
        else { return false }
        let isIdle = !registry.isExcludingAny && !rows.contains { registry.isQueued($0.query) }
        let parts = inbox.withLock { inbox in
          if isIdle { inbox.isScheduled = false }
          return inbox.takeParts()
        }
        wakes.keep(parts)
        return isIdle
      }
    }
    wakes.perform()
    // Callers that attached or detached meanwhile found the lock taken.
    applyRoutingChanges()
    return isDone ?? false
  }

  /// Routes a commit, or the sum of several.
  ///
  /// - Parameters:
  ///   - old: the state after the parts before this one.
  ///   - newest: the newest state, if this is the last part.
  /// - Returns: the state after the part; nil if observation has ended meanwhile.
  private func route(
    _ part: Inbox.Part, from old: StoreState, newest: StoreState?, _ routing: inout Routing,
    _ wakes: inout DeferredWork
  ) -> StoreState? {
    let changes = part.changes(from: old)
    let clock = ContinuousClock()
    let start = clock.now
    let rows = routing.route(changes)
    let (tests, duration) = (routing.takeTests(), clock.now - start)
    let isAdvanced = registry.withLock {
      advance(&$0, changes, rows, part, newest: newest, tests, duration, &wakes)
    }
    return isAdvanced ? changes.new : nil
  }

  /// Gives queries the rows that routing found for them; false if observation has ended meanwhile.
  private func advance(
    _ registry: inout Registry, _ changes: StoreChanges, _ rows: [(query: UInt64, rows: [RowChange])],
    _ part: Inbox.Part, newest: StoreState?, _ tests: (unrouted: Int, linked: Int), _ duration: Duration,
    marksEarly: Bool = false, _ wakes: inout DeferredWork
  ) -> Bool {
    guard registry.advance(changes, rows, part, marksEarly: marksEarly, &wakes) else { return false }
    registry.statistics.upkeepTime += duration
    registry.statistics.unroutedTests += tests.unrouted
    registry.statistics.linkedTests += tests.linked
    if let newest { registry.finishPass(newest, &wakes) }
    if !registry.overLimit.isEmpty { isOverLimit.store(true, ordering: .relaxed) }
    return true
  }

  /// Inserts added queries into routing and removes deleted ones, unless a pass is under way, which does
  /// that.
  func applyRoutingChanges() {
    // Again, since callers meanwhile found the lock taken.
    while registry.withLock({ !$0.routingChanges.isEmpty }) {
      let routingChanges = routing.withLockIfAvailable { routing in
        let (routingChanges, catalog) = registry.withLock { ($0.takeRoutingChanges(), $0.routed?.catalog) }
        routing.apply(routingChanges, catalog)
        return routingChanges
      }
      if routingChanges == nil { return }
    }
  }

  /// Brings a query over the steps that it has, under its own lock.
  func bringUpToDate(_ query: MaintainedQuery) {
    var finished = query.lock.withLock { _ in runSteps(of: query) }
    finished?.perform()
  }

  /// Brings a query over the steps that it has; to be called under its lock.
  ///
  /// - Returns: what to do after leaving the lock; nil if there was no step.
  func runSteps(of query: MaintainedQuery) -> DeferredWork? {
    guard let work = registry.withLock({ $0.takeWork(query) }) else { return nil }
    let clock = ContinuousClock()
    let start = clock.now
    let outcome = work.run { query.abandonment.isSet }
    let duration = clock.now - start
    var wakes = DeferredWork()
    let isRerouted = registry.withLock { $0.publish(outcome, of: work, query, took: duration, &wakes) }
    if isRerouted { scheduleUpkeep() }
    wakes.keep(work, outcome)
    return wakes
  }
}
