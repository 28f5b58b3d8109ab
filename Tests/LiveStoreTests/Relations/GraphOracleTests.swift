import LiveStore
import TestSupport
import Testing

/// Random transactions on a graph of objects, against the naive store.
///
/// `LIVESTORE_SEEDS` sets how many histories there are, `LIVESTORE_SEED` repeats one.
@Suite struct `Graph oracle` {
  @Test(.timeLimit(.minutes(10)))
  func `objects, backlinks, indexes and errors are the model's`() async {
    var commits = 0
    var refusals = 0
    for seed in Seeds.forSuite(2, thorough: 10) {
      var run = GraphRun(seed: seed)
      do {
        try await run.go()
      } catch {
        Issue.record("seed \(seed), transaction \(run.step): \(error)")
        return
      }
      commits += run.commits
      refusals += run.refusals
    }
    #expect(commits > refusals / 4 && refusals > 0, "\(commits) commits, \(refusals) refused")
  }
}

/// A history: one store, one model.
private struct GraphRun {
  private var random: SplitMix64
  private(set) var step = 0
  private(set) var commits = 0
  private(set) var refusals = 0
  /// The model within a transaction, and at the last commit.
  private var model = ModelStore(Citizen.self, Place.self, Essay.self, rules: graphRules)
  private var committed: ModelStore

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    committed = model
  }

  mutating func go() async throws {
    let store = try Store(Citizen.self, Essay.self, Place.self)
    var feed = store.commits(after: store.version).makeAsyncIterator()
    var previous = (snapshot: store.snapshot(), model: committed)
    for number in 0..<Environment.size(24, thorough: 60) {
      step = number
      model = committed
      var failure: (any Error)?
      do {
        try await store.write { tx in
          try run(tx, random.int(1...9), depth: 0)
          if random.chance(1, in: 12) { throw Undo() }
        }
      } catch { failure = error }
      let isCommitted = store.version != previous.snapshot.version
      try checkOutcome(failure, isCommitted)
      try compare(store.snapshot(), committed)
      try compare(previous.snapshot, previous.model)
      if isCommitted {
        guard let commit = try await feed.next() else { throw Mismatch("no commit") }
        try require(commit.version == store.version, "the commit reported is \(commit.version)")
        for entity in graphEntities { try check(commit, from: previous.model, entity) }
      }
      previous = (store.snapshot(), committed)
    }
  }

  /// Whether the transaction ended as the model says. If it was committed, so is the model.
  private mutating func checkOutcome(_ failure: (any Error)?, _ isCommitted: Bool) throws {
    if let failure {
      try require(!isCommitted, "a version was made by a transaction that threw \(failure)")
      if failure is Undo { return }
      guard let error = failure as? StoreError else { throw failure }
      let violations = model.violations(after: committed)
      try require(
        violations.contains { $0.isReported(by: error) }, "\(error), but the violations are \(violations)")
      refusals += 1
      return
    }
    let violations = model.violations(after: committed)
    try require(violations.isEmpty, "not refused: \(violations)")
    try require(isCommitted == model.commit(after: committed), "versions")
    if isCommitted { commits += 1 }
    committed = model
  }

  // MARK: Steps

  private mutating func run(_ tx: borrowing WriteTransaction, _ count: Int, depth: Int) throws {
    for _ in 0..<count {
      let entity = random.pick(graphEntities)
      switch random.int(0...13) {
      case 0...2: try insert(tx, entity)
      case 3, 4: try upsert(tx, entity)
      case 5...8: try update(tx, entity)
      case 9, 10: try delete(tx, entity)
      case 11: try deleteSome(tx, entity)
      case 12 where depth < 2: try savepoint(tx, depth: depth + 1)
      default: if random.chance(1, in: 12) { try deleteAll(tx, entity) }
      }
      for entity in graphEntities { try compareRows(tx, entity) }
    }
  }

  private mutating func insert<Element: GraphEntity>(
    _ tx: borrowing WriteTransaction, _: Element.Type
  ) throws {
    let object = Element.random(random.int(0...9), &random, model)
    let isInserted = model.insert(object)
    do {
      try tx.insert(object)
      try require(isInserted, "inserted twice")
    } catch StoreError.duplicateID { try require(!isInserted, "a duplicate that is none") }
  }

  private mutating func upsert<Element: GraphEntity>(
    _ tx: borrowing WriteTransaction, _: Element.Type
  ) throws {
    let object = Element.random(random.int(0...9), &random, model)
    try tx.upsert(object)
    model.upsert(object)
  }

  private mutating func update<Element: GraphEntity>(
    _ tx: borrowing WriteTransaction, _: Element.Type
  ) throws {
    guard let id = model.ids(Element.self).randomElement(using: &random) else { return }
    let other = Element.random(id, &random, model)
    let (choice, position) = (random.int(0...6), random.int(0...99))
    try tx.update(Element.self, id) { $0.edit(choice, position: position, from: other) }
    model.update(Element.self, id) { $0.edit(choice, position: position, from: other) }
  }

  private mutating func delete<Element: GraphEntity>(
    _ tx: borrowing WriteTransaction, _: Element.Type
  ) throws {
    let id = random.int(0...9)
    let isDeleted = try tx.delete(Element.self, id)
    try require(
      isDeleted == model.delete(Element.modelKey(id)), "what deleting \(Element.self) \(id) returned")
  }

  private mutating func deleteSome<Element: GraphEntity>(
    _ tx: borrowing WriteTransaction, _: Element.Type
  ) throws {
    let value = random.int(0...4)
    let objects = model.rows(Element.self).filter { $0.value == value }
    try require(try tx.delete(Element.valued(value)) == objects.count, "the number of \(Element.self)s")
    for object in objects { model.delete(object.modelKey) }
  }

  private mutating func deleteAll<Element: GraphEntity>(
    _ tx: borrowing WriteTransaction, _: Element.Type
  ) throws {
    let count = model.rows(Element.self).count
    try require(try tx.deleteAll(Element.self) == count, "the number of all \(Element.self)s")
    model.deleteAll(Element.self)
  }

  private mutating func savepoint(_ tx: borrowing WriteTransaction, depth: Int) throws {
    let before = model
    let count = random.int(1...4)
    let isUndone = random.chance(1, in: 2)
    do {
      try tx.savepoint { tx in
        try run(tx, count, depth: depth)
        if isUndone { throw Undo() }
      }
    } catch is Undo { model = before }
  }

  // MARK: Checks

  private func compareRows<Element: GraphEntity>(
    _ tx: borrowing WriteTransaction, _: Element.Type
  ) throws {
    try require(
      Array(tx.fetch(Element.all)) == model.rows(Element.self), "\(Element.self) inside a transaction")
  }

  private func compare(_ snapshot: Snapshot, _ model: ModelStore) throws {
    if let breach = try snapshot.breachOfTables() { throw Mismatch(breach) }
    let backlinks = model.backlinks
    func compare<Element: GraphEntity>(_: Element.Type) throws {
      try require(Array(snapshot.fetch(Element.all)) == model.rows(Element.self), "\(Element.self)")
      for (link, query) in (0...9).flatMap({ Element.queriesByLink(to: $0) }) {
        let found = snapshot.fetch(query).map(\.id)
        let expected = backlinks[link] ?? []
        try require(found == expected, "\(link.property) to \(link.target): \(found), not \(expected)")
      }
    }
    for entity in graphEntities { try compare(entity) }
  }

  private func check<Element: GraphEntity>(
    _ commit: Commit, from before: ModelStore, _: Element.Type
  ) throws {
    try committed.checkChanges(in: commit, from: before, of: Element.self, isEqual: ==)
  }
}
