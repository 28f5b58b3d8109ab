import Synchronization

extension LiveEngine {
  /// Makes a cursor that begins when it is first polled, or at the newest state without an initial event.
  func makeCursor(
    _ queries: [ObservedQuery], excluding: Set<String>, startsHere: Bool = false, stepsBack: Bool = false,
    owner: ActorID? = nil
  ) -> CursorHandle {
    var wakes = Wakes()
    let id = state.withLock { engine in
      let id = engine.makeID()
      let start = startsHere ? engine.begin(inbox, isFollowing: !excluding.isEmpty, &wakes) : nil
      let cursor = Cursor(id: id, queries: queries, excluded: excluding, owner: owner, from: start)
      cursor.isRefused = engine.isClosed
      cursor.stepsBack = stepsBack
      engine.cursors[id] = cursor
      if !excluding.isEmpty {
        engine.excluding.insert(id)
        inbox.withLock { $0.keepsRecords = true }
      }
      return id
    }
    wakes.perform()
    return CursorHandle(engine: self, id: id)
  }

  /// What is new for a cursor; begins it the first time.
  ///
  /// - Parameter evaluates: whether to evaluate queries that nobody follows yet; otherwise there is nothing new.
  /// - Parameter attaches: whether a cursor that begins is only to be put where it begins.
  @discardableResult
  func poll(_ id: UInt64, evaluates: Bool = true, attaches: Bool = false) -> CursorStep {
    pollNews(id, evaluates: evaluates, attaches: attaches).step
  }

  /// What is new for a cursor, and whether all of it was written by its own actor.
  func pollNews(
    _ id: UInt64, evaluates: Bool = true, attaches: Bool = false
  ) -> (step: CursorStep, isOwn: Bool) {
    while true {
      var missing: [(key: QueryKey, at: StoreState)] = []
      var wakes = Wakes()
      let taken = state.withLock { engine in
        let step = engine.poll(id, inbox, attaches: attaches, &missing, &wakes)
        return (step: step, isOwn: engine.cursors[id]?.takeNews() ?? false)
      }
      wakes.perform()
      if missing.isEmpty || !evaluates { return taken }
      let made = missing.map { ($0.key, MaintainedTrees($0.key, at: $0.at), $0.at) }
      var more = Wakes()
      let last = state.withLock { engine -> CursorStep? in
        for (key, trees, at) in made {
          guard let error = engine.install(key, trees, at, for: id, inbox, &more) else { continue }
          if let cursor = engine.cursors[id] { return engine.end(cursor, error, attaches: attaches, &more) }
        }
        return nil
      }
      more.perform()
      if let last { return (last, false) }
    }
  }

  /// Takes back the last step of a cursor, of which nothing was told; false when an excluded commit has
  /// moved it on meanwhile.
  func stepBack(_ id: UInt64) -> Bool {
    var wakes = Wakes()
    let isBack = state.withLock { engine in
      guard let cursor = engine.cursors[id], let previous = cursor.previous, previous.moves == cursor.moves
      else { return false }
      wakes.keep(cursor.place)
      cursor.place = previous.place
      cursor.version = previous.version
      return true
    }
    wakes.perform()
    return isBack
  }

  func detach(_ id: UInt64) {
    var wakes = Wakes()
    let (cursor, freed) = state.withLock { engine in
      let detached = engine.detach(id, inbox)
      if let cursor = detached.0 { wakes.release(cursor, &engine.settling) }
      return detached
    }
    wakes.perform()
    withExtendedLifetime(cursor) {}
    withExtendedLifetime(freed) {}
  }
}

extension LiveEngine.State {
  /// - Parameter missing: queries to evaluate outside the mutex, and where, before polling again.
  fileprivate mutating func poll(
    _ id: UInt64, _ inbox: borrowing Mutex<LiveEngine.Inbox>, attaches: Bool,
    _ missing: inout [(key: QueryKey, at: StoreState)], _ wakes: inout Wakes
  ) -> CursorStep {
    guard let cursor = cursors[id] else { return .ended }
    if cursor.isRefused || cursor.isEnded || isClosed {
      cursor.isMarked = false
      if cursor.isRefused { return .failed(.storeClosed()) }
      defer { cursor.untold = nil }
      return cursor.untold.map { .failed($0) } ?? .ended
    }
    activate(inbox)
    catchUp(inbox, &wakes)
    cursor.isMarked = attaches
    // Freed after leaving the mutex: it may be the last to hold an old version.
    if let previous = cursor.previous { wakes.keep(previous.place) }
    cursor.previous = nil
    guard case .unattached(let start) = cursor.place else { return step(cursor, &wakes) }
    guard let processed else { return .ended }
    var keys: [QueryKey] = []
    for query in cursor.queries {
      guard let table = processed.catalog.index(of: query.type) else {
        return end(cursor, .unknownEntity(query.type), attaches: attaches, &wakes)
      }
      if let error = processed.catalog.check(query.stages, table, grouped: query.grouping?.operands ?? []) {
        return end(cursor, error, attaches: attaches, &wakes)
      }
      keys.append(QueryKey(table, query.stages, query.grouping))
    }
    missing = Set(keys).filter { queries[$0] == nil }.map { ($0, start ?? processed) }
    if !missing.isEmpty { return .none }
    for query in cursor.maintained { wakes.keep(query) }
    cursor.maintained = keys.compactMap { queries[$0] }
    for query in cursor.maintained { query.cursors.insert(id) }
    return begin(cursor, start, processed, attaches: attaches, &wakes)
  }

