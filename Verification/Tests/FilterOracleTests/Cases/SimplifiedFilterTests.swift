import Foundation
import LiveStore
import TestSupport
import Testing

private typealias Case = CaseItem<SomeCaseIndexes>

@Suite struct SimplifiedFilterTests {
  /// Conditions on few properties, with few values, so that they often repeat and contradict each other.
  private func condition(_ random: inout SplitMix64) -> Filter<Case> {
    let row = Row<Case>()
    return switch random.int(0...8) {
    case 0: Filter(random.compared("int", Self.ints) { $0.int }.expr)
    case 1: Filter(random.compared("real", Self.reals) { $0.real }.expr)
    case 2: Filter(random.compared("text", Self.texts) { $0.text }.expr)
    case 3: Filter(random.comparedOptional("maybeInt", [-1, 0, 1, 2]) { $0.maybeInt }.expr)
    case 4: Filter(random.comparedOptional("maybeReal", [0, 1, 2.5, .nan]) { $0.maybeReal }.expr)
    case 5: equality(row.flag, [true, false], &random)
    case 6: equality(row.maybeFlag, [true, false, nil], &random)
    case 7: equality(row.kind, [.draft, .published, .archived], &random)
    default: random.chance(1, in: 2) ? Filter { $0.flag && $0.int > 1 } : Filter { !$0.flag }
    }
  }

  private static let ints = [-1, 0, 1, 2, 3, 5]
  private static let reals = [-1, -0.0, 0, 1, 2.5, .infinity, .nan]
  private static let texts = ["", "a", "ab", "é", "e\u{301}", "が", "か\u{3099}"]

  private func equality<Value: Equatable & Sendable>(
    _ expr: Expr<Value>, _ values: [Value], _ random: inout SplitMix64
  ) -> Filter<Case> {
    let (value, list) = (random.pick(values), random.some(of: values, upTo: 3))
    let condition =
      switch random.int(0...3) {
      case 0: expr == value
      case 1: expr != value
      case 2: !expr.in(list)
      default: expr.in(list)
      }
    return Filter { _ in condition }
  }

  private func filter(_ random: inout SplitMix64, depth: Int) -> Filter<Case> {
    if depth == 0 || random.chance(1, in: 5) { return condition(&random) }
    let parts = (0..<random.int(1...4)).map { _ in filter(&random, depth: depth - 1) }
    switch random.int(0...4) {
    case 0, 1: return .all(of: parts)
    case 2, 3: return .any(of: parts)
    default: return !parts[0]
    }
  }

  private func items(_ random: inout SplitMix64) -> [Case] {
    (0..<80).map { id in
      var item: Case = random.caseItem(id)
      (item.owner, item.friends, item.int) = (nil, RefList(), random.int(-2...6))
      if item.maybeInt != nil { item.maybeInt = random.int(-2...3) }
      if random.chance(1, in: 2) { item.text = random.pick(Self.texts) }
      if random.chance(1, in: 2) { item.real = random.pick(Self.reals) }
      return item
    }
  }

  @Test func `a filter passes the same rows however it is simplified, fetched, counted and live`()
    async throws
  {
    for seed in Seeds.forSuite(3, thorough: 100) {
      var random = SplitMix64(seed: seed)
      let items = items(&random)
      let meaning = TermMeaning(items)
      let store = try Store(Case.self, CaseOwner<SomeCaseIndexes>.self)
      let filters = (0..<100).map { _ in filter(&random, depth: 3) }
      let live = filters.map { _ in Recorder<[Int]>() }
      let tokens = zip(filters, live).map { filter, live in
        store.observe(Case.where(filter)) { live.append($0.results?.map(\.id) ?? []) }
      }
      try await store.write { tx in try tx.insert(contentsOf: items) }
      try await store.settled()
      let snapshot = store.snapshot()
      for (filter, live) in zip(filters, live) {
        let expected = items.filter { meaning.holds(filter.tree.term, $0) }.map(\.id)
        let query = Case.where(filter)
        #expect(snapshot.fetch(query).map(\.id) == expected, "seed \(seed): \(query)")
        #expect(snapshot.count(query) == expected.count, "seed \(seed): \(query)")
        #expect(live.last == expected, "seed \(seed), live: \(query)")
      }
      tokens.forEach { $0.invalidate() }
    }
  }

