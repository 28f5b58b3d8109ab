package import LiveStore
import Synchronization

extension ReplicaEngine {
  /// Applies what the server did to each store, as one commit.
  ///
  /// - Parameters:
  ///   - isDecided: whether a transaction, by its number, is among it.
  ///   - body: applies it to a store that has the server's state, and has no other effect. It runs once for each store.
  /// - Returns: the version that the commit made; nil if nothing differs.
  package func apply(
    isDecided: (UInt64) -> Bool, _ body: (inout WriteTransaction) throws -> Void
  ) async throws -> Version? {
    try await applyToEach(isDecided) { tx, _ in try body(&tx) }
  }

  /// - Parameter body: is given whether the store is the first.
  private func applyToEach(
    _ isDecided: (UInt64) -> Bool, _ body: (inout WriteTransaction, Bool) throws -> Void
  ) async throws -> Version? {
    var others: [(store: Store, reservation: WriteReservation)] = []
    let version = try await commit(Self.origin) { overlay, tx in
      others = followers()
      try overlay.apply(isDecided: isDecided, store, &tx) { tx in try body(&tx, true) }
    }
    for other in others {
      do {
        try await other.store.write(using: other.reservation, origin: Self.origin) { tx in
          try body(&tx, false)
        }
      } catch let error as StoreError where error.code == StoreError.closed {
        remove([ObjectIdentifier(other.store)])
      }
    }
    return version
  }

  /// Has rows that are copied compared with those of the store while they come.
  package func compare(_ readers: [any RowReader]) async throws {
    _ = try await commit(nil) { overlay, _ in
      let comparison = try ComparisonStore(
        copying: try overlay.serverState(of: store), entities: source.tables.map(\.entity) + source.locals)
      for reader in readers { reader.compareStaged(with: comparison) }
    }
  }

  /// Makes rows that were compared all that the tables have, in each store, as one commit.
  ///
  /// - Parameter isDecided: whether a transaction, by its number, is in the copy.
  package func apply(copyOf readers: [any RowReader], isDecided: (UInt64) -> Bool) async throws {
    // The others may lack what failed to be written to them.
    _ = try await applyToEach(isDecided) { tx, isFirst in
      for reader in readers { try reader.replaceAll(in: &tx, isSource: isFirst) }
    }
  }

  /// Applies what the server has to the store, before anybody has that, as one commit. It blocks this thread.
  func applyFirst(_ body: (inout WriteTransaction) throws -> Void) throws {
    do {
      try store.write(using: reservation, origin: Self.origin) { tx in try body(&tx) }
    } catch let error as StoreError where error.code == StoreError.closed {
      throw Self.closedError
    }
  }

  /// The stores that are fed besides the first and that their users hold.
  private func followers() -> [(store: Store, reservation: WriteReservation)] {
    // A store must not be released under the mutex, as its observers may run code then.
    let followers = state.withLock { $0.followers }
    let held = followers.map { ($0.id, $0.store, $0.reservation) }
    remove(held.filter { $0.1 == nil }.map(\.0))
    return held.compactMap { _, store, reservation in store.map { ($0, reservation) } }
  }

  private func remove(_ followers: [ObjectIdentifier]) {
    if followers.isEmpty { return }
    state.withLock { state in state.followers.removeAll { followers.contains($0.id) } }
  }

  /// Makes a store with the server's state, which is fed from now on.
  package func addStore() async throws -> Store {
    var result: Store?
    _ = try await commit(nil) { overlay, _ in
      let copy = Store(copying: try overlay.serverState(of: store), configuration: source.options.store)
      let follower = Follower(copy, try copy.reserveWrites(to: source.tables.map(\.entity)))
      // Under the mutex, as it must be closed with the others.
      try state.withLock { state in
        if state.isClosed { throw Self.closedError }
        state.followers.append(follower)
      }
      result = copy
    }
    guard let result else { throw Self.closedError }
    return result
  }

  // MARK: Optimistic edits

  /// Shows an edit before the server decides on it.
  package func begin(_ id: UInt64, _ body: @escaping Overlay.Body) async throws {
    _ = try await commit(Self.optimisticOrigin) { overlay, tx in try overlay.begin(id, body, store, &tx) }
  }

  /// Says which transaction decides on an edit.
  package func setTransaction(_ xid: UInt64, of id: UInt64) async throws {
    _ = try await commit(nil) { overlay, _ in overlay.setTransaction(xid, of: id) }
  }

  /// Leaves an edit out, if it still is shown. It cannot be cancelled.
  ///
  /// - Throws: what prevents it, such as a schema; then the next transaction of the server leaves it out. Nothing if the
  ///   store was closed: it shows what it did.
  package func end(_ id: UInt64) async throws {
    if !overlay.withLock({ $0.contains(id) }) { return }
    do {
      try await Task {
        _ = try await commit(Self.optimisticOrigin) { overlay, tx in try overlay.end(id, store, &tx) }
      }.value
    } catch PostgresError.closed {
    } catch {
      _ = try? await Task { try await commit(nil) { overlay, _ in overlay.forget(id) } }.value
      throw error
    }
  }

  // MARK: Commits

  /// Changes the store shown and the edits that it shows together, or neither.
  ///
  /// - Returns: the version that the commit made; nil if nothing differs.
  /// - Throws: what the body throws, and `closed`, after which this is closed, too, if the store was.
  private func commit(
    _ origin: String?, _ body: (inout Overlay, inout WriteTransaction) throws -> Void
  ) async throws -> Version? {
    var version: Version?
    var changed: Overlay?
    var isRunning = false
    do {
      try await store.write(
        using: reservation, origin: origin,
        onCommit: { newVersion in
          version = newVersion
          guard let changed else { return }
          overlay.withLock { $0 = changed }
          update { $0.optimisticEdits = changed.count }
        }
      ) { tx in
        isRunning = true
        var edited = overlay.withLock { $0 }
        try body(&edited, &tx)
        changed = edited
        isRunning = false
      }
    } catch let error as StoreError where error.code == StoreError.closed && !isRunning {
      close()
      throw Self.closedError
    }
    return version
  }
}
