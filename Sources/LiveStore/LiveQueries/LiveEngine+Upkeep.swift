import Synchronization

extension LiveEngine {
  /// Routes all commits: afterwards each query has steps for the changes that may matter to it.
  ///
  /// - Complexity: O(*k* log *n*) for the *k* rows that differ.
  func route() { if !registry.withLock({ isRouted($0) }) { makePass() } }

  /// Whether there is nothing to route; asked under the registry's lock.
  func isRouted(_ registry: borrowing Registry) -> Bool {
    let routed = registry.routed
    return inbox.withLock { $0.records.isEmpty && (routed == nil || routed === $0.newest) }
  }

  /// Routes all commits so far.
  func makePass() {
    var wakes = DeferredWork()
    let routingChanges = routing.withLock { routing in
      let (records, newest, routingChanges, catalog) = registry.withLock { registry in
        let (records, newest) = inbox.withLock { ($0.takeRecords(), $0.newest) }
        return (records, newest, registry.takeRoutingChanges(), registry.routed?.catalog)
      }
      wakes.keep(records)
      wakes.keep(newest)
      routing.apply(routingChanges, catalog)
      for (number, record) in records.enumerated() {
        let newest = number + 1 == records.count ? newest : nil
        let changes = StoreChanges(record)
        let (rows, figures) = (routing.route(changes), routing.takeFigures())
        let isAdvanced = registry.withLock {
          advance(&$0, changes, rows, figures, newest: newest, &wakes)
        }
        if !isAdvanced { break }
      }
      if records.isEmpty { registry.withLock { $0.finishPass(newest, &wakes) } }
      return routingChanges
    }
    wakes.perform()
    withExtendedLifetime(routingChanges) {}
    applyRoutingChanges()
  }

  /// Routes a commit of few rows on the thread that commits it, which then wakes consumers that wait for the rows (L13).
  ///
  /// - Returns: whether nothing is left to do in the background.
  func routeAtOnce(_ record: CommitRecord) -> Bool {
    var wakes = DeferredWork()
    let isDone = routing.withLockIfAvailable { routing -> Bool in
      let isNext = registry.withLock {
        $0.routingChanges.isEmpty && !$0.isExcludingAny && $0.routed?.version == record.before.version
      }
      guard isNext else { return false }
      let changes = StoreChanges(record)
      guard let rows = routing.routeAtOnce(changes) else { return false }
      let figures = routing.takeFigures()
      return registry.withLock { registry in
        guard
          advance(&registry, changes, rows, figures, newest: record.after, marksEarly: true, &wakes)
        else { return false }
        let isIdle = !registry.isExcludingAny && !rows.contains { $0.query.isQueued }
        let records = inbox.withLock { inbox in
          if isIdle { inbox.isScheduled = false }
          return inbox.takeRecords()
        }
        wakes.keep(records)
        return isIdle
      }
    }
    wakes.perform()
    // Callers that attached or detached meanwhile found the lock taken.
    applyRoutingChanges()
    return isDone ?? false
  }

  /// Gives queries the rows that routing found for them; false if observation has ended meanwhile.
  private func advance(
    _ registry: inout Registry, _ changes: StoreChanges,
    _ rows: [(query: MaintainedQuery, rows: [RowChange])],
    _ figures: (unroutedTests: Int, linkedTests: Int, duration: Duration), newest: StoreState?,
    marksEarly: Bool = false, _ wakes: inout DeferredWork
  ) -> Bool {
    guard registry.advance(changes, rows, marksEarly: marksEarly, &wakes) else { return false }
    registry.statistics.upkeepTime += figures.duration
    registry.statistics.unroutedTests += figures.unroutedTests
    registry.statistics.linkedTests += figures.linkedTests
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
    var wakes = DeferredWork()
    query.lock.withLock { _ in runSteps(of: query, &wakes) }
    wakes.perform()
  }

  /// Brings a query over the steps that it has; to be called under its lock.
  func runSteps(of query: MaintainedQuery, _ wakes: inout DeferredWork) {
    guard var work = registry.withLock({ $0.takeWork(query) }) else { return }
    let start = now()
    work.run { query.abandonment.isSet }
    let duration = now() - start
    let isRerouted = registry.withLock { [work] in $0.publish(work, query, took: duration, &wakes) }
    if isRerouted { scheduleUpkeep() }
    wakes.keep(work)
  }
}
