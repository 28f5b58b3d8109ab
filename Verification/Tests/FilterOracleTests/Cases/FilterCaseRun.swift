import LiveStore
import Synchronization
import TestSupport

/// The evaluation of all cases in one store: by every plan, in a transaction and live, against the oracle.
final class FilterCaseRun<Mode: CaseMode> {
  typealias Item = CaseItem<Mode>

  let cases: [FilterCase<Mode>]
  let queries: [Query<Item>?]
  /// The first failure of each case, by its index.
  private(set) var failures: [Int: String] = [:]
  /// For each case, whether a row passed and whether one did not.
  private(set) var outcomes: [(some: Bool, others: Bool)]
  /// How often each way to find rows was taken, by the first word of the explanation.
  private(set) var plans: [String: Int] = [:]
  /// How many queries were put to the interpreter of terms.
  private(set) var meantQueries = 0

  /// With the cases of a part of three, or all.
  init(part: Int?) {
    cases = CaseList<Mode>.all.enumerated().filter { part == nil || $0.offset % 3 == part }.map(\.element)
    outcomes = cases.map { _ in (false, false) }
    queries = cases.map { try? Item.where(format: $0.text.format, arguments: $0.text.arguments) }
    for (index, filterCase) in cases.enumerated() where queries[index] == nil {
      do {
        _ = try Item.where(format: filterCase.text.format, arguments: filterCase.text.arguments)
      } catch {
        failures[index] = "\(error)"
      }
    }
  }

  func run(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    var world = CaseWorld<Mode>(&random, count: 64)
    let store = try Store(Item.self, CaseOwner<Mode>.self)
    try await store.write { tx in
      try tx.insert(contentsOf: world.owners.values.sorted { $0.id < $1.id })
      try tx.insert(contentsOf: world.items)
    }
    checkAll(world, store.snapshot(), seed)
    try await checkTransaction(store, &random, world, seed)
    try await checkLive(store, &random, &world, seed)
  }

