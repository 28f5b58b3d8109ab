import LiveStore
import TestSupport

/// An observer of a random graph.
protocol LinkedObserver: AnyObject {
  var name: String { get }
  /// Looks at what has come, when all has been delivered.
  func check(_ world: LinkedWorld, _ random: inout SplitMix64) async throws
}

/// A handler, paused now and then.
final class LinkedHandler<E: Social>: LinkedObserver {
  let name: String
  private let tracker: LinkedTracker<E>
  private let inbox = Inbox<CollectionChange<E>>()
  private let token: NotificationToken
  private let pauses: Bool
  private var isPaused = false

  init(
    _ name: String, _ world: LinkedWorld, _ judged: LinkedCase<E>, _ choices: LinkedMoves,
    pauses: Bool = false, initial: InitialDelivery = .deliver, isLimited: Bool = false
  ) throws {
    self.name = "\(name) of \(judged.text)"
    self.pauses = pauses
    tracker = LinkedTracker(judged, isLimited: isLimited, choices)
    token = world.store.observe(
      judged.query, initial: initial, properties: isLimited ? E.observed.paths : nil
    ) { [inbox] in inbox.put($0) }
    if initial == .skip { try tracker.begin(world, at: world.version) }
  }

  func check(_ world: LinkedWorld, _ random: inout SplitMix64) async throws {
    let events = inbox.drain()
    try require(!isPaused || events.isEmpty, "delivered while paused: \(events)")
    for event in events { try tracker.take(event, world) }
    if isPaused {
      guard random.chance(1, in: 3) else { return }
      let isPending = try tracker.pending(world)
      token.resume()
      isPaused = false
      try await world.store.settled()
      let events = inbox.drain()
      try require(
        events.count == (isPending ? 1 : 0), "\(events.count) events at resume; pending: \(isPending)")
      for event in events { try tracker.take(event, world) }
    }
    try require(!(try tracker.pending(world)), "not everything is delivered")
    if pauses && random.chance(1, in: 2) {
      token.pause()
      isPaused = true
    }
  }
}

/// A consumer that asks only now and then.
final class LinkedReader<E: Social>: LinkedObserver {
  let name: String
  private let tracker: LinkedTracker<E>
  private let next: () async -> CollectionChange<E>?
  private let patience: Int

  init(
    _ name: String, _ world: LinkedWorld, _ judged: LinkedCase<E>, _ choices: LinkedMoves, patience: Int,
    initial: InitialDelivery = .deliver, isLimited: Bool = false
  ) throws {
    self.name = "\(name) of \(judged.text)"
    self.patience = patience
    tracker = LinkedTracker(judged, isLimited: isLimited, choices)
    var iterator = world.store.changes(
      of: judged.query, initial: initial, properties: isLimited ? E.observed.paths : nil
    ).makeAsyncIterator()
    next = { await iterator.next() }
    if initial == .skip { try tracker.begin(world, at: world.version) }
  }

  func check(_ world: LinkedWorld, _ random: inout SplitMix64) async throws {
    guard random.chance(1, in: patience), try tracker.pending(world) else { return }
    let start = tracker.last
    guard let event = await next() else { throw Mismatch("no event") }
    try tracker.take(event, world)
    try require(!(try tracker.pending(world)), "not everything is delivered")
    // The same by the results alone.
    guard !tracker.isLimited, let start, let end = event.results, let changes = event.changes else { return }
    let again = start.changes(to: end)
    try require(
      again.description == changes.description, "changes(to:) says \(again), the observer received \(changes)"
    )
  }
}

/// An observer of every commit.
final class LinkedFollower<E: Social>: LinkedObserver {
  let name: String
  private let tracker: LinkedTracker<E>
  private let inbox = Inbox<CollectionChange<E>>()
  private let token: NotificationToken?
  private let next: (() async -> CollectionChange<E>?)?
  private var seen: Version

  init(
    _ world: LinkedWorld, _ judged: LinkedCase<E>, _ choices: LinkedMoves, asToken: Bool,
    isLimited: Bool = false
  ) throws {
    name =
      "every commit (\(asToken ? "handler" : "iterator"), \(isLimited ? "some" : "all")) of \(judged.text)"
    tracker = LinkedTracker(judged, isLimited: isLimited, choices)
    seen = world.version
    let paths = isLimited ? E.observed.paths : nil
    if asToken {
      token = world.store.observe(judged.query, properties: paths, mode: .everyCommit) { [inbox] in
        inbox.put($0)
      }
      next = nil
    } else {
      var iterator = world.store.changes(of: judged.query, properties: paths, mode: .everyCommit)
        .makeAsyncIterator()
      next = { await iterator.next() }
      token = nil
    }
  }

  func check(_ world: LinkedWorld, _ random: inout SplitMix64) async throws {
    guard token != nil || random.chance(1, in: 4) else { return }
    var events = ArraySlice(inbox.drain())
    func take(_ version: Version) async throws {
      let event: CollectionChange<E>? = if let next { await next() } else { events.popFirst() }
      guard let event else { throw Mismatch("no event for version \(version)") }
      try require(event.results?.version == version, "version \(version) expected, not \(event)")
      try tracker.take(event, world)
    }
    if tracker.held == nil { try await take(seen) }
    for version in world.versions where version > seen {
      if try tracker.pending(world, at: version) { try await take(version) }
      seen = version
    }
    try require(events.isEmpty, "more events than commits that matter: \(events)")
  }
}

