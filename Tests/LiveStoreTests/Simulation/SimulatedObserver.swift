import LiveStore
import Synchronization
import TestSupport

/// An observer in a simulation. Jobs of the simulation's executor deliver to it.
protocol SimulatedObserver: AnyObject {
  var name: String { get }
  /// Looks at what it has received.
  func look(_ world: LinkedWorld) throws
  /// Pauses, resumes or asks, as its kind does.
  func act(_ random: inout SplitMix64)
  /// Throws unless it has received all that it is to receive by now.
  func requireDelivered(_ world: LinkedWorld) throws
  func leave()
}

/// How events reach an observer.
enum SimulatedStyle: CaseIterable {
  case handler, pausingHandler, skippingHandler, excludingHandler, everyCommitHandler
  case stream, skippingStream, excludingStream, everyCommitStream

  var isStream: Bool {
    switch self {
    case .stream, .skippingStream, .excludingStream, .everyCommitStream: true
    default: false
    }
  }

  var initial: InitialDelivery { self == .skippingHandler || self == .skippingStream ? .skip : .deliver }
  var excluded: Set<String> { self == .excludingHandler || self == .excludingStream ? ["a"] : [] }
  var isEveryCommit: Bool { self == .everyCommitHandler || self == .everyCommitStream }
  var mode: DeliveryMode { isEveryCommit ? .everyCommit : .latest }
}

/// What is observed, and the calls that observe it.
struct SimulatedSource<Change: Sendable> {
  let text: String
  /// Nil where streams are all there is.
  let observe: ((Store, SimulatedStyle, @escaping @Sendable (Change) -> Void) -> NotificationToken)?
  let changes: (Store, SimulatedStyle) -> LiveChanges<Change>

  init(
    _ text: String,
    observe: @escaping (Store, SimulatedStyle, @escaping @Sendable (Change) -> Void) -> NotificationToken,
    changes: @escaping (Store, SimulatedStyle) -> LiveChanges<Change>
  ) {
    self.text = text
    self.observe = observe
    self.changes = changes
  }

  init<Source: LiveSource<Value, Change>, Value>(_ text: String, _ source: Source) {
    self.text = text
    observe = { store, style, handler in
      store.observe(
        source, initial: style.initial, excluding: style.excluded, mode: style.mode, handler)
    }
    changes = { store, style in
      store.changes(
        of: source, initial: style.initial, excluding: style.excluded, mode: style.mode)
    }
  }

  init<E: Entity>(_ text: String, _ query: Query<E>, of properties: RowPaths<E>)
  where Change == CollectionChange<E> {
    self.text = text
    observe = { store, style, handler in
      store.observe(
        query, initial: style.initial, properties: properties, excluding: style.excluded, mode: style.mode,
        handler)
    }
    changes = { store, style in
      store.changes(
        of: query, initial: style.initial, properties: properties, excluding: style.excluded,
        mode: style.mode)
    }
  }
}

extension SimulatedSource {
  init<One: LiveSource, Other: LiveSource>(_ text: String, _ one: One, with other: Other)
  where Change == SourcesChange<(One.Value, Other.Value), (One.Change, Other.Change)> {
    self.text = text
    observe = nil
    changes = { store, _ in store.changes(of: one, other) }
  }
}

/// Checks whether what an observer receives is right; holds what it has received.
protocol SimulatedChecker<Change>: AnyObject {
  associatedtype Change: Sendable
  /// Of the last event, or of when it began.
  var version: Version? { get }
  /// It begins with what there is at a version, without an event.
  func begin(_ world: LinkedWorld, at version: Version) throws
  /// - Parameter startsFromOwn: whether the change starts from a baseline that excluded commits have moved.
  func take(_ change: Change, _ world: LinkedWorld, startsFromOwn: Bool) throws
  /// The version that an event is of; nil for events that have none.
  func version(of change: Change) -> Version?
  /// Whether there is something to deliver at a version.
  func isPending(_ world: LinkedWorld, at version: Version) throws -> Bool
}

/// A checker that knows the baseline of an observer that excludes origins.
protocol ExactChecker {}

