/// The maintained queries, their observers, and what each of them waits for.
///
/// A pure state machine. Each call is an event; work outside the lock is added to the caller's
/// ``DeferredWork`` or returned. ``LiveEngine`` guards the registry by a lock, under which no user code runs
/// and nothing is evaluated.
struct Registry {
  /// The state through which commits are routed; nil while nothing is observed.
  var routed: StoreState?
  var queries: [UInt64: MaintainedQuery] = [:]
  /// The maintained queries by the hashes of their keys, which are compared outside the lock.
  private var byHash: [Int: [MaintainedQuery]] = [:]
  /// The queries that routing has yet to insert or remove.
  var routingChanges: [UInt64: RoutingChange] = [:]
  var cursors: [UInt64: Cursor] = [:]
  /// Cursors that exclude origins.
  private(set) var excluding: Set<UInt64> = []
  /// Subscribers that are woken by every commit.
  private(set) var commitSubscribers: [UInt64: CommitSubscriber] = [:]
  /// The order in which these subscribers are woken.
  private(set) var commitSubscriberIDs = SubscriberList()
  /// How many subscribers have each tolerance.
  private var tolerances: [Duration: Int] = [:]
  var settling = SettledWaiters()
  var queue = UpkeepQueue()
  /// Whether queries that take long go last; on a given executor all go in a fixed order.
  let isCostMeasured: Bool
  /// Queries with too many steps to be applied one by one.
  var overLimit: Set<UInt64> = []
  private var nextID: UInt64 = 0
  private(set) var isClosed = false
  var statistics = Statistics()
  /// What is measured; nil while no times are recorded.
  var recording: Recording?

  init(isCostMeasured: Bool) { self.isCostMeasured = isCostMeasured }

  /// Figures for `Store.metrics`.
  struct Statistics {
    var upkeepTime = Duration.zero
    var updates = 0
    var unroutedTests = 0
    var linkedTests = 0
    var rebuilds = 0
  }

  func subscriber(_ id: UInt64) -> Wakeable? { cursors[id] ?? commitSubscribers[id] }

  mutating func makeID() -> UInt64 {
    nextID += 1
    return nextID
  }

  var isExcludingAny: Bool { !excluding.isEmpty }

  /// The least tolerance of all subscribers.
  var tolerance: Duration { tolerances.keys.min() ?? .zero }

  private mutating func count(_ subscriber: Wakeable, _ change: Int) {
    let count = tolerances[subscriber.tolerance, default: 0] + change
    tolerances[subscriber.tolerance] = count == 0 ? nil : count
  }
}

// MARK: Beginning and ending

extension Registry {
  /// Begins to follow commits from a state on, unless that is done already.
  ///
  /// - Returns: whether it began.
  mutating func activate(at newest: StoreState) -> Bool {
    guard routed == nil, !isClosed else { return false }
    routed = newest
    return true
  }

  /// Whether nothing is observed any more; then no old version is held.
  mutating func deactivateIfIdle(_ wakes: inout DeferredWork) -> Bool {
    guard cursors.isEmpty, commitSubscribers.isEmpty, !settling.isWaiting else { return false }
    wakes.keep(routed)
    routed = nil
    return true
  }

  /// Ends every cursor and removes every query.
  mutating func close(_ wakes: inout DeferredWork) {
    isClosed = true
    for cursor in cursors.values.sorted(by: { $0.id < $1.id }) {
      cursor.isEnded = true
      release(cursor, &wakes)
      wakes.mark(cursor, &settling)
    }
    for id in commitSubscriberIDs {
      guard let subscriber = commitSubscribers[id] else { continue }
      subscriber.isEnded = true
      wakes.mark(subscriber, &settling)
    }
    settling.finishAll(&wakes)
    for query in queries.values {
      query.release(&wakes)
      routingChanges[query.id] = .remove(query)
    }
    queries = [:]
    byHash = [:]
    queue.removeAll()
    excluding = []
    wakes.keep(routed)
    routed = nil
  }

  /// Releases all results that a cursor holds.
  private func release(_ cursor: Cursor, _ wakes: inout DeferredWork) {
    for query in cursor.maintained { wakes.keep(query) }
    cursor.maintained = []
    wakes.keep(cursor.position)
    if let previous = cursor.previous { wakes.keep(previous.position) }
    cursor.position = .unattached(nil)
    cursor.previous = nil
    cursor.dropExcludedChanges(&wakes)
  }

