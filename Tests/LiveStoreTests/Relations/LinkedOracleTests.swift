import Foundation
import LiveStore
import TestSupport
import Testing

/// Queries over links against plain Swift over plain arrays, in random graphs that change at random.
///
/// `LIVESTORE_SEEDS` sets how many there are, `LIVESTORE_SEED` repeats one.
@Suite struct LinkedOracleTests {
  @Test(.timeLimit(.minutes(10)))
  func `queries over links give what plain Swift finds, and observers receive exactly that`() async {
    for seed in Seeds.forSuite(3, thorough: 8) {
      var current = "the writer"
      do {
        try await LinkedRehearsal.run(seed, &current)
      } catch {
        Issue.record("seed \(seed), \(current): \(error)")
        return
      }
    }
  }

  @Test func `every value and condition of the pools is served and printed`() throws {
    for seed in Seeds.forSuite(2, thorough: 3) {
      var random = SplitMix64(seed: seed)
      let world = try LinkedWorld()
      try LinkedScript.fill(world, &random)
      try check(world, &random, Article.self)
      try check(world, &random, Writer.self)
      try check(world, &random, Reply.self)
      try check(world, &random, Topic.self)
      try check(world, &random, Meeting.self)
    }
  }

  private func check<E: Social>(_ world: LinkedWorld, _ random: inout SplitMix64, _: E.Type) throws {
    let snapshot = world.store.snapshot()
    for operand in E.operands(&random) {
      let condition = ConditionCase.comparison(operand, &random)
      let judged = LinkedCase(condition)
      let found = snapshot.fetch(judged.query).map(\.id)
      #expect(found == judged.judge(world.sheet).map(\.id), "\(judged.text)")
      // Negated, and the rest.
      #expect(
        snapshot.count(E.where { !condition.make($0) }) == world.sheet[keyPath: E.rows].count - found.count)
      #expect(judged.query.description.contains(operand.name), "\(judged.query)")
      #expect(judged.query.explain(in: snapshot).contains(operand.name))
    }
    for condition in E.conditions(&random) {
      let judged = LinkedCase(condition)
      #expect(snapshot.fetch(judged.query).map(\.id) == judged.judge(world.sheet).map(\.id), "\(judged.text)")
    }
  }
}

/// One random graph with all its observers.
struct LinkedRehearsal {
  private let world: LinkedWorld
  private let choices = LinkedMoves()
  private var observers: [any LinkedObserver] = []
  private var statics: [(LinkedWorld) throws -> Void] = []

  static func run(_ seed: UInt64, _ current: inout String) async throws {
    var random = SplitMix64(seed: seed &* 7919)
    let world = try LinkedWorld()
    try LinkedScript.fill(world, &random)
    var rehearsal = LinkedRehearsal(world: world)
    try rehearsal.enlist(&random)
    for step in 0..<12 {
      current = "the writer"
      let origin: String? = random.chance(1, in: 3) ? "a" : nil
      try world.run(origin: origin) { tx in
        for _ in 0..<random.int(1...3) { try LinkedScript.edit(tx, &random) }
      }
      if random.chance(3, in: 4) { try await rehearsal.look(step, &random, &current) }
      if random.chance(1, in: 18) { try rehearsal.enlist(&random) }
    }
    try await rehearsal.look(12, &random, &current)
  }

  private func look(_ step: Int, _ random: inout SplitMix64, _ current: inout String) async throws {
    try await world.store.settled()
    for observer in observers {
      current = "step \(step), \(observer.name)"
      try await observer.check(world, &random)
    }
    current = "step \(step), at rest"
    for check in statics { try check(world) }
  }

  private mutating func enlist(_ random: inout SplitMix64) throws {
    let article = LinkedCase<Article>(&random)
    let reply = LinkedCase<Reply>(&random)
    try enlist(article, &random)
    try enlist(LinkedCase<Article>(&random), &random)
    try enlist(LinkedCase<Writer>(&random), &random)
    try enlist(reply, &random)
    try enlist(LinkedCase<Topic>(&random), &random)
    try enlist(LinkedCase<Meeting>(&random), &random)
    observers.append(LinkedPair(world, article, reply, choices))
    for isLimited in [true, false] {
      observers.append(LinkedObject<Article>(world, random.int(1...10), isLimited: isLimited))
      observers.append(LinkedObject<Reply>(world, random.int(1...10), isLimited: isLimited))
    }
  }

  private mutating func enlist<E: Social>(_ judged: LinkedCase<E>, _ random: inout SplitMix64) throws {
    observers += [
      try LinkedHandler("a handler", world, judged, choices),
      try LinkedHandler("a pausing handler", world, judged, choices, pauses: true),
      try LinkedHandler("a handler that skips the first", world, judged, choices, initial: .skip),
      try LinkedHandler("a handler of some", world, judged, choices, pauses: true, isLimited: true),
      try LinkedReader("a slow reader", world, judged, choices, patience: 3),
      try LinkedReader(
        "a slow reader that skips the first", world, judged, choices, patience: 5, initial: .skip),
      try LinkedReader("a slow reader of some", world, judged, choices, patience: 2, isLimited: true),
      try LinkedFollower(world, judged, choices, asToken: true),
      try LinkedFollower(world, judged, choices, asToken: false),
      try LinkedFollower(world, judged, choices, asToken: random.chance(1, in: 2), isLimited: true),
      LinkedValues(world, judged, choices),
    ]
    var first: (Results<E>, Sheet)?
    let choices = choices
    statics.append { (world: LinkedWorld) in
      let snapshot = world.store.snapshot()
      let results = snapshot.fetch(judged.query)
      let expected = judged.judge(world.sheet)
      try require(
        results.elementsEqual(expected),
        "fetch(\(judged.text)) is \(results.map(\.id)), not \(expected.map(\.id))")
      try require(snapshot.count(judged.query) == expected.count, "count(\(judged.text))")
      if let first {
        let change = first.0.changes(to: results)
        try ExpectedLinkedChange(judged, first.1, nil, world.sheet).check(change, mayBeEmpty: true, choices)
      } else {
        first = (results, world.sheet)
      }
    }
  }
}
