import LiveStore
import TestSupport
import Testing

/// Live queries against an array, over random histories, by observers of every kind.
///
/// `LIVESTORE_SEEDS` sets how many histories there are, `LIVESTORE_SEED` repeats one.
@Suite struct LiveOracleTests {
  @Test(.timeLimit(.minutes(10)))
  func `observers receive what plain Swift finds, and every change set keeps its law`() async {
    for seed in Seeds.forSuite(2, thorough: 8) {
      let history = History(seed: seed)
      guard let failure = await Rehearsal.failure(of: history) else { continue }
      let shortest = await history.shortened(upTo: failure.step) { await Rehearsal.failure(of: $0) != nil }
      let last = await Rehearsal.failure(of: shortest) ?? failure
      Issue.record("\(last.text)\nat step \(last.step) of \(shortest)")
      return
    }
  }
}

/// One run of a history with all its observers.
struct Rehearsal {
  struct Failure {
    let step: Int
    let text: String
  }

  private let world: World
  private let choices = MoveChoices()
  private var observers: [any HistoryObserver] = []
  /// What the observers of the query under scrutiny watch, for the report.
  private var texts: [ObjectIdentifier: String] = [:]
  private let seed: UInt64

  private init(_ history: History) throws {
    world = try World()
    seed = history.seed
  }

  static func failure(of history: History) async -> Failure? {
    var step = 0
    var current = "the writer"
    do {
      var rehearsal = try Rehearsal(history)
      try await rehearsal.run(history, &step, &current)
      return nil
    } catch {
      return Failure(step: min(step, history.transactions.count - 1), text: "\(current): \(error)")
    }
  }

  private mutating func run(_ history: History, _ step: inout Int, _ current: inout String) async throws {
    var queries = SplitMix64(seed: seed &+ 0x0B5E_12BE)
    let seeds = (queries.next(), queries.next(), queries.next())
    try enlist(seeds.0, WithIndexes.self)
    try enlist(seeds.1, WithoutIndexes.self)
    enlistCommon(seeds.0, seeds.1, &queries)
    for transaction in history.transactions {
      var random = SplitMix64(seed: transaction.probe)
      if random.chance(1, in: 8) {
        try enlist(seeds.2, WithIndexes.self)
        try enlistLate(seeds.0, WithIndexes.self)
        try enlistLate(seeds.1, WithoutIndexes.self)
      }
      current = "the writer"
      try await world.run(transaction)
      // Now and then several commits follow one another before anybody looks.
      if random.chance(3, in: 4) { try await look(&random, &current) }
      step += 1
    }
    var random = queries.fork()
    try await look(&random, &current)
    for observer in observers {
      current = title(observer)
      try await observer.finish(world)
    }
  }

  private func look(_ random: inout SplitMix64, _ current: inout String) async throws {
    try await world.store.settled()
    for observer in observers {
      current = title(observer)
      try await observer.check(world, &random)
    }
  }

  private func title(_ observer: any HistoryObserver) -> String {
    "\(observer.name)\(texts[ObjectIdentifier(observer)].map { " of \($0)" } ?? "")"
  }

  private mutating func add(_ observer: any HistoryObserver, _ text: String) {
    observers.append(observer)
    texts[ObjectIdentifier(observer)] = text
  }

  /// All kinds of observers of the query of a seed.
  private mutating func enlist<Mode: Indexing>(_ seed: UInt64, _: Mode.Type) throws {
    var random = SplitMix64(seed: seed)
    let queryCase = random.query(for: Mode.self)
    let text = "\(queryCase.text), \(Mode.self)"
    let prompt = try TokenObserver("a prompt handler", world, queryCase, choices)
    add(prompt, text)
    add(try TokenObserver("a pausing handler", world, queryCase, choices, pauses: true, prompt: prompt), text)
    add(try TokenObserver("a handler that skips the first", world, queryCase, choices, initial: .skip), text)
    add(try TokenObserver("a handler of some properties", world, queryCase, choices, observed: .some), text)
    add(try TokenObserver("a handler that excludes a", world, queryCase, choices, excluding: ["a"]), text)
    add(
      try TokenObserver(
        "a pausing handler that excludes a", world, queryCase, choices, pauses: true, excluding: ["a"]),
      text)
    add(
      try TokenObserver(
        "a pausing handler that excludes a and b and skips the first", world, queryCase, choices,
        pauses: true,
        initial: .skip, excluding: ["a", "b"]), text)
    add(
      try IteratorObserver("a slow iterator", world, queryCase, choices, patience: 4, prompt: prompt.tracker),
      text)
    add(
      try IteratorObserver(
        "a slow iterator of some properties", world, queryCase, choices, patience: 3, observed: .some),
      text)
    add(try IteratorObserver("a plain stream", world, queryCase, choices, patience: 2, asStream: true), text)
    add(
      try IteratorObserver(subscribing: "subscribe", world, queryCase, choices, prompt: prompt.tracker), text)
    add(EveryCommitObserver("a handler of every commit", world, queryCase, choices, asToken: true), text)
    add(
      EveryCommitObserver("a slow iterator of every commit", world, queryCase, choices, asToken: false), text)
    add(
      EveryCommitObserver(
        "a handler of every commit but those of a", world, queryCase, choices, asToken: true, excluding: ["a"]
      ),
      text)
    add(
      EveryCommitObserver(
        "a slow iterator of every commit but those of a and b", world, queryCase, choices, asToken: false,
        excluding: ["a", "b"]), text)
    add(ValuesObserver(world, queryCase), text)
    add(CountObserver("a handler of the count", world, queryCase, asToken: true), text)
    add(CountObserver("a slow iterator of the count", world, queryCase, asToken: false), text)
  }

  /// Observers that come when there is a result already.
  private mutating func enlistLate<Mode: Indexing>(_ seed: UInt64, _: Mode.Type) throws {
    var random = SplitMix64(seed: seed)
    let queryCase = random.query(for: Mode.self)
    let text = "\(queryCase.text), \(Mode.self)"
    add(try TokenObserver("a late handler", world, queryCase, choices), text)
    add(
      try IteratorObserver(
        "a late iterator that skips the first", world, queryCase, choices, patience: 3, initial: .skip),
      text)
  }

  /// Observers of objects, groups and commits.
  private mutating func enlistCommon(_ first: UInt64, _ second: UInt64, _ random: inout SplitMix64) {
    for _ in 0..<3 {
      let id = random.int(0...20)
      add(ObjectObserver("a handler", world, id, WithIndexes.self, asToken: true), "an object")
      add(ObjectObserver("a slow iterator", world, id, WithoutIndexes.self, asToken: false), "an object")
      add(
        ObjectObserver(
          "a handler of some properties", world, id, WithIndexes.self, asToken: true, observed: .some),
        "an object")
    }
    var (one, two) = (SplitMix64(seed: first), SplitMix64(seed: second))
    let (indexed, plain) = (one.query(for: WithIndexes.self), two.query(for: WithoutIndexes.self))
    for patience in [1, 4] {
      add(
        GroupObserver(world, indexed, plain, id: random.int(0...20), choices, patience: patience),
        "\(indexed.text), \(plain.text)")
    }
    add(CommitsObserver(world), "the store")
  }
}