  /// Where a cursor begins that is made now; what is committed from here on is told it.
  ///
  /// - Parameter isFollowing: whether commits from here on are to be judged one by one.
  fileprivate mutating func begin(
    _ inbox: borrowing Mutex<LiveEngine.Inbox>, isFollowing: Bool, _ wakes: inout Wakes
  ) -> StoreState {
    guard isFollowing else { return inbox.withLock { $0.newest } }
    // In this order: of what waits already only the sum may be there.
    inbox.withLock { $0.keepsRecords = true }
    activate(inbox)
    catchUp(inbox, &wakes)
    return processed ?? inbox.withLock { $0.newest }
  }

  /// Ends a cursor: its last step. It holds nothing from here on.
  ///
  /// - Parameter attaches: whether nobody is told of this step; then the next one tells.
  fileprivate mutating func end(
    _ cursor: Cursor, _ error: StoreError, attaches: Bool = false, _ wakes: inout Wakes
  ) -> CursorStep {
    cursor.isEnded = true
    cursor.isMarked = attaches
    for query in cursor.maintained {
      query.cursors.remove(cursor.id)
      wakes.keep(query)
      if query.cursors.isEmpty { remove(query) }
    }
    cursor.maintained = []
    wakes.keep(cursor.place)
    if let previous = cursor.previous { wakes.keep(previous.place) }
    cursor.place = .unattached(nil)
    cursor.leftOut = []
    cursor.previous = nil
    if !attaches { return .failed(error) }
    cursor.untold = error
    return .none
  }

  /// What a predicate threw, if one did.
  private func failure(_ cursor: Cursor) -> StoreError? {
    if let error = cursor.maintained.lazy.compactMap(\.failure).first { return error }
    guard case .own(let trees, _) = cursor.place else { return nil }
    return trees.lazy.compactMap { $0.failures?.error }.first
  }

  /// The first step of a cursor whose results are all maintained.
  private mutating func begin(
    _ cursor: Cursor, _ start: StoreState?, _ processed: StoreState, attaches: Bool, _ wakes: inout Wakes
  ) -> CursorStep {
    guard let start, start.version != processed.version else {
      let previous = cursor.place
      cursor.place = .pinned(cursor.maintained.map(\.current))
      if start == nil && cursor.stepsBack { cursor.previous = (previous, nil, cursor.moves) }
      cursor.version = processed.version
      return start == nil ? .initial(sides(cursor)) : .none
    }
    // Back to where the cursor was made: upkeep works in either direction.
    let changes = StoreChanges(from: processed, to: start)
    let trees = cursor.maintained.map { query in
      var trees = query.current.trees
      _ = trees.apply(changes.rows(for: trees), from: processed, to: start)
      return trees
    }
    if cursor.leftOut.isEmpty || trees.isEmpty {
      cursor.place = .own(trees, start)
    } else {
      let baseline = steppedOver(cursor, trees[0], start)
      cursor.place = .own([baseline.trees], baseline.state)
      for changes in cursor.leftOut { wakes.keep([changes.old, changes.new]) }
      cursor.leftOut = []
    }
    cursor.version = start.version
    return attaches ? .none : step(cursor, &wakes)
  }

  /// The newest results of a cursor.
  private func sides(_ cursor: Cursor) -> [ResultSide] {
    guard let processed else { return [] }
    return zip(cursor.maintained, cursor.queries).map {
      $0.current.trees.side(processed, $1.last)
    }
  }

  /// From where the cursor is to the newest results.
  private mutating func step(_ cursor: Cursor, _ wakes: inout Wakes) -> CursorStep {
    guard let processed else { return .ended }
    if let failure = failure(cursor) { return end(cursor, failure, &wakes) }
    let given = cursor.version
    var old: [ResultSide] = []
    switch cursor.place {
    case .unattached: return .none
    case .pinned(let pins):
      if zip(pins, cursor.maintained).allSatisfy({ $0 === $1.current }) { return .none }
      old = zip(pins, cursor.queries).map {
        $0.trees.side($0.state ?? processed, $1.last, version: given)
      }
    case .own(let trees, let state):
      old = zip(trees, cursor.queries).map { $0.side(state, $1.last, version: given) }
    }
    let previous = cursor.place
    cursor.place = .pinned(cursor.maintained.map(\.current))
    if cursor.stepsBack { cursor.previous = (previous, given, cursor.moves) }
    cursor.version = processed.version
    return .update(zip(old, sides(cursor)).map { ($0, $1) })
  }

