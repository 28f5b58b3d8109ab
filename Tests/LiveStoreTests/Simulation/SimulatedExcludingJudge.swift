import LiveStore
import TestSupport

/// Of a query whose observer leaves out the commits of origin "a": its baseline follows the rule commit by commit.
final class SimulatedExcludingJudge<E: Social>: SimulatedJudge, ExactJudge {
  private let tracker: LinkedTracker<E>
  /// Whether its baseline is what there is.
  private var isInStep = true
  /// The commit that its baseline was advanced over last.
  private var advanced: Version?

  init(_ judged: LinkedCase<E>, _ choices: LinkedMoves) { tracker = LinkedTracker(judged, choices) }

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
      try advance(try world.sheet(before), try world.sheet(after), isExcluded: world.origins[after] == "a")
    }
    self.advanced = max(advanced, version)
  }

  private func advance(_ before: Sheet, _ after: Sheet, isExcluded: Bool) throws {
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
    adopt(\.writers, held, before, after, &next)
    adopt(\.topics, held, before, after, &next)
    adopt(\.articles, held, before, after, &next)
    adopt(\.replies, held, before, after, &next)
    adopt(\.meetings, held, before, after, &next)
    let members = take(held, before, after, &next)
    tracker.rebase(next, members: members)
  }

  /// Steps over an excluded commit: a row that is in the observer's result as in the result before the commit, or in
  /// neither, becomes what it is in the result after it.
  ///
  /// - Returns: the ids of the rows that the observer has now.
  private func take(_ held: Sheet, _ before: Sheet, _ after: Sheet, _ next: inout Sheet) -> Set<Int> {
    let judged = tracker.judged
    let (own, old, new) = (states(held, tracker.members), states(before), states(after))
    var members = Set(own.keys)
    for id in Set(old.keys).union(new.keys) where own[id] == old[id] && old[id] != new[id] {
      if judged.readsItself {
        // Its value is read over links as well, and must not change for others' rows.
        if let new = new[id], !isSame(entry(id, next), (new.object, new.place)) { continue }
      } else {
        put(entry(id, after), id, &next)
      }
      if new[id] == nil { members.remove(id) } else { members.insert(id) }
    }
    return members
  }

  private func states(_ sheet: Sheet, _ members: Set<Int>? = nil) -> [Int: State] {
    let judged = tracker.judged
    return Dictionary(
      uniqueKeysWithValues: judged.judge(sheet, members).map {
        ($0.id, State(object: $0, place: sheet.place($0), named: judged.named($0, sheet)))
      })
  }

  private struct State: Equatable {
    let object: E
    let place: Int
    let named: [NamedValue]
  }

  private func entry(_ id: Int, _ sheet: Sheet) -> (E, Int)? {
    sheet[keyPath: E.rows].first { $0.id == id }.map { ($0, sheet.place($0)) }
  }

  private func isSame(_ one: (E, Int)?, _ other: (E, Int)?) -> Bool {
    one?.0 == other?.0 && one?.1 == other?.1
  }

  private func put(_ entry: (E, Int)?, _ id: Int, _ sheet: inout Sheet) {
    sheet[keyPath: E.rows].removeAll { $0.id == id }
    sheet.places[E.key(id)] = nil
    if let entry {
      sheet[keyPath: E.rows].append(entry.0)
      sheet.places[E.key(id)] = entry.1
    }
    let places = sheet.places
    sheet[keyPath: E.rows].sort { (places[E.key($0.id)] ?? 0) < (places[E.key($1.id)] ?? 0) }
  }

  /// All that matters to the result, wherever it stands.
  private func signature(_ sheet: Sheet) -> [String] {
    tracker.judged.candidates(sheet).map {
      "\(sheet.place($0)) \($0) \(tracker.judged.named($0, sheet))"
    }
  }

  /// Rows of other tables, or of its own where that is read over links, that are as before the commit become what
  /// they are after it.
  private func adopt<T: Social>(
    _ table: WritableKeyPath<Sheet, [T]>, _ held: Sheet, _ before: Sheet, _ after: Sheet, _ next: inout Sheet
  ) {
    if T.self == E.self, !tracker.judged.readsItself { return }
    func entry(_ id: Int, _ sheet: Sheet) -> (T, Int)? {
      sheet[keyPath: table].first { $0.id == id }.map { ($0, sheet.place($0)) }
    }
    func isSame(_ one: (T, Int)?, _ other: (T, Int)?) -> Bool {
      one?.0 == other?.0 && one?.1 == other?.1
    }
    let ids = Set((before[keyPath: table] + after[keyPath: table]).map(\.id))
    // What the observer has of its own table otherwise than the result before stays.
    let (mine, result) = T.self == E.self ? (states(held, tracker.members), states(before)) : ([:], [:])
    for id in ids {
      if mine[id] != nil && mine[id] != result[id] { continue }
      let (old, new, own) = (entry(id, before), entry(id, after), entry(id, held))
      if isSame(old, new) { continue }
      guard isSame(own, old) else { continue }
      next[keyPath: table].removeAll { $0.id == id }
      next.places[T.key(id)] = nil
      if let new {
        next[keyPath: table].append(new.0)
        next.places[T.key(id)] = new.1
      }
    }
    let places = next.places
    next[keyPath: table].sort { (places[T.key($0.id)] ?? 0) < (places[T.key($1.id)] ?? 0) }
  }
}
