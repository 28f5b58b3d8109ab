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

/// The trees of a result and the state they are read in.
///
/// State: `state` is nil while the trees are those of the newest processed state, so that results nothing
/// happens to hold no old version; set once, when the trees are superseded. Guarded by the engine's mutex.
final class PinnedTrees {
  let trees: MaintainedTrees
  var state: StoreState?

  init(_ trees: MaintainedTrees, _ state: StoreState? = nil) {
    self.trees = trees
    self.state = state
  }
}

/// A result that the engine keeps up to date for all its observers.
///
/// State: everything; guarded by the engine's mutex.
final class MaintainedQuery {
  let id: UInt64
  let key: QueryKey
  /// How the router of its table finds it.
  var route = Router.Route.always
  /// How it gets to rows of other tables.
  let chains: Set<LinkChain>
  var current: PinnedTrees
  var cursors: Set<UInt64> = []
  /// Changed rows collected for the pass under way.
  var rows: [RowChange] = []
  var lastRow: UInt64?
  /// What a predicate threw: the end for all who observe it. It is no longer shared.
  var failure: StoreError?
  var isLinked: Bool { !chains.isEmpty }

  init(id: UInt64, key: QueryKey, trees: MaintainedTrees) {
    self.id = id
    self.key = key
    chains = Set(trees.linked.flatMap(\.chains))
    current = PinnedTrees(trees)
    LiveCounts.add(.queries)
  }

  deinit { LiveCounts.remove(.queries) }
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
