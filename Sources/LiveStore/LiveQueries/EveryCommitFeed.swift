import Synchronization

/// Follows a query commit by commit: the same upkeep as the engine's, on trees of its own.
///
/// State: where it is; guarded by its mutex, touched by one consumer at a time.
final class EveryCommitCursor<Value: Sendable, Change: Sendable>: Sendable {
  private enum Place: Sendable {
    /// Before the first event, which tells the result at a state or is skipped.
    case start(StoreState, isSkipped: Bool)
    /// The newest trees, and those that were last told of.
    case at(MaintainedTrees, told: (trees: MaintainedTrees, state: StoreState))
  }

  private let definition: LiveDefinition<Value, Change>
  private let teller: Teller<Value, Change>
  private let commits: CommitCursor
  private let catalog: Catalog
  private let place: Mutex<Place>

  init(
    _ definition: LiveDefinition<Value, Change>, _ commits: CommitCursor, from state: StoreState,
    skipsInitial: Bool
  ) {
    self.definition = definition
    teller = Teller(definition)
    self.commits = commits
    catalog = state.catalog
    place = Mutex(.start(state, isSkipped: skipsInitial))
  }

  enum Step {
    case event(Change, Version)
    /// A commit of which nothing is told.
    case untold(Version)
    case none
    case ended
    case last(Change)
  }

  /// What there is without waiting; looks at one commit at most.
  func poll() -> Step {
    guard let table = catalog.index(of: definition.query.type) else {
      return .last(
        definition.failure(
          StoreError(
            StoreError.unknownEntity,
            "The store has no entity \(definition.query.type). Name it in Store(…).",
            entity: "\(definition.query.type)")))
    }
    if case .start(let begin, let isSkipped) = place.withLock({ $0 }) {
      if let error = catalog.check(
        definition.query.stages, table, grouped: definition.query.grouping?.operands ?? [])
      {
        return .last(definition.failure(error))
      }
      let trees = MaintainedTrees(
        definition.query.stages, table, definition.query.grouping, at: begin)
      if let error = trees.failures?.error { return .last(definition.failure(error)) }
      place.withLock { $0 = .at(trees, told: (trees, begin)) }
      if !isSkipped {
        return .event(definition.initial(definition.value(side(trees, begin))), begin.version)
      }
    }
    switch commits.poll() {
    case .record(let record):
      do {
        let change = try follow(record, table)
        return change.map { .event($0, record.version) } ?? .untold(record.version)
      } catch {
        return .last(definition.failure(error))
      }
    case .none: return .none
    case .ended: return .ended
    case .failed(let error): return .last(definition.failure(error))
    }
  }

  private func side(_ trees: MaintainedTrees, _ state: StoreState) -> ResultSide {
    trees.side(state, definition.query.last)
  }

  private func follow(_ record: CommitRecord, _ table: Int) throws(StoreError) -> Change? {
    guard case .at(var trees, let told) = place.withLock({ $0 }) else { return nil }
    _ = trees.apply(StoreChanges(record).rows(for: trees), from: record.before, to: record.after)
    if let error = trees.failures?.error { throw error }
    let change = teller.change(from: side(told.trees, told.state), to: side(trees, record.after))
    let isTold = change != nil || !definition.keepsUntold
    place.withLock { $0 = .at(trees, told: isTold ? (trees, record.after) : told) }
    return change
  }

  func wait() async { await commits.wait() }

  /// Who is woken when there are new commits.
  var follower: UInt64 { commits.watcher }
}
