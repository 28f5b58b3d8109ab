// Origins left out. An observer that excludes an origin has a baseline of its own: at an excluded commit
// every row whose value in the baseline is its value before that commit takes the new one; a row with a
// change of others that was not yet reported stays, and is reported later with the excluded edit
// in it (E1). While nothing is unreported the baseline is simply the newest result, at no cost (E2).

extension LiveEngine.State {
  /// Lets the cursors that exclude an origin step over one of its commits.
  mutating func leaveOut(
    _ changes: StoreChanges, _ origin: String,
    _ superseded: [(query: MaintainedQuery, before: PinnedTrees)], _ wakes: inout Wakes
  ) {
    let before = Dictionary(
      superseded.map { ($0.query.id, $0.before) }, uniquingKeysWith: { first, _ in first })
    for id in excluding {
      guard let cursor = cursors[id], cursor.excluded.contains(origin) else { continue }
      if case .unattached(let start) = cursor.place {
        // Its query is being evaluated; it begins where it was made, and steps over this commit from there.
        if let start, start.version < changes.new.version { cursor.leftOut.append(changes) }
        continue
      }
      guard let query = cursor.maintained.first else { continue }
      wakes.keep(cursor.place)
      let baseline: Baseline
      switch cursor.place {
      case .pinned(let pins):
        if pins[0] === query.current { continue }
        if pins[0] === before[query.id] {
          cursor.place = .pinned([query.current])
          continue
        }
        guard let state = pins[0].state else { continue }
        baseline = Baseline(trees: pins[0].trees, state: state)
      case .own(let trees, let state): baseline = Baseline(trees: trees[0], state: state)
      case .unattached: continue
      }
      let next = baseline.adopting(
        changes, from: before[query.id]?.trees ?? query.current.trees, to: query.current.trees,
        cursor.queries[0].last)
      cursor.place = .own([next.trees], next.state)
    }
  }

  /// The baseline of a cursor that begins at an older state, stepped over what was left out since it was made.
  ///
  /// - Parameter trees: the result at that state.
  func steppedOver(_ cursor: Cursor, _ trees: MaintainedTrees, _ start: StoreState) -> Baseline {
    var baseline = Baseline(trees: trees, state: start)
    var (result, state) = (trees, start)
    func bring(_ changes: StoreChanges) {
      _ = result.apply(changes.rows(for: result), from: changes.old, to: changes.new)
      state = changes.new
    }
    for changes in cursor.leftOut {
      if state !== changes.old { bring(StoreChanges(from: state, to: changes.old)) }
      let before = result
      bring(changes)
      baseline = baseline.stepping(over: changes, from: before, to: result, cursor.queries[0].last)
    }
    return baseline
  }
}

extension Baseline {
  /// The baseline after an excluded commit, which led from one true result to another.
  func stepping(
    over changes: StoreChanges, from before: MaintainedTrees, to after: MaintainedTrees, _ last: QueryStage
  ) -> Baseline {
    // Nothing is unreported (E2).
    if trees.isIdentical(to: before) { return Baseline(trees: after, state: changes.new) }
    return adopting(changes, from: before, to: after, last)
  }
}