/// A token or a stream of one source.
final class SimulatedFollower<Change: Sendable>: SimulatedObserver {
  let name: String
  private let style: SimulatedStyle
  private let checker: any SimulatedChecker<Change>
  private let inbox = Inbox<Change>()
  private var token: NotificationToken?
  private var isPaused = false
  /// Lets a stream's task ask once more.
  private var permits: AsyncStream<Void>.Continuation?
  private var task: Task<Void, Never>?
  private let asked = SharedCount()
  /// The version up to which it was found that there is nothing to deliver.
  private var seen: Version
  /// Whether the next event is `.initial`.
  private var isFirst: Bool

  init(
    _ style: SimulatedStyle, _ source: SimulatedSource<Change>, _ checker: any SimulatedChecker<Change>,
    _ world: LinkedWorld, _ executor: SeededExecutor
  ) throws {
    self.style = style
    self.checker = checker
    name = "\(style) of \(source.text)"
    seen = world.version
    isFirst = style.initial == .deliver
    let inbox = inbox
    if style.isStream {
      let changes = source.changes(world.store, style)
      let (asks, permits) = AsyncStream.makeStream(of: Void.self)
      let asked = asked
      self.permits = permits
      // Here, not in the task: what comes first is what there is when the iterator is made.
      let first = changes.makeAsyncIterator()
      task = Task.detached(executorPreference: executor) {
        var iterator = first
        for await _ in asks {
          guard let change = await iterator.next() else { return }
          inbox.put(change)
          asked.decrement()
        }
      }
    } else {
      token = source.observe?(world.store, style) { inbox.put($0) }
    }
    if style.initial == .skip { try checker.begin(world, at: world.version) }
  }

  func look(_ world: LinkedWorld) throws {
    for change in inbox.drain() {
      if style.isEveryCommit, !isFirst {
        // The first commit with something to deliver.
        let next = try world.versions.first { version in
          try version > seen && checker.isPending(world, at: version)
        }
        guard let next else { throw Mismatch("delivered without a commit: \(change)") }
        let version = checker.version(of: change) ?? next
        try require(version <= next, "delivered version \(version), not \(next)")
        seen = version
      }
      isFirst = false
      if !style.excluded.isEmpty, let last = checker.version, let version = checker.version(of: change) {
        let others = world.versions.filter { $0 > last && $0 <= version && world.origins[$0] != "a" }
        try require(!others.isEmpty, "delivered an excluded commit: \(change)")
      }
      try checker.take(change, world, startsFromOwn: !style.excluded.isEmpty)
    }
  }

  func act(_ random: inout SplitMix64) {
    switch style {
    case .pausingHandler:
      if isPaused { token?.resume() } else { token?.pause() }
      isPaused.toggle()
    case .stream, .skippingStream, .excludingStream, .everyCommitStream: ask()
    default: break
    }
  }

  private func ask() {
    asked.increment()
    permits?.yield()
  }

  func requireDelivered(_ world: LinkedWorld) throws {
    try look(world)
    if isPaused || (style.isStream && asked.value == 0) { return }
    guard style.excluded.isEmpty || checker is any ExactChecker else { return }
    let versions = style.isEveryCommit ? world.versions.filter { $0 > seen } : [world.version]
    for version in versions {
      try require(!checker.isPending(world, at: version), "version \(version) is not delivered")
    }
    seen = world.version
  }

  func leave() {
    token?.invalidate()
    permits?.finish()
    task?.cancel()
  }
}

/// Reads a query now and then, and what has changed between.
final class SimulatedReader<E: Social>: SimulatedObserver {
  let name: String
  private let queryCase: LinkedCase<E>
  private let choices: LinkedMoves
  private var last: (results: Results<E>, model: ModelStore)?

  init(_ queryCase: LinkedCase<E>, _ choices: LinkedMoves) {
    (self.queryCase, self.choices) = (queryCase, choices)
    name = "a reader of \(queryCase.text)"
  }

  func look(_ world: LinkedWorld) throws {}
  func act(_ random: inout SplitMix64) {}
  func leave() {}

  func requireDelivered(_ world: LinkedWorld) throws {
    let snapshot = world.store.snapshot()
    let (results, expected) = (snapshot.fetch(queryCase.query), queryCase.expectedRows(world.model))
    try require(results.elementsEqual(expected), "it fetches \(Array(results)), not \(expected)")
    try require(
      snapshot.count(queryCase.query) == expected.count, "it counts \(snapshot.count(queryCase.query))")
    if let last {
      try ExpectedLinkedChange(queryCase, last.model, nil, world.model)
        .check(last.results.changes(to: results), mayBeEmpty: true, choices)
    }
    last = (results, world.model)
  }
}

