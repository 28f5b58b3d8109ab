import Foundation

/// The queries that wait to be brought up to date in the background: one that takes long delays its own observers and
/// not those of others.
///
/// Those that take microseconds are taken in order, by whoever routed the commits. The others wait for workers, which take
/// them in rounds, the cheapest of a round first. Where something waits and is not taken for a while, since a filter
/// blocks, there is one more worker.
struct UpkeepQueue {
  /// Who takes the next one.
  enum Taker {
    /// Whoever routed commits: what is short.
    case anyone
    /// What takes long; ends if there is none.
    case worker
    /// Whatever waits; ends if there is none.
    case extraWorker
  }

  private var short: [UInt64] = []
  private var first = 0
  /// The round under way; the last is the cheapest.
  private var long: [(id: UInt64, cost: Double)] = []
  /// The next round.
  private var nextLong: [(id: UInt64, cost: Double)] = []
  private var workers = 0
  /// Whether it will be looked at whether something is not taken.
  private var isSupervised = false
  /// How many were taken, and had been when it was last looked at.
  private var taken = (short: 0, long: 0)
  private var takenBefore = (short: 0, long: 0)

  /// What is expected to take longer than this, in seconds, waits for a worker.
  private static let longCost = 0.000_1
  /// One core is left for what is short.
  private static let usualWorkers = max(1, ProcessInfo.processInfo.activeProcessorCount - 1)
  private static let maximumWorkers = 64

  private var shortCount: Int { short.count - first }
  private var longCount: Int { long.count + nextLong.count }

  /// - Parameter cost: what it is expected to take, in seconds.
  mutating func add(_ id: UInt64, cost: Double) {
    if cost <= Self.longCost { short.append(id) } else { nextLong.append((id, cost)) }
  }

  mutating func next(for taker: Taker) -> UInt64? {
    if taker != .worker, let id = takeShort() { return id }
    if taker == .anyone { return nil }
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
  mutating func startWorkers() -> Int {
    let more = max(0, min(longCount, Self.usualWorkers) - workers)
    workers += more
    return more
  }

  /// Whether to look later on if something is not taken.
  ///
  /// - Parameter hasCommits: whether commits wait behind upkeep that is under way.
  mutating func supervise(hasCommits: Bool) -> Bool {
    if isSupervised || !hasCommits && shortCount + longCount + workers < 2 { return false }
    isSupervised = true
    return true
  }

  /// Looks whether something was not taken since it was last looked at.
  ///
  /// - Parameter hasCommits: whether commits wait to be routed.
  /// - Returns: whether to start a worker, and whether to look again.
  mutating func startExtraWorker(hasCommits: Bool) -> (starts: Bool, looksAgain: Bool) {
    let isShortStuck = (hasCommits || shortCount > 0) && taken.short == takenBefore.short
    let isLongStuck = longCount > 0 && taken.long == takenBefore.long
    takenBefore = taken
    isSupervised = hasCommits || shortCount + longCount > 0
    let starts = (isShortStuck || isLongStuck) && workers < Self.maximumWorkers
    if starts { workers += 1 }
    return (starts, isSupervised)
  }

  mutating func removeAll() {
    short = []
    first = 0
    long = []
    nextLong = []
  }
}
