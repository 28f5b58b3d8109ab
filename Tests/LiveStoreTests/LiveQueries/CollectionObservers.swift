import LiveStore
import TestSupport

/// An observer of a random history, looked at after every step.
protocol HistoryObserver: AnyObject {
  /// Who it is, for the report of a failure.
  var name: String { get }
  /// Looks at what has come, when all has been delivered; may ask, pause or resume by chance.
  func check(_ world: World, _ random: inout SplitMix64) async throws
  /// Looks once more at the end.
  func finish(_ world: World) async throws
}

/// A handler that is called at once, unless it is paused now and then.
final class TokenObserver<Mode: Indexing>: HistoryObserver {
  let name: String
  let tracker: ResultTracker<Mode>
  private let inbox = Inbox<CollectionChange<Thing<Mode>>>()
  private let token: NotificationToken
  private let prompt: TokenObserver?
  private let pauses: Bool
  private var isPaused = false

  /// - Parameter prompt: the observer whose changes are composed and compared.
  init(
    _ name: String, _ world: World, _ queryCase: QueryCase<Mode>, _ choices: MoveChoices,
    pauses: Bool = false,
    initial: InitialDelivery = .deliver, observed: Observed = .all, excluding origins: Set<String> = [],
    prompt: TokenObserver? = nil
  ) throws {
    self.name = name
    self.pauses = pauses
    self.prompt = prompt
    tracker = ResultTracker(queryCase, observed, excluding: origins, choices)
    token = world.store.observe(
      queryCase.query, initial: initial, properties: observed.paths(Mode.self), excluding: origins
    ) { [inbox] in inbox.put($0) }
    if initial == .skip { try tracker.begin(world, at: world.store.version) }
  }

  func check(_ world: World, _ random: inout SplitMix64) async throws {
    let events = inbox.drain()
    try require(!isPaused || events.isEmpty, "delivered while paused: \(events)")
    for event in events { try tracker.take(event, world) }
    if !isPaused { try tracker.settle(world) }
    guard pauses, random.chance(1, in: 2) else { return }
    if isPaused {
      try await resume(world)
    } else {
      token.pause()
      isPaused = true
    }
  }

  private func resume(_ world: World) async throws {
    let start = tracker.version
    let isPending = try tracker.pending(world)
    isPaused = false
    token.resume()
    try await world.store.settled()
    let events = inbox.drain()
    try require(
      events.count == (isPending ? 1 : 0), "\(events.count) events at resume; pending: \(isPending)")
    for event in events {
      try tracker.take(event, world)
      if case .update(_, let change) = event, let start, let prompt {
        try compare(change, prompt.tracker, after: start)
      }
    }
    try tracker.settle(world)
  }

  func finish(_ world: World) async throws {
    if isPaused { try await resume(world) }
    token.invalidate()
  }
}

/// Compares a merged change set with the composition of those that a prompt observer was given.
func compare<Mode: Indexing>(
  _ change: ChangeSet<Thing<Mode>>, _ prompt: ResultTracker<Mode>, after start: Version
) throws {
  guard let composed = prompt.composed(after: start, through: change.current.version) else { return }
  func isSame(_ one: Results<Thing<Mode>>, _ other: Results<Thing<Mode>>) -> Bool {
    one.elementsEqual(other) { $0.isSame(as: $1) }
  }
  guard isSame(composed.previous, change.previous), isSame(composed.current, change.current) else { return }
  try requireEqual(change, composed, "a merged change set and the composed one")
}

/// A consumer that asks only now and then.
final class IteratorObserver<Mode: Indexing>: HistoryObserver {
  let name: String
  private let tracker: ResultTracker<Mode>
  private let next: () async -> CollectionChange<Thing<Mode>>?
  private let prompt: ResultTracker<Mode>?
  private let patience: Int

