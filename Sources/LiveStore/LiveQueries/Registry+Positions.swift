// The positions of cursors: where each begins, and its steps to the newest results.

extension Registry {
  /// The work of a poll before a step can be taken.
  enum PollPreparation {
    /// Nothing: this is the last step.
    case ended(PollResult<CursorStep>)
    /// Its queries have to be found or evaluated first, at a state.
    case unattached([ObservedQuery], at: StoreState)
    /// Its queries are to be brought up to date first.
    case outdated([MaintainedQuery], isExcluding: Bool)
  }

  enum CursorStepResult {
    case step(PollResult<CursorStep>)
    /// It begins at an older state, or its results are of different states and are to be brought to one.
    case mixedVersions([QueryView], at: StoreState)
  }

  /// A result, and a state in which its trees are that result.
  struct QueryView: Sendable {
    let trees: MaintainedTrees
    let state: StoreState
  }

  /// A cursor is polled: removes its mark.
  ///
  /// - Parameter attaches: whether a cursor that begins is only to be moved to its start.
  /// - Returns: its last step, if it has ended, or the queries that it observes; nil if they are still to be found.
  mutating func beginPoll(_ id: UInt64, attaches: Bool, _ wakes: inout DeferredWork) -> PollPreparation? {
    guard let cursor = cursors[id] else { return .ended(.ended) }
    guard cursor.isRefused || cursor.isEnded || isClosed else {
      cursor.isMarked = attaches
      if let previous = cursor.previous { wakes.keep(previous.position) }
      cursor.previous = nil
      return cursor.maintained.isEmpty
        ? nil : .outdated(cursor.maintained, isExcluding: !cursor.excluded.isEmpty)
    }
    cursor.isMarked = false
    if cursor.isRefused { return .ended(.failed(.storeClosed())) }
    defer { cursor.undelivered = nil }
    return .ended(cursor.undelivered.map { .failed($0) } ?? .ended)
  }

  /// The next thing to do for a poll.
  mutating func nextOfPoll(_ id: UInt64, attaches: Bool, _ wakes: inout DeferredWork) -> PollPreparation {
    guard let cursor = cursors[id], let routed, !cursor.isEnded else { return .ended(.ended) }
    if cursor.maintained.isEmpty {
      let start: StoreState? = if case .unattached(let start) = cursor.position { start } else { nil }
      for query in cursor.queries {
        guard let error = routed.catalog.check(query) else { continue }
        return .ended(end(cursor, error, isDelivered: !attaches, &wakes))
      }
      return .unattached(cursor.queries, at: start ?? routed)
    }
    return .outdated(cursor.maintained, isExcluding: !cursor.excluded.isEmpty)
  }

  /// Gives a cursor the maintained queries that it observes.
  ///
  /// - Returns: whether all of them are still maintained.
  mutating func attach(_ id: UInt64, to queries: [MaintainedQuery]) -> Bool {
    guard let cursor = cursors[id], !cursor.isEnded, queries.allSatisfy({ records[$0.id] != nil }) else {
      return false
    }
    cursor.maintained = queries
    for query in queries {
      records[query.id]?.cursors.insert(id)
      if !cursor.abandonment.isSet { query.abandonment.clear() }
    }
    return true
  }

  /// Takes a step to the newest results, which were brought up to date.
  mutating func step(_ id: UInt64, attaches: Bool, _ wakes: inout DeferredWork) -> CursorStepResult {
    guard let cursor = cursors[id], let routed, !cursor.isEnded else { return .step(.ended) }
    if cursor.abandonment.isSet { return .step(.none) }
    if let error = failure(cursor) {
      return .step(end(cursor, error, isDelivered: !attaches, &wakes))
    }
    let pins = cursor.maintained.compactMap { records[$0.id]?.current }
    let views = pins.map { QueryView(trees: $0.trees, state: $0.state ?? routed) }
    guard pins.count == cursor.queries.count,
      let newest = views.map(\.state).max(by: { $0.version < $1.version })
    else { return .step(.ended) }
    // Its start version is published, but not routed yet.
    if let version = cursor.version, version > newest.version {
      // Until it is at the shared results it holds a state of its own.
      wakes.mark(cursor, &settling)
      return .step(.none)
    }
    if case .unattached(let start?) = cursor.position, start.version != newest.version || views.count > 1 {
      return .mixedVersions(views, at: start)
    }
    if views.contains(where: { $0.state.version != newest.version }) {
      return .mixedVersions(views, at: newest)
    }
    let sides = zip(views, cursor.queries).map { $0.trees.side($0.state, $1.last) }
    cursor.isMarked = attaches
    return .step(
      move(
        cursor, to: .pinned(pins), sides, newest.version, routed, isOwn: cursor.takeIsOwn(), &wakes))
  }

