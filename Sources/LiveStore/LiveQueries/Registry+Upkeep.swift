// From commits to results: a pass routes commits and leaves each query that they may matter to a step; each query is
// brought over its steps by itself, under its own lock.

extension Registry {
  /// Commits were routed: one by itself, or the sum of several.
  ///
  /// - Parameters:
  ///   - rows: the rows for each query that they may matter to.
  ///   - marksEarly: whether observers of routed queries are marked before upkeep finds out whether results change.
  /// - Returns: false if these are not the commits that come next: observation has ended meanwhile.
  /// - Complexity: O(queries that they may matter to + observers that exclude the origin).
  mutating func advance(
    _ changes: StoreChanges, _ rows: [(query: MaintainedQuery, rows: [RowChange])],
    marksEarly: Bool = false, _ wakes: inout DeferredWork
  ) -> Bool {
    guard let routed, routed.version == changes.old.version else { return false }
    let origin = changes.record.origin
    let concerned = origin == nil || excluding.isEmpty ? [] : Set(rows.lazy.map(\.query.id))
    let excludingQueries = origin.map { queriesThatExclude(changes, $0, concerned) } ?? []
    func step(_ id: UInt64, _ rows: [RowChange]?) -> PendingStep {
      PendingStep(
        changes, rows: rows, isExcluded: !excludingQueries.isEmpty && excludingQueries.contains(id))
    }
    for (query, rows) in rows where !hasPendingRoute(query.id) {
      add(step(query.id, rows), to: query, marksEarly: marksEarly, &wakes)
    }
    for id in excludingQueries.sorted() where !concerned.contains(id) && !hasPendingRoute(id) {
      add(PendingStep(changes, rows: [], isExcluded: true, isRelevant: false), to: queries[id], &wakes)
    }
    for id in routingChanges.keys.sorted() where hasPendingRoute(id) {
      add(step(id, nil), to: queries[id], &wakes)
    }
    wakes.keep(routed)
    self.routed = changes.new
    return true
  }

  /// All commits up to a state are routed.
  ///
  /// - Parameter newest: may differ from the last commit's state in ignored properties.
  mutating func finishPass(_ newest: StoreState, _ wakes: inout DeferredWork) {
    guard let old = routed, old.version == newest.version else { return }
    if old !== newest { wakes.keep(old) }
    routed = newest
    for id in commitSubscriberIDs {
      if let subscriber = commitSubscribers[id] { wakes.mark(subscriber, &settling) }
    }
    settling.routed(newest.version, &wakes)
  }

  private mutating func add(
    _ step: PendingStep, to query: MaintainedQuery?, marksEarly: Bool = false, _ wakes: inout DeferredWork
  ) {
    guard let query, query.current != nil else { return }
    query.add(step, &wakes)
    settling.fallBehind(query.id)
    if query.pending.count > MaintainedQuery.maximumExcludedSteps { overLimit.insert(query.id) }
    if marksEarly, markEarly(query, &wakes) { return }
    enqueue(query)
  }

  private mutating func enqueue(_ query: MaintainedQuery) {
    if query.isQueued { return }
    query.isQueued = true
    queue.add(query.id, cost: query.expectedCost)
  }

  /// Marks the observers of a query with a step, if bringing it up to date takes no longer than waking a thread that
  /// would do it.
  ///
  /// - Returns: whether the only observer waits, and so brings the query up to date.
  private mutating func markEarly(_ query: MaintainedQuery, _ wakes: inout DeferredWork) -> Bool {
    guard !query.isUnrouted, UpkeepQueue.isShort(query.expectedCost) else { return false }
    var isAwaited = false
    for id in query.cursors {
      guard let cursor = cursors[id] else { continue }
      isAwaited = isAwaited || !cursor.waiters.isEmpty
      wakes.mark(cursor, &settling)
    }
    return isAwaited && query.cursors.count == 1 && !settling.isWaiting
  }

  /// Queues the queries that are left to observers for the background.
  mutating func enqueueAll() {
    for id in settling.behind.sorted() { if let query = queries[id] { enqueue(query) } }
  }

  /// The queries in which an excluded commit is to be applied: the queries of observers that exclude its
  /// origin, unless nothing is unreported there and the commit does not matter (E2).
  private func queriesThatExclude(_ changes: StoreChanges, _ origin: String, _ concerned: Set<UInt64>) -> Set<
    UInt64
  > {
    var excludingQueries: Set<UInt64> = []
    for id in excluding {
      guard let cursor = cursors[id], cursor.excluded.contains(origin) else { continue }
      if case .unattached(let start?) = cursor.position, start.version < changes.new.version {
        // Its query is being evaluated; the cursor begins where it was made, and then follows this commit.
        cursor.excludedChanges.append(changes)
      }
      guard let query = cursor.maintained.first, let current = query.current else { continue }
      if case .at(let results) = cursor.position, results[0] === current, current.state == nil,
        !concerned.contains(query.id), !hasPendingRoute(query.id)
      {
        continue
      }
      excludingQueries.insert(query.id)
    }
    return excludingQueries
  }

  /// Whether commits were routed without a query, or by a route that it no longer has (L12).
  private func hasPendingRoute(_ id: UInt64) -> Bool {
    if routingChanges.isEmpty { return false }
    return if case .insert = routingChanges[id] { true } else { false }
  }