/// Consumers of the newest results, and of their number.
final class LinkedValues<E: Social>: LinkedObserver {
  let name: String
  private let tracker: LinkedTracker<E>
  private var results: LiveValues<Results<E>>.Iterator
  private var counts: LiveChanges<ValueChange<Int>>.Iterator
  private var count: Int?

  init(_ world: LinkedWorld, _ judged: LinkedCase<E>, _ choices: LinkedMoves) {
    name = "values and counts of \(judged.text)"
    tracker = LinkedTracker(judged, choices)
    results = world.store.values(of: judged.query).makeAsyncIterator()
    counts = world.store.changes(of: judged.query.count).makeAsyncIterator()
  }

  func check(_ world: LinkedWorld, _ random: inout SplitMix64) async throws {
    let now = tracker.judged.judge(world.sheet)
    if random.chance(1, in: 3), try tracker.pending(world) {
      guard let results = try await results.next() else { throw Mismatch("no results") }
      try require(results.elementsEqual(now), "values are \(Array(results)), not \(now)")
      try tracker.begin(world, at: results.version)
    }
    guard random.chance(1, in: 3), count != now.count else { return }
    switch await counts.next() {
    case .initial(let new)?: try require(count == nil && new == now.count, "count \(new), not \(now.count)")
    case .change(let old, let new)?:
      try require(
        old == count && new == now.count, "count \(old) → \(new), not \(count ?? -1) → \(now.count)")
    default: throw Mismatch("no count")
    }
    count = now.count
  }
}

/// One object, of which some properties are observed.
final class LinkedObject<E: Social>: LinkedObserver {
  let name: String
  private let id: Int
  private let isLimited: Bool
  private let inbox = Inbox<ObjectChange<E>>()
  private let token: NotificationToken
  private var held: (object: E?, sheet: Sheet)?

  init(_ world: LinkedWorld, _ id: Int, isLimited: Bool) {
    name = "\(E.self) \(id)\(isLimited ? ", some properties" : "")"
    self.id = id
    self.isLimited = isLimited
    token = world.store.observe(E.self, id, properties: isLimited ? E.observed.paths : nil) { [inbox] in
      inbox.put($0)
    }
  }

  func check(_ world: LinkedWorld, _ random: inout SplitMix64) async throws {
    let (now, sheet) = (world.sheet[keyPath: E.rows].first { $0.id == id }, world.sheet)
    let events = inbox.drain()
    for event in events {
      if case .change(let old, let new, let properties) = event, let held {
        try require(old == held.object, "\(event), and the observer had \(held)")
        // Of several it is not known which commits they are of.
        if events.count == 1 { try check(properties, old, held.sheet, new, sheet) }
      }
      held = (event.object, sheet)
    }
    guard let held else { throw Mismatch("no .initial") }
    try require((held.object == nil) == (now == nil), "it has \(held), not \(String(describing: now))")
    guard let now, let old = held.object else { return }
    let isSame = isLimited ? E.observed.values(old, held.sheet) == E.observed.values(now, sheet) : old == now
    try require(isSame, "it has \(old), not \(now)")
  }

  private func check(_ properties: [PropertyChange], _ old: E, _ before: Sheet, _ new: E, _ after: Sheet)
    throws
  {
    var names = old.differences(from: new)
    if isLimited {
      names = names.filter(E.observed.names.contains)
      names += zip(E.observed.linked(old, before), E.observed.linked(new, after)).filter { $0 != $1 }.map(
        \.0.name)
    }
    try require(properties.map(\.name) == names, "properties \(properties), not \(names)")
  }
}

/// Two queries of different tables at one version.
final class LinkedPair<E: Social, F: Social>: LinkedObserver {
  typealias Change = GroupChange<(Results<E>, Results<F>), (CollectionChange<E>, CollectionChange<F>)>

  let name: String
  private let one: LinkedTracker<E>
  private let two: LinkedTracker<F>
  private var iterator: LiveChanges<Change>.Iterator

  init(_ world: LinkedWorld, _ one: LinkedCase<E>, _ two: LinkedCase<F>, _ choices: LinkedMoves) {
    name = "\(one.text) with \(two.text)"
    self.one = LinkedTracker(one, choices)
    self.two = LinkedTracker(two, choices)
    iterator = world.store.changes(of: one.query, two.query).makeAsyncIterator()
  }

  func check(_ world: LinkedWorld, _ random: inout SplitMix64) async throws {
    guard random.chance(1, in: 3), try one.pending(world) || two.pending(world) else { return }
    switch await iterator.next() {
    case .initial(let results)?:
      try one.take(.initial(results.0), world)
      try two.take(.initial(results.1), world)
    case .update(let changes)?:
      try require(changes.0.results?.version == changes.1.results?.version, "two versions in a group")
      try one.take(changes.0, world, mayBeEmpty: true)
      try two.take(changes.1, world, mayBeEmpty: true)
    default: throw Mismatch("no event")
    }
    try require(try !one.pending(world) && !two.pending(world), "not everything is delivered")
  }
}
