import LiveStore
import TestSupport

/// How events reach an observer of groups or of an aggregate.
enum ObserverStyle: CaseIterable {
  case handler, pausingHandler, skippingHandler, excludingHandler, everyCommit
  case iterator, skippingIterator, subscription, values
}

/// One observer, whatever it observes: what it receives, and when it asks.
final class SourceObserver<Source: LiveSource>: HistoryObserver {
  let name: String
  let style: ObserverStyle
  private let inbox = Inbox<Source.Change>()
  private var token: NotificationToken?
  private var next: (() async throws -> Received?)?
  private var isPaused = false
  private let checker: any Checker<Source>

  enum Received {
    case change(Source.Change)
    case value(Source.Value)
  }

  init(
    _ style: ObserverStyle, _ world: World, _ source: Source, _ checker: any Checker<Source>, _ text: String
  ) throws {
    self.style = style
    self.checker = checker
    name = "\(style) of \(text)"
    let inbox = inbox
    let store = world.store
    switch style {
    case .handler, .pausingHandler: token = store.observe(source) { inbox.put($0) }
    case .skippingHandler: token = store.observe(source, initial: .skip) { inbox.put($0) }
    case .excludingHandler: token = store.observe(source, excluding: ["a"]) { inbox.put($0) }
    case .everyCommit: token = store.observe(source, mode: .everyCommit) { inbox.put($0) }
    case .iterator, .skippingIterator:
      let initial: InitialDelivery = style == .iterator ? .deliver : .skip
      var iterator = store.changes(of: source, initial: initial).makeAsyncIterator()
      next = { await iterator.next().map { .change($0) } }
    case .subscription:
      let (value, changes) = try store.subscribe(source)
      try checker.take(value: value, world)
      var iterator = changes.makeAsyncIterator()
      next = { await iterator.next().map { .change($0) } }
    case .values:
      var iterator = store.values(of: source).makeAsyncIterator()
      next = { try await iterator.next().map { .value($0) } }
    }
    if style == .skippingHandler || style == .skippingIterator { try checker.begin(world) }
  }

  func check(_ world: World, _ random: inout SplitMix64) async throws {
    if next != nil {
      if random.chance(1, in: 3) { try await ask(world) }
      return
    }
    let events = inbox.drain()
    try require(!isPaused || events.isEmpty, "delivered while paused")
    for event in events { try take(.change(event), world) }
    if !isPaused { try settle(world) }
    guard style == .pausingHandler, random.chance(1, in: 2) else { return }
    if isPaused { try await resume(world) } else { pause() }
  }

  private func pause() {
    token?.pause()
    isPaused = true
  }

  private func resume(_ world: World) async throws {
    isPaused = false
    token?.resume()
    try await world.store.settled()
    let events = inbox.drain()
    try require(events.count <= 1, "\(events.count) events at resume")
    for event in events { try take(.change(event), world) }
    try settle(world)
  }

  /// Everything has been delivered, but for excluded origins.
  private func settle(_ world: World) throws {
    if style != .excludingHandler { try checker.requireSettled(world) }
  }

  private func take(_ reported: Received, _ world: World) throws {
    switch reported {
    case .change(let change): try checker.take(change, world, startsFromOwn: style == .excludingHandler)
    case .value(let value): try checker.take(value: value, world)
    }
  }

  private func ask(_ world: World) async throws {
    guard checker.isPending(world) else { return }
    guard let next, let reported = try await next() else { throw Mismatch("there is something to deliver") }
    try take(reported, world)
    try checker.requireSettled(world)
  }

  func finish(_ world: World) async throws {
    if isPaused { try await resume(world) }
    if next != nil { try await ask(world) }
    token?.invalidate()
  }
}

/// Checks whether what an observer receives is right; holds what it has received.
protocol Checker<Source>: AnyObject {
  associatedtype Source: LiveSource
  /// There is no first event: it has what there is now.
  func begin(_ world: World) throws
  /// - Parameter startsFromOwn: whether the change starts from a baseline that excluded commits have moved.
  func take(_ change: Source.Change, _ world: World, startsFromOwn: Bool) throws
  func take(value: Source.Value, _ world: World) throws
  func isPending(_ world: World) -> Bool
  func requireSettled(_ world: World) throws
  /// A value read at the newest version.
  func check(_ value: Source.Value, _ rows: World, _ what: String) throws
}

final class GroupChecker<Mode: Indexing, Key: Hashable & Sendable, Value: Equatable & Sendable>: Checker {
  typealias Source = GroupAggregate<Thing<Mode>, Key, Value>
  typealias Row = ResultGroup<Key, Value>
  typealias Pairs = [(key: Key, value: Value)]

  private let value: GroupCase<Mode, Key, Value>
  private var held: Pairs?
  private var version: Version?

  init(_ value: GroupCase<Mode, Key, Value>) { self.value = value }

  private func now(_ world: World) -> Pairs { value.expected(world.model.rows()) }

  private func isSame(_ lhs: Pairs, _ rhs: Pairs) -> Bool {
    lhs.elementsEqual(rhs) { isSameValue($0.key, $1.key) && isSameValue($0.value, $1.value) }
  }

  private func pairs(_ rows: some Sequence<Row>) -> Pairs { rows.map { ($0.key, $0.value) } }

  func begin(_ world: World) throws { held = now(world) }

