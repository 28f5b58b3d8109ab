import Synchronization

/// Counts the steps of one consumer, and lets other tasks run after some of them: a consumer that always has
/// an event would never suspend, and as many such consumers as there are threads would block all other tasks.
struct YieldCounter: ~Copyable {
  private let steps = Atomic(0)

  /// To be called after each step, whether or not it delivered an event.
  func next() async {
    if steps.add(1, ordering: .relaxed).newValue.isMultiple(of: 16) { await Task.yield() }
  }
}
