// Optimistic transactions. A body runs on a snapshot, without the write lock, and all its reads and writes are
// recorded in order: the trace. The commit takes the write lock. If other commits came in between, it repeats the
// trace on the newest state: every read must give the same result, and every write is done. A body depends only on
// what it read, so the commit is what the body would have done on the newest state. Hence the commit is serializable,
// predicates and absent objects included (T4). A read with another result is a conflict.

/// The reads and writes of a transaction, in order, to be repeated on another state.
final class TransactionTrace {
  /// Repeats one read or write; throws a conflict when the result differs.
  typealias Operation = (TransactionState) throws(StoreError) -> Void

  private(set) var operations: [Operation] = []
  private(set) var hasWrites = false

  func read(_ operation: @escaping Operation) { operations.append(operation) }

  func write(_ operation: @escaping Operation) {
    operations.append(operation)
    hasWrites = true
  }

  /// The state of the trace when a savepoint began.
  struct Savepoint {
    fileprivate let operations: Int
    fileprivate let hasWrites: Bool
  }

  var savepoint: Savepoint { Savepoint(operations: operations.count, hasWrites: hasWrites) }

  /// Marks the operations since a savepoint as undone. They stay in the trace, since their reads may have decided later
  /// operations.
  func rollBack(to savepoint: Savepoint) {
    let undone = Array(operations[savepoint.operations...])
    operations.removeSubrange(savepoint.operations...)
    hasWrites = savepoint.hasWrites
    read { (state) throws(StoreError) in try state.replayUndone(undone) }
  }
}

extension TransactionState {
  /// The same transaction on another state.
  ///
  /// - Parameter state: a new transaction on that state.
  /// - Throws: `conflict` when a read gives another result there.
  /// - Complexity: that of what it read and wrote, except queries none of whose tables differ.
  func replayed(on state: TransactionState) throws(StoreError) -> TransactionState {
    for operation in trace?.operations ?? [] { try operation(state) }
    state.onCommit = onCommit
    return state
  }

  fileprivate func replayUndone(_ operations: [TransactionTrace.Operation]) throws(StoreError) {
    let savepoint = savepoint
    for operation in operations { try operation(self) }
    rollBack(to: savepoint)
  }
}

// MARK: Reads

extension TransactionTrace {
  /// Records a read of an object, or of its absence.
  func read<Element: Entity>(_ type: Element.Type, _ id: Element.ID, _ object: Element?) {
    read { (state) throws(StoreError) in
      switch (object, state.object(type, id)) {
      case (nil, nil): return
      case (nil, _?): throw Self.conflict(.inserted, type, id, state)
      case (_?, nil): throw Self.conflict(.deleted, type, id, state)
      case (let before?, let after?):
        if !state.catalog.isSame(before, after) { throw Self.conflict(.changed, type, id, state) }
      }
    }
  }

  /// Records a read of the coming version.
  func read(version: Version) {
    read { (state) throws(StoreError) in
      if state.version == version { return }
      state.contended = .store
      throw StoreError(
        StoreError.conflict,
        "The transaction read its version, \(version), but another commit took it. Retry the transaction.")
    }
  }

  /// Records a fetch of a query.
  func read<Element: Entity>(_ query: Query<Element>, _ results: Results<Element>) {
    let tables = query.stages.tables(in: results.state.catalog) + [results.window.table]
    read { (state) throws(StoreError) in
      if state.context.holdsSame(tables, as: results.state.context) { return }
      let now = state.results(of: query)
      let changes = ChangeSet(from: results, to: now)
      if changes.isEmpty, results.error == now.error { return }
      let id =
        changes.deletions.first.map { changes.previous[$0].id }
        ?? changes.insertions.first.map { changes.current[$0].id } ?? changes.modifications.first?.id
        ?? changes.moves.first?.id
      throw Self.conflict("\(query)", Element.self, id, state)
    }
  }

  /// Records a count of a query.
  func read<Element: Entity>(countOf query: Query<Element>, _ count: Int) {
    read { (state) throws(StoreError) in
      if state.context.count(query) != count { throw Self.conflict("\(query)", Element.self, nil, state) }
    }
  }

  /// What another writer did to an object.
  private enum ConcurrentEdit: String {
    case inserted, changed, deleted
  }

  private static func conflict<Element: Entity>(
    _ edit: ConcurrentEdit, _ type: Element.Type, _ id: Element.ID, _ state: TransactionState
  ) -> StoreError {
    state.contended = state.catalog.index(of: type).map { .object(table: $0, idHash: idHash(id)) }
    return StoreError(
      StoreError.conflict,
      "Another writer \(edit.rawValue) \(type) \(MessageText.line(shown(id))), on which the transaction depends. Retry the transaction.",
      entity: "\(type)", id: shown(id))
  }

  private static func conflict<Element: Entity>(
    _ query: String, _ type: Element.Type, _ id: Element.ID?, _ state: TransactionState
  ) -> StoreError {
    state.contended = state.catalog.index(of: type).map { .table($0) }
    let object = id.map { " (\(type) \(shown($0)))" } ?? ""
    return StoreError(
      StoreError.conflict,
      "Another writer changed the result of \(query)\(object), on which the transaction depends. Retry the transaction.",
      entity: "\(type)", id: id.map { shown($0) })
  }
}

extension [QueryStage] {
  /// The tables that a query reads besides its own.
  func tables(in catalog: Catalog) -> [Int] {
    let linked = named.chains.flatMap { $0.tables(in: catalog) }
    return linked + compactMap(\.source).compactMap { catalog.index(of: $0.owner) }
  }
}

extension ReadContext {
  /// Whether some tables are identical in another context.
  func holdsSame(_ numbers: [Int], as other: ReadContext) -> Bool {
    numbers.allSatisfy { $0 < 0 || tables[$0].rows.isIdentical(to: other.tables[$0].rows) }
  }
}

// MARK: Writes

extension TransactionTrace {
  /// Records a write that can be repeated.
  func write<Element: Entity>(
    _ type: Element.Type, _ id: Element.ID, _ operation: @escaping Operation
  ) {
    write { (state) throws(StoreError) in
      do throws(StoreError) {
        try operation(state)
      } catch {
        if error.code == StoreError.duplicateID { throw Self.conflict(.inserted, type, id, state) }
        throw Self.conflict(state.object(type, id) == nil ? .deleted : .changed, type, id, state)
      }
    }
  }
}
