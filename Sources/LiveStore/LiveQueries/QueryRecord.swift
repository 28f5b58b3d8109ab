/// The registry's record of a maintained query.
///
/// State: everything but the constants; guarded by the registry's lock.
package final class QueryRecord {
  let query: MaintainedQuery
  /// The hash of the query's key.
  let hash: Int
  var current: PinnedTrees
  var cursors = SubscriberList()
  /// The steps that the result has yet to be brought over, from `current.state` on (L1).
  var pending: [PendingStep] = []
  /// Whether it waits in ``UpkeepQueue``.
  var isQueued = false
  /// Whether it is asked about every change of its table, since values cannot show which of them matter.
  var isUnrouted: Bool
  /// Seconds that a changed row took on average, lately.
  var secondsPerRow: Double

  /// How many steps may wait before those that need not be applied one by one become their sum.
  private static let maximumSteps = 8
  /// How many steps to be applied one by one may wait before a committer brings the query up to date itself.
  package static let maximumExcludedSteps = 64

  init(
    _ query: MaintainedQuery, hash: Int, _ current: PinnedTrees, isUnrouted: Bool, secondsPerRow: Double
  ) {
    self.query = query
    self.hash = hash
    self.current = current
    self.isUnrouted = isUnrouted
    self.secondsPerRow = secondsPerRow
  }

  /// Takes in a step; steps come in the order of versions.
  func add(_ step: PendingStep, _ wakes: inout DeferredWork) {
    if current.state == nil { wakes.keep(current.setState(step.old)) }
    pending.append(step)
    guard pending.count > Self.maximumSteps, pending.allSatisfy({ $0.origin == nil }) else { return }
    wakes.keep(pending)
    pending = [PendingStep(from: pending[0].old, to: step.new)]
  }

  /// How long bringing it up to date will take, in seconds.
  var expectedCost: Double {
    secondsPerRow * Double(max(1, pending.reduce(0) { $0 + ($1.rows?.count ?? 1_000) }))
  }
}
