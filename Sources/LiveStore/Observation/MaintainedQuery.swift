import Synchronization

/// What identifies a maintained result: equal queries share one, whatever the window of their last stage.
struct QueryKey: Hashable, Sendable {
  let table: Int
  let stages: [QueryStage]
  let grouping: Grouping?

  init(_ table: Int, _ stages: [QueryStage], _ grouping: Grouping? = nil) {
    self.table = table
    self.grouping = grouping
    var stages = stages
    // Rows are grouped within the window, so there it makes a difference.
    if grouping == nil {
      stages[stages.count - 1].offset = 0
      stages[stages.count - 1].limit = nil
      stages[stages.count - 1].hasWindow = false
    }
    self.stages = stages
  }
}

/// A query that is kept up to date for all its observers.
///
/// Its result is in its ``QueryRecord``. The caller that brings it up to date holds `lock`, under which its filters,
/// orders and values run: they delay its own observers and no others. The registry's lock is taken within it for a
/// moment; two queries' locks are never held at once (L10).
final class MaintainedQuery: Sendable {
  let id: UInt64
  let key: QueryKey
  /// How it gets to rows of other tables.
  let chains: Set<LinkChain>
  /// Whether its result is the table itself.
  let isTable: Bool
  /// Whether rows lead to it by their values, if any do.
  let isByValue: Bool
  let lock = Mutex(())

  init(id: UInt64, key: QueryKey, _ trees: MaintainedTrees) {
    self.id = id
    self.key = key
    chains = Set(trees.linked.flatMap(\.chains))
    isTable = trees.isTable
    isByValue = !isTable && key.stages[0].source == nil
    LiveCounts.add(.queries)
  }

  deinit { LiveCounts.remove(.queries) }
}

/// The trees of a result and a state that they are the result in.
///
/// State: `state` is nil while that is the newest routed state, so that results nothing happens to hold no old version.
/// Written under the registry's lock (L4).
final class PinnedTrees: Sendable {
  let trees: MaintainedTrees
  private let storage: Mutex<StoreState?>

  init(_ trees: MaintainedTrees, _ state: StoreState?) {
    self.trees = trees
    storage = Mutex(state)
  }

  var state: StoreState? { storage.withLock { $0 } }

  /// - Returns: the state before, to be freed outside all locks.
  func setState(_ state: StoreState?) -> StoreState? {
    storage.withLock { current in
      defer { current = state }
      return current
    }
  }
}

/// What the registry knows of a maintained query.
///
/// State: everything but the constants; guarded by the registry's lock.
final class QueryRecord {
  let query: MaintainedQuery
  /// That of the query's key.
  let hash: Int
  var current: PinnedTrees
  var cursors: Set<UInt64> = []
  /// What the result has yet to be brought over, from `current.state` on (L1).
  var pending: [PendingStep] = []
  /// Whether it waits in ``UpkeepQueue``.
  var isQueued = false
  /// Whether it is asked about every change of its table, since values cannot show which of them matter.
  var isUnrouted: Bool
  /// Seconds that a changed row took on average, lately.
  var secondsPerRow: Double

  /// Steps beyond which those that need not be applied one by one become their sum.
  private static let maximumSteps = 8
  /// Steps to be applied one by one, beyond which a committer brings the query up to date itself.
  static let maximumExcludedSteps = 64

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
  func add(_ step: PendingStep, _ wakes: inout Wakes) {
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

extension MaintainedTrees {
  init(_ key: QueryKey, at state: StoreState) {
    self.init(key.stages, key.table, key.grouping, at: state)
  }

  /// What an observer reads.
  ///
  /// - Parameter last: the observer's own last stage, for its window.
  func side(_ state: StoreState, _ last: QueryStage, version: Version? = nil) -> ResultSide {
    var window = result(last)
    window.failures = failures
    return groups?.side(state, window, version: version) ?? ResultSide(state, window, version: version)
  }
}