  func take(value results: Results<Row>, _ world: World) throws {
    try check(results, world, "the value")
    held = now(world)
  }

  func check(_ results: Results<Row>, _ world: World, _ what: String) throws {
    try require(results, value.expected(world.model.rows()), what)
  }

  private func require(_ results: Results<Row>, _ expected: Pairs, _ what: String) throws {
    if !isSame(pairs(results), expected) {
      throw Mismatch("\(what) is\n    \(pairs(results))\nand not\n    \(expected)")
    }
    try TestSupport.require(results.count == expected.count, "\(what): count \(results.count)")
    for (index, pair) in expected.enumerated() {
      try TestSupport.require(isSameValue(results[index].key, pair.key), "\(what): [\(index)]")
      let found = results.firstIndex(id: pair.key)
      try TestSupport.require(found == (pair.key == pair.key ? index : nil), "\(what): index of \(pair.key)")
    }
  }

  func take(_ change: CollectionChange<Row>, _ world: World, startsFromOwn: Bool) throws {
    guard let results = change.results else { throw Mismatch("\(change)") }
    try require(results, value.expected(world.rows(at: results.version)), "the groups at \(results.version)")
    switch change {
    case .initial: try TestSupport.require(held == nil, "a second .initial")
    case .update(_, let changes):
      guard let held else { throw Mismatch("an update before .initial") }
      try TestSupport.require(!changes.isEmpty, "an empty event")
      if let version {
        try TestSupport.require(results.version > version, "\(results.version) after \(version)")
      }
      if !startsFromOwn {
        try TestSupport.require(isSame(pairs(changes.previous), held), "previous is not what it had")
      }
      try checkLaw(changes)
    case .error(let error): throw error
    }
    held = pairs(results)
    version = results.version
  }

  private func checkLaw(_ changes: ChangeSet<Row>) throws {
    let (old, new) = (pairs(changes.previous), pairs(changes.current))
    func index(_ key: Key, _ pairs: Pairs) -> Int? { pairs.firstIndex { isSameValue($0.key, key) } }
    try TestSupport.require(
      changes.deletions == old.indices.filter { index(old[$0].key, new) == nil }, "deletions of \(changes)")
    try TestSupport.require(
      changes.insertions == new.indices.filter { index(new[$0].key, old) == nil }, "insertions of \(changes)")
    let modified = new.indices.filter { place in
      index(new[place].key, old).map { !isSameValue(old[$0].value, new[place].value) } ?? false
    }
    try TestSupport.require(
      changes.modifications.map(\.newIndex) == modified, "modifications of \(changes), not \(modified)")
    var rows = old
    for index in (changes.deletions + changes.moves.map(\.from)).sorted(by: >) { rows.remove(at: index) }
    let arrivals = changes.insertions.map { ($0, new[$0]) } + changes.moves.map { ($0.to, old[$0.from]) }
    for (index, pair) in arrivals.sorted(by: { $0.0 < $1.0 }) { rows.insert(pair, at: index) }
    for change in changes.modifications { rows[change.newIndex] = (change.new.key, change.new.value) }
    try TestSupport.require(isSame(rows, new), "the law gives \(rows), not \(new), by \(changes)")
    let kept = new.compactMap { pair in index(pair.key, old) }
    try TestSupport.require(
      changes.moves.count == kept.count - longestIncreasing(kept), "not the fewest moves: \(changes)")
  }

  func isPending(_ world: World) -> Bool { held.map { !isSame($0, now(world)) } ?? true }

  func requireSettled(_ world: World) throws {
    try TestSupport.require(!isPending(world), "not delivered: it has \(held ?? []), now it is \(now(world))")
  }
}

final class AggregateChecker<Mode: Indexing, Value: Equatable & Sendable>: Checker {
  typealias Source = Aggregate<Thing<Mode>, Value>

  private let value: AggregateCase<Mode, Value>
  private var held: Value?
  /// Values that it may have skipped over: those of all versions so far.
  private func all(_ world: World) throws -> [Value] {
    try world.versions.map { value.expected(try world.rows(at: $0)) }
  }

  init(_ value: AggregateCase<Mode, Value>) { self.value = value }

  private func now(_ world: World) -> Value { value.expected(world.model.rows()) }

  func begin(_ world: World) throws { held = now(world) }

  func check(_ found: Value, _ world: World, _ what: String) throws {
    try require(isSameValue(found, now(world)), "\(what) is \(found), not \(now(world))")
  }

  func take(value found: Value, _ world: World) throws {
    try check(found, world, "the value")
    held = found
  }

  func take(_ change: ValueChange<Value>, _ world: World, startsFromOwn: Bool) throws {
    switch change {
    case .initial(let found):
      try require(held == nil, "a second .initial")
      held = found
    case .change(let old, let new):
      guard let held else { throw Mismatch("a change before .initial") }
      try require(startsFromOwn || isSameValue(old, held), "it had \(held), not \(old)")
      try require(!isSameValue(old, new), "an empty event")
      self.held = new
    case .error(let error): throw error
    }
    guard let held else { return }
    try require(all(world).contains { isSameValue($0, held) }, "\(held) was never the value")
  }

  func isPending(_ world: World) -> Bool { held.map { !isSameValue($0, now(world)) } ?? true }

  func requireSettled(_ world: World) throws {
    try require(
      !isPending(world), "not delivered: it has \(held.map { "\($0)" } ?? "nil"), now it is \(now(world))")
  }
}
