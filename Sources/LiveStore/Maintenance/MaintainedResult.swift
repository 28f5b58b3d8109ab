/// The result of a query, and a state in which its trees are that result; for an observer that excludes origins, its
/// baseline: the result last delivered, with the excluded commits since (E1).
struct MaintainedResult: Sendable {
  var trees: MaintainedTrees
  var state: StoreState

  /// Follows the changes to the next state.
  ///
  /// - Parameter isAbandoned: whether nothing waits for it any more.
  mutating func follow(_ changes: StoreChanges, isAbandoned: (@Sendable () -> Bool)? = nil) {
    _ = trees.apply(
      changes.rows(for: trees), from: changes.old, to: changes.new, isAbandoned: isAbandoned)
    state = changes.new
  }

  /// The same at another state: upkeep works in either direction (L6).
  func moved(to other: StoreState, isAbandoned: (@Sendable () -> Bool)? = nil) -> MaintainedResult {
    if state === other { return self }
    var result = self
    result.follow(StoreChanges(from: state, to: other), isAbandoned: isAbandoned)
    return result
  }

  /// What an observer reads.
  ///
  /// - Parameter last: the observer's own last stage, for its window.
  func side(_ last: QueryStage, version: Version? = nil) -> ResultSide {
    trees.side(state, last, version: version)
  }
}
