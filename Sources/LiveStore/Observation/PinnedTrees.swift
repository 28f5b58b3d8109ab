import Synchronization

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
