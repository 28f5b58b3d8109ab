import Foundation
import LiveStore
import TestSupport
import Testing

/// `&&` within `||` within `&&`, as a program may make it that puts filters together.
@Suite(.timeLimit(.minutes(10))) struct `Expressions that nest deeply` {
  private static func query(_ depth: Int) -> Query<Item> {
    Item.where { row in
      var filter = row.rank >= 0
      for level in 0..<depth {
        switch level % 3 {
        case 0: filter = filter && row.rank != level
        case 1: filter = filter || row.rank == level * 7 % 60
        default: filter = !filter
        }
      }
      return filter
    }
  }

  private static func isIncluded(_ item: Item, _ depth: Int) -> Bool {
    (0..<depth).reduce(item.rank >= 0) { result, level in
      switch level % 3 {
      case 0: result && item.rank != level
      case 1: result || item.rank == level * 7 % 60
      default: !result
      }
    }
  }

  /// On a stack as small as threads have by default on some platforms.
  @Test(arguments: [1, 63, 64, 65, 130, 500, 1_500])
  func `deep expressions are evaluated, compared, printed, kept up to date and freed`(_ depth: Int) throws {
    let worker = Worker(stackSize: 512 << 10) {
      let store = try Store(Item.self)
      let items = (0..<Environment.size(30, thorough: 100)).map { Item($0, rank: $0) }
      try store.write { tx in try tx.insert(contentsOf: items) }
      let query = Self.query(depth)
      let expected = items.filter { Self.isIncluded($0, depth) }
      #expect(Array(store.snapshot().fetch(query)) == expected)
      #expect(query == Self.query(depth) && Set([query, Self.query(depth)]).count == 1)
      #expect(query != Self.query(depth + 1))
      #expect(!query.description.isEmpty && !query.explain(in: store.snapshot()).isEmpty)
      // A text that would not be read is none.
      if let text = query.format {
        #expect(try Item.query(format: text) == query)
      } else {
        #expect(depth > 64)
      }
      let (results, _) = try store.subscribe(query)
      #expect(Array(results) == expected)
    }
    try worker.join()
  }

  private struct Node: Entity, Equatable {
    let id: Int
    var rank = 0
    var nodes = RefList<Node>()
    static let schema = Schema<Node> {
      \.rank
      Relation(\.nodes)
    }
  }

  /// As deep as the parser reads: what a text opens with, how often, what is inside, what closes it, and its end.
  @Test(arguments: [
    ("(", 64, "rank == 1", ")", ""), ("!", 64, "rank == 1", "", ""),
    ("NOT (rank == 2 OR ", 32, "rank == 1", ")", ""), ("(rank == 2 OR ", 64, "rank == 1", ")", ""),
    ("SUBQUERY(nodes, $x, ", 60, "rank == 1", ").@count == 1", ""), ("(", 63, "rank", " + 1)", " == 64"),
    ("abs(", 60, "rank", ")", " == 1"), ("1 ** ", 63, "rank", "", " == 1"),
  ])
  func `the deepest texts fit on the stack of a small thread`(
    opening: String, count: Int, inner: String, closing: String, end: String
  ) throws {
    let written =
      String(repeating: opening, count: count) + inner + String(repeating: closing, count: count) + end
    // Frames of builds that are not optimised, and of sanitizers, are larger.
    #if DEBUG
      let stackSize = 4 << 20
    #else
      let stackSize = 512 << 10
    #endif
    let worker = Worker(stackSize: stackSize) {
      let store = try Store(Node.self)
      try store.write { tx in try tx.insert(Node(id: 1, rank: 1, nodes: RefList(ids: [1]))) }
      let filter = try Filter<Node>(format: written)
      #expect(store.snapshot().count(Node.all.where(filter)) == 1)
      // As it is written, it may nest deeper.
      if let text = filter.format { #expect(try Filter<Node>(format: text) == filter) }
    }
    try worker.join()
  }

  /// Bug: each level had the dependencies of the levels within it twice, and they were compared, in time that doubled with
  /// each level. Subqueries are over the links of the row around, or over those of the object itself.
  @Test(.timeLimit(.minutes(10)), arguments: [true, false])
  func `conditions that name the row around them nest deeply`(isOfRowAround: Bool) throws {
    var nested = "$v25.rank >= 0"
    for level in stride(from: 24, through: 0, by: -1) {
      let outer = level == 0 ? "" : "$v\(level)."
      let list = isOfRowAround ? "\(outer)nodes" : "nodes"
      let count = level == 0 ? "" : " > 0"
      nested =
        "SUBQUERY(\(list), $v\(level + 1), $v\(level + 1).rank >= \(outer)rank AND \(nested)).@count\(count)"
    }
    let store = try Store(Node.self)
    try store.write { tx in
      try tx.insert(
        contentsOf: (0...25).map { Node(id: $0, rank: $0, nodes: RefList(ids: $0 < 25 ? [$0 + 1] : [])) })
    }
    let limits = FilterLimits(maximumLength: 4_000, maximumVisits: 100_000)
    let query = try Node.where(format: "\(nested) > 0 OR \(nested) > 1", limits: limits)
    let rows = store.fetch(query)
    let expected = isOfRowAround ? [0] : Array(0..<25)
    #expect(rows.map(\.id) == expected && rows.error == nil)
    let (results, _) = try store.subscribe(query)
    let (others, _) = try store.subscribe(try Node.where(format: "\(nested) > 1", limits: limits))
    #expect(results.map(\.id) == expected && others.isEmpty)
  }

  @Test func `live queries of deep expressions follow what changes`() async throws {
    let (depth, store) = (301, try Store(Item.self))
    let query = Self.query(depth)
    let observer = CheckedObserver<Item>()
    let token = store.observe(query) { observer.receive($0) }
    for rank in 0..<Environment.size(12, thorough: 40) {
      try await store.write { tx in
        try tx.upsert(Item(rank % 10, rank: rank))
        try tx.upsert(Item(10 + rank, rank: rank * 3))
      }
      try await store.settled()
      #expect(observer.rows == store.snapshot().fetch(Item.all).filter { Self.isIncluded($0, depth) })
    }
    #expect(observer.breaches == [])
    token.invalidate()
  }
}