  /// Queries that a committer has to bring up to date itself, so that the waiting steps are bounded (E3).
  mutating func takeOverLimit() -> [MaintainedQuery] {
    defer { overLimit = [] }
    return overLimit.sorted().compactMap { queries[$0] }
  }

  /// The next query to bring up to date in the background.
  mutating func nextQueued(of kind: UpkeepQueue.Kind) -> MaintainedQuery? {
    while let id = queue.next(of: kind) {
      guard let query = queries[id] else { continue }
      query.isQueued = false
      return query
    }
    return nil
  }

  /// What the background does next: the next query that takes microseconds, and how many workers to start for others.
  ///
  /// - Returns: `checksForStall`: whether to check later for a stall.
  mutating func nextInBackground() -> (query: MaintainedQuery?, workers: Int, checksForStall: Bool) {
    let checksForStall = queue.scheduleStallCheck(hasCommits: false)
    // Before the short queries are done, which may never happen.
    let workers = queue.startWorkers()
    return (nextQueued(of: .short), workers, checksForStall)
  }

  /// The pending steps of a query as work to run; to be called under its lock.
  mutating func takeWork(_ query: MaintainedQuery) -> UpkeepWork? {
    guard let current = query.current, !query.pending.isEmpty else { return nil }
    var work = UpkeepWork(
      current.trees, over: query.pending, stopsIfUnroutable: query.isRoutedByValue)
    query.pending = []
    if excluding.isEmpty { return work }
    for id in query.cursors where excluding.contains(id) {
      guard let cursor = cursors[id], case .at(let results) = cursor.position else { continue }
      let baseline =
        results[0] === current
        ? nil : results[0].state.map { MaintainedResult(trees: results[0].trees, state: $0) }
      work.observers.append(
        ExcludingObserver(
          cursor: id, origins: cursor.excluded, last: cursor.queries[0].last,
          excludedThrough: cursor.excludedThrough, baseline: baseline))
    }
    return work
  }

  /// A query was brought over its steps; to be called under its lock.
  ///
  /// - Returns: whether it has steps that only the background will take it over.
  mutating func publish(
    _ work: UpkeepWork, _ query: MaintainedQuery, took duration: Duration, _ wakes: inout DeferredWork
  ) -> Bool {
    guard var current = query.current else { return false }
    statistics.upkeepTime += duration
    if work.isAbandoned {
      // The next thread begins where this one began.
      query.pending = work.steps + query.pending
      if isAwaited(query) { enqueue(query) }
      return query.isQueued
    }
    statistics.updates += 1
    statistics.rebuilds += work.rebuilds
    query.add(work)
    if isCostMeasured { query.addCost(duration, rows: work.rows) }
    if let error = work.trees.failure {
      fail(query, error, &wakes)
      return false
    }
    let isRerouted = !work.trees.isRoutable && query.isRoutedByValue
    assert(isRerouted || work.rest.isEmpty)
    if isRerouted { reroute(query, from: work.state, work.rest, &wakes) }
    let next = query.pending.first?.old
    if work.isChanged {
      wakes.keep(current)
      wakes.keep(current.setState(work.lastUnchanged))
      current = PinnedTrees(work.trees, next)
      query.current = current
    } else {
      wakes.keep(current.setState(next))
    }
    // Excluded commits have moved these observers.
    for observer in work.observers where observer.isMoved {
      guard let cursor = cursors[observer.cursor], !cursor.isEnded else { continue }
      wakes.keep(cursor.position)
      cursor.position = .at([observer.baseline.map { PinnedTrees($0) } ?? current])
    }
    if work.isChanged {
      for id in query.cursors {
        guard let cursor = cursors[id] else { continue }
        for writer in work.writers { cursor.addWriter(writer) }
        wakes.mark(cursor, &settling)
      }
    }
    if recording != nil { record(work, query, duration) }
    settling.catchUp(query.id, through: query.pending.isEmpty ? nil : work.state.version, &wakes)
    return isRerouted && !query.pending.isEmpty
  }

  /// Gives a query every change from here on, since not all of its rows lead to it (L8).
  ///
  /// - Parameters:
  ///   - state: the state that it is brought to. Steps routed in the old way since then may lack rows.
  ///   - rest: the steps after it that were taken and not run.
  private mutating func reroute(
    _ query: MaintainedQuery, from state: StoreState, _ rest: ArraySlice<PendingStep>,
    _ wakes: inout DeferredWork
  ) {
    query.isUnrouted = true
    let isNew = if case .insert(_, _, isNew: true) = routingChanges[query.id] { true } else { false }
    routingChanges[query.id] = .insert(query, isRoutable: false, isNew: isNew)
    guard let routed, routed.version != state.version else { return }
    wakes.keep(query.pending)
    var (last, steps): (StoreState, [PendingStep]) = (state, [])
    for step in rest + query.pending {
      if step.old.version != last.version { steps.append(PendingStep(from: last, to: step.old)) }
      steps.append(step.unrouted)
      last = step.new
    }
    if last.version != routed.version { steps.append(PendingStep(from: last, to: routed)) }
    query.pending = steps
    enqueue(query)
  }

  /// Ends a query for all its observers; if it is asked for again, it is evaluated again.
  private mutating func fail(_ query: MaintainedQuery, _ error: StoreError, _ wakes: inout DeferredWork) {
    let observers = query.cursors
    remove(query, &wakes)
    for id in observers {
      guard let cursor = cursors[id] else { continue }
      cursor.failure = error
      wakes.mark(cursor, &settling)
    }
  }
}
