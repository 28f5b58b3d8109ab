import LiveStore
import TestSupport

/// An observer of a count, by a handler or by an iterator that asks only now and then.
final class CountObserver<Mode: Indexing>: HistoryObserver {
  let name: String
  private let queryCase: QueryCase<Mode>
  private let inbox = Inbox<ValueChange<Int>>()
  private let token: NotificationToken?
  private let next: (() async -> ValueChange<Int>?)?
  private var held: Int?

  init(_ name: String, _ world: World, _ queryCase: QueryCase<Mode>, asToken: Bool) {
    self.name = name
    self.queryCase = queryCase
    if asToken {
      token = world.store.observe(queryCase.query.count) { [inbox] in inbox.put($0) }
      next = nil
    } else {
      var iterator = world.store.changes(of: queryCase.query.count).makeAsyncIterator()
      next = { await iterator.next() }
      token = nil
    }
  }

  func check(_ world: World, _ random: inout SplitMix64) async throws {
    if token != nil || random.chance(1, in: 4) { try await finish(world) }
  }

  func finish(_ world: World) async throws {
    let now = queryCase.expectedRows(world.model.rows()).count
    if let next {
      if held == now { return }
      guard let event = await next() else { throw Mismatch("no count came") }
      try take(event)
    } else {
      for event in inbox.drain() { try take(event) }
    }
    try require(held == now, "the count is \(now), the observer has \(held.map { "\($0)" } ?? "nothing")")
  }

  private func take(_ event: ValueChange<Int>) throws {
    switch event {
    case .initial(let count):
      try require(held == nil, "a second .initial")
      held = count
    case .change(let old, let new):
      try require(
        old == held && old != new, "\(event), and the observer had \(held.map { "\($0)" } ?? "nothing")")
      held = new
    case .error(let error): throw error
    }
  }
}

/// An observer of one object, by a handler or by an iterator that asks only now and then.
final class ObjectObserver<Mode: Indexing>: HistoryObserver {
  let name: String
  private let id: Int
  private let observed: Observed
  private let inbox = Inbox<ObjectChange<Thing<Mode>>>()
  private let token: NotificationToken?
  private let next: (() async -> ObjectChange<Thing<Mode>>?)?
  private var hasBegun = false
  private var held: Thing<Mode>?

  init(_ name: String, _ world: World, _ id: Int, _: Mode.Type, asToken: Bool, observed: Observed = .all) {
    self.name = "\(name) of \(id)"
    self.id = id
    self.observed = observed
    let paths = observed.paths(Mode.self)
    if asToken {
      token = world.store.observe(Thing<Mode>.self, id, properties: paths) { [inbox] in inbox.put($0) }
      next = nil
    } else {
      var iterator = world.store.changes(of: Thing<Mode>.self, id, properties: paths).makeAsyncIterator()
      next = { await iterator.next() }
      token = nil
    }
  }

  func check(_ world: World, _ random: inout SplitMix64) async throws {
    if token != nil || random.chance(1, in: 4) { try await finish(world) }
  }

  func finish(_ world: World) async throws {
    let now = world.model[Thing<Mode>.self, id]
    if let next {
      if hasBegun && !differ(held, now) { return }
      guard let event = await next() else { throw Mismatch("no event came") }
      try take(event)
    } else {
      for event in inbox.drain() { try take(event) }
    }
    try require(hasBegun, "there was no .initial")
    try require(!differ(held, now), "the object is \(text(now)), the observer has \(text(held))")
  }

  private func differ(_ one: Thing<Mode>?, _ other: Thing<Mode>?) -> Bool {
    guard let one, let other else { return (one == nil) != (other == nil) }
    return observed.differ(one, other)
  }

  private func text(_ thing: Thing<Mode>?) -> String { thing.map { "\($0)" } ?? "nil" }

  private func take(_ event: ObjectChange<Thing<Mode>>) throws {
    func requireHeld(_ old: Thing<Mode>) throws {
      try require(held.map { $0.isSame(as: old) } ?? false, "\(event), and the observer had \(text(held))")
    }
    try require(hasBegun != { if case .initial = event { true } else { false } }(), "\(event) out of turn")
    switch event {
    case .initial: hasBegun = true
    case .change(let old, let new, let properties):
      try requireHeld(old)
      try require(observed.differ(old, new), "\(event) is no change")
      let names = new.differences(from: old).filter(observed.lists)
      try require(properties.map(\.name) == names, "properties of \(event)")
      try require(
        (event[\.level] != nil) == new.differences(from: old).contains("level"), "\(event)[\\.level]")
    case .deleted(let last): try requireHeld(last)
    case .inserted: try require(held == nil, "\(event), and the observer had \(text(held))")
    case .error(let error): throw error
    }
    held = event.object
  }
}

