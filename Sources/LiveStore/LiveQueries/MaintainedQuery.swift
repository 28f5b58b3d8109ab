import Synchronization

/// A query that is kept up to date for all its observers.
///
/// The caller that brings it up to date holds `lock`, under which its filters, orders and values run: they delay its own
/// observers and no others. The registry's lock is taken within it for a moment; two queries' locks are never held at
/// once (L10).
///
/// State: the variables, guarded by the registry's lock.
// Proof of sendability: the variables are read and written under the registry's lock alone, after `init`.
package final class MaintainedQuery: @unchecked Sendable {
  let id: UInt64
  let key: QueryKey
  /// The hash of the key.
  let hash: Int
  /// The links over which it reads rows of other tables.
  let chains: Set<TermRead>
  /// Whether its result is the table itself.
  let isTable: Bool
  /// Whether rows are routed to it by their values, if any are.
  let isByValue: Bool
  let lock = Mutex(())
  /// Whether none of its observers needs its result any more.
  let abandonment = Abandonment()

  /// Its result; nil once it is not maintained any more.
  var current: PinnedTrees?
  /// The cursors that observe it.
  var cursors = SubscriberList()
  /// The steps that the result has yet to be brought over, from `current.state` on (L1).
  var pending: [PendingStep] = []
  /// Whether it waits in ``UpkeepQueue``.
  var isQueued = false
  /// Whether it is asked about every change of its table, since values cannot show which of them matter.
  var isUnrouted: Bool
  /// Whether rows are routed to it by their values now; changes under its lock alone.
  var isRoutedByValue: Bool { isByValue && !isUnrouted }
  /// What was done to bring it up to date, since it is maintained.
  private(set) var work = Work()
  /// Seconds that a changed row took on average, lately.
  private var secondsPerRow: Double

  struct Work: Sendable {
    var updates = 0
    var rebuilds = 0
    /// Changed rows that were tested, and changed rows of the result.
    var rowsTested = 0
    var rowsChanged = 0
  }

  /// How many steps may wait before those that need not be applied one by one become their sum.
  private static let maximumSteps = 8
  /// How many steps to be applied one by one may wait before a committer brings the query up to date itself.
  package static let maximumExcludedSteps = 64

  init(id: UInt64, key: QueryKey, hash: Int, _ trees: MaintainedTrees, secondsPerRow: Double) {
    self.id = id
    self.key = key
    self.hash = hash
    self.secondsPerRow = secondsPerRow
    chains = trees.plan.chains
    isTable = trees.isTable
    isByValue = !isTable && key.stages[0].source == nil
    isUnrouted = isByValue && !(trees.isRoutable && Router.Route(key.stages[0].filter).isByValue)
    current = PinnedTrees(trees, nil)
    LiveCounts.add(.queries)
  }

  deinit { LiveCounts.remove(.queries) }

  /// Takes in a step; steps come in the order of versions.
  func add(_ step: PendingStep, _ wakes: inout DeferredWork) {
    if let current, current.state == nil { wakes.keep(current.setState(step.old)) }
    pending.append(step)
    guard pending.count > Self.maximumSteps, !pending.contains(where: \.isExcluded) else { return }
    wakes.keep(pending)
    pending = [PendingStep(from: pending[0].old, to: step.new)]
  }

  /// It is not maintained any more.
  func release(_ wakes: inout DeferredWork) {
    wakes.keep(self)
    wakes.keep(current)
    if !pending.isEmpty { wakes.keep(pending) }
    (current, pending, cursors, isQueued) = (nil, [], SubscriberList(), false)
  }

  func add(_ work: UpkeepWork) {
    self.work.updates += 1
    self.work.rebuilds += work.rebuilds
    self.work.rowsTested += work.rows
    self.work.rowsChanged += work.rowsChanged
  }

  /// How long bringing it up to date will take, in seconds.
  var expectedCost: Double {
    secondsPerRow * Double(max(1, pending.reduce(0) { $0 + ($1.rows?.count ?? 1_000) }))
  }

  /// Averages in how long some rows took.
  func addCost(_ duration: Duration, rows: Int) {
    let measured = duration / .seconds(1) / Double(max(1, rows))
    // A thread that lost its core was slow once; one that was fast can be.
    secondsPerRow = measured < secondsPerRow ? measured : secondsPerRow * 0.75 + measured * 0.25
  }
}
