import Synchronization

/// Calls a closure for every commit of a store, in order and without a gap, for as long as it lives.
package final class CommitRecorder: Sendable {
  private let store: Store

  /// - Parameter record: called under the write lock, before the writer's `write` returns. It must not write.
  package init(_ store: Store, _ record: @escaping @Sendable (CommitRecord) -> Void) {
    self.store = store
    store.core.withLock { $0.recorders[ObjectIdentifier(self)] = record }
  }

  deinit {
    let freed = store.core.withLock { $0.recorders.removeValue(forKey: ObjectIdentifier(self)) }
    withExtendedLifetime(freed) {}
  }
}
