// Excluded origins. An observer that excludes an origin has a baseline of its own. At an excluded commit,
// each row whose value in the baseline equals its value before the commit gets the new value; a row with an
// unreported change by others stays, and is reported later with the excluded edit in it (E1). While nothing
// is unreported the baseline is simply the newest result, at no cost (E2).

import Synchronization

extension LiveEngine {
  /// Moves a cursor that excludes origins to its start, at an older state; called under its query's lock.
  func begin(
    _ id: UInt64, _ view: Registry.QueryView, at start: StoreState, _ query: MaintainedQuery,
    _ wakes: inout DeferredWork
  ) {
    guard let last = registry.withLock({ $0.cursors[id]?.queries.first?.last }) else { return }
    let isAbandoned: @Sendable () -> Bool = { [self] in registry.withLock { $0.cursors[id] == nil } }
    var (result, state) = (view.trees(at: start, isAbandoned: isAbandoned), start)
    var baseline = Baseline(trees: result, state: start)
    func advance(over changes: StoreChanges) {
      let rows = changes.rows(for: result)
      _ = result.apply(rows, from: changes.old, to: changes.new, isAbandoned: isAbandoned)
      state = changes.new
    }
    var applied = 0
    defer { wakes.keep(result) }
    while true {
      let more = registry.withLock {
        $0.begin(id, at: [baseline.trees], baseline.state, start: start.version, applied: applied, &wakes)
      }
      if more.isEmpty { return }
      for changes in more {
        if state !== changes.old { advance(over: StoreChanges(from: state, to: changes.old)) }
        let before = result
        advance(over: changes)
        wakes.keep(before)
        wakes.keep(baseline)
        baseline = baseline.stepping(over: changes, from: before, to: result, last)
      }
      applied += more.count
    }
  }
}

extension Registry.QueryView {
  /// The result at another state: upkeep works in either direction.
  ///
  /// - Parameter isAbandoned: whether nothing waits for it any more.
  func trees(at other: StoreState, isAbandoned: (@Sendable () -> Bool)? = nil) -> MaintainedTrees {
    if state === other { return trees }
    var trees = trees
    let rows = StoreChanges(from: state, to: other).rows(for: trees)
    _ = trees.apply(rows, from: state, to: other, isAbandoned: isAbandoned)
    return trees
  }
}

extension Baseline {
  /// The baseline after an excluded commit from one true result to another.
  func stepping(
    over changes: StoreChanges, from before: MaintainedTrees, to after: MaintainedTrees, _ last: QueryStage
  ) -> Baseline {
    // Nothing is unreported (E2).
    if trees.isIdentical(to: before) { return Baseline(trees: after, state: changes.new) }
    return adopting(changes, from: before, to: after, last)
  }
}
