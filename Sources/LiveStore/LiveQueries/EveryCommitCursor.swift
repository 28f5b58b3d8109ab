import Synchronization

/// Follows a query commit by commit: the same upkeep as the engine's, on trees of its own.
///
/// The commits of excluded origins are applied to the result last delivered to the observer, as in the engine
/// (E1, E4).
///
/// State: the position; guarded by its mutex, touched by one consumer at a time.
final class EveryCommitCursor<Value: Sendable, Change: Sendable>: EventCursor {
  private enum Position: Sendable {
    /// Before the first event, which has the result at a state or is skipped.
    case start(StoreState, isSkipped: Bool)
    /// The trees of the newest result, whose state each commit has, and the observer's baseline, with the version of its last
    /// event.
    case at(MaintainedTrees, baseline: MaintainedResult, delivered: Version)
  }

  private let definition: LiveDefinition<Value, Change>
  private let events: EventFilter<Value, Change>
  private let commits: CommitCursor<Version, CommitRecord>
  private let catalog: Catalog
  private let excluded: Set<String>
  private let position: Mutex<Position>
  /// Whether its consumer needs no more events.
  private let abandonment = Abandonment()

  init(
    _ definition: LiveDefinition<Value, Change>, _ commits: CommitCursor<Version, CommitRecord>,
    from state: StoreState, skipsInitial: Bool, excluding origins: Set<String> = []
  ) {
    self.definition = definition
    events = EventFilter(definition, excluding: origins)
    excluded = origins
    self.commits = commits
    catalog = state.catalog
    position = Mutex(.start(state, isSkipped: skipsInitial))
  }

  /// The next event without waiting; looks at one commit at most.
  func poll() -> PollResult<Change> {
    guard let table = catalog.index(of: definition.query.type) else {
      return .failed(.unknownEntity(definition.query.type))
    }
    if case .start(let begin, let isSkipped) = position.withLock({ $0 }) {
      if let error = catalog.check(definition.query.stages, table, definition.query.grouping) {
        return .failed(error)
      }
      let trees = MaintainedTrees(
        definition.query.stages, table, definition.query.grouping, at: begin,
        isAbandoned: { [abandonment] in abandonment.isSet })
      if let error = trees.failure { return .failed(error) }
      let result = MaintainedResult(trees: trees, state: begin)
      position.withLock { $0 = .at(trees, baseline: result, delivered: begin.version) }
      if !isSkipped {
        return .event(
          definition.initial(definition.value(result.side(definition.query.last))), begin.version)
      }
    }
    return commits.poll().map { (record) throws(StoreError) in try follow(record) }
  }

  private func follow(_ record: CommitRecord) throws(StoreError) -> Change? {
    guard case .at(let before, let baseline, let delivered) = position.withLock({ $0 }) else { return nil }
    let (changes, last) = (StoreChanges(record), definition.query.last)
    var newest = MaintainedResult(trees: before, state: record.before)
    newest.follow(changes) { [abandonment] in abandonment.isSet }
    if let error = newest.trees.failure { throw error }
    if let origin = record.origin, excluded.contains(origin) {
      let next = baseline.stepping(over: changes, from: before, to: newest.trees, last)
      position.withLock { $0 = .at(newest.trees, baseline: next, delivered: delivered) }
      return nil
    }
    let change = events.change(
      from: baseline.side(last, version: delivered), to: newest.side(last))
    let isNext = change != nil || !definition.accumulates
    position.withLock {
      $0 = .at(
        newest.trees, baseline: isNext ? newest : baseline, delivered: isNext ? record.version : delivered)
    }
    return change
  }

  var engine: LiveEngine { commits.engine }
  var subscriber: UInt64 { commits.subscriber }
  func abandon() { abandonment.set() }
}
