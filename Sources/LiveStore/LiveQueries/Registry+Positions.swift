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
    guard let cursor = cursors[id], !cursor.isEnded, queries.allSatisfy({ $0.current != nil }) else {
      return false
    }
    cursor.maintained = queries
    for query in queries {
      query.cursors.insert(id)
      if !cursor.abandonment.isSet { query.abandonment.clear() }
    }
    return true
  }

  /// Takes a step to the newest results, which were brought up to date.
  ///
  /// - Returns: nil if they are to be brought to one state first (`misaligned`).
  mutating func step(
    _ id: UInt64, attaches: Bool, _ wakes: inout DeferredWork
  ) -> PollResult<CursorStep>? {
    guard let cursor = cursors[id], let routed, !cursor.isEnded else { return .ended }
    if cursor.abandonment.isSet { return PollResult.none }
    if let error = failure(cursor) { return end(cursor, error, isDelivered: !attaches, &wakes) }
    let results = cursor.maintained.compactMap(\.current)
    let states = results.map { $0.state ?? routed }
    guard results.count == cursor.queries.count, let newest = states.max(by: { $0.version < $1.version })
    else { return .ended }
    // Its start version is published, but not routed yet.
    if let version = cursor.version, version > newest.version {
      // Until it is at the shared results it holds a state of its own.
      wakes.mark(cursor, &settling)
      return PollResult.none
    }
    if case .unattached(let start?) = cursor.position, start.version != newest.version || results.count > 1 {
      return nil
    }
    if states.contains(where: { $0.version != newest.version }) { return nil }
    cursor.isMarked = attaches
    return move(cursor, to: results, newest.version, routed, isOwn: cursor.takeIsOwn(), &wakes)
  }

  /// The results that a cursor steps to, which are of different states, or newer than the one where it begins.
  ///
  /// - Returns: `state`: the one to bring them to; nil if the cursor or a query has ended.
  func misaligned(
    _ id: UInt64
  ) -> (results: [MaintainedResult], state: StoreState, isBeginning: Bool)? {
    guard let cursor = cursors[id], let routed else { return nil }
    let results = cursor.maintained.compactMap { $0.current?.result(routed) }
    guard results.count == cursor.queries.count,
      let newest = results.max(by: { $0.state.version < $1.state.version })
    else { return nil }
    if case .unattached(let start?) = cursor.position { return (results, start, true) }
    return (results, newest.state, false)
  }

  /// Moves a cursor to results that were brought to one state for it alone.
  mutating func step(
    _ id: UInt64, to results: [MaintainedResult], at version: Version, _ wakes: inout DeferredWork
  ) -> PollResult<CursorStep> {
    guard let cursor = cursors[id], let routed, !cursor.isEnded else { return .ended }
    if let error = results.lazy.compactMap(\.trees.failure).first {
      return end(cursor, error, isDelivered: true, &wakes)
    }
    let step = move(cursor, to: results.map { PinnedTrees($0) }, version, routed, isOwn: false, &wakes)
    // Until it is at the shared results again it holds a state of its own.
    wakes.mark(cursor, &settling)
    return step
  }

  /// Moves a cursor to its start, at an older state.
  ///
  /// - Parameter applied: how many of the excluded commits since then are applied to the results.
  /// - Returns: excluded commits that are to be applied first.
  mutating func begin(
    _ id: UInt64, at results: [MaintainedResult], start: Version, applied: Int, _ wakes: inout DeferredWork
  ) -> [StoreChanges] {
    guard let cursor = cursors[id], !cursor.isEnded else { return [] }
    let more = cursor.excludedChanges.dropFirst(applied)
    if !more.isEmpty { return Array(more) }
    cursor.excludedThrough = max(start, cursor.excludedChanges.last?.new.version ?? start)
    cursor.dropExcludedChanges(&wakes)
    wakes.keep(cursor.position)
    cursor.position = .at(results.map { PinnedTrees($0) })
    cursor.version = start
    return []
  }

  private mutating func move(
    _ cursor: Cursor, to results: [PinnedTrees], _ version: Version, _ routed: StoreState, isOwn: Bool,
    _ wakes: inout DeferredWork
  ) -> PollResult<CursorStep> {
    let (before, delivered) = (cursor.position, cursor.version)
    var (old, isSkipped): ([ResultSide]?, Bool) = (nil, false)
    switch before {
    case .unattached(let start):
      isSkipped = start != nil
      cursor.dropExcludedChanges(&wakes)
    case .at(let last):
      if zip(last, results).allSatisfy({ $0 === $1 }) { return .none }
      old = zip(last, cursor.queries).map { $0.result(routed).side($1.last, version: delivered) }
    }
    let new = zip(results, cursor.queries).map { $0.result(routed).side($1.last) }
    cursor.position = .at(results)
    if cursor.isRewindable {
      cursor.previous = (before, delivered, cursor.moves)
    } else {
      wakes.keep(before)
    }
    cursor.version = version
    recording?.move(cursor.id)
    return isSkipped ? .none : .event(CursorStep(old: old, new: new, isOwn: isOwn), version)
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
    guard case .at(let results) = cursor.position else { return nil }
    return results.lazy.compactMap(\.trees.failure).first
  }
}

extension Catalog {
  /// Why a query cannot be observed.
  fileprivate func check(_ query: ObservedQuery) -> StoreError? {
    guard let table = index(of: query.type) else { return .unknownEntity(query.type) }
    return check(query.stages, table, query.grouping)
  }
}
