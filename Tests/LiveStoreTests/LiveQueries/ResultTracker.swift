import LiveStore
import Synchronization
import TestSupport

/// Where a handler leaves its events for the driver.
final class Inbox<Event: Sendable>: Sendable {
  private let events = Mutex<[Event]>([])

  func put(_ event: Event) { events.withLock { $0.append(event) } }

  func drain() -> [Event] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}

/// What one observer of a query has been given, and whether each event may follow it.
final class ResultTracker<Mode: Indexing> {
  private struct Entry {
    let thing: Thing<Mode>
    let position: Int
  }

  let queryCase: QueryCase<Mode>
  let observed: Observed
  let excluded: Set<String>
  private let choices: MoveChoices
  /// What the observer has: by the last event, and for excluded origins by the rule of the baseline.
  private(set) var held: [Thing<Mode>]?
  private(set) var version: Version?
  /// All change sets it was given.
  private(set) var changes: [ChangeSet<Thing<Mode>>] = []
  private var baseline: [Int: Entry] = [:]
  private var baselineVersion: Version?

  init(
    _ queryCase: QueryCase<Mode>, _ observed: Observed, excluding excluded: Set<String>,
    _ choices: MoveChoices
  ) {
    self.queryCase = queryCase
    self.observed = observed
    self.excluded = excluded
    self.choices = choices
  }

  /// Begins with the results at a version, which `initial: .skip` does not deliver.
  func begin(_ world: World, at version: Version) throws {
    held = try result(world, version)
    baseline = try entries(world, version)
    self.version = version
    baselineVersion = version
  }

  /// Takes an event; `mayBeEmpty` for members of a group.
  func take(_ event: CollectionChange<Thing<Mode>>, _ world: World, mayBeEmpty: Bool = false) throws {
    switch event {
    case .initial(let results):
      try require(held == nil, "a second .initial")
      try begin(world, at: results.version)
      try requireSame(results, held ?? [], ".initial")
    case .update(let results, let change):
      guard let last = version else { throw Mismatch(".update before .initial") }
      try require(
        results.version == change.current.version, "results and change set are of different versions")
      try require(results.version > last || mayBeEmpty, "version \(results.version) after \(last)")
      let current = try result(world, results.version)
      try requireSame(results, current, "results at \(results.version)")
      try advance(world, to: results.version)
      try check(
        change, from: held ?? [], to: current, observed: observed, choices: choices,
        mayBeEmpty: mayBeEmpty)
      if !change.isEmpty || !mayBeEmpty { try begin(world, at: results.version) }
      changes.append(change)
    case .error(let error): throw Mismatch("\(error)")
    }
  }

  /// What there is to deliver at the newest version.
  func pending(_ world: World) throws -> Bool {
    guard version != nil else { return true }
    let newest = try latest(world)
    try advance(world, to: newest)
    return try !ExpectedChange(held ?? [], result(world, newest)).isEmpty(for: observed)
  }

  /// Called when an observer that is not paused has received everything.
  func settle(_ world: World) throws {
    try requireSettled(world)
    let newest = try latest(world)
    guard !excluded.isEmpty else { return }
    held = try result(world, newest)
    baseline = try entries(world, newest)
    baselineVersion = newest
  }

  /// Throws if there is something to deliver.
  func requireSettled(_ world: World) throws {
    guard held != nil else { throw Mismatch("there was no .initial") }
    if try pending(world) {
      throw Mismatch(
        "nothing was delivered: it has \(held ?? []), now it is \(try result(world, latest(world)))")
    }
  }

  /// The change sets of this observer that lead from one version to another, as one.
  func composed(after start: Version, through end: Version) -> ChangeSet<Thing<Mode>>? {
    let parts = changes.filter { $0.current.version > start && $0.current.version <= end }
    guard let first = parts.first else { return nil }
    return parts.dropFirst().reduce(first) { $0.followed(by: $1) }
  }

  func result(_ world: World, _ version: Version) throws -> [Thing<Mode>] {
    queryCase.expectedRows(try world.rows(at: version))
  }

  func latest(_ world: World) throws -> Version {
    guard let version = world.versions.last else { throw Mismatch("no version") }
    return version
  }

  // MARK: The baseline of an observer that excludes origins

  /// Steps the baseline over the excluded commits up to a version, row by row: a row that has the value that it had
  /// before the commit becomes what it is after it, in its own place if others have given it another one.
  private func advance(_ world: World, to end: Version) throws {
    guard !excluded.isEmpty, let start = baselineVersion else { return }
    for (before, after) in zip(world.versions, world.versions.dropFirst()) where after > start && after <= end
    {
      guard let origin = world.origins[after], excluded.contains(origin) else { continue }
      let (old, new) = (try entries(world, before), try entries(world, after))
      for id in Set(old.keys).union(new.keys) {
        switch (baseline[id], old[id]) {
        case (nil, nil): baseline[id] = new[id]
        case (let held?, let old?) where held.thing.isSame(as: old.thing):
          let isInPlace = held.position == old.position
          baseline[id] = new[id].map {
            Entry(thing: $0.thing, position: isInPlace ? $0.position : held.position)
          }
        default: break
        }
      }
    }
    baselineVersion = max(start, end)
    held = queryCase.arrange(baseline.values.sorted { $0.position < $1.position }.map(\.thing))
  }

  /// The rows of the result, with their positions in the table.
  private func entries(_ world: World, _ version: Version) throws -> [Int: Entry] {
    guard !excluded.isEmpty, let model = world.models[version] else { return [:] }
    var entries: [Int: Entry] = [:]
    for thing in try result(world, version) {
      let position = model.position(of: Thing<Mode>.self, thing.id)
      entries[thing.id] = position.map { Entry(thing: thing, position: $0) }
    }
    return entries
  }
}
