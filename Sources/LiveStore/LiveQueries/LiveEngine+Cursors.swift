import Synchronization

extension LiveEngine {
  /// Makes a cursor that begins when it is first polled, or at the newest state without an initial event.
  ///
  /// - Parameters:
  ///   - isRewindable: whether its last step may be undone.
  ///   - tolerance: how much later than a commit its event may come.
  package func makeCursor(
    _ queries: [ObservedQuery], excluding: Set<String>, startsAtNewest: Bool = false,
    from state: StoreState? = nil, isRewindable: Bool = false, modelActor: ObjectIdentifier? = nil,
    tolerance: Duration = .zero, _ site: ObserverSite = .unknown
  ) -> CursorHandle {
    registry.withLock { registry in
      // Where origins are excluded, each commit is recorded by itself from here on; before, a sum will do.
      if startsAtNewest && !excluding.isEmpty { activate(&registry) }
      let start = inbox.withLock { inbox in
        if !excluding.isEmpty { inbox.keepsRecords = true }
        return startsAtNewest ? inbox.newest : state
      }
      let cursor = Cursor(
        id: registry.makeID(), queries: queries, excluded: excluding, modelActor: modelActor,
        isRewindable: isRewindable, from: start, tolerance: tolerance, site)
      registry.add(cursor)
      inbox.withLock { $0.tolerance = registry.tolerance }
      return CursorHandle(engine: self, id: cursor.id)
    }
  }

  /// Begins to follow commits, unless that is done already.
  func activate(_ registry: inout Registry) {
    if registry.routed != nil { return }
    inbox.withLock { inbox in
      guard registry.activate(at: inbox.newest) else { return }
      inbox.isActive = true
    }
  }

  /// Runs an event that may leave nothing observed. Then no commits are recorded and no old version is held.
  func updateAndDeactivateIfIdle(_ event: (inout Registry, inout DeferredWork) -> Void = { _, _ in }) {
    update { registry, wakes in
      event(&registry, &wakes)
      let isIdle = registry.deactivateIfIdle(&wakes)
      let records = inbox.withLock { inbox -> [CommitRecord] in
        inbox.keepsRecords = registry.isExcludingAny
        inbox.tolerance = registry.tolerance
        guard isIdle else { return [] }
        inbox.isActive = false
        return inbox.takeRecords()
      }
      wakes.keep(records)
    }
    applyRoutingChanges()
  }

  /// Removes a cursor.
  func detach(_ id: UInt64) {
    updateAndDeactivateIfIdle { registry, wakes in registry.remove(id, &wakes) }
  }

  /// The changes for a cursor; begins it the first time.
  ///
  /// - Parameters:
  ///   - evaluates: whether to evaluate queries that are not maintained yet; otherwise there is nothing new.
  ///   - attaches: whether a cursor that begins is only to be moved to its start.
  func poll(_ id: UInt64, evaluates: Bool = true, attaches: Bool = false) -> PollResult<CursorStep> {
    var (next, isRouted) = update { registry, wakes in
      let next = registry.beginPoll(id, attaches: attaches, &wakes)
      if next == nil { activate(&registry) }
      return (next, self.isRouted(registry))
    }
    if case .ended(let last)? = next { return last }
    if !isRouted { makePass() }
    while true {
      switch next.take() ?? update({ registry, wakes in registry.nextOfPoll(id, attaches: attaches, &wakes) })
      {
      case .ended(let last): return last
      case .unattached(let queries, let state):
        if let last = attach(id, to: queries, at: state, evaluates: evaluates, attaches: attaches) {
          return last
        }
      case .outdated(let queries, let isExcluding):
        // The position of a cursor that excludes origins is changed under its query's lock.
        var wakes = DeferredWork()
        defer { wakes.perform() }
        if !isExcluding { return takeStep(id, queries, isLocked: false, attaches, &wakes) }
        return queries[0].lock.withLock { _ in
          takeStep(id, queries, isLocked: true, attaches, &wakes)
        }
      }
    }
  }

  /// Finds a cursor's queries among those that are maintained, or evaluates them.
  ///
  /// - Returns: the result of the poll, if this ends it.
  private func attach(
    _ id: UInt64, to observed: [ObservedQuery], at state: StoreState, evaluates: Bool, attaches: Bool
  ) -> PollResult<CursorStep>? {
    var queries: [MaintainedQuery] = []
    var last: PollResult<CursorStep>?
    for query in observed where last == nil {
      guard let table = state.catalog.index(of: query.type) else {
        return .failed(.unknownEntity(query.type))
      }
      let key = QueryKey(table, query.stages, query.grouping)
      switch find(key, at: state, evaluates: evaluates, for: id) {
      case .success(let query): queries.append(query)
      case nil: last = PollResult.none
      case .failure(let error):
        last = update { registry, wakes in
          guard let cursor = registry.cursors[id], !cursor.isEnded else { return .ended }
          return registry.end(cursor, error, isDelivered: !attaches, &wakes)
        }
      }
    }
    update { [queries] registry, wakes in
      // If one of them was removed meanwhile, they are looked for again.
      let isAttached = last == nil && registry.attach(id, to: queries)
      if !isAttached { for query in queries { registry.removeIfUnobserved(query, &wakes) } }
    }
    if last != nil { applyRoutingChanges() }
    return last
  }

