import LiveStore
import TestSupport
import Testing

private struct Knot: Entity, Hashable {
  let id: Int
  var n = 0
  var weight = 0.0
  var kids = RefList<Knot>()
  static let schema = Schema<Knot> {
    \.n
    \.weight
    Relation(\.kids)
  }
}

/// Bug: a path over several links visited an object once for each way to it, so that each step more cost ten times as
/// much among ten objects with ten links each. Mend: an object is visited once at each step, and counts as often as
/// there are ways to it where that makes a difference.
@Suite struct `Paths over several links` {
  private static func knots(_ count: Int, _ kids: (Int) -> [Int]) -> [Knot] {
    (0..<count).map {
      Knot(id: $0, n: $0 * $0 % 7 - 2, weight: Double($0) * 0.1, kids: RefList(ids: kids($0)))
    }
  }

  private static func store(_ knots: [Knot]) throws -> Store {
    let store = try Store(Knot.self)
    try store.write { tx in try tx.insert(contentsOf: knots) }
    return store
  }

  /// Ten objects that all link to all.
  private static func dense() throws -> Store { try store(knots(10) { _ in Array(0..<10) }) }

  /// How many rows a query visits, and those that it finds.
  private func visits(_ query: Query<Knot>, _ store: Store) -> (count: Int, found: [Int]) {
    let results = store.fetch(query.visiting(atMost: 1_000_000))
    #expect(results.error == nil)
    let needed = (1...20).map { 1 << $0 }.first { store.fetch(query.visiting(atMost: $0)).error == nil }
    return (needed ?? .max, results.map(\.id))
  }

  @Test(arguments: [
    "ANY kids.kids.kids.kids.kids.kids.kids.n == -99", "NONE kids.kids.kids.kids.kids.kids.kids.n == -99",
    "kids.kids.kids.kids.kids.kids.kids.@count == 1", "kids.kids.kids.kids.kids.kids.kids.@sum.n == 1",
    "kids.kids.kids.kids.kids.kids.kids.@max.n == 99", "ANY kids.kids.kids.kids.kids.kids.kids.n == n + 99",
  ])
  func `a filter over seven links follows each link once at each step`(text: String) throws {
    let (count, found) = visits(try Knot.where(format: text), try Self.dense())
    // Of ten rows, ten links at the first step and a hundred at each of six others.
    #expect(count <= 8_192)
    #expect(found == (text.hasPrefix("NONE") ? Array(0..<10) : []))
  }

  @Test func `seven subqueries inside one another ask each object once`() throws {
    var text = "$x7.n == -99"
    for level in (1...7).reversed() {
      text = "SUBQUERY(\(level == 1 ? "kids" : "$x\(level - 1).kids"), $x\(level), \(text)).@count > 0"
    }
    let (count, found) = visits(try Knot.where(format: text), try Self.dense())
    #expect(count <= 1_024)
    #expect(found == [])
  }

  @Test func `seven closures inside one another ask each object once, also where the last is counted`() throws
  {
    let query = Knot.where { row in
      row.kids.contains { one in
        one.kids.contains { two in
          two.kids.contains { three in
            three.kids.contains { four in
              four.kids.contains { five in five.kids.objects.where { $0.n == -99 }.count > 0 }
            }
          }
        }
      }
    }
    let (count, found) = visits(query, try Self.dense())
    #expect(count <= 1_024)
    #expect(found == [])
  }

  /// The values at the ends of all ways, once for each.
  private func ends(_ knot: Knot, _ steps: Int, _ all: [Int: Knot]) -> [Knot] {
    if steps == 0 { return [knot] }
    return knot.kids.ids.compactMap { all[$0] }.flatMap { ends($0, steps - 1, all) }
  }

