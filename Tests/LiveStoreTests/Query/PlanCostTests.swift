import LiveStore
import TestSupport
import Testing

private struct Sample: Entity {
  let id: Int
  var rank = 0
  var group = 0
  var text = ""
  static let schema = Schema<Sample> {
    Property(\.rank, .indexed)
    \.group
    \.text
  }
}

/// Which queries read rows by an index, and in which order they read them (Q11).
@Suite struct PlanCostTests {
  private static let count = 16_384

  /// The ranks are those of the ids, in scattered order.
  private static func rank(_ id: Int) -> Int { id * 1_237 % count }

  private func snapshot() throws -> Snapshot {
    let store = try Store(Sample.self)
    try store.write { tx in
      try tx.insert(
        contentsOf: (0..<Self.count).map { Sample(id: $0, rank: Self.rank($0), group: $0 % 2, text: "x") })
    }
    return store.snapshot()
  }

  private func tested(_ query: Query<Sample>, _ snapshot: Snapshot) -> Int {
    query.analyze(in: snapshot).testedRows
  }

  @Test func `a range of an index is read until it has one in 32 rows, where a scan compares values`() throws
  {
    let snapshot = try snapshot()
    #expect(tested(Sample.where { $0.rank < 511 && $0.group == 1 }, snapshot) == 511)
    #expect(tested(Sample.where { $0.rank < 512 && $0.group == 1 }, snapshot) == Self.count)
  }

  @Test func `it is read until it has one in four rows, where a scan does what costs more`() throws {
    let snapshot = try snapshot()
    for query in [
      Sample.where { $0.rank < 4_095 && $0.text.contains("x") },
      Sample.where { $0.rank < 4_095 }.filter { _ in true },
    ] {
      #expect(tested(query, snapshot) == 4_095, "\(query)")
    }
    #expect(tested(Sample.where { $0.rank < 4_096 && $0.text.contains("x") }, snapshot) == Self.count)
  }

  @Test func `the costs of a table between small and large have one ratio to each other, too`() throws {
    let store = try Store(Sample.self)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<4_000).map { Sample(id: $0, rank: $0 * 1_237 % 4_000, text: "x") })
    }
    let snapshot = store.snapshot()
    #expect(tested(Sample.where { $0.rank < 999 && $0.text.contains("x") }, snapshot) == 999)
    #expect(tested(Sample.where { $0.rank < 1_000 && $0.text.contains("x") }, snapshot) == 4_000)
  }

  @Test
  func `rows of a range are read in insertion order, and no more than the first ones that are asked for`()
    throws
  {
    let snapshot = try snapshot()
    let odd = (0..<Self.count).filter { Self.rank($0) < 90 && $0 % 2 == 1 }
    let query = Sample.where { $0.rank < 90 && $0.group == 1 }
    #expect(snapshot.fetch(query).map(\.id) == odd)
    for limit in [1, 7, 44] {
      #expect(snapshot.fetch(query.limit(limit)).map(\.id) == Array(odd.prefix(limit)))
      // All rows of the range up to the last one that is asked for.
      let read = (0...odd[limit - 1]).filter { Self.rank($0) < 90 }
      #expect(tested(query.limit(limit), snapshot) == read.count)
    }
    let page = try snapshot.page(of: query, first: 5)
    #expect(page.rows.map(\.id) == Array(odd.prefix(5)))
    let next = try snapshot.page(of: query, after: page.next, first: 100)
    #expect(next.rows.map(\.id) == Array(odd.dropFirst(5)))
  }
}
