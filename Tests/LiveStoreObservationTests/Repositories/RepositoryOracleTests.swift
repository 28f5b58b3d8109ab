import LiveStore
import LiveStoreObservation
import TestSupport
import Testing

private typealias Row = Thing<WithIndexes>

@Suite(.timeLimit(.minutes(10))) struct `A store and a dictionary` {
  @Test func `keep the object they have when it is given an equal value`() async throws {
    let repositories: [any Repository<Writer>] = [
      StoreRepository(try Store(Writer.self)), try InMemoryRepository<Writer>(),
    ]
    for writers in repositories {
      try await writers.insert(Writer(id: 1, name: "\u{e9}"))
      try await writers.upsert(Writer(id: 1, name: "e\u{301}"))
      try await writers.update(1) { $0.name = "e\u{301}" }
      #expect(try await writers.find(1)?.name.unicodeScalars.count == 1)
    }
  }

  @Test(arguments: Seeds.forSuite(12))
  func `give the same answers, errors and changes all along`(seed: UInt64) async throws {
    var story = try Story(seed)
    do {
      for _ in 0..<120 { try await story.step() }
    } catch {
      throw Mismatch("seed \(seed): \(error)\n" + story.log.suffix(12).joined(separator: "\n"))
    }
    #expect(story.events > 20, "seed \(seed): too few events to mean anything")
  }
}

/// One history, written to both in step.
private struct Story {
  var random: SplitMix64
  var log: [String] = []
  var events = 0
  private let stored: StoreRepository<Row>
  private let plain: InMemoryRepository<Row>
  private var observers: [Observer] = []

  private struct Observer {
    let judged: JudgedQuery<WithIndexes>
    var stored: RepositoryChanges<Row>.Iterator
    var plain: RepositoryChanges<Row>.Iterator
    var given: [Row]?
  }

  init(_ seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    stored = StoreRepository(try Store(Row.self))
    plain = try InMemoryRepository()
    for _ in 0..<6 {
      let judged = random.query(for: WithIndexes.self)
      observers.append(
        Observer(
          judged: judged, stored: stored.changes(of: judged.query).makeAsyncIterator(),
          plain: plain.changes(of: judged.query).makeAsyncIterator()))
    }
  }

  mutating func step() async throws {
    for _ in 0..<random.int(1...3) { try await write() }
    let judged = random.query(for: WithIndexes.self)
    try await requireSame(judged, "findAll(\(judged.text))")
    for index in observers.indices where random.chance(1, in: 3) { try await ask(index) }
  }

  private mutating func write() async throws {
    let id = random.pick(Pool.ids)
    let thing = random.thing(id, codes: Array(Pool.codes.prefix(12)))
    let patch = random.patch(codes: Array(Pool.codes.prefix(12)))
    switch random.int(0...5) {
    case 0, 1:
      try await both("insert(\(thing))") { repository in
        try await repository.insert(thing)
        return "inserted"
      }
    case 2: try await both("upsert(\(thing))") { "\(try await $0.upsert(thing))" }
    case 3:
      try await both("update(\(id)) { \(patch) }") { repository in
        "\(try await repository.update(id) { patch.apply(to: &$0) })"
      }
    case 4: try await both("delete(\(id))") { "\(try await $0.delete(id))" }
    default:
      try await both("update(\(id)) { $0 = Thing(\(id + 1)) }") { repository in
        "\(try await repository.update(id) { $0 = Row(id + 1) })"
      }
    }
    try await requireSame(JudgedQuery(text: "all", query: Row.all), "after \(log.last ?? "")")
  }

  /// Does the same to both, and compares what they say.
  private mutating func both(
    _ text: String, _ body: (any Repository<Row>) async throws -> String
  ) async throws {
    log.append(text)
    let (one, two) = (await answer(of: stored, to: body), await answer(of: plain, to: body))
    try require(one == two, "the store: \(one), the dictionary: \(two)")
  }

  private func answer(
    of repository: any Repository<Row>, to body: (any Repository<Row>) async throws -> String
  ) async -> String {
    do { return try await body(repository) } catch { return "throws \(error)" }
  }

  private func requireSame(_ judged: JudgedQuery<WithIndexes>, _ what: String) async throws {
    let one = try await stored.findAll(judged.query)
    let two = try await plain.findAll(judged.query)
    try require(
      one.elementsEqual(two) { $0.isSame(as: $1) }, "\(what): the store \(one), the dictionary \(two)")
    let (count, other) = (try await stored.count(judged.query), try await plain.count(judged.query))
    try require(count == one.count && other == count, "count of \(what): \(count), \(other)")
  }

  /// Asks both streams of an observer for an event, if there is one.
  private mutating func ask(_ index: Int) async throws {
    let rows = observers[index].judged.judge(try await stored.findAll())
    if let given = observers[index].given, ExpectedChange(given, rows).isEmpty { return }
    log.append("changes(of: \(observers[index].judged.text))")
    let one = try await observers[index].stored.next()
    let two = try await observers[index].plain.next()
    guard let one, let two else { throw Mismatch("a stream ended") }
    try require(
      one.elements.elementsEqual(rows) { $0.isSame(as: $1) }
        && two.elements.elementsEqual(rows) { $0.isSame(as: $1) }, "not the results that there are")
    try require("\(Told(one))" == "\(Told(two))", "the store told \(Told(one)), the dictionary \(Told(two))")
    observers[index].given = rows
    events += 1
  }
}

/// What an event tells, to compare.
private struct Told: CustomStringConvertible {
  let description: String

  init(_ change: RepositoryChange<Row>) {
    guard let difference = change.difference else {
      description = "initial"
      return
    }
    let modifications = difference.modifications.map { "\($0.oldIndex) \($0.old) → \($0.newIndex) \($0.new)" }
    let moves = difference.moves.map { "\($0.id): \($0.from)→\($0.to)" }
    description =
      "deleted \(difference.deletions), inserted \(difference.insertions), modified \(modifications), moved \(moves)"
  }
}