  /// Adds a maintained result that was evaluated outside the mutex.
  ///
  /// - Returns: what a predicate threw, which is to end the cursor.
  fileprivate mutating func install(
    _ key: QueryKey, _ trees: MaintainedTrees, _ at: StoreState, for cursor: UInt64,
    _ inbox: borrowing Mutex<LiveEngine.Inbox>, _ wakes: inout Wakes
  ) -> StoreError? {
    guard queries[key] == nil, cursors[cursor] != nil, !isClosed else { return nil }
    activate(inbox)
    catchUp(inbox, &wakes)
    guard let processed else { return nil }
    var trees = trees
    if processed !== at {
      _ = trees.apply(StoreChanges(from: at, to: processed).rows(for: trees), from: at, to: processed)
    }
    if let error = trees.failures?.error { return error }
    let query = MaintainedQuery(id: makeID(), key: key, trees: trees)
    // Kept until its first observer leaves, should the one it was made for leave before it begins.
    query.cursors.insert(cursor)
    cursors[cursor]?.maintained.append(query)
    queries[key] = query
    byID[query.id] = query
    for chain in query.chains { chains[key.table, default: [:]][chain, default: 0] += 1 }
    if let source = key.stages[0].source, let link = processed.catalog.link(of: source) {
      listed[link, default: [:]][source.idHash, default: []].insert(query.id)
    } else if trees.isTable {
      wholeTables[key.table] = query
    } else {
      query.route = routers[key.table, default: Router()].insert(
        query.id, key.stages[0].filter, isRoutable: trees.isRoutable)
    }
    return nil
  }

  mutating func activate(_ inbox: borrowing Mutex<LiveEngine.Inbox>) {
    guard processed == nil, !isClosed else { return }
    processed = inbox.withLock { inbox in
      inbox.isActive = true
      inbox.parts = []
      return inbox.newest
    }
  }

  /// Stops following for good; returns what to free outside the mutex.
  fileprivate mutating func detach(
    _ id: UInt64, _ inbox: borrowing Mutex<LiveEngine.Inbox>
  ) -> (Cursor?, [AnyObject]) {
    guard let cursor = cursors.removeValue(forKey: id) else { return (nil, []) }
    var freed: [AnyObject] = []
    excluding.remove(id)
    for query in cursor.maintained {
      query.cursors.remove(id)
      if query.cursors.isEmpty { freed.append(query); remove(query) }
    }
    freed += deactivateIfIdle(inbox)
    return (cursor, freed)
  }

  /// Lets go of a query, unless that was done.
  mutating func remove(_ query: MaintainedQuery) {
    guard byID[query.id] != nil else { return }
    queries[query.key] = nil
    byID[query.id] = nil
    for chain in query.chains {
      let count = (chains[query.key.table]?[chain] ?? 1) - 1
      chains[query.key.table]?[chain] = count > 0 ? count : nil
      if chains[query.key.table]?.isEmpty == true { chains[query.key.table] = nil }
    }
    if let source = query.key.stages[0].source {
      guard let link = processed?.catalog.link(of: source) else { return }
      listed[link]?[source.idHash]?.remove(query.id)
      if listed[link]?[source.idHash]?.isEmpty == true { listed[link]?[source.idHash] = nil }
      if listed[link]?.isEmpty == true { listed[link] = nil }
    } else if query.current.trees.isTable {
      wholeTables[query.key.table] = nil
    } else {
      routers[query.key.table]?.remove(query.id, query.route)
    }
  }

  /// With nobody left, no old version is held.
  mutating func deactivateIfIdle(_ inbox: borrowing Mutex<LiveEngine.Inbox>) -> [AnyObject] {
    inbox.withLock { $0.keepsRecords = !excluding.isEmpty }
    guard cursors.isEmpty, watchers.isEmpty, !settling.isWaiting else { return [] }
    defer { processed = nil }
    inbox.withLock { inbox in
      inbox.isActive = false
      inbox.parts = []
    }
    return processed.map { [$0] } ?? []
  }

  /// Ends all; returns what to free outside the mutex.
  mutating func close(_ wakes: inout Wakes) -> [AnyObject] {
    isClosed = true
    for cursor in cursors.values {
      cursor.isEnded = true
      cursor.maintained = []
      wakes.keep(cursor.place)
      if let previous = cursor.previous { wakes.keep(previous.place) }
      cursor.place = .unattached(nil)
      cursor.leftOut = []
      cursor.previous = nil
      wakes.mark(cursor, &settling)
    }
    for watcher in watchers.values {
      watcher.isEnded = true
      wakes.mark(watcher, &settling)
    }
    settling.finishAll(&wakes)
    let freed: [AnyObject] = Array(queries.values) + (processed.map { [$0 as AnyObject] } ?? [])
    queries = [:]
    byID = [:]
    routers = [:]
    chains = [:]
    listed = [:]
    wholeTables = [:]
    excluding = []
    processed = nil
    return freed
  }
}
