import Synchronization

extension LiveEngine {
  /// Routes all that was committed: afterwards each query has steps for what may matter to it.
  ///
  /// - Complexity: O(*k* log *n*) for the *k* rows that differ.
  func route() { if !registry.withLock({ isRouted($0) }) { makePass() } }

  /// Whether there is nothing to route; asked under the registry's lock.
  func isRouted(_ registry: borrowing Registry) -> Bool {
    let routed = registry.routed
    return inbox.withLock { $0.parts.isEmpty && (routed == nil || routed === $0.newest) }
  }

  /// Routes what was committed by now.
  func makePass() {
    var wakes = Wakes()
    let routingChanges = routing.withLock { routing in
      var (parts, newest, routingChanges, from) = registry.withLock { registry in
        let (parts, newest) = inbox.withLock { inbox in
          defer { inbox.parts = [] }
          return (inbox.parts, inbox.newest)
        }
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

  /// Routes a commit, or the sum of several.
  ///
  /// - Parameters:
  ///   - old: the state that the parts before it led to.
  ///   - newest: the newest state, if this is the last part.
  /// - Returns: the state that it leads to; nil if observation has ended meanwhile.
  private func route(
    _ part: Inbox.Part, from old: StoreState, newest: StoreState?, _ routing: inout Routing,
    _ wakes: inout Wakes
  ) -> StoreState? {
    let changes: StoreChanges
    var (origin, writer): (String?, ActorID?) = (nil, nil)
    switch part {
    case .commit(let record, let actor):
      (changes, origin, writer) = (StoreChanges(record), record.origin, actor)
    case .sum(let state):
      changes = StoreChanges(from: old, to: state)
    }
    let clock = ContinuousClock()
    let start = clock.now
    let rows = routing.route(changes)
    let (tests, duration) = (routing.takeTests(), clock.now - start)
    return registry.withLock { registry -> StoreState? in
      guard registry.advance(changes, rows, origin: origin, writer: writer, &wakes) else { return nil }
      registry.statistics.upkeepTime += duration
      registry.statistics.unroutedTests += tests.unrouted
      registry.statistics.linkedTests += tests.linked
      if let newest { registry.finishPass(newest, &wakes) }
      if !registry.overLimit.isEmpty { isOverLimit.store(true, ordering: .relaxed) }
      return changes.new
    }
  }

  /// Has routing insert queries that were added and remove those that were removed, unless a pass is under way, which
  /// does it.
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
    let finished = query.lock.withLock { _ in runSteps(of: query) }
    finished?.wakes.perform()
  }

  /// Brings a query over the steps that it has; to be called under its lock.
  ///
  /// - Returns: what to do after leaving the lock; nil if there was no step.
  func runSteps(of query: MaintainedQuery) -> FinishedUpkeep? {
    guard let work = registry.withLock({ $0.takeWork(query) }) else { return nil }
    let clock = ContinuousClock()
    let start = clock.now
    let outcome = work.run()
    let duration = clock.now - start
    var wakes = Wakes()
    let isRerouted = registry.withLock { $0.publish(outcome, of: query, took: duration, &wakes) }
    if isRerouted { scheduleUpkeep() }
    return FinishedUpkeep(work: work, outcome: outcome, wakes: wakes)
  }
}
