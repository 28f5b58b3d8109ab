/// The trees of a result, and a state in which they are the result: what a maintained query has and cursors stand at.
///
/// State: `state`, guarded by the registry's lock (L4).
final class PinnedTrees: Sendable {
  let trees: MaintainedTrees
  /// Nil while it is the newest routed state, so that unchanged results hold no old version.
  // Proof of sendability: read and written under the registry's lock alone, after `init`.
  nonisolated(unsafe) private(set) var state: StoreState?

  init(_ trees: MaintainedTrees, _ state: StoreState?) {
    self.trees = trees
    self.state = state
  }

  convenience init(_ result: MaintainedResult) { self.init(result.trees, result.state) }

  /// - Returns: the state before, to be freed outside all locks.
  func setState(_ state: StoreState?) -> StoreState? {
    defer { self.state = state }
    return self.state
  }

  func result(_ routed: StoreState) -> MaintainedResult {
    MaintainedResult(trees: trees, state: state ?? routed)
  }
}
