import Synchronization

/// Is told of every commit of a store, in order and without a gap, as long as it lives.
package final class CommitRecorder: Sendable {
  private let store: Store

  /// - Parameter note: called in the turn of the commit's writer, before its `write` returns. It may not write.
  package init(_ store: Store, _ note: @escaping @Sendable (CommitRecord) -> Void) {
    self.store = store
    store.core.withLock { $0.recorders[ObjectIdentifier(self)] = note }
  }

  deinit {
    let freed = store.core.withLock { $0.recorders.removeValue(forKey: ObjectIdentifier(self)) }
    withExtendedLifetime(freed) {}
  }
}
