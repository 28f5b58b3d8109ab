import LiveStore
import TestSupport
import Testing

/// One consistent number, one that may be inconsistent and is indexed, and a text.
private struct Witness: Entity, Equatable {
  let id: Int
  var number: Int
  var statement: InconsistentValue
  var name = ""
  static let schema = Schema<Witness> {
    Property(\.number, .indexed)
    Property(\.statement, .indexed)
    \.name
  }

  static func == (lhs: Witness, rhs: Witness) -> Bool {
    lhs.id == rhs.id && lhs.number == rhs.number && lhs.name == rhs.name
      && lhs.statement.number == rhs.statement.number
      && lhs.statement.inconsistency == rhs.statement.inconsistency
  }
}

/// Histories in which some values are inconsistent, before observers whose queries read them and others whose do not.
@Suite(.timeLimit(.minutes(10))) struct `Inconsistent values` {
  /// Everything that an observer of inconsistent values is given is read, whatever it is.
  private static func readAll(_ change: CollectionChange<Witness>) {
    guard let results = change.results else { return }
    _ = results.map(\.id)
    if let changes = change.changes {
      _ = changes.description + "\(changes.batchUpdates)"
      _ = changes.modifications.map { ($0.old.number, $0.new.number) }
    }
  }

  private static func lyingQueries(_ pivot: InconsistentValue) -> [Query<Witness>] {
    [
      Witness.sorted(by: \.statement), Witness.sorted(by: \.statement, .descending).limit(5),
      Witness.sorted(by: \.statement).sorted(by: \.number).offset(2).limit(4).where { $0.number > 1 },
      Witness.where { $0.statement == pivot }, Witness.where { $0.statement < pivot },
      Witness.where { $0.statement >= pivot }.sorted(by: \.number),
      Witness.where { $0.statement.in([pivot, InconsistentValue(number: 2)]) }.sorted(by: \.statement),
      Witness.where { $0.statement != pivot && $0.number < 5 },
      Witness.all.distinct(by: \.statement), Witness.sorted(by: \.number).distinct(by: \.statement),
    ]
  }

  private static let honestQueries: [(query: Query<Witness>, expected: @Sendable ([Witness]) -> [Witness])] =
    [
      (Witness.all, { $0 }), (Witness.where { $0.number >= 3 }, { $0.filter { $0.number >= 3 } }),
      (Witness.where { $0.number == 2 }, { $0.filter { $0.number == 2 } }),
      (
        Witness.sorted(by: \.number, .descending).limit(6),
        { Array(stably($0) { $0.number > $1.number }.prefix(6)) }
      ),
      (
        Witness.where { $0.name.beginsWith("a") }.sorted(by: \.name),
        { stably($0.filter { $0.name.hasPrefix("a") }) { $0.name < $1.name } }
      ),
    ]

  private static func stably(_ rows: [Witness], _ isBefore: (Witness, Witness) -> Bool) -> [Witness] {
    rows.enumerated().sorted {
      isBefore($0.element, $1.element) || !isBefore($1.element, $0.element) && $0.offset < $1.offset
    }
    .map(\.element)
  }

  @Test(arguments: Inconsistency.allCases)
  func `inconsistent values disturb only queries that read them, and none after their deletion`(
    inconsistency: Inconsistency
  )
    async throws
  {
    for seed in Seeds.forSuite(1, thorough: 2) {
      do {
        try await Self.run(inconsistency, seed)
      } catch {
        Issue.record("\(inconsistency), LIVESTORE_SEED=\(seed): \(error)")
      }
    }
  }

  private static func run(_ inconsistency: Inconsistency, _ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let store = try Store(Witness.self)
    let pivot = InconsistentValue(number: 2, inconsistency: random.chance(1, in: 2) ? inconsistency : nil)
    var tokens: [NotificationToken] = []
    var honest: [CheckedObserver<Witness>] = []
    for (query, _) in honestQueries {
      let observer = CheckedObserver<Witness>()
      honest.append(observer)
      tokens.append(store.observe(query) { observer.receive($0) })
    }
    tokens += lyingQueries(pivot).map { store.observe($0) { readAll($0) } }
    tokens += groupTokens(store)
    let counts = Recorder<[Int: Int]>()
    tokens.append(
      store.observe(Witness.all.grouped(by: \.number).count) { change in
        if let groups = change.results {
          counts.append(Dictionary(groups.map { ($0.key, $0.value) }) { $0 + $1 })
        }
      })
    var model: [Witness] = []
    let steps = Environment.size(8, thorough: 24)
    for step in 0..<steps {
      // In the end the inconsistentValues leave, some at a time.
      let isEnding = step >= steps - 4
      try await store.write { tx in
        for _ in 0..<random.int(1...(step == 0 ? 60 : 6)) where !isEnding {
          try edit(&model, inconsistency, &random, tx)
        }
        let inconsistentValues = model.filter { $0.statement.inconsistency != nil }
        for inconsistent in isEnding
          ? (step == steps - 1
            ? inconsistentValues : random.some(of: inconsistentValues, upTo: inconsistentValues.count)) : []
        {
          guard let index = model.firstIndex(where: { $0.id == inconsistent.id }) else { continue }
          try require(try tx.delete(Witness.self, inconsistent.id), "\(inconsistent) cannot be deleted")
          model.remove(at: index)
        }
      }
      try await store.settled()
      try require(
        store.snapshot().fetch(Witness.all).elementsEqual(model), "the table is not what was written")
      for (observer, (query, expected)) in zip(honest, honestQueries) {
        try require(observer.breaches.isEmpty, "\(query): \(observer.breaches)")
        try require(observer.rows == expected(model), "\(query) after step \(step)")
        try require(
          store.snapshot().fetch(query).elementsEqual(expected(model)), "fetched \(query) after step \(step)")
      }
      try require(
        counts.last == Dictionary(grouping: model, by: \.number).mapValues(\.count),
        "groups after step \(step)")
      for query in lyingQueries(pivot) { _ = store.snapshot().fetch(query).map(\.id) }
    }
    try await checkAfterwards(store, model)
    for token in tokens { token.invalidate() }
  }

  private static func edit(
    _ model: inout [Witness], _ inconsistency: Inconsistency, _ random: inout SplitMix64,
    _ tx: borrowing WriteTransaction
  ) throws {
    func value() -> InconsistentValue {
      InconsistentValue(
        number: random.int(0...8), inconsistency: random.chance(1, in: 3) ? inconsistency : nil,
        salt: random.int(0...3))
    }
    let index = model.isEmpty ? nil : random.int(0...model.count - 1)
    switch (random.int(0...4), index) {
    case (0, let index?):
      try require(try tx.delete(Witness.self, model[index].id), "\(model[index]) cannot be deleted")
      model.remove(at: index)
    case (1, let index?), (2, let index?):
      var witness = model[index]
      witness.number = random.int(0...6)
      witness.statement = value()
      try tx.upsert(witness)
      // Whether a value with an inconsistent == was replaced is undefined.
      model[index] = tx[Witness.self, witness.id] ?? witness
    default:
      let witness = Witness(
        id: (model.map(\.id).max() ?? 0) + 1, number: random.int(0...6), statement: value(),
        name: random.pick(["", "a", "ab", "b"]))
      try tx.insert(witness)
      model.append(witness)
    }
  }

  private static func groupTokens(_ store: Store) -> [NotificationToken] {
    let sectioned = store.observe(Witness.sorted(by: \.number).sectioned(by: \.statement)) { change in
      guard let sections = change.sections else { return }
      for section in sections { _ = (section.key, section.map(\.id)) }
      for index in sections.results.indices { _ = sections.position(at: index) }
      _ = change.changes?.description
    }
    let counted = store.observe(Witness.all.grouped(by: \.statement).count) { change in
      _ = change.results.map { $0.map { ($0.key.number, $0.value) } }
      _ = change.changes?.description
    }
    let least = store.observe(Witness.all.grouped(by: \.statement).min(\.number)) { change in
      _ = change.results.map { $0.map { ($0.key.number, $0.value) } }
    }
    let greatest = store.observe(Witness.all.grouped(by: \.number).max(\.statement)) { change in
      _ = change.results.map { $0.map { ($0.key, $0.value.number) } }
    }
    let all = store.observe(Witness.all.min(\.statement)) { _ in }
    return [sectioned, counted, least, greatest, all]
  }

  /// With only honest values left, everything is as if there had never been others.
  private static func checkAfterwards(_ store: Store, _ model: [Witness]) async throws {
    let snapshot = store.snapshot()
    if let breach = try snapshot.breachOfTables() { throw Mismatch(breach) }
    let pivot = InconsistentValue(number: 2)
    let sorted = stably(model) { $0.statement.number < $1.statement.number }
    try require(snapshot.fetch(Witness.sorted(by: \.statement)).elementsEqual(sorted), "a sort afterwards")
    try require(
      snapshot.fetch(Witness.where { $0.statement == pivot }).elementsEqual(
        model.filter { $0.statement.number == 2 }),
      "equality afterwards")
    try require(
      snapshot.fetch(Witness.where { $0.statement < pivot }).elementsEqual(
        model.filter { $0.statement.number < 2 }),
      "a range afterwards")
    // Those who watched the inconsistentValues see the honest as they are.
    let fresh = Recorder<[Int]>()
    let token = store.observe(Witness.sorted(by: \.statement)) { fresh.append($0.results?.map(\.id) ?? []) }
    try await store.settled()
    try require(fresh.last == sorted.map(\.id), "a live sort afterwards")
    token.invalidate()
  }
}
