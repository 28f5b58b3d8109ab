import Foundation

/// The queries that wait to be brought up to date in the background: a query that takes long delays its own
/// observers and no others.
///
/// Queries that take microseconds are taken in order, by the engine's queue. The others wait for workers,
/// which take them in rounds, the cheapest of a round first. When queries wait and none is taken for a while,
/// since a filter blocks, one more worker is started (L11).
package struct UpkeepQueue {
  /// Which queries are asked for.
  package enum Kind {
    /// Queries that take microseconds: for the engine's queue.
    case short
    /// Queries that take long: for a worker, which ends when there is none.
    case long
    /// All queries that wait: for an extra worker, which ends when there is none.
    case any
  }

  private var short: [UInt64] = []
  private var first = 0
  /// The round under way; the last is the cheapest.
  private var long: [(id: UInt64, cost: Double)] = []
  /// The next round.
  private var nextLong: [(id: UInt64, cost: Double)] = []
  private var workers = 0
  /// Whether a stall check is scheduled.
  private var isStallCheckScheduled = false
  /// How many queries were taken, now and at the last stall check.
  private var taken = (short: 0, long: 0)
  private var takenBefore = (short: 0, long: 0)

  package init() {}

  /// A query that is expected to take longer than this, in seconds, waits for a worker.
  private static let longCost = 0.000_1
  /// One core is left for short queries.
  private static let usualWorkers = max(1, ProcessInfo.processInfo.activeProcessorCount - 1)
  private static let maximumWorkers = 64

  private var shortCount: Int { short.count - first }
  private var longCount: Int { long.count + nextLong.count }

  /// - Parameter cost: how long the query is expected to take, in seconds.
  package mutating func add(_ id: UInt64, cost: Double) {
    if Self.isShort(cost) { short.append(id) } else { nextLong.append((id, cost)) }
  }

  /// Whether upkeep that is expected to take this many seconds waits for no worker.
  static func isShort(_ cost: Double) -> Bool { cost <= longCost }

  package mutating func next(of kind: Kind) -> UInt64? {
    if kind != .long, let id = takeShort() { return id }
    if kind == .short { return nil }
    if let id = takeLong() { return id }
    workers -= 1
    return nil
  }

  private mutating func takeShort() -> UInt64? {
    if first == short.count {
      short.removeAll(keepingCapacity: short.count < 1_024)
      first = 0
      return nil
    }
    if first > 1_024, first > short.count / 2 {
      short.removeFirst(first)
      first = 0
    }
    taken.short += 1
    defer { first += 1 }
    return short[first]
  }

  private mutating func takeLong() -> UInt64? {
    if long.isEmpty {
      swap(&long, &nextLong)
      long.sort { $0.cost > $1.cost }
    }
    guard let next = long.popLast() else { return nil }
    taken.long += 1
    return next.id
  }

  /// How many workers to start.
  package mutating func startWorkers() -> Int {
    let more = max(0, min(longCount, Self.usualWorkers) - workers)
    workers += more
    return more
  }

  /// Whether to check later for a stall; then the check is scheduled.
  ///
  /// - Parameter hasCommits: whether commits wait behind upkeep that is under way.
  package mutating func scheduleStallCheck(hasCommits: Bool) -> Bool {
    if isStallCheckScheduled || !hasCommits && shortCount + longCount + workers < 2 { return false }
    isStallCheckScheduled = true
    return true
  }

  /// Checks for a stall: queries wait, and none was taken since the last check.
  ///
  /// - Parameter hasCommits: whether commits wait to be routed.
  /// - Returns: the kind of queries to start a worker for, and whether to check again.
  package mutating func checkForStall(hasCommits: Bool) -> (starts: Kind?, checksAgain: Bool) {
    let isShortStuck = (hasCommits || shortCount > 0) && taken.short == takenBefore.short
    let isLongStuck = longCount > 0 && taken.long == takenBefore.long
    takenBefore = taken
    isStallCheckScheduled = hasCommits || shortCount + longCount > 0
    guard isShortStuck || isLongStuck, workers < Self.maximumWorkers else {
      return (nil, isStallCheckScheduled)
    }
    workers += 1
    return (isShortStuck ? .any : .long, isStallCheckScheduled)
  }

  package mutating func removeAll() {
    short = []
    first = 0
    long = []
    nextLong = []
  }
}