/// A number that tasks and tests share.
final class SharedCount: Sendable {
  private let number = Atomic(0)

  var value: Int { number.load(ordering: .relaxed) }
  func increment() { number.add(1, ordering: .relaxed) }
  func decrement() { number.subtract(1, ordering: .relaxed) }
}

// MARK: Checkers

extension ChangeSet where Element: Equatable {
  /// That it leads from `previous` to `current` by its own law, with the fewest moves.
  fileprivate func checkLaw() throws {
    let (previous, current) = (Array(self.previous), Array(self.current))
    var rows = previous
    for index in (deletions + moves.map(\.from)).sorted(by: >) { rows.remove(at: index) }
    for index in (insertions + moves.map(\.to)).sorted() {
      try require(index <= rows.count, "the law cannot be applied: \(self)")
      rows.insert(current[index], at: index)
    }
    for modification in modifications {
      try require(
        modification.old == previous[modification.oldIndex]
          && modification.new == current[modification.newIndex],
        "a wrong modification: \(self)")
      rows[modification.newIndex] = modification.new
    }
    try require(rows == current, "the law gives \(rows), not \(current)")
    let old = Dictionary(uniqueKeysWithValues: previous.enumerated().map { ($1.id, $0) })
    let new = Set(current.map(\.id))
    try require(
      deletions == previous.indices.filter { !new.contains(previous[$0].id) }, "deletions: \(self)"
    )
    try require(
      insertions == current.indices.filter { old[current[$0].id] == nil }, "insertions: \(self)")
    let kept = current.compactMap { old[$0.id] }
    try require(
      moves.count == kept.count - longestIncreasing(kept), "not the fewest moves: \(self)")
  }
}

/// Of a query, with all it names.
final class SimulatedCollectionChecker<E: Social>: SimulatedChecker {
  private let tracker: LinkedTracker<E>
  private let checked = CheckedObserver<E>(receivesAll: false)
  private var last: ChangeSet<E>?

  init(_ queryCase: LinkedCase<E>, isLimited: Bool, _ choices: LinkedMoves) {
    tracker = LinkedTracker(queryCase, isLimited: isLimited, choices)
  }

  var version: Version? { tracker.version }

  func begin(_ world: LinkedWorld, at version: Version) throws { try tracker.begin(world, at: version) }

  func version(of change: CollectionChange<E>) -> Version? { change.results?.version }

  func take(_ change: CollectionChange<E>, _ world: LinkedWorld, startsFromOwn: Bool) throws {
    guard startsFromOwn else {
      try tracker.take(change, world)
      // Change sets of some properties leave the others out.
      guard let changes = change.changes, !tracker.isLimited, !tracker.queryCase.mayRepeat else { return }
      try changes.reversed.checkLaw()
      try last?.followed(by: changes).checkLaw()
      last = changes
      return
    }
    // Change sets of some properties leave the others out.
    if !tracker.isLimited { checked.receive(change) }
    if let breach = checked.breaches.first { throw Mismatch(breach) }
    guard let results = change.results else { throw Mismatch("\(change)") }
    let expected = tracker.queryCase.expectedRows(try world.model(results.version))
    try require(results.elementsEqual(expected), "results are \(Array(results)), not \(expected)")
    try begin(world, at: results.version)
  }

  func isPending(_ world: LinkedWorld, at version: Version) throws -> Bool {
    try tracker.pending(world, at: version)
  }
}

/// A group as plain Swift makes it.
struct Pair<Key: Hashable & Sendable, Value: Equatable & Sendable>: Equatable {
  let key: Key
  let value: Value
}

/// Of rows that have an identity: groups, distinct objects, members of sets.
final class SimulatedRowsChecker<Row: Entity & Equatable, Shown: Equatable>: SimulatedChecker {
  private let show: (Row) -> Shown
  private let expected: (ModelStore) -> [Shown]
  /// The linked values that the rows are followed by, too.
  private let named: (ModelStore) -> [[NamedValue]]
  private var held: [Shown]?
  private var heldNames: [[NamedValue]] = []
  private(set) var version: Version?

