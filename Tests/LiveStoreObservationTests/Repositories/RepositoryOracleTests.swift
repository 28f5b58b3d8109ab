import LiveStore
import LiveStoreObservation
import TestSupport
import Testing

private typealias Row = Thing<WithIndexes>

@Suite(.timeLimit(.minutes(10))) struct `Repository oracle` {
  @Test(arguments: Seeds.forSuite(2, thorough: 12))
  func `a repository finds what plain Swift finds, and its changes are those of two arrays`(seed: UInt64)
    async throws
  {
    var story = try Story(seed)
    do {
      for _ in 0..<120 { try await story.step() }
    } catch {
      throw Mismatch("seed \(seed): \(error)\n" + story.log.suffix(12).joined(separator: "\n"))
    }
    #expect(story.events > 20, "seed \(seed): too few events to mean anything")
  }
}

private struct Story {
  var random: SplitMix64
  var log: [String] = []
  var events = 0
  private let things: StoreRepository<Row>
  private var observers: [Observer] = []

  private struct Observer {
    let queryCase: QueryCase<WithIndexes>
    var changes: RepositoryChanges<Row>.Iterator
    var given: [Row]?
  }

  init(_ seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    things = try StoreRepository()
    for _ in 0..<6 {
      let queryCase = random.query(for: WithIndexes.self)
      observers.append(
        Observer(queryCase: queryCase, changes: things.changes(of: queryCase.query).makeAsyncIterator()))
    }
  }

  mutating func step() async throws {
    for _ in 0..<random.int(1...3) { await write() }
    let queryCase = random.query(for: WithIndexes.self)
    let rows = queryCase.expectedRows(try await things.findAll())
    let found = try await things.findAll(queryCase.query)
    try require(found.elementsEqual(rows) { $0.isSame(as: $1) }, "\(queryCase.text): \(found), not \(rows)")
    let count = try await things.count(queryCase.query)
    try require(count == rows.count, "count of \(queryCase.text): \(count), not \(rows.count)")
    for index in observers.indices where random.chance(1, in: 3) { try await ask(index) }
  }

  /// Writes something, or is refused.
  private mutating func write() async {
    let id = random.pick(Pool.ids)
    let thing = random.thing(id, codes: Array(Pool.codes.prefix(12)))
    let patch = random.patch(codes: Array(Pool.codes.prefix(12)))
    do {
      switch random.int(0...4) {
      case 0, 1:
        log.append("insert(\(thing))")
        try await things.insert(thing)
      case 2:
        log.append("upsert(\(thing))")
        try await things.upsert(thing)
      case 3:
        log.append("update(\(id)) { \(patch) }")
        try await things.update(id) { patch.apply(to: &$0) }
      default:
        log.append("delete(\(id))")
        try await things.delete(id)
      }
    } catch {
      log.append("  threw \(error)")
    }
  }

  /// Asks the stream of an observer for an event, if there is one.
  private mutating func ask(_ index: Int) async throws {
    let rows = observers[index].queryCase.expectedRows(try await things.findAll())
    if let given = observers[index].given, ExpectedChange(given, rows).isEmpty { return }
    log.append("changes(of: \(observers[index].queryCase.text))")
    guard let change = try await observers[index].changes.next() else { throw Mismatch("a stream ended") }
    try require(
      change.elements.elementsEqual(rows) { $0.isSame(as: $1) }, "\(change.elements), not \(rows)")
    if let given = observers[index].given {
      let (one, other) = (change.difference, RepositoryDifference(from: given, to: rows))
      let expected = ExpectedChange(given, rows)
      try require(
        one.map { "\(Received($0))" } == "\(Received(other))", "the store: \(one as Any), arrays: \(other)")
      try require(
        other.deletions == expected.deletions && other.insertions == expected.insertions
          && other.modifications.map(\.newIndex) == expected.modifications.map(\.new)
          && other.moves.count == expected.moveCount,
        "\(other) from \(given) to \(rows)")
    }
    observers[index].given = rows
    events += 1
  }
}

/// What a difference says, to compare.
private struct Received: CustomStringConvertible {
  let description: String

  init(_ difference: RepositoryDifference<Row>) {
    let modifications = difference.modifications.map { "\($0.oldIndex) \($0.old) → \($0.newIndex) \($0.new)" }
    let moves = difference.moves.map { "\($0.id): \($0.from)→\($0.to)" }
    description =
      "deleted \(difference.deletions), inserted \(difference.insertions), modified \(modifications), moved \(moves)"
  }
}
