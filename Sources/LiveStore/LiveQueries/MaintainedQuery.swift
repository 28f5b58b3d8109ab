import Synchronization

/// A query that is kept up to date for all its observers.
///
/// Its result is in its ``QueryRecord``. The caller that brings it up to date holds `lock`, under which its filters,
/// orders and values run: they delay its own observers and no others. The registry's lock is taken within it for a
/// moment; two queries' locks are never held at once (L10).
final class MaintainedQuery: Sendable {
  let id: UInt64
  let key: QueryKey
  /// The links over which it reads rows of other tables.
  let chains: Set<LinkedRead>
  /// Whether its result is the table itself.
  let isTable: Bool
  /// Whether rows are routed to it by their values, if any are.
  let isByValue: Bool
  let lock = Mutex(())
  /// Whether none of its observers needs its result any more.
  let abandonment = Abandonment()

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

extension MaintainedTrees {
  init(_ key: QueryKey, at state: StoreState, isAbandoned: (@Sendable () -> Bool)? = nil) {
    self.init(key.stages, key.table, key.grouping, at: state, isAbandoned: isAbandoned)
  }

  /// What an observer reads.
  ///
  /// - Parameter last: the observer's own last stage, for its window.
  package func side(_ state: StoreState, _ last: QueryStage, version: Version? = nil) -> ResultSide {
    var window = result(last)
    window.failure = failure
    guard let groups = kept.groups, let grouper = plan.grouper else {
      return ResultSide(state, window, version: version)
    }
    return grouper.side(of: groups, state, window, version: version)
  }
}