  /// Moves a cursor to results that were brought to one state for it alone.
  mutating func step(
    _ id: UInt64, to trees: [MaintainedTrees], at state: StoreState, _ wakes: inout DeferredWork
  ) -> PollResult<CursorStep> {
    guard let cursor = cursors[id], let routed, !cursor.isEnded else { return .ended }
    if let error = trees.lazy.compactMap(\.failure).first {
      return end(cursor, error, isDelivered: true, &wakes)
    }
    let sides = zip(trees, cursor.queries).map { $0.side(state, $1.last) }
    let step = move(cursor, to: .own(trees, state), sides, state.version, routed, isOwn: false, &wakes)
    // Until it is at the shared results again it holds a state of its own.
    wakes.mark(cursor, &settling)
    return step
  }

  /// Moves a cursor to its start, at an older state.
  ///
  /// - Parameter applied: how many of the excluded commits since then are applied to the results.
  /// - Returns: excluded commits that are to be applied first.
  mutating func begin(
    _ id: UInt64, at trees: [MaintainedTrees], _ state: StoreState, start: Version, applied: Int,
    _ wakes: inout DeferredWork
  ) -> [StoreChanges] {
    guard let cursor = cursors[id], !cursor.isEnded else { return [] }
    let more = cursor.excludedChanges.dropFirst(applied)
    if !more.isEmpty { return Array(more) }
    cursor.excludedThrough = max(start, cursor.excludedChanges.last?.new.version ?? start)
    for changes in cursor.excludedChanges { wakes.keep([changes.old, changes.new]) }
    cursor.excludedChanges = []
    wakes.keep(cursor.position)
    cursor.position = .own(trees, state)
    cursor.version = start
    return []
  }

  private mutating func move(
    _ cursor: Cursor, to position: Cursor.Position, _ sides: [ResultSide], _ version: Version,
    _ routed: StoreState, isOwn: Bool, _ wakes: inout DeferredWork
  ) -> PollResult<CursorStep> {
    let (before, delivered) = (cursor.position, cursor.version)
    var (old, isSkipped): ([ResultSide]?, Bool) = (nil, false)
    switch before {
    case .unattached(nil): break
    case .unattached:
      isSkipped = true
      for changes in cursor.excludedChanges { wakes.keep([changes.old, changes.new]) }
      cursor.excludedChanges = []
    case .pinned(let pins):
      if case .pinned(let new) = position, zip(pins, new).allSatisfy({ $0 === $1 }) { return .none }
      old = zip(pins, cursor.queries).map {
        $0.trees.side($0.state ?? routed, $1.last, version: delivered)
      }
    case .own(let trees, let state):
      old = zip(trees, cursor.queries).map { $0.side(state, $1.last, version: delivered) }
    }
    cursor.position = position
    if cursor.isRewindable {
      cursor.previous = (before, delivered, cursor.moves)
    } else {
      wakes.keep(before)
    }
    cursor.version = version
    return isSkipped ? .none : .event(CursorStep(old: old, new: sides, isOwn: isOwn), version)
  }

  /// Undoes the last step of a cursor, which was not delivered; false if an excluded commit has moved the
  /// cursor since.
  mutating func rewind(_ id: UInt64, _ wakes: inout DeferredWork) -> Bool {
    guard let cursor = cursors[id], let previous = cursor.previous, previous.moves == cursor.moves
    else { return false }
    wakes.keep(cursor.position)
    cursor.position = previous.position
    cursor.version = previous.version
    return true
  }

  /// The last step of a cursor was delivered, and is not undone any more.
  mutating func accept(_ id: UInt64, _ wakes: inout DeferredWork) {
    guard let cursor = cursors[id], let previous = cursor.previous else { return }
    wakes.keep(previous.position)
    cursor.previous = nil
  }

  /// Why an evaluation of its queries ended early, if one did.
  private func failure(_ cursor: Cursor) -> StoreError? {
    if let error = cursor.failure { return error }
    guard case .own(let trees, _) = cursor.position else { return nil }
    return trees.lazy.compactMap(\.failure).first
  }
}

extension Catalog {
  /// Why a query cannot be observed.
  fileprivate func check(_ query: ObservedQuery) -> StoreError? {
    guard let table = index(of: query.type) else { return .unknownEntity(query.type) }
    return check(query.stages, table, grouped: query.grouping?.dependencies ?? [])
  }
}
