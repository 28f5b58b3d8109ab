import LiveStore
import TestSupport
import Testing

/// Groups, aggregates and sections against plain Swift over random histories, read and observed.
///
/// `LIVESTORE_SEEDS` sets how many histories there are, `LIVESTORE_SEED` repeats one.
@Suite struct GroupOracleTests {
  @Test(.timeLimit(.minutes(10)))
  func `groups, aggregates and sections are what plain Swift finds, read and observed`() async {
    for seed in Seeds.forSuite(1, thorough: 4) {
      let history = History(seed: seed, length: Environment.size(5, thorough: 20))
      guard let failure = await GroupRehearsal.failure(of: history) else { continue }
      let shortest = await history.shortened(upTo: failure.step) {
        await GroupRehearsal.failure(of: $0) != nil
      }
      let last = await GroupRehearsal.failure(of: shortest) ?? failure
      Issue.record("\(last.text)\nat step \(last.step) of \(shortest)")
      return
    }
  }
}

/// One run of a history with observers of random groupings.
struct GroupRehearsal {
  private var cast = GroupCast<WithIndexes>()
  private var plainCast = GroupCast<WithoutIndexes>()

  static func failure(of history: History) async -> (step: Int, text: String)? {
    var step = 0
    var current = "the writer"
    do {
      var rehearsal = GroupRehearsal()
      try await rehearsal.run(history, &step, &current)
      return nil
    } catch {
      return (min(step, history.transactions.count - 1), "\(current): \(error)")
    }
  }

  private mutating func run(_ history: History, _ step: inout Int, _ current: inout String) async throws {
    let world = try World()
    var queries = SplitMix64(seed: history.seed &+ 0x6E0_0FED)
    var observers: [any HistoryObserver] = []
    func enlist(_ rehearsal: inout GroupRehearsal) throws {
      var one = queries.fork()
      rehearsal.cast.world = world
      try one.visitGroupCase(&rehearsal.cast)
      try one.visitSectionCase(&rehearsal.cast)
      var two = queries.fork()
      rehearsal.plainCast.world = world
      try two.visitGroupCase(&rehearsal.plainCast)
      try two.visitSectionCase(&rehearsal.plainCast)
      observers = rehearsal.cast.observers + rehearsal.plainCast.observers
    }
    for _ in 0..<2 { try enlist(&self) }
    for transaction in history.transactions {
      var random = SplitMix64(seed: transaction.probe)
      if random.chance(1, in: 8) { try enlist(&self) }
      current = "the writer"
      try await world.run(transaction)
      // Now and then several commits follow one another before anybody looks.
      if random.chance(3, in: 4) {
        try await world.store.settled()
        for observer in observers {
          current = observer.name
          try await observer.check(world, &random)
        }
        current = "a reader"
        for read in cast.readers + plainCast.readers { try read(world) }
      }
      step += 1
    }
    try await world.store.settled()
    for observer in observers {
      current = observer.name
      var random = SplitMix64(seed: 0)
      try await observer.check(world, &random)
      try await observer.finish(world)
    }
  }
}

/// Observers of each case in every style, and readers of it.
///
/// Generic at run time as well: made over for each pair of types it was a seventh of what the optimiser makes of the
/// target.
struct GroupCast<Mode: Indexing>: GroupCaseVisitor, SectionCaseVisitor {
  var world: World?
  var observers: [any HistoryObserver] = []
  var readers: [(World) throws -> Void] = []

  @_semantics("optimize.sil.specialize.generic.never")
  mutating func visit<Key, Value>(_ value: GroupCase<Mode, Key, Value>) throws {
    try enlist(value.source, value.text) { GroupChecker(value) }
  }

  @_semantics("optimize.sil.specialize.generic.never")
  mutating func visit<Key>(_ value: SectionCase<Mode, Key>) throws {
    try enlist(value.source, value.text) { SectionChecker(value) }
  }

  @_semantics("optimize.sil.specialize.generic.never")
  mutating func visit<Value>(_ value: AggregateCase<Mode, Value>) throws {
    try enlist(value.source, value.text) { AggregateChecker(value) }
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func enlist<Source: LiveSource & Hashable, SourceChecker: Checker<Source>>(
    _ source: Source, _ text: String, _ checker: @escaping () -> SourceChecker
  ) throws {
    guard let world else { return }
    for style in ObserverStyle.allCases {
      observers.append(try SourceObserver(style, world, source, checker(), text))
    }
    readers.append { world in
      let snapshot = world.store.snapshot()
      try checker().check(snapshot.value(of: source), world, "snapshot.value(of: \(text))")
      // A transaction reads its own writes, which here are undone.
      do {
        try world.store.write { tx in
          try checker().check(tx.value(of: source), world, "tx.value(of: \(text))")
          throw Undo()
        }
      } catch is Undo {}
    }
  }
}
