import Synchronization

extension LiveEngine.State {
  /// Brings all results from the processed state to the newest.
  ///
  /// - Complexity: O(*k* log *n*) for the *k* rows that differ, plus O(*k* log *m*) for each affected query.
  mutating func catchUp(_ inbox: borrowing Mutex<LiveEngine.Inbox>, _ wakes: inout Wakes) {
    let (newest, parts) = inbox.withLock { inbox in
      defer {
        inbox.parts = []
        inbox.isScheduled = false
      }
      return (inbox.newest, inbox.parts)
    }
    guard let first = processed, !isClosed else { return }
    if first === newest { return settling.processed(newest.version, &wakes) }
    let clock = ContinuousClock()
    let start = clock.now
    for part in parts {
      switch part {
      case .commit(let record, let writer): pass(StoreChanges(record), record, writer: writer, &wakes)
      case .sum(let state):
        // What is superseded is freed after leaving the mutex.
        if let processed { wakes.keep(processed) }
        pass(StoreChanges(from: processed ?? first, to: state), nil, &wakes)
      }
    }
    wakes.keep(first)
    wakes.keep(parts)
    // The newest may differ from the last commit's in ignored properties.
    self.processed = newest
    statistics.upkeepTime += clock.now - start
    statistics.passes += 1
    for watcher in watchers.values { wakes.mark(watcher, &settling) }
    settling.processed(newest.version, &wakes)
  }

  /// One step: one commit, or the sum of several.
  ///
  /// - Parameter writer: the actor that wrote the commit, if it has models.
  private mutating func pass(
    _ changes: StoreChanges, _ record: CommitRecord?, writer: ActorID? = nil, _ wakes: inout Wakes
  ) {
    for (table, rows) in changes.tables { collect(rows, table, changes) }
    var linked: [Int: [RowChange]] = [:]
    for (table, chains) in chains {
      let rows = changes.linkedRows(of: table, chains.keys)
      statistics.linkedTests += rows.count
      collect(rows, table, changes, isLinked: true)
      linked[table] = rows
    }
    collectListed(changes, linked: linked)
    var superseded: [(query: MaintainedQuery, before: PinnedTrees)] = []
    for id in touched {
      guard let query = byID[id] else { continue }
      let before = query.current
      if update(query, changes, &wakes) { superseded.append((query, before)) }
    }
    touched.removeAll(keepingCapacity: true)
    processed = changes.new
    if let origin = record?.origin, !excluding.isEmpty {
      leaveOut(changes, origin, superseded, &wakes)
    }
    for (query, before) in superseded {
      wakes.keep(before.trees)
      for id in query.cursors {
        guard let cursor = cursors[id] else { continue }
        cursor.addNews(by: writer)
        wakes.mark(cursor, &settling)
      }
    }
  }

  /// Hands the rows to the queries they can matter to.
  ///
  /// - Parameter isLinked: whether the rows are as they were and matter only to queries over links.
  private mutating func collect(
    _ rows: [RowChange], _ table: Int, _ changes: StoreChanges, isLinked: Bool = false
  ) {
    if rows.isEmpty { return }
    if !isLinked, let whole = wholeTables[table] { touched.insert(whole.id) }
    guard let router = routers[table] else { return }
    let (old, new) = (changes.old.context, changes.new.context)
    for id in router.always {
      guard let query = byID[id], !isLinked || query.isLinked else { continue }
      if query.rows.isEmpty { query.rows = rows } else { query.rows += rows }
      touched.insert(id)
      statistics.unroutedTests += rows.count
    }
    if router.isOnlyAlways { return }
    for row in rows {
      router.forEach(matching: row, old, new) { id in
        guard let query = byID[id], query.lastRow != row.row, !isLinked || query.isLinked else { return }
        query.lastRow = row.row
        query.rows.append(row)
        touched.insert(id)
      }
    }
  }

  /// Has a query asked about every change, since its rows do not all lead to it.
  private mutating func ask(_ query: MaintainedQuery) {
    if case .always = query.route { return }
    let table = query.key.table
    routers[table]?.remove(query.id, query.route)
    let filter = query.key.stages[0].filter
    query.route = routers[table, default: Router()].insert(query.id, filter, isRoutable: false)
  }

  /// Ends a query for all who observe it; who asks for it again has it evaluated anew.
  private mutating func fail(_ query: MaintainedQuery, _ error: StoreError, _ wakes: inout Wakes) {
    remove(query)
    query.failure = error
    query.rows = []
    for id in query.cursors { if let cursor = cursors[id] { wakes.mark(cursor, &settling) } }
  }

  /// Brings one query over the step; whether its result changed.
  private mutating func update(
    _ query: MaintainedQuery, _ changes: StoreChanges, _ wakes: inout Wakes
  ) -> Bool {
    var trees = query.current.trees
    if trees.apply(query.rows, from: changes.old, to: changes.new) { statistics.rebuilds += 1 }
    if let error = trees.failures?.error {
      fail(query, error, &wakes)
      wakes.keep(trees)
      return false
    }
    if !trees.isRoutable { ask(query) }
    query.rows = []
    query.lastRow = nil
    statistics.updates += 1
    if trees.isIdentical(to: query.current.trees) { return false }
    query.current.state = changes.old
    query.current = PinnedTrees(trees)
    return true
  }
}