  mutating func add(_ cursor: Cursor) {
    cursor.isRefused = isClosed
    cursors[cursor.id] = cursor
    count(cursor, 1)
    if !cursor.excluded.isEmpty { excluding.insert(cursor.id) }
  }

  mutating func addCommitSubscriber(_ site: ObserverSite, at version: Version) -> UInt64 {
    let (id, subscriber) = (makeID(), CommitSubscriber(site, at: version))
    subscriber.isRefused = isClosed
    commitSubscribers[id] = subscriber
    count(subscriber, 1)
    commitSubscriberIDs.insert(id)
    return id
  }

  mutating func removeCommitSubscriber(_ id: UInt64, _ wakes: inout DeferredWork) {
    guard let subscriber = commitSubscribers.removeValue(forKey: id) else { return }
    commitSubscriberIDs.remove(id)
    count(subscriber, -1)
    wakes.release(subscriber, &settling)
  }

  /// Stops observing for good.
  mutating func remove(_ id: UInt64, _ wakes: inout DeferredWork) {
    guard let cursor = cursors.removeValue(forKey: id) else { return }
    count(cursor, -1)
    wakes.release(cursor, &settling)
    leaveQueries(cursor, &wakes)
    release(cursor, &wakes)
    wakes.keep(cursor.queries)
    wakes.keep(cursor.undelivered)
    wakes.keep(cursor.failure)
    excluding.remove(id)
    recording?.forget(observer: id)
  }

  /// Ends a cursor: its last step. It holds nothing from here on.
  ///
  /// - Parameter isDelivered: whether the caller delivers the error; if not, the next poll does.
  mutating func end(
    _ cursor: Cursor, _ error: StoreError, isDelivered: Bool, _ wakes: inout DeferredWork
  ) -> PollResult<CursorStep> {
    cursor.isEnded = true
    cursor.isMarked = !isDelivered
    leaveQueries(cursor, &wakes)
    release(cursor, &wakes)
    if isDelivered { return .failed(error) }
    cursor.undelivered = error
    return .none
  }

  private mutating func leaveQueries(_ cursor: Cursor, _ wakes: inout DeferredWork) {
    for query in cursor.maintained {
      query.cursors.remove(cursor.id)
      removeIfUnobserved(query, &wakes)
    }
  }
}

// MARK: Maintained queries

extension Registry {
  /// The maintained queries whose keys have a hash.
  func candidates(_ hash: Int) -> [MaintainedQuery] { byHash[hash] ?? [] }

  /// Adds a query that was evaluated at a state.
  ///
  /// - Parameter known: the queries of its hash that it was compared with.
  /// - Returns: false if others came meanwhile, one of which may be equal.
  mutating func add(
    _ query: MaintainedQuery, at state: StoreState, known: [MaintainedQuery], _ wakes: inout DeferredWork
  ) -> Bool {
    guard let routed, candidates(query.hash).elementsEqual(known, by: ===) else { return false }
    if routed !== state {
      query.add(PendingStep(from: state, to: routed), &wakes)
      settling.fallBehind(query.id)
    }
    queries[query.id] = query
    byHash[query.hash, default: []].append(query)
    routingChanges[query.id] = .insert(query, isRoutable: !query.isUnrouted, isNew: true)
    return true
  }

  /// Removes a query, unless that was done.
  mutating func remove(_ query: MaintainedQuery, _ wakes: inout DeferredWork) {
    guard queries.removeValue(forKey: query.id) != nil else { return }
    query.release(&wakes)
    recording?.forget(query: query.id)
    byHash[query.hash]?.removeAll { $0 === query }
    if byHash[query.hash]?.isEmpty == true { byHash[query.hash] = nil }
    if case .insert(_, _, isNew: true) = routingChanges[query.id] {
      // Routing does not know it yet.
      routingChanges[query.id] = nil
    } else {
      routingChanges[query.id] = .remove(query)
    }
    settling.catchUp(query.id, through: nil, &wakes)
  }

  /// Removes a query that no cursor observes, perhaps after all.
  mutating func removeIfUnobserved(_ query: MaintainedQuery, _ wakes: inout DeferredWork) {
    if query.cursors.isEmpty { remove(query, &wakes) }
  }

  mutating func takeRoutingChanges() -> [UInt64: RoutingChange] {
    defer { routingChanges = [:] }
    return routingChanges
  }
}