  /// - Parameter patience: it asks once in so many steps.
  init(
    _ name: String, _ world: World, _ queryCase: QueryCase<Mode>, _ choices: MoveChoices, patience: Int,
    initial: InitialDelivery = .deliver, observed: Observed = .all, asStream: Bool = false,
    prompt: ResultTracker<Mode>? = nil
  ) throws {
    self.name = name
    self.patience = patience
    self.prompt = prompt
    tracker = ResultTracker(queryCase, observed, excluding: [], choices)
    let changes = world.store.changes(
      of: queryCase.query, initial: initial, properties: observed.paths(Mode.self))
    if asStream {
      var iterator = changes.stream().makeAsyncIterator()
      next = { await iterator.next(isolation: #isolation) }
    } else {
      var iterator = changes.makeAsyncIterator()
      next = { await iterator.next() }
    }
    if initial == .skip { try tracker.begin(world, at: world.store.version) }
  }

  /// Takes the results that `subscribe` returned, and follows the rest.
  init(
    subscribing name: String, _ world: World, _ queryCase: QueryCase<Mode>, _ choices: MoveChoices,
    prompt: ResultTracker<Mode>?
  ) throws {
    self.name = name
    self.prompt = prompt
    patience = 3
    tracker = ResultTracker(queryCase, .all, excluding: [], choices)
    let (results, changes) = try world.store.subscribe(queryCase.query)
    try tracker.take(.initial(results), world)
    try require(results.version == world.store.version, "subscribe gave version \(results.version)")
    var iterator = changes.makeAsyncIterator()
    next = { await iterator.next() }
  }

  func check(_ world: World, _ random: inout SplitMix64) async throws {
    if random.chance(1, in: patience) { try await ask(world) }
  }

  func finish(_ world: World) async throws { try await ask(world) }

  private func ask(_ world: World) async throws {
    guard try tracker.pending(world) else { return }
    let start = tracker.version
    guard let event = await next() else { throw Mismatch("there is something to tell, but no event came") }
    try tracker.take(event, world)
    try tracker.requireSettled(world)
    if case .update(_, let change) = event, let start, let prompt {
      try compare(change, prompt, after: start)
    }
  }
}

/// A consumer of the newest results alone.
final class ValuesObserver<Mode: Indexing>: HistoryObserver {
  let name = "values(of:)"
  private let queryCase: QueryCase<Mode>
  private var iterator: LiveValues<Results<Thing<Mode>>>.Iterator
  private var held: [Thing<Mode>]?

  init(_ world: World, _ queryCase: QueryCase<Mode>) {
    self.queryCase = queryCase
    iterator = world.store.values(of: queryCase.query).makeAsyncIterator()
  }

  func check(_ world: World, _ random: inout SplitMix64) async throws {
    if random.chance(1, in: 3) { try await finish(world) }
  }

  func finish(_ world: World) async throws {
    let now = queryCase.expectedRows(world.model.rows())
    if let held, ExpectedChange(held, now).isEmpty { return }
    guard let results = try await iterator.next() else { throw Mismatch("values(of:) gave nothing") }
    try requireSame(results, now, "values(of:)")
    held = now
  }
}

/// An observer of every commit, by a handler or by an iterator that asks only now and then.
final class EveryCommitObserver<Mode: Indexing>: HistoryObserver {
  let name: String
  private let tracker: ResultTracker<Mode>
  private let inbox = Inbox<CollectionChange<Thing<Mode>>>()
  private let token: NotificationToken?
  private let next: (() async -> CollectionChange<Thing<Mode>>?)?
  /// The version up to which everything has been looked at.
  private var seen: Version

  init(
    _ name: String, _ world: World, _ queryCase: QueryCase<Mode>, _ choices: MoveChoices, asToken: Bool,
    excluding origins: Set<String> = []
  ) {
    self.name = name
    tracker = ResultTracker(queryCase, .all, excluding: origins, choices)
    seen = world.store.version
    if asToken {
      token = world.store.observe(queryCase.query, excluding: origins, mode: .everyCommit) { [inbox] in
        inbox.put($0)
      }
      next = nil
    } else {
      var iterator = world.store.changes(of: queryCase.query, excluding: origins, mode: .everyCommit)
        .makeAsyncIterator()
      next = { await iterator.next() }
      token = nil
    }
  }

  func check(_ world: World, _ random: inout SplitMix64) async throws {
    if token != nil || random.chance(1, in: 5) { try await finish(world) }
  }

  func finish(_ world: World) async throws {
    var events = ArraySlice(inbox.drain())
    func event(_ what: String) async throws -> CollectionChange<Thing<Mode>> {
      let event: CollectionChange<Thing<Mode>>? = if let next { await next() } else { events.popFirst() }
      guard let event else { throw Mismatch("no event for \(what)") }
      return event
    }
    if tracker.held == nil {
      let first = try await event("the beginning")
      try tracker.take(first, world)
      guard case .initial(let results) = first else { throw Mismatch("no .initial, but \(first)") }
      seen = results.version
    }
    for (before, after) in zip(world.versions, world.versions.dropFirst()) where after > seen {
      if let origin = world.origins[after], tracker.excluded.contains(origin) { continue }
      let expected = ExpectedChange(try tracker.result(world, before), try tracker.result(world, after))
      if expected.isEmpty { continue }
      let event = try await event("version \(after)")
      try require(event.results?.version == after, "version \(after) expected, not \(event)")
      try tracker.take(event, world)
    }
    seen = try tracker.latest(world)
    try require(events.isEmpty, "more events than commits that matter: \(events)")
  }
}
