import LiveStore
import Synchronization

extension ReplicaEngine {
  /// Applies what the server did to each store, as one commit.
  ///
  /// - Parameters:
  ///   - isDecided: whether a transaction, by its number, is among it.
  ///   - body: applies it to a store that has the server's state, and has no other effect.
  /// - Returns: the version that the commit made; nil if nothing differs.
  func apply(
    isDecided: (UInt64) -> Bool, _ body: (inout WriteTransaction) throws -> Void
  ) async throws -> Version? {
    let (version, others, edits) = try await store.write(using: reservation, origin: Self.origin) { tx in
      let edits = try overlay.withLock { overlay in
        try overlay.apply(isDecided: isDecided, to: &tx, body)
        return overlay.count
      }
      return (tx.version, followers.withLock { $0 }, edits)
    }
    let isNew = store.version >= version
    for other in others {
      do {
        try await other.store.write(using: other.reservation, origin: Self.origin) { tx in try body(&tx) }
      } catch let error as StoreError where error.code == StoreError.closed {
        followers.withLock { $0.removeAll { $0.store === other.store } }
      }
    }
    update { $0.optimisticEdits = edits }
    return isNew ? version : nil
  }

  /// Makes a store with the server's state, which is fed from now on.
  func addStore() async throws -> Store {
    try state.withLock { if $0.isClosed { throw Self.closedError } }
    return try await store.write(using: reservation) { _ in
      let snapshot = overlay.withLock { $0.serverState(of: store) }
      let copy = Store(copying: snapshot, configuration: source.options.store)
      let follower = Follower(
        store: copy, reservation: try copy.reserveWrites(to: source.tables.map(\.entity)))
      followers.withLock { $0.append(follower) }
      return copy
    }
  }

  // MARK: Optimistic edits

  /// Shows an edit before the server decides on it.
  func begin(_ id: UInt64, _ body: @escaping Overlay.Body) async throws {
    let count = try await store.write(using: reservation, origin: Self.optimisticOrigin) { tx in
      try overlay.withLock { overlay in
        try overlay.begin(id, body, store, &tx)
        return overlay.count
      }
    }
    update { $0.optimisticEdits = count }
  }

  /// Says which transaction decides on an edit.
  func setTransaction(_ xid: UInt64, of id: UInt64) async throws {
    try await store.write(using: reservation) { _ in
      overlay.withLock { $0.setTransaction(xid, of: id) }
    }
  }

  /// Leaves an edit out, if it still is shown. It cannot be cancelled.
  func end(_ id: UInt64) async {
    // A store that was closed shows what it did.
    let count = try? await Task {
      try await store.write(using: reservation, origin: Self.optimisticOrigin) { tx in
        try overlay.withLock { overlay in
          try overlay.end(id, &tx)
          return overlay.count
        }
      }
    }.value
    if let count { update { $0.optimisticEdits = count } }
  }
}
