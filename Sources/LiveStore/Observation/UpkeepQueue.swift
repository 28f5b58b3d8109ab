import Foundation

/// The queries that wait to be brought up to date in the background, the cheapest first: one that takes long delays its
/// own observers and not those of others.
///
/// Those that take microseconds are taken in order, by whoever routed the commits. The others wait for workers, sorted by
/// what they are expected to take. As long as something waits in vain there is one more worker now and then, since a
/// filter may block.
struct UpkeepQueue {
  private var short: [UInt64] = []
  private var first = 0
  /// The last is the cheapest.
  private var long: [(id: UInt64, cost: Double)] = []
  /// Whether `long` is sorted.
  private var isSorted = true
  private var workers = 0
  /// Whether somewhat later it is looked at whether something waits in vain.
  private var isSupervised = false
  /// How often one was asked for, and how often when it was looked at.
  private var taken = (now: 0, before: 0)

  /// What is expected to take longer than this, in seconds, waits for a worker.
  private static let longCost = 0.000_1
  /// One core is left for what is short.
  private static let usualWorkers = max(1, ProcessInfo.processInfo.activeProcessorCount - 1)
  private static let maximumWorkers = 64

  var isEmpty: Bool { first == short.count && long.isEmpty }

  /// - Parameter cost: what it is expected to take, in seconds.
  mutating func add(_ id: UInt64, cost: Double) {
    if cost <= Self.longCost { return short.append(id) }
    long.append((id, cost))
    isSorted = false
  }

  /// The next one.
  ///
  /// - Parameter isWorker: whether for a worker, which ends if there is none. Others take only what is short.
  mutating func next(isWorker: Bool) -> UInt64? {
    taken.now &+= 1
    if first < short.count {
      defer { first += 1 }
      if first > 1_024, first > short.count / 2 {
        short.removeFirst(first)
        first = 0
      }
      return short[first]
    }
    short.removeAll(keepingCapacity: short.count < 1_024)
    first = 0
    guard isWorker else { return nil }
    if !isSorted {
      long.sort { $0.cost > $1.cost }
      isSorted = true
    }
    if let next = long.popLast() { return next.id }
    workers -= 1
    return nil
  }

  /// How many workers to start.
  mutating func startWorkers() -> Int {
    let more = max(0, min(long.count, Self.usualWorkers) - workers)
    workers += more
    return more
  }

  /// Whether to look later on if something waits in vain.
  ///
  /// - Parameter isRunning: whether commits wait behind upkeep that is under way.
  mutating func supervise(isRunning: Bool) -> Bool {
    if isSupervised || !isRunning && short.count - first + long.count < 2 { return false }
    isSupervised = true
    return true
  }

  /// Something may wait in vain: then nothing was taken since it was last looked at.
  ///
  /// - Parameter hasCommits: whether commits wait to be routed.
  /// - Returns: whether to start a worker, and whether to look again.
  mutating func startExtraWorker(hasCommits: Bool) -> (starts: Bool, looksAgain: Bool) {
    let isStuck = taken.now == taken.before
    taken.before = taken.now
    isSupervised = hasCommits || !isEmpty
    let starts = isSupervised && isStuck && workers < Self.maximumWorkers
    if starts { workers += 1 }
    return (starts, isSupervised)
  }

  mutating func removeAll() {
    short = []
    first = 0
    long = []
  }
}