  @Test func `simplified filters have a text that reads as an equal filter, and are simplified once`() throws
  {
    for seed in Seeds.forSuite(5, thorough: 200) {
      var random = SplitMix64(seed: seed)
      for _ in 0..<100 {
        let filter = filter(&random, depth: 3)
        let query = Case.where(filter)
        #expect(query.where { $0.flag || !$0.flag } == query, "seed \(seed): \(filter)")
        #expect(
          Filter.all(of: [filter, .everything]) == filter && !(!filter) == filter, "seed \(seed): \(filter)")
        guard let text = filter.format else { continue }
        let read = try Filter<Case>(format: text)
        #expect(read == filter && read.hashValue == filter.hashValue, "seed \(seed): \(text)")
        #expect(Case.where(read) == query && "\(read)" == text, "seed \(seed): \(text)")
      }
    }
  }

  @Test func `the order of conditions makes no other filter`() {
    for seed in Seeds.forSuite(5, thorough: 200) {
      var random = SplitMix64(seed: seed)
      for _ in 0..<100 {
        let parts = (0..<random.int(2...4)).map { _ in filter(&random, depth: 2) }
        let others = Array(parts.reversed())
        #expect(Filter.all(of: parts) == .all(of: others), "seed \(seed): \(parts)")
        #expect(Filter.any(of: parts) == .any(of: others), "seed \(seed): \(parts)")
        #expect(Filter.any(of: parts).hashValue == Filter.any(of: others).hashValue, "seed \(seed): \(parts)")
      }
    }
  }

  /// Queries that ask the same, group by group.
  private static var sameQueries: [[Query<Case>]] {
    [
      [
        Case.where { $0.int > 3 }, Case.where { $0.int > 1 && $0.int > 3 },
        Case.where { $0.int > 3 && $0.int > 3 }, Case.where { !(!($0.int > 3)) },
        Case.where { $0.int > 3 || $0.int > 3 }, Case.where(.any(of: [.nothing, Filter { $0.int > 3 }])),
      ],
      [
        Case.where { $0.int.in(1..<5) }, Case.where { $0.int >= 1 && $0.int < 5 },
        Case.where { $0.int < 5 && $0.int >= 1 && $0.int < 9 },
        Case.where { $0.int.in(1..<7) && $0.int.in(-2..<5) },
      ],
      [
        Case.where { $0.int.in([1, 2]) }, Case.where { $0.int.in([2, 1]) },
        Case.where { $0.int == 1 || $0.int == 2 },
        Case.where { $0.int.in([2, 1, 2]) || $0.int == 1 },
        Case.where { ($0.int == 1 || $0.int == 2 || $0.int == 3) && $0.int < 3 },
        Case.where { $0.int.in([1, 2, 3]) && $0.int.in([0, 2, 1]) },
        Case.where { $0.int.in([1, 2, 3]) && $0.int != 3 },
        Case.where { !($0.int != 1 && $0.int != 2) },
      ],
      [
        Case.where { $0.int != 1 && $0.int != 2 }, Case.where { !$0.int.in([2, 1]) },
        Case.where { !($0.int == 1 || $0.int == 2) },
      ],
      [Case.where { $0.int != 1 }, Case.where { !($0.int == 1) }, Case.where { !$0.int.in([1]) }],
      [
        Case.where { $0.maybeInt.in([nil, 2]) }, Case.where { $0.maybeInt == 2 || $0.maybeInt == nil },
      ],
      [
        Case.where { $0.text == "é" }, Case.where { $0.text == "e\u{301}" || $0.text == "é" },
        Case.where { $0.text.in(["e\u{301}", "é"]) },
      ],
      [Case.where { !$0.flag }, Case.where { $0.flag == false }, Case.where { $0.flag != true }],
      [
        Case.where { $0.kind == .draft }, Case.where { $0.kind == .draft && $0.kind == .draft },
        Case.where { $0.kind != .published && $0.kind.in([.draft, .published]) },
      ],
      [
        Case.where { $0.int == 1 && $0.text == "a" }, Case.where { $0.text.in(["a"]) && $0.int.in([1]) },
        Case.where { $0.text == "a" && $0.int == 1 },
        Case.where { $0.text == "a" && $0.int == 1 && $0.int.in([1, 2]) },
        Case.where { $0.int == 1 }.where { $0.text == "a" },
      ],
      [
        Case.where { $0.int == 1 || $0.text == "a" && $0.flag },
        Case.where { $0.flag && $0.text == "a" || $0.int == 1 },
      ],
      [
        Case.where { $0.numbers.contains { $0 > 1 && $0 < 5 } },
        Case.where { $0.numbers.contains { $0 < 5 && $0 > 1 } },
      ],
      [
        Case.where { $0.numbers.contains(2) }, Case.where { $0.numbers.contains { $0 == 2 } },
        Case.where { !$0.numbers.allSatisfy { $0 != 2 } },
      ],
      [
        Case.where(.nothing), Case.where { $0.int == 1 && $0.int == 2 },
        Case.where { $0.int == 1 && $0.int != 1 }, Case.where { $0.int == 7 && $0.int.in(1..<7) },
        Case.where { $0.int > 3 && $0.int < 3 }, Case.where { $0.int.in(3..<3) },
        Case.where { $0.int == 1 && $0.int.in([2, 3]) },
        Case.where { $0.maybeInt == nil && $0.maybeInt < 3 },
        Case.where { $0.int.in([Int]()) && $0.text == "a" },
        Case.where { $0.flag && !$0.flag }, Case.where { $0.text.contains("a") && !$0.text.contains("a") },
        Case.where { $0.kind == .draft && $0.kind == .archived },
        Case.where { $0.numbers.contains { $0 == 1 && $0 == 2 } },
      ],
      [
        Case.where { $0.int != 1 || $0.int != 2 }, Case.all, Case.where { $0.int == 1 || $0.int != 1 },
        Case.where { $0.flag || !$0.flag },
      ],
    ]
  }

  @Test func `queries that ask the same are equal and share one live result`() async throws {
    for group in Self.sameQueries {
      let store = try Store(Case.self, CaseOwner<SomeCaseIndexes>.self)
      let tokens = group.map { store.observe($0) { _ in } }
      try await store.settled()
      #expect(Set(group).count == 1, "\(group)")
      #expect(store.metrics.liveQueries == 1, "\(group)")
      tokens.forEach { $0.invalidate() }
    }
  }

  @Test func `thousands of alternatives of one property are one list`() throws {
    let numbers = Array(0..<4_000)
    let expected = Filter<Case> { $0.int.in(numbers) }
    let written = Filter<Case> { row in numbers.dropFirst().reduce(row.int == 0) { $0 || row.int == $1 } }
    let joined = numbers.reduce(Filter<Case>.nothing) { filter, number in
      filter || Filter { $0.int == number }
    }
    let text = numbers.map { "int == \($0)" }.joined(separator: " OR ")
    #expect(written == expected && joined == expected)
    #expect(Filter.any(of: numbers.map { number in Filter { $0.int == number } }) == expected)
    #expect(try Case.where(format: text) == Case.where(expected))
    #expect(Case.where(joined).format == Case.where(expected).format)
  }

  @Test func `an index serves both bounds of a range, and a contradiction reads and is asked nothing`()
    async throws
  {
    let store = try Store(Case.self, CaseOwner<SomeCaseIndexes>.self)
    try await store.write { tx in
      try tx.insert(contentsOf: (0..<1000).map { Case(id: $0, int: $0) })
    }
    let snapshot = store.snapshot()
    let range = Case.where { $0.int >= 100 && $0.int < 110 }
    #expect(range.explain(in: snapshot).hasPrefix("index CaseItem<SomeCaseIndexes>.int: 10 of 1000"))
    let none = Case.where { $0.int == 100 && $0.int == 101 }
    #expect(none.explain(in: snapshot).contains(": 0 of 1000"))
    let token = store.observe(none) { _ in }
    try await store.write { tx in try tx.update(Case.self, 100) { $0.int = 101 } }
    try await store.settled()
    #expect(store.metrics.unroutedQueries == 0 && store.metrics.unroutedTests == 0)
    token.invalidate()
  }
}