  init(
    named: @escaping (ModelStore) -> [[NamedValue]] = { _ in [] },
    show: @escaping (Row) -> Shown, _ expected: @escaping (ModelStore) -> [Shown]
  ) {
    self.named = named
    self.show = show
    self.expected = expected
  }

  func begin(_ world: LinkedWorld, at version: Version) throws {
    held = expected(try world.model(version))
    heldNames = named(try world.model(version))
    self.version = version
  }

  func version(of change: CollectionChange<Row>) -> Version? { change.results?.version }

  func isPending(_ world: LinkedWorld, at version: Version) throws -> Bool {
    let model = try world.model(version)
    return held != expected(model) || heldNames != named(model)
  }

  func take(_ change: CollectionChange<Row>, _ world: LinkedWorld, startsFromOwn: Bool) throws {
    guard let results = change.results else { throw Mismatch("\(change)") }
    let (found, current) = (results.map(show), expected(try world.model(results.version)))
    try require(found == current, "results are \(found), not \(current)")
    if let changes = change.changes {
      guard let held, let version else { throw Mismatch("an update before .initial") }
      try require(results.version > version, "version \(results.version) after \(version)")
      try require(!changes.isEmpty, "an empty event")
      try require(
        startsFromOwn || changes.previous.map(show) == held,
        "previous is \(Array(changes.previous)), not \(held)")
      try changes.checkLaw()
      try changes.reversed.checkLaw()
    } else {
      try require(held == nil, "a second .initial")
    }
    held = current
    heldNames = named(try world.model(results.version))
    version = results.version
  }
}

/// Of a count or an aggregate.
final class SimulatedValueChecker<Value: Equatable & Sendable>: SimulatedChecker {
  private let expected: (ModelStore) -> Value
  private var held: Value?
  private(set) var version: Version?

  init(_ expected: @escaping (ModelStore) -> Value) { self.expected = expected }

  func begin(_ world: LinkedWorld, at version: Version) throws { held = expected(try world.model(version)) }

  func version(of change: ValueChange<Value>) -> Version? { nil }

  func isPending(_ world: LinkedWorld, at version: Version) throws -> Bool {
    held != .some(expected(try world.model(version)))
  }

  func take(_ change: ValueChange<Value>, _ world: LinkedWorld, startsFromOwn: Bool) throws {
    switch change {
    case .initial(let value):
      try require(held == nil, "a second .initial")
      held = .some(value)
    case .change(let old, let new):
      try require(startsFromOwn || held == .some(old), "from \(old), not \(String(describing: held))")
      try require(old != new, "a change of nothing: \(change)")
      held = .some(new)
    case .error(let error): throw error
    }
  }
}

/// Of one object.
final class SimulatedObjectChecker<E: Social>: SimulatedChecker {
  private let id: Int
  private let isLimited: Bool
  private var held: E??
  /// The tables when it received that.
  private var model = ModelStore.social()
  private(set) var version: Version?

  init(_ id: Int, isLimited: Bool) {
    self.id = id
    self.isLimited = isLimited
  }

  private func object(_ world: LinkedWorld, _ version: Version) throws -> E? {
    try world.model(version).rows(E.self).first { $0.id == id }
  }

  func begin(_ world: LinkedWorld, at version: Version) throws {
    held = .some(try object(world, version))
    model = try world.model(version)
  }

  func version(of change: ObjectChange<E>) -> Version? { nil }

  func isPending(_ world: LinkedWorld, at version: Version) throws -> Bool {
    let now = try object(world, version)
    guard isLimited, let old = held ?? nil, let now else { return held != .some(now) }
    return try E.observed.values(old, model) != E.observed.values(now, world.model(version))
  }