  /// The maintained query of a key; evaluated at a state if there is none.
  ///
  /// - Parameter cursor: the cursor that observes the query.
  private func find(
    _ key: QueryKey, at state: StoreState, evaluates: Bool, for cursor: UInt64
  ) -> Result<MaintainedQuery, StoreError>? {
    let hash = key.hashValue
    var evaluated: (trees: MaintainedTrees, secondsPerRow: Double)?
    while true {
      // Keys contain user values, so they are compared outside the lock.
      let candidates = registry.withLock { $0.candidates(hash) }
      if let query = candidates.first(where: { $0.key == key }) { return .success(query) }
      if !evaluates { return nil }
      let (trees, cost) = evaluated ?? evaluate(key, at: state, for: cursor)
      evaluated = (trees, cost)
      if let error = trees.failure { return .failure(error) }
      let query = MaintainedQuery(
        id: registry.withLock { $0.makeID() }, key: key, hash: hash, trees, secondsPerRow: cost)
      let isAdded = update { registry, wakes in
        registry.routed == nil ? nil : registry.add(query, at: state, known: candidates, &wakes)
      }
      guard let isAdded else { return .failure(.storeClosed()) }
      if isAdded { return .success(query) }
    }
  }

  /// - Returns: the result, and how many seconds a row took.
  private func evaluate(
    _ key: QueryKey, at state: StoreState, for cursor: UInt64
  ) -> (MaintainedTrees, Double) {
    let clock = ContinuousClock()
    let start = clock.now
    let trees = MaintainedTrees(
      key.stages, key.table, key.grouping, at: state, isAbandoned: abandonmentTest(cursor))
    if executor != nil { return (trees, 0) }
    return (trees, (clock.now - start) / .seconds(1) / Double(max(1, state.tables[key.table].count)))
  }

  /// Whether evaluations for a cursor may end (L17).
  private func abandonmentTest(_ id: UInt64) -> @Sendable () -> Bool {
    let abandonment = registry.withLock { $0.cursors[id]?.abandonment }
    return { abandonment?.isSet ?? true }
  }

  /// Brings a cursor's queries up to date, one after another, and takes its step.
  ///
  /// - Parameter isLocked: whether the caller holds the lock of its query.
  private func takeStep(
    _ id: UInt64, _ queries: [MaintainedQuery], isLocked: Bool, _ attaches: Bool, _ wakes: inout DeferredWork
  ) -> PollResult<CursorStep> {
    while true {
      for query in queries { if isLocked { runSteps(of: query, &wakes) } else { bringUpToDate(query) } }
      if let result = registry.withLock({ $0.step(id, attaches: attaches, &wakes) }) { return result }
      guard let (misaligned, state, isBeginning) = registry.withLock({ $0.misaligned(id) }) else { continue }
      let isAbandoned = abandonmentTest(id)
      wakes.keep(misaligned)
      let results = misaligned.map { $0.moved(to: state, isAbandoned: isAbandoned) }
      if !isBeginning { return registry.withLock { $0.step(id, to: results, at: state.version, &wakes) } }
      begin(id, at: results, isAbandoned, &wakes)
      if attaches { return .none }
    }
  }

  /// Moves a cursor to its start. If it excludes origins, it has one query, whose lock the caller holds; it follows
  /// the excluded commits since then (E2).
  private func begin(
    _ id: UInt64, at results: [MaintainedResult], _ isAbandoned: @escaping @Sendable () -> Bool,
    _ wakes: inout DeferredWork
  ) {
    guard let last = registry.withLock({ $0.cursors[id]?.queries[0].last }) else { return }
    let start = results[0].state.version
    var (newest, baselines, applied) = (results[0], results, 0)
    defer { wakes.keep(newest) }
    while true {
      let more = registry.withLock {
        $0.begin(id, at: baselines, start: start, applied: applied, &wakes)
      }
      if more.isEmpty { return }
      for changes in more {
        let before = newest.moved(to: changes.old, isAbandoned: isAbandoned)
        wakes.keep(newest)
        newest = before
        newest.follow(changes, isAbandoned: isAbandoned)
        wakes.keep(before)
        wakes.keep(baselines[0])
        baselines[0] = baselines[0].stepping(over: changes, from: before.trees, to: newest.trees, last)
      }
      applied += more.count
    }
  }

  /// Undoes the last step of a cursor, which was not delivered; false if an excluded commit has moved the
  /// cursor since.
  func rewind(_ id: UInt64) -> Bool {
    let query = registry.withLock { registry in
      registry.cursors[id].flatMap { $0.excluded.isEmpty ? nil : $0.maintained.first }
    }
    guard let query else { return update { registry, wakes in registry.rewind(id, &wakes) } }
    var wakes = DeferredWork()
    let isRewound = query.lock.withLock { _ in registry.withLock { $0.rewind(id, &wakes) } }
    wakes.perform()
    return isRewound
  }
}
