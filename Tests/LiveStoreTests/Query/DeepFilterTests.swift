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
      let (results, _) = try store.subscribe(query)
      #expect(Array(results) == expected)
    }
    try worker.join()
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
