import Foundation
import LiveStore
import Synchronization
import TestSupport
import Testing

/// Predicates of Foundation's, by every plan, in transactions and live, against their own `evaluate`.
@Suite struct PredicateTests {
  @Test func `every predicate selects what its evaluate says, without indexes`() async throws {
    try await check(NoCaseIndexes.self)
  }

  @Test func `every predicate selects what its evaluate says, with indexes on everything`() async throws {
    try await check(AllCaseIndexes.self)
  }

  @Test func `every predicate selects what its evaluate says, with indexes on some properties`() async throws
  {
    try await check(SomeCaseIndexes.self)
  }

  @Test func `a predicate that can be read is the filter that is written in Swift`() {
    for predicateCase in PredicateList<AllCaseIndexes>.all {
      let query = CaseItem<AllCaseIndexes>.where(predicateCase.predicate)
      if let typed = predicateCase.typed, query != typed { Issue.record("\(query) and \(typed)") }
      let isEvaluated = "\(query)".contains("#Predicate")
      if isEvaluated != predicateCase.isEvaluated {
        Issue.record("\(isEvaluated ? "evaluated" : "read"): \(query) of \(predicateCase.predicate)")
      }
    }
  }

  private func check<Mode: CaseMode>(_: Mode.Type) async throws {
    let cases = PredicateList<Mode>.all
    #expect(cases.count >= 120)
    let queries = cases.map { CaseItem<Mode>.where($0.predicate) }
    for seed in Seeds.forSuite(1, thorough: 12) {
      var random = SplitMix64(seed: seed)
      var world = CaseWorld<Mode>(&random, count: 96)
      let store = try Store(CaseItem<Mode>.self, CaseOwner<Mode>.self)
      let found = Mutex<[Int: [Int]]>([:])
      let tokens = queries.enumerated().map { index, query in
        store.observe(query) { change in
          let ids = change.results?.map(\.id)
          found.withLock { $0[index] = ids }
        }
      }
      let (items, owners) = (world.items, world.owners.values.sorted { $0.id < $1.id })
      try await store.write { tx in
        try tx.insert(contentsOf: owners)
        try tx.insert(contentsOf: items)
        for (index, query) in queries.enumerated() {
          compare(cases[index], tx.fetch(query).map(\.id), items, "in a transaction", seed)
        }
      }
      for _ in 0..<2 {
        try await store.settled()
        let snapshot = store.snapshot()
        for (index, query) in queries.enumerated() {
          compare(
            cases[index], snapshot.fetch(query).map(\.id), world.items, query.explain(in: snapshot), seed)
          compare(cases[index], found.withLock { $0[index] } ?? [], world.items, "live", seed)
        }
        for _ in 0..<20 {
          let place = random.int(0...world.items.count - 1)
          world.items[place] = random.caseItem(world.items[place].id)
        }
        let changed = world.items
        try await store.write { tx in for item in changed { try tx.upsert(item) } }
      }
      tokens.forEach { $0.invalidate() }
    }
  }

  private func compare<Mode>(
    _ predicateCase: PredicateCase<Mode>, _ found: [Int], _ items: [CaseItem<Mode>], _ plan: String,
    _ seed: UInt64
  ) {
    let expected = items.filter { (try? predicateCase.predicate.evaluate($0)) == true }.map(\.id)
    if found == expected { return }
    let wrong = Set(found).symmetricDifference(expected).min()
    let item = items.first { $0.id == wrong }
    Issue.record("seed \(seed), \(plan): \(predicateCase.predicate): \(item.map { "\($0)" } ?? "order")")
  }
}