  @Test(arguments: Seeds.forSuite(30, thorough: 1_000))
  func `over several steps, an object counts once for each way to it`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let size = random.int(1...7)
    let knots = Self.knots(size) { _ in (0..<random.int(0...4)).map { _ in random.int(0...(size - 1)) } }
    let (store, all) = (try Self.store(knots), Dictionary(uniqueKeysWithValues: knots.map { ($0.id, $0) }))
    func check(_ text: String, _ holds: ([Knot]) -> Bool, _ steps: Int) throws {
      let found = store.fetch(try Knot.where(format: text)).map(\.id)
      #expect(found == knots.filter { holds(ends($0, steps, all)) }.map(\.id), "seed \(seed): \(text)")
    }
    for steps in 1...4 {
      let path = Array(repeating: "kids", count: steps).joined(separator: ".")
      let probe = ends(knots[random.int(0...(size - 1))], steps, all)
      let (count, sum) = (probe.count, probe.reduce(0) { $0 + $1.n })
      try check("\(path).@count == \(count)", { $0.count == count }, steps)
      try check("\(path).@sum.n == \(sum)", { $0.reduce(0) { $0 + $1.n } == sum }, steps)
      try check("\(path).@max.n == 2", { $0.map(\.n).max() == 2 }, steps)
      try check("ANY \(path).n == 2", { $0.contains { $0.n == 2 } }, steps)
      try check("ALL \(path).n > -2", { $0.allSatisfy { $0.n > -2 } }, steps)
      try check("NONE \(path).n == 0", { !$0.contains { $0.n == 0 } }, steps)
      try check("SUBQUERY(\(path), $x, $x.n > 0).@count > 2", { $0.count { $0.n > 0 } > 2 }, steps)
      // Means of integers are exact here, and halves are exact in doubles.
      let halves = probe.isEmpty ? nil : Double(sum) / Double(count)
      if let halves {
        try check(
          "\(path).@avg.n == \(halves)",
          {
            !$0.isEmpty && Double($0.reduce(0) { $0 + $1.n }) / Double($0.count) == halves
          }, steps)
      }
    }
  }

  @Test func `a sum of doubles over several steps is exact and rounded once`() throws {
    // 0.1 comes 32 times, 0.3 once more than that with 1e300 and its opposite between them.
    var knots = Self.knots(4) { $0 == 0 ? Array(repeating: 1, count: 32) : $0 == 1 ? [2, 3] : [] }
    (knots[2].weight, knots[3].weight) = (1e300, 0.1)
    let store = try Self.store(knots)
    #expect(store.fetch(Knot.where { $0.kids.objects.sum(\.weight) > 3 }).map(\.id) == [0, 1])
    knots[2].weight = -0.05
    try store.write { [knots] tx in try tx.upsert(knots[2]) }
    // 32 times 0.1 - 0.05, which is 0.05 and a little more.
    let exact = 32 * (0.1 - 0.05)
    let found = store.fetch(try Knot.where(format: "kids.kids.@sum.weight == %@", exact)).map(\.id)
    #expect(found == [0])
  }

  @Test(arguments: Seeds.forSuite(20, thorough: 500))
  func `a live query over several links equals the query evaluated again`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let store = try Self.store(Self.knots(8) { _ in [] })
    let texts = [
      "ANY kids.kids.kids.n == 2", "kids.kids.@sum.n > 1", "kids.kids.kids.@count > 3",
      "SUBQUERY(kids, $x, SUBQUERY($x.kids, $y, ANY $y.kids.n == 2).@count > 0).@count > 0",
    ]
    let queries = try texts.map { try Knot.where(format: $0) }
    let observers = try queries.map { query in (query, try store.subscribe(query)) }
    for round in 0..<30 {
      let (id, n) = (random.int(0...7), random.int(-2...2))
      let kids = (0..<random.int(0...3)).map { _ in random.int(0...7) }
      try await store.write { tx in
        try tx.update(Knot.self, id) { ($0.n, $0.kids) = (n, RefList(ids: kids)) }
      }
      for (query, _) in observers {
        var values = store.values(of: query).makeAsyncIterator()
        let live = try await values.next()
        #expect(
          live.map { $0.map(\.id) } == store.fetch(query).map(\.id), "seed \(seed), round \(round): \(query)")
      }
    }
    withExtendedLifetime(observers) {}
  }
}