  /// Looks at more rows, until each case was true for one and false for another.
  func completeOutcomes() {
    for seed in 1000..<1024 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let rows = CaseWorld<Mode>(&random, count: 64).rows
      for (index, filterCase) in cases.enumerated()
      where !filterCase.isConstant && !(outcomes[index].some && outcomes[index].others) {
        for row in rows {
          if filterCase.passes(row) { outcomes[index].some = true } else { outcomes[index].others = true }
        }
      }
    }
  }

  /// The ids that the oracle lets pass, in insertion order.
  private func expected(_ index: Int, _ rows: [CaseRow<Mode>]) -> [Int] {
    rows.filter(cases[index].passes).map(\.item.id)
  }

  private func checkAll(_ world: CaseWorld<Mode>, _ snapshot: Snapshot, _ seed: UInt64) {
    let ids = world.items.map(\.id)
    let some = Set(ids.filter { $0 % 13 == 1 })
    let rows = world.rows
    for (index, filterCase) in cases.enumerated() {
      let passing = expected(index, rows)
      outcomes[index].some = outcomes[index].some || !passing.isEmpty
      outcomes[index].others = outcomes[index].others || passing.count < ids.count
      guard let query = queries[index] else { continue }
      let access = query.explain(in: snapshot).split(separator: " ")[0]
      plans[String(access), default: 0] += 1
      check(index, "as text by \(access)", snapshot.fetch(query).map(\.id), passing, world, seed)
      if snapshot.count(query) != passing.count { note(index, "the count of the text differs, seed \(seed)") }
      if let typed = filterCase.typed {
        check(index, "in Swift", snapshot.fetch(typed).map(\.id), passing, world, seed)
      }
      for meant in [query, filterCase.typed].compactMap({ $0 }) {
        guard let found = try? rows.filter({ try $0.passes(meant) }).map(\.item.id) else { continue }
        meantQueries += 1
        check(index, "by the meaning of \(meant)", found, passing, world, seed)
      }
      checkVariants(index, query, passing, some, world, snapshot, seed)
    }
  }

  /// The same filter as a part of others, and in the order of an index.
  private func checkVariants(
    _ index: Int, _ query: Query<Item>, _ passing: [Int], _ some: Set<Int>, _ world: CaseWorld<Mode>,
    _ snapshot: Snapshot, _ seed: UInt64
  ) {
    let text = cases[index].text
    let found = Set(passing)
    if let negated = try? Item.where(format: "NOT (\(text.format))", arguments: text.arguments) {
      let rest = world.items.map(\.id).filter { !found.contains($0) }
      check(index, "negated", snapshot.fetch(negated).map(\.id), rest, world, seed)
    } else {
      note(index, "NOT (\(text.format)) is not accepted")
    }
    let byIDs = query.where { $0.id.in(some) }
    plans[String(byIDs.explain(in: snapshot).split(separator: " ")[0]), default: 0] += 1
    check(
      index, "among ids", snapshot.fetch(byIDs).map(\.id), passing.filter { some.contains($0) }, world, seed)
    let byIndex = query.where { $0.int >= 0 }
    let positive = Set(world.items.filter { $0.int >= 0 }.map(\.id))
    check(
      index, "with int >= 0", snapshot.fetch(byIndex).map(\.id), passing.filter { positive.contains($0) },
      world,
      seed)
    let sorted = world.items.filter { found.contains($0.id) }.enumerated()
      .sorted { ($0.element.int, $0.offset) < ($1.element.int, $1.offset) }
      .map(\.element.id)
    let ordered = query.sorted(by: \.int).limit(4)
    if ordered.explain(in: snapshot).contains(" in order") { plans["order", default: 0] += 1 }
    check(index, "in order", snapshot.fetch(ordered).map(\.id), Array(sorted.prefix(4)), world, seed)
    if let steps = try? Item.query(format: "\(text.format) SORT(int ASC) LIMIT(4)", arguments: text.arguments)
    {
      check(index, "as SORT", snapshot.fetch(steps).map(\.id), Array(sorted.prefix(4)), world, seed)
    } else {
      note(index, "the text with SORT and LIMIT is not accepted")
    }
  }

  private struct Undo: Error {}

  /// In a transaction that has changed rows, and in its savepoints.
  private func checkTransaction(
    _ store: Store, _ random: inout SplitMix64, _ world: CaseWorld<Mode>, _ seed: UInt64
  ) async throws {
    var changed = world
    let edits = Self.edit(&changed, &random)
    let rows = changed.rows
    do {
      try await store.write { tx in
        for edit in edits { try edit(&tx) }
        for (index, query) in queries.enumerated() {
          guard let query else { continue }
          let found = tx.fetch(query).map(\.id)
          check(index, "in a transaction", found, expected(index, rows), changed, seed)
        }
        throw Undo()
      }
    } catch is Undo {}
  }

  private typealias Edit = (inout WriteTransaction) throws -> Void

  /// Some insertions, changes and deletions, done in the model.
  private static func edit(_ world: inout CaseWorld<Mode>, _ random: inout SplitMix64) -> [Edit] {
    var edits: [Edit] = []
    for _ in 0..<6 {
      let place = random.int(0...world.items.count - 1)
      let id = world.items[place].id
      switch random.int(0...5) {
      case 0:
        let item: Item = random.caseItem((world.items.map(\.id).max() ?? 0) + 1)
        world.items.append(item)
        edits.append { tx in try tx.insert(item) }
      case 1 where world.items.count > 30:
        world.items.remove(at: place)
        edits.append { tx in try tx.delete(Item.self, id) }
      case 2:
        let owner: CaseOwner<Mode> = random.caseOwner(random.pick(CasePools.owners))
        world.owners[owner.id] = owner
        edits.append { tx in try tx.upsert(owner) }
      default:
        let item: Item = random.caseItem(id)
        world.items[place] = item
        edits.append { tx in try tx.upsert(item) }
      }
    }
    return edits
  }

  /// Live results of all queries, compared after each commit with the oracle and with a fetch.
  private func checkLive(
    _ store: Store, _ random: inout SplitMix64, _ world: inout CaseWorld<Mode>, _ seed: UInt64
  ) async throws {
    let last = Mutex<[Int: [Int]]>([:])
    let tokens = queries.enumerated().compactMap { index, query in
      query.map { query in
        store.observe(query) { change in
          let found = change.results?.map(\.id)
          last.withLock { $0[index] = found }
        }
      }
    }
    for _ in 0..<3 {
      let edits = Self.edit(&world, &random)
      try await store.write { tx in for edit in edits { try edit(&tx) } }
      try await store.settled()
      let (snapshot, found, rows) = (store.snapshot(), last.withLock { $0 }, world.rows)
      for (index, query) in queries.enumerated() {
        guard let query else { continue }
        let passing = expected(index, rows)
        check(index, "live", found[index] ?? [], passing, world, seed)
        check(index, "after commits", snapshot.fetch(query).map(\.id), passing, world, seed)
      }
    }
    tokens.forEach { $0.invalidate() }
  }

  /// Keeps the first difference of a case, with the values of the first row that is wrong.
  private func check(
    _ index: Int, _ plan: String, _ found: [Int], _ expected: [Int], _ world: CaseWorld<Mode>, _ seed: UInt64
  ) {
    if found == expected || failures[index] != nil { return }
    let wrong = Set(found).symmetricDifference(expected).min()
    let item = world.items.first { $0.id == wrong }
    let row = item.map { describe($0, cases[index].text.format, world) } ?? "the order differs"
    let isMissing = wrong.map { !found.contains($0) } ?? false
    note(index, "\(plan), seed \(seed): \(isMissing ? "is missing" : "should not pass"): \(row)")
  }

  private func note(_ index: Int, _ failure: String) {
    if failures[index] == nil { failures[index] = failure }
  }

  /// The properties of a row that a text names.
  private func describe(_ item: Item, _ format: String, _ world: CaseWorld<Mode>) -> String {
    var parts = ["id \(item.id)"]
    for (label, value) in Mirror(reflecting: item).children {
      guard let label, label != "id", format.contains(label) || format.contains("%K") else { continue }
      if let text = value as? String {
        parts.append("\(label) \(spelled(text))")
      } else {
        parts.append("\(label) \(value)")
      }
    }
    if let owner = item.owner.flatMap({ world.owners[$0.id] }), format.contains("owner") {
      parts.append("\(owner)")
    }
    return parts.joined(separator: ", ")
  }
}

extension CaseRow {
  /// Whether it passes a query as that is simplified, by what its terms mean.
  fileprivate func passes(_ query: Query<CaseItem<Mode>>) throws -> Bool {
    try query.stages.allSatisfy { try meaning.value(of: $0.filter.term, [item]) as? Bool == true }
  }
}
