import Synchronization

extension LiveEngine {
  /// Routes all that was committed: afterwards each query has steps for what may matter to it.
  ///
  /// - Complexity: O(*k* log *n*) for the *k* rows that differ.
  func route() {
    let isRouted = registry.withLock { registry in
      inbox.withLock { $0.parts.isEmpty && (registry.routed == nil || registry.routed === $0.newest) }
    }
    if isRouted { return }
    var wakes = Wakes()
    let edits = routing.withLock { routing in
      let (parts, newest, edits, catalog) = registry.withLock { registry in
        let (parts, newest) = inbox.withLock { inbox in
          defer { inbox.parts = [] }
          return (inbox.parts, inbox.newest)
        }
        return (parts, newest, registry.takeEdits(), registry.routed?.catalog)
      }
      wakes.keep(parts)
      routing.apply(edits, catalog)
      if catalog == nil { return edits }
      for part in parts { route(part, &routing, &wakes) }
      registry.withLock { registry in
        if let routed = registry.routed, routed.version == newest.version {
          registry.finishPass(newest, &wakes)
        }
      }
      return edits
    }
    wakes.perform()
    withExtendedLifetime(edits) {}
    // Whoever let go of a query meanwhile could not have routing forget it.
    if registry.withLock({ !$0.edits.isEmpty }) { takeInEdits() }
  }

  /// Routes a commit, or the sum of several.
  private func route(_ part: Inbox.Part, _ routing: inout Routing, _ wakes: inout Wakes) {
    let changes: StoreChanges
    var (origin, writer): (String?, ActorID?) = (nil, nil)
    switch part {
    case .commit(let record, let actor):
      (changes, origin, writer) = (StoreChanges(record), record.origin, actor)
    case .sum(let state):
      guard let routed = registry.withLock({ $0.routed }) else { return }
      changes = StoreChanges(from: routed, to: state)
    }
    let clock = ContinuousClock()
    let start = clock.now
    let rows = routing.route(changes)
    let (tests, duration) = (routing.takeTests(), clock.now - start)
    registry.withLock { registry in
      guard registry.advance(changes, rows, origin: origin, writer: writer, &wakes) else { return }
      registry.statistics.upkeepTime += duration
      registry.statistics.unroutedTests += tests.unrouted
      registry.statistics.linkedTests += tests.linked
      if registry.hasOverdue { isOverdue.store(true, ordering: .relaxed) }
    }
  }

  /// Has routing forget queries that are gone, unless a pass is under way, which does it, or the next one.
  func takeInEdits() {
    let edits = routing.withLockIfAvailable { routing in
      let (edits, catalog) = registry.withLock { ($0.takeEdits(), $0.routed?.catalog) }
      routing.apply(edits, catalog)
      return edits
    }
    withExtendedLifetime(edits) {}
  }

  /// Brings a query over all its steps, under its own lock.
  func bringUpToDate(_ query: MaintainedQuery) {
    while let wakes = query.lock.withLock({ _ in takeStep(query) }) { wakes.perform() }
  }

  /// Brings a query over the steps that it has now; to be called under its lock.
  ///
  /// - Returns: what to do after leaving the lock; nil if there was no step.
  func takeStep(_ query: MaintainedQuery) -> Wakes? {
    guard let work = registry.withLock({ $0.takeWork(query) }) else { return nil }
    let clock = ContinuousClock()
    let start = clock.now
    let outcome = work.run()
    let duration = clock.now - start
    var wakes = Wakes()
    wakes.keep(work)
    registry.withLock { $0.publish(outcome, of: query, took: duration, &wakes) }
    return wakes
  }
}
