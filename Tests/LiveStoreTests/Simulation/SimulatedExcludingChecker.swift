import LiveStore
import TestSupport

/// Of a query whose observer leaves out the commits of origin "a": its baseline follows the rule commit by commit.
final class SimulatedExcludingChecker<E: Social>: SimulatedChecker, ExactChecker {
  private let tracker: LinkedTracker<E>
  /// Whether its baseline is what there is.
  private var isInStep = true
  /// The commit that its baseline was advanced over last.
  private var advanced: Version?

  init(_ queryCase: LinkedCase<E>, _ choices: LinkedMoves) { tracker = LinkedTracker(queryCase, choices) }

  var version: Version? { tracker.version }

  func begin(_ world: LinkedWorld, at version: Version) throws {
    try tracker.begin(world, at: version)
    (advanced, isInStep) = (version, true)
  }

  func version(of change: CollectionChange<E>) -> Version? { change.results?.version }

  func take(_ change: CollectionChange<E>, _ world: LinkedWorld, startsFromOwn: Bool) throws {
    guard let version = change.results?.version else { throw Mismatch("\(change)") }
    try advance(world, to: version)
    try tracker.take(change, world)
    (advanced, isInStep) = (version, true)
  }

  func isPending(_ world: LinkedWorld, at version: Version) throws -> Bool {
    try advance(world, to: version)
    return try tracker.pending(world, at: version)
  }

  private func advance(_ world: LinkedWorld, to version: Version) throws {
    guard let advanced else { return }
    for (before, after) in zip(world.versions, world.versions.dropFirst())
    where after > advanced && after <= version {
      try advance(try world.model(before), try world.model(after), isExcluded: world.origins[after] == "a")
    }
    self.advanced = max(advanced, version)
  }

  private func advance(_ before: ModelStore, _ after: ModelStore, isExcluded: Bool) throws {
    guard let held = tracker.held else { return }
    if isInStep {
      if isExcluded {
        tracker.rebase(after)
      } else if signature(before) == signature(after) {
        tracker.rebase(after)
      } else {
        tracker.rebase(before)
        isInStep = false
      }
      return
    }
    guard isExcluded else { return }
    var next = held
    adopt(Writer.self, held, before, after, &next)
    adopt(Topic.self, held, before, after, &next)
    adopt(Article.self, held, before, after, &next)
    adopt(Reply.self, held, before, after, &next)
    adopt(Meeting.self, held, before, after, &next)
    let members = take(held, before, after, &next)
    tracker.rebase(next, members: members)
  }

  /// Steps over an excluded commit: a row that is in the observer's result as in the result before the commit, or in
  /// neither, becomes what it is in the result after it. One that others have moved takes the value alone.
  ///
  /// - Returns: the ids of the rows that the observer has now.
  private func take(
    _ held: ModelStore, _ before: ModelStore, _ after: ModelStore, _ next: inout ModelStore
  ) -> Set<Int> {
    let (own, old, new) = (states(held, tracker.members), states(before), states(after))
    var members = Set(own.keys)
    for id in Set(old.keys).union(new.keys) where hasSameValue(own[id], old[id]) && old[id] != new[id] {
      let key = E.modelKey(id)
      if tracker.queryCase.readsItself {
        // Its value is read over links as well, and must not change for others' rows.
        if let new = new[id], !hasSameValue(next[key], new.row) { continue }
      } else {
        next[key] = own[id] == nil ? after[key] : after[key]?.inPlace(of: held[key], movedFrom: before[key])
      }
      if new[id] == nil { members.remove(id) } else { members.insert(id) }
    }
    return members
  }

  /// A row of a result, as an observer sees it.
  private struct State: Equatable {
    let row: ModelRow?
    let named: [NamedValue]
  }

  private func hasSameValue(_ left: State?, _ right: State?) -> Bool {
    hasSameValue(left?.row, right?.row) && left?.named == right?.named
  }

  private func hasSameValue(_ left: ModelRow?, _ right: ModelRow?) -> Bool {
    left.map { $0.at(right?.position ?? 0) } == right
  }

  private func states(_ model: ModelStore, _ members: Set<Int>? = nil) -> [Int: State] {
    let rows = tracker.queryCase.expectedRows(model, members)
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.id, state($0, model)) })
  }

  private func state(_ object: E, _ model: ModelStore) -> State {
    State(row: model[object.modelKey], named: tracker.queryCase.named(object, model))
  }

  /// All that matters to the result, wherever it stands.
  private func signature(_ model: ModelStore) -> [State] {
    tracker.queryCase.candidates(model).map { state($0, model) }
  }

  /// Rows of other tables, or of its own where that is read over links, that are as before the commit become what
  /// they are after it.
  private func adopt<T: Social>(
    _: T.Type, _ held: ModelStore, _ before: ModelStore, _ after: ModelStore, _ next: inout ModelStore
  ) {
    if T.self == E.self, !tracker.queryCase.readsItself { return }
    // What the observer has of its own table otherwise than the result before stays.
    let (mine, result) = T.self == E.self ? (states(held, tracker.members), states(before)) : ([:], [:])
    for id in Set(before.ids(T.self) + after.ids(T.self)) {
      let key = T.modelKey(id)
      if mine[id] != nil && !hasSameValue(mine[id], result[id]) || before[key] == after[key] { continue }
      if hasSameValue(held[key], before[key]) {
        next[key] = after[key]?.inPlace(of: held[key], movedFrom: before[key])
      }
    }
  }
}

extension ModelRow {
  /// The same object in a position.
  fileprivate func at(_ position: Int) -> ModelRow { ModelRow(key: key, position: position, object: object) }

  /// The same object where an observer has it, if others have moved it from there.
  fileprivate func inPlace(of held: ModelRow?, movedFrom before: ModelRow?) -> ModelRow {
    guard let held, let before, held.position != before.position else { return self }
    return at(held.position)
  }
}