  func take(_ change: ObjectChange<E>, _ world: LinkedWorld, startsFromOwn: Bool) throws {
    let before: E?? =
      switch change {
      case .initial: .none
      case .change(let old, _, _): .some(old)
      case .deleted(let old): .some(old)
      case .inserted: .some(nil)
      case .error(let error): throw error
      }
    try require(startsFromOwn || before == held, "\(change), and it had \(String(describing: held))")
    if case .change(let old, let new, let properties) = change {
      try require(!properties.isEmpty, "a change of nothing: \(change)")
      var names = old.differences(from: new)
      if isLimited {
        names = names.filter(E.observed.names.contains)
        names += E.observed.linked(old, model).map(\.name).filter { properties.map(\.name).contains($0) }
      }
      try require(properties.map(\.name) == names, "properties of \(change), not \(names)")
    }
    held = .some(change.object)
    model = world.model
  }
}

/// Of sections.
final class SimulatedSectionsChecker<E: Social, Key: Hashable & Sendable>: SimulatedChecker {
  typealias Sections = [(key: Key, rows: [E])]

  private let expected: (ModelStore) -> Sections
  /// The linked values that the rows are followed by, too.
  private let named: (ModelStore) -> [[NamedValue]]
  private var held: Sections?
  private var heldNames: [[NamedValue]] = []
  private(set) var version: Version?

  init(named: @escaping (ModelStore) -> [[NamedValue]], _ expected: @escaping (ModelStore) -> Sections) {
    self.named = named
    self.expected = expected
  }

  private func isSame(_ one: Sections?, _ other: Sections?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one.elementsEqual(other) { $0.key == $1.key && $0.rows == $1.rows }
  }

  private func sections(_ found: SectionedResults<E, Key>) -> Sections { found.map { ($0.key, Array($0)) } }

  func begin(_ world: LinkedWorld, at version: Version) throws {
    held = expected(try world.model(version))
    heldNames = named(try world.model(version))
    self.version = version
  }

  func version(of change: SectionedChange<E, Key>) -> Version? { change.sections?.version }

  func isPending(_ world: LinkedWorld, at version: Version) throws -> Bool {
    let model = try world.model(version)
    return !isSame(held, expected(model)) || heldNames != named(model)
  }

  func take(_ change: SectionedChange<E, Key>, _ world: LinkedWorld, startsFromOwn: Bool) throws {
    guard let found = change.sections else { throw Mismatch("\(change)") }
    let now = expected(try world.model(found.version))
    try require(isSame(sections(found), now), "sections are \(sections(found)), not \(now)")
    if let changes = change.changes {
      try require(startsFromOwn || isSame(held, sections(changes.previous)), "previous is not what it had")
      try require(!changes.isEmpty, "an empty event")
      try check(changes)
      try check(changes.reversed)
    } else {
      try require(held == nil, "a second .initial")
    }
    held = now
    heldNames = named(try world.model(found.version))
    version = found.version
  }

  private func check(_ changes: SectionedChangeSet<E, Key>) throws {
    let (rows, new) = (try rebuilt(by: changes), sections(changes.current))
    try require(isSame(rows, new), "the law gives \(rows), not \(new), by \(changes)")
  }
}

/// Two queries of different tables at one version.
final class SimulatedPairChecker<E: Social, F: Social>: SimulatedChecker {
  typealias Change = SourcesChange<(Results<E>, Results<F>), (CollectionChange<E>, CollectionChange<F>)>

  private let one: LinkedTracker<E>
  private let two: LinkedTracker<F>

  init(_ one: LinkedCase<E>, _ two: LinkedCase<F>, _ choices: LinkedMoves) {
    self.one = LinkedTracker(one, choices)
    self.two = LinkedTracker(two, choices)
  }

  var version: Version? { one.version }

  func begin(_ world: LinkedWorld, at version: Version) throws {
    try one.begin(world, at: version)
    try two.begin(world, at: version)
  }

  func version(of change: Change) -> Version? { nil }

  func isPending(_ world: LinkedWorld, at version: Version) throws -> Bool {
    try one.pending(world, at: version) || two.pending(world, at: version)
  }

  func take(_ change: Change, _ world: LinkedWorld, startsFromOwn: Bool) throws {
    switch change {
    case .initial(let results):
      try one.take(.initial(results.0), world)
      try two.take(.initial(results.1), world)
    case .update(let changes):
      try require(changes.0.results?.version == changes.1.results?.version, "two versions in a group")
      try one.take(changes.0, world, mayBeEmpty: true)
      try two.take(changes.1, world, mayBeEmpty: true)
    case .error(let error): throw error
    }
  }
}
