// From commits to results: a pass routes commits and leaves each query that they may matter to a step; each query is
// brought over its steps by itself, under its own lock.

extension Registry {
  /// Commits were routed: one by itself, or the sum of several.
  ///
  /// - Parameters:
  ///   - rows: the rows for each query that they may matter to.
  ///   - part: the commits that were routed.
  ///   - marksEarly: whether observers of routed queries are marked before upkeep finds out whether results change.
  /// - Returns: false if these are not the commits that come next: observation has ended meanwhile.
  /// - Complexity: O(queries that they may matter to + observers that exclude the origin).
  mutating func advance(
    _ changes: StoreChanges, _ rows: [(query: UInt64, rows: [RowChange])], _ part: Inbox.Part,
    marksEarly: Bool = false, _ wakes: inout DeferredWork
  ) -> Bool {
    guard let routed, routed.version == changes.old.version else { return false }
    let origin = part.record?.origin
    let concerned = origin == nil || excluding.isEmpty ? [] : Set(rows.lazy.map(\.query))
    let excludingQueries = origin.map { queriesThatExclude(changes, $0, concerned) } ?? []
    func excludedOrigin(of id: UInt64) -> String? {
      !excludingQueries.isEmpty && excludingQueries.contains(id) ? origin : nil
    }
    for (id, rows) in rows where !hasPendingRoute(id) {
      let step = PendingStep(changes, rows: rows, origin: excludedOrigin(of: id), writer: part.writer)
      add(step, to: id, marksEarly: marksEarly, &wakes)
    }
    for id in excludingQueries.sorted() where !concerned.contains(id) && !hasPendingRoute(id) {
      add(
        PendingStep(changes, rows: [], origin: origin, writer: part.writer, isRelevant: false), to: id, &wakes
      )
    }
    for id in routingChanges.keys.sorted() where hasPendingRoute(id) {
      add(
        PendingStep(changes, rows: nil, origin: excludedOrigin(of: id), writer: part.writer), to: id, &wakes)
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
    _ step: PendingStep, to id: UInt64, marksEarly: Bool = false, _ wakes: inout DeferredWork
  ) {
    guard let record = records[id] else { return }
    record.add(step, &wakes)
    settling.fallBehind(id)
    if record.pending.count > QueryRecord.maximumExcludedSteps { overLimit.insert(id) }
    if marksEarly, markEarly(record, &wakes) { return }
    enqueue(record)
  }

  private mutating func enqueue(_ record: QueryRecord) {
    if record.isQueued { return }
    record.isQueued = true
    queue.add(record.query.id, cost: record.expectedCost)
  }

  /// Marks the observers of a query with a step, if bringing it up to date takes no longer than waking a thread that
  /// would do it.
  ///
  /// - Returns: whether the only observer waits, and so brings the query up to date.
  private mutating func markEarly(_ record: QueryRecord, _ wakes: inout DeferredWork) -> Bool {
    guard !record.isUnrouted, UpkeepQueue.isShort(record.expectedCost) else { return false }
    var isAwaited = false
    for id in record.cursors {
      guard let cursor = cursors[id] else { continue }
      isAwaited = isAwaited || !cursor.waiters.isEmpty
      wakes.mark(cursor, &settling)
    }
    return isAwaited && record.cursors.count == 1 && !settling.isWaiting
  }

  /// Whether a query waits for the background.
  func isQueued(_ id: UInt64) -> Bool { records[id]?.isQueued == true }

  /// Queues the queries that are left to observers for the background.
  mutating func enqueueAll() {
    for id in settling.behind.sorted() { if let record = records[id] { enqueue(record) } }
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
      guard let query = cursor.maintained.first, let record = records[query.id] else { continue }
      if concerned.contains(query.id) || hasPendingRoute(query.id) {
        excludingQueries.insert(query.id)
      } else if case .pinned(let pins) = cursor.position, pins[0] === record.current, pins[0].state == nil {
        continue
      } else {
        excludingQueries.insert(query.id)
      }
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
    return overLimit.sorted().compactMap { records[$0]?.query }
  }

  /// The next query to bring up to date in the background.
  mutating func nextQueued(of kind: UpkeepQueue.Kind) -> MaintainedQuery? {
    while let id = queue.next(of: kind) {
      guard let record = records[id] else { continue }
      record.isQueued = false
      return record.query
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
    guard let record = records[query.id], !record.pending.isEmpty else { return nil }
    var work = UpkeepWork(trees: record.current.trees, steps: record.pending, observers: [])
    record.pending = []
    if excluding.isEmpty { return work }
    for id in record.cursors where excluding.contains(id) {
      guard let cursor = cursors[id] else { continue }
      var observer = ExcludingObserver(
        cursor: id, origins: cursor.excluded, last: cursor.queries[0].last,
        excludedThrough: cursor.excludedThrough)
      switch cursor.position {
      case .unattached: continue
      case .pinned(let pins):
        if pins[0] !== record.current, let state = pins[0].state {
          observer.baseline = Baseline(trees: pins[0].trees, state: state)
        }
      case .own(let trees, let state): observer.baseline = Baseline(trees: trees[0], state: state)
      }
      work.observers.append(observer)
    }
    return work
  }

  /// A query was brought over its steps; to be called under its lock.
  ///
  /// - Returns: whether it has steps that only the background will take it over.
  mutating func publish(
    _ outcome: UpkeepWork.Outcome, of work: UpkeepWork, _ query: MaintainedQuery, took duration: Duration,
    _ wakes: inout DeferredWork
  ) -> Bool {
    guard let record = records[query.id] else { return false }
    statistics.upkeepTime += duration
    if outcome.isAbandoned {
      // The next thread begins where this one began.
      record.pending = work.steps + record.pending
      if isAwaited(query) { enqueue(record) }
      return record.isQueued
    }
    statistics.updates += 1
    statistics.rebuilds += outcome.rebuilds
    if isCostMeasured { record.addCost(duration, rows: outcome.rows) }
    if let error = outcome.trees.failure {
      fail(query, error, &wakes)
      return false
    }
    let isRerouted = !outcome.trees.isRoutable && query.isByValue && !record.isUnrouted
    if isRerouted { reroute(record, from: outcome.state, outcome.rest, &wakes) }
    if outcome.isChanged {
      wakes.keep(record.current)
      wakes.keep(record.current.setState(outcome.lastUnchanged))
      record.current = PinnedTrees(outcome.trees, record.pending.first?.old)
    } else {
      wakes.keep(record.current.setState(record.pending.first?.old))
    }
    move(outcome.observers, to: record.current, &wakes)
    if outcome.isChanged {
      for id in record.cursors {
        guard let cursor = cursors[id] else { continue }
        for writer in outcome.writers { cursor.addWriter(writer) }
        wakes.mark(cursor, &settling)
      }
    }
    settling.catchUp(query.id, through: record.pending.isEmpty ? nil : outcome.state.version, &wakes)
    return isRerouted && !record.pending.isEmpty
  }

  /// Moves the observers that excluded commits have moved.
  private mutating func move(
    _ observers: [ExcludingObserver], to current: PinnedTrees, _ wakes: inout DeferredWork
  ) {
    for observer in observers where observer.isMoved {
      guard let cursor = cursors[observer.cursor], !cursor.isEnded else { continue }
      wakes.keep(cursor.position)
      cursor.position =
        observer.baseline.map { .own([$0.trees], $0.state) } ?? .pinned([current])
    }
  }

  /// Gives a query every change from here on, since not all of its rows lead to it (L8).
  ///
  /// - Parameters:
  ///   - state: the state that it is brought to. Steps routed in the old way since then may lack rows.
  ///   - rest: the steps after it that were taken and not run.
  private mutating func reroute(
    _ record: QueryRecord, from state: StoreState, _ rest: [PendingStep], _ wakes: inout DeferredWork
  ) {
    let query = record.query
    record.isUnrouted = true
    let isNew = if case .insert(_, _, isNew: true) = routingChanges[query.id] { true } else { false }
    routingChanges[query.id] = .insert(query, isRoutable: false, isNew: isNew)
    guard let routed, routed.version != state.version else { return }
    wakes.keep(record.pending)
    var (last, steps): (StoreState, [PendingStep]) = (state, [])
    for step in rest + record.pending {
      if step.old.version != last.version { steps.append(PendingStep(from: last, to: step.old)) }
      steps.append(step.unrouted)
      last = step.new
    }
    if last.version != routed.version { steps.append(PendingStep(from: last, to: routed)) }
    record.pending = steps
    enqueue(record)
  }

  /// Ends a query for all its observers; if it is asked for again, it is evaluated again.
  private mutating func fail(_ query: MaintainedQuery, _ error: StoreError, _ wakes: inout DeferredWork) {
    let observers = records[query.id]?.cursors ?? SubscriberList()
    remove(query, &wakes)
    for id in observers {
      guard let cursor = cursors[id] else { continue }
      cursor.failure = error
      wakes.mark(cursor, &settling)
    }
  }
}

extension QueryRecord {
  /// Averages in how long some rows took.
  fileprivate func addCost(_ duration: Duration, rows: Int) {
    let (seconds, attoseconds) = duration.components
    let measured = (Double(seconds) + Double(attoseconds) * 1e-18) / Double(max(1, rows))
    // A thread that lost its core was slow once; one that was fast can be.
    secondsPerRow = measured < secondsPerRow ? measured : secondsPerRow * 0.75 + measured * 0.25
  }
}