/// An observer of two queries and a count at one version, one of them of the other entity.
final class GroupObserver: HistoryObserver {
  typealias Change = SourcesChange<
    (Results<Thing<WithIndexes>>, Results<Thing<WithoutIndexes>>, Int, Thing<WithIndexes>?),
    (
      CollectionChange<Thing<WithIndexes>>, CollectionChange<Thing<WithoutIndexes>>, ValueChange<Int>,
      ObjectChange<Thing<WithIndexes>>
    )
  >

  let name: String
  private let first: ResultTracker<WithIndexes>
  private let second: ResultTracker<WithoutIndexes>
  private let id: Int
  private let patience: Int
  private var iterator: LiveChanges<Change>.Iterator
  private var count: Int?
  private var object: Thing<WithIndexes>?

  init(
    _ world: World, _ first: QueryCase<WithIndexes>, _ second: QueryCase<WithoutIndexes>, id: Int,
    _ choices: MoveChoices, patience: Int
  ) {
    name = "a group asked every \(patience) steps"
    self.first = ResultTracker(first, .all, excluding: [], choices)
    self.second = ResultTracker(second, .all, excluding: [], choices)
    self.id = id
    self.patience = patience
    iterator =
      world.store.changes(of: first.query, second.query, first.query.count, Thing<WithIndexes>.object(id))
      .makeAsyncIterator()
  }

  func check(_ world: World, _ random: inout SplitMix64) async throws {
    if random.chance(1, in: patience) { try await finish(world) }
  }

  func finish(_ world: World) async throws {
    let isObjectSame =
      switch (object, world.model[Thing<WithIndexes>.self, id]) {
      case (nil, nil): true
      case (let held?, let now?): held.isSame(as: now)
      default: false
      }
    if try !first.pending(world) && !second.pending(world) && isObjectSame { return }
    guard let event = await iterator.next() else { throw Mismatch("no event came") }
    switch event {
    case .initial(let values):
      try require(count == nil, "a second .initial")
      try require(
        values.0.version == values.1.version, "a group of versions \(values.0.version), \(values.1.version)")
      try first.take(.initial(values.0), world)
      try second.take(.initial(values.1), world)
      (count, object) = (values.2, values.3)
      try require(count == values.0.count, "count \(values.2) of \(values.0.count)")
    case .update(let changes):
      guard let one = changes.0.results, let two = changes.1.results else { throw Mismatch("\(event)") }
      try require(one.version == two.version, "a group of versions \(one.version) and \(two.version)")
      try first.take(changes.0, world, mayBeEmpty: true)
      try second.take(changes.1, world, mayBeEmpty: true)
      guard case .change(let old, let new) = changes.2 else { throw Mismatch("\(changes.2)") }
      try require(old == count && new == one.count, "\(changes.2), and the observer had \(count ?? -1)")
      count = new
      object = changes.3.object
    case .error(let error): throw error
    }
    try first.requireSettled(world)
    try second.requireSettled(world)
    let now = world.model[Thing<WithIndexes>.self, id]
    try require(
      (object == nil) == (now == nil)
        && (object.map { held in now.map { held.isSame(as: $0) } ?? false } ?? true),
      "the object is \(now.map { "\($0)" } ?? "nil"), the observer has \(object.map { "\($0)" } ?? "nil")")
  }
}

/// A consumer of every commit.
final class CommitsObserver: HistoryObserver {
  let name = "commits(after:)"
  private var iterator: LiveValues<Commit>.Iterator
  private var seen: Version

  init(_ world: World) {
    seen = world.store.version
    iterator = world.store.commits(after: seen).makeAsyncIterator()
  }

  func check(_ world: World, _ random: inout SplitMix64) async throws {
    if random.chance(1, in: 3) { try await finish(world) }
  }

  func finish(_ world: World) async throws {
    for (before, after) in zip(world.versions, world.versions.dropFirst()) where after > seen {
      guard let commit = try await iterator.next() else { throw Mismatch("no commit for version \(after)") }
      try require(commit.version == after, "commit \(commit.version), not \(after)")
      try require(commit.origin == world.origins[after], "origin \(commit.origin ?? "nil")")
      guard let old = world.models[before], let new = world.models[after] else {
        throw Mismatch("there are no versions \(before) and \(after)")
      }
      try requireSame(commit.before.fetch(Thing<WithIndexes>.all), old.rows(), "before commit \(after)")
      try requireSame(commit.after.fetch(Thing<WithIndexes>.all), new.rows(), "after commit \(after)")
      try new.checkChanges(in: commit, from: old, of: Thing<WithIndexes>.self)
      try new.checkChanges(in: commit, from: old, of: Thing<WithoutIndexes>.self)
      seen = after
    }
  }
}
