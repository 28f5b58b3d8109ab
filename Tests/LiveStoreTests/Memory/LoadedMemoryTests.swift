import TestSupport
import Testing

import LiveStore

@Suite struct `Memory of loaded rows` {
  private static let count = 20_000

  private func filled() throws -> Store {
    let store = try Store(Item.self)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<Self.count).map { Item($0, name: "\($0)", rank: $0 * 7_919 % 10_007) })
    }
    return store
  }

  @Test func `a loaded row takes at most 32 bytes beside its object`() throws {
    let table = try filled().snapshot().state.tables[0]
    let bytes = table.rows.statistics.bytes + table.ids.byteCount - Self.count * MemoryLayout<Item>.stride
    #expect(bytes <= 32 * Self.count)
  }

  @Test func `a row of a sorted result takes at most 24 bytes`() throws {
    let store = try filled()
    func bytes() -> Int {
      let state = store.snapshot().state
      return state.context.evaluate(Item.all.sorted(by: \.rank)).tree.statistics.bytes
    }
    #expect(bytes() <= 24 * Self.count)
    // Rows of several transactions have several stamps, which take no more than before.
    try store.write { tx in
      try tx.update(Item.where { $0.rank < 100 }) { $0.name = "updated" }
    }
    #expect(bytes() <= 28 * Self.count)
  }
}

@Suite struct `Loads that the same transaction edits` {
  @Test(arguments: Seeds.forSuite(3, thorough: 30))
  func `savepoints undo edits of rows loaded before them, and loads within them`(seed: UInt64) throws {
    print("seed \(seed)")
    struct Undone: Error {}
    var random = SplitMix64(seed: seed)
    let store = try Store(Item.self)
    var expected: [Int: Item] = [:]
    var next = 0
    func load(_ tx: borrowing WriteTransaction, _ count: Int) throws -> [Item] {
      let items = (next..<(next + count)).map { Item($0, name: "loaded \($0)", rank: $0 % 7) }
      next += count
      try tx.insert(contentsOf: items)
      return items
    }
    for _ in 0..<4 {
      let before = (store.snapshot(), expected)
      let isUndone = Int.random(in: 0..<4, using: &random) == 0
      do {
        try store.write { tx in
          for item in try load(tx, Int.random(in: 1...300, using: &random)) { expected[item.id] = item }
          for _ in 0..<20 {
            let kept = expected
            let id = Int.random(in: 0..<next, using: &random)
            do {
              try tx.savepoint { tx in
                switch Int.random(in: 0..<4, using: &random) {
                case 0: if try tx.delete(Item.self, id) { expected[id] = nil }
                case 1:
                  for item in try load(tx, Int.random(in: 1...70, using: &random)) {
                    expected[item.id] = item
                  }
                default:
                  if expected[id] != nil {
                    try tx.update(Item.self, id) { $0.name = "edited" }
                    expected[id]?.name = "edited"
                  }
                }
                if Int.random(in: 0..<2, using: &random) == 0 { throw Undone() }
              }
            } catch is Undone { expected = kept }
            #expect(tx[Item.self, id] == expected[id], "seed \(seed)")
          }
          if isUndone { throw Undone() }
        }
      } catch is Undone { expected = before.1 }
      #expect(store.fetch(Item.all).map(\.self) == expected.values.sorted { $0.id < $1.id }, "seed \(seed)")
      #expect(
        before.0.fetch(Item.all).map(\.self) == before.1.values.sorted { $0.id < $1.id }, "seed \(seed)")
      #expect(try store.snapshot().breachOfTables() == nil, "seed \(seed)")
    }
  }
}
