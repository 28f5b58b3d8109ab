// Optimistic transactions. A body runs on a snapshot, without the writer's turn, and everything it reads and writes
// is noted in order: its trace. When it has the turn, and others have committed meanwhile, the trace is gone through
// again on the newest state: every read must give what it gave before, every write is done. Since a body depends on
// nothing but what it read, this is what it would have done, had it run now: so the commit is serializable,
// predicates and absent objects included (T4). A read that gives something else is a conflict.

/// What a transaction read and wrote, in order, to be done again on another state.
final class TransactionTrace {
  /// Does one thing again; throws a conflict when that comes out otherwise.
  typealias Step = (TransactionState) throws(StoreError) -> Void

  private(set) var steps: [Step] = []
  private(set) var hasWrites = false

  func read(_ step: @escaping Step) { steps.append(step) }

  func write(_ step: @escaping Step) {
    steps.append(step)
    hasWrites = true
  }

  /// Where a savepoint begins.
  struct Mark {
    fileprivate let steps: Int
    fileprivate let hasWrites: Bool
  }

  var mark: Mark { Mark(steps: steps.count, hasWrites: hasWrites) }

  /// The steps since a mark were undone. They are kept, as what they read may have decided what followed.
  func rollBack(to mark: Mark) {
    let undone = Array(steps[mark.steps...])
    steps.removeSubrange(mark.steps...)
    hasWrites = mark.hasWrites
    read { (state) throws(StoreError) in try state.repeatUndone(undone) }
  }
}

extension TransactionState {
  /// The same transaction as if it had begun at another state.
  ///
  /// - Throws: `conflict` when something that it read is not the same there.
  /// - Complexity: that of what it read and wrote, but for queries none of whose tables differ.
  func again(on newest: StoreState) throws(StoreError) -> TransactionState {
    let state = TransactionState(newest)
    for step in trace?.steps ?? [] { try step(state) }
    state.whenKept = whenKept
    return state
  }

  fileprivate func repeatUndone(_ steps: [TransactionTrace.Step]) throws(StoreError) {
    let mark = mark
    for step in steps { try step(self) }
    rollBack(to: mark)
  }
}

// MARK: Reads

extension TransactionTrace {
  /// An object was read, or found not to be there.
  func read<Element: Entity>(_ type: Element.Type, _ id: Element.ID, _ object: Element?) {
    read { (state) throws(StoreError) in
      let now = state.object(type, id)
      let isSame =
        switch (object, now) {
        case (nil, nil): true
        case (let before?, let after?): state.catalog.isSame(before, after)
        default: false
        }
      if !isSame { throw Self.conflict(type, id, isThere: now != nil) }
    }
  }

  /// The coming version was asked for.
  func read(version: Version) {
    read { (state) throws(StoreError) in
      if state.version == version { return }
      throw StoreError(
        StoreError.conflict,
        "The transaction asked for its version, \(version), which another commit has. Try it again.")
    }
  }

  /// A query was fetched.
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
      throw Self.conflict("\(query)", Element.self, id)
    }
  }

  /// The rows of a query were counted.
  func read<Element: Entity>(countOf query: Query<Element>, _ count: Int) {
    read { (state) throws(StoreError) in
      if state.context.count(query) != count { throw Self.conflict("\(query)", Element.self, nil) }
    }
  }

  private static func conflict<Element: Entity>(
    _ type: Element.Type, _ id: Element.ID, isThere: Bool
  ) -> StoreError {
    StoreError(
      StoreError.conflict,
      "\(type) \(shown(id)), which the transaction had read, was \(isThere ? "changed" : "deleted") by somebody else. Try it again.",
      entity: "\(type)", id: shown(id))
  }

  private static func conflict<Element: Entity>(
    _ query: String, _ type: Element.Type, _ id: Element.ID?
  ) -> StoreError {
    let object = id.map { ": \(type) \(shown($0))" } ?? ""
    return StoreError(
      StoreError.conflict,
      "What the transaction had read of \(query) was changed by somebody else\(object). Try it again.",
      entity: "\(type)", id: id.map { shown($0) })
  }
}

extension [QueryStage] {
  /// The tables that are read beside a query's own.
  func tables(in catalog: Catalog) -> [Int] {
    let linked = linkedOperands.flatMap(\.chains).flatMap { $0.tables(in: catalog) }
    return linked + compactMap(\.source).compactMap { catalog.index(of: $0.owner) }
  }
}

extension ReadContext {
  /// Whether some tables are as they are in another context.
  func holdsSame(_ numbers: [Int], as other: ReadContext) -> Bool {
    numbers.allSatisfy { $0 < 0 || tables[$0].rows.isIdentical(to: other.tables[$0].rows) }
  }
}

// MARK: Writes

extension TransactionTrace {
  /// Something was written that can be written again as it is.
  func write<Element: Entity>(
    _ type: Element.Type, _ id: Element.ID,
    _ step: @escaping (TransactionState) throws(StoreError) -> Void
  ) {
    write { (state) throws(StoreError) in
      do {
        try step(state)
      } catch {
        throw Self.conflict(type, id, isThere: state.object(type, id) != nil)
      }
    }
  }
}
