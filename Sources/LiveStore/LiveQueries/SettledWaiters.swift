/// Calls that wait until all handlers have returned for what was committed: a plain value.
///
/// A waiter first waits for commits through its version to be routed, then for the queries that were behind at that
/// moment, then for the deliveries that were busy at that moment: until each is idle or has delivered its version.
package struct SettledWaiters {
  private struct Waiter {
    let version: Version
    var continuation: CheckedContinuation<Void, any Error>
    var phase = Phase.routing
  }

  private enum Phase {
    case routing
    /// Until these queries are brought up to date.
    case upkeep(Set<UInt64>)
    /// Until these deliveries are idle, or through the version.
    case delivery(Set<UInt64>)
  }

  private var waiters: [UInt64: Waiter] = [:]
  /// Queries with pending steps.
  private(set) var behind: Set<UInt64> = []
  /// Deliveries that have something to deliver or are delivering.
  private var busy: Set<UInt64> = []

  package init() {}

  package var isWaiting: Bool { !waiters.isEmpty }

  /// The waiters in the order of their calls (L15).
  private var orderedWaiters: [(id: UInt64, waiter: Waiter)] {
    waiters.isEmpty ? [] : waiters.map { (id: $0.key, waiter: $0.value) }.sorted { $0.id < $1.id }
  }

  package mutating func add(
    _ id: UInt64, _ version: Version, isRouted: Bool,
    _ continuation: CheckedContinuation<Void, any Error>, _ wakes: inout DeferredWork
  ) {
    waiters[id] = Waiter(version: version, continuation: continuation)
    if isRouted { enter(.upkeep(behind), id, &wakes) }
  }

  mutating func remove(_ id: UInt64) -> CheckedContinuation<Void, any Error>? {
    waiters.removeValue(forKey: id)?.continuation
  }

  mutating func markBusy(_ delivery: UInt64) { busy.insert(delivery) }

  mutating func fallBehind(_ query: UInt64) { behind.insert(query) }

  /// Commits through a version are routed.
  mutating func routed(_ version: Version, _ wakes: inout DeferredWork) {
    for (id, waiter) in orderedWaiters where waiter.version <= version {
      if case .routing = waiter.phase { enter(.upkeep(behind), id, &wakes) }
    }
  }

  /// A query is up to date, was removed, or has reached a version and continues. Deliveries that it woke are already
  /// marked busy.
  mutating func catchUp(_ query: UInt64, through version: Version?, _ wakes: inout DeferredWork) {
    if version == nil { behind.remove(query) }
    for (id, waiter) in orderedWaiters where version.map({ waiter.version <= $0 }) ?? true {
      guard case .upkeep(var queries) = waiter.phase, queries.remove(query) != nil else { continue }
      enter(.upkeep(queries), id, &wakes)
    }
  }

  /// A delivery is idle, paused or invalidated, or has delivered a version and continues.
  package mutating func delivered(_ delivery: UInt64, through version: Version?, _ wakes: inout DeferredWork)
  {
    if version == nil { busy.remove(delivery) }
    for (id, waiter) in orderedWaiters where version.map({ waiter.version <= $0 }) ?? true {
      guard case .delivery(var deliveries) = waiter.phase, deliveries.remove(delivery) != nil else {
        continue
      }
      enter(.delivery(deliveries), id, &wakes)
    }
  }

  mutating func finishAll(_ wakes: inout DeferredWork) {
    for (_, waiter) in orderedWaiters { wakes.add(waiter.continuation) }
    waiters = [:]
    behind = []
  }

  /// Enters a phase, or the next one that has something to wait for.
  private mutating func enter(_ phase: Phase, _ id: UInt64, _ wakes: inout DeferredWork) {
    switch phase {
    case .upkeep(let queries) where queries.isEmpty: enter(.delivery(busy), id, &wakes)
    case .delivery(let deliveries) where deliveries.isEmpty:
      if let waiter = waiters.removeValue(forKey: id) { wakes.add(waiter.continuation) }
    default: waiters[id]?.phase = phase
    }
  }
}
