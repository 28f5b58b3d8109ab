import TestSupport
import Testing

import LiveStore

@Suite struct `Leaves made for ids to come` {
  /// Hashes that all differ, spread over the whole range or within a small part of it.
  private func hashes(_ count: Int, isEven: Bool, _ generator: inout SeededGenerator) -> [UInt64] {
    var seen: Set<UInt64> = []
    while seen.count < count {
      let bits = generator.next() & idHashMask
      seen.insert(isEven ? bits : bits >> 20 & idHashMask)
    }
    return seen.sorted().shuffled(using: &generator)
  }

  /// Leaves for more than 4,096 entries are made in two levels.
  @Test(arguments: Environment.sizes([1_024, 3_000, 5_000], thorough: [20_000, 100_000]), [true, false])
  func `an index is as any other after as many entries as expected, more, fewer or none`(
    expected: Int, isEven: Bool
  ) {
    var generator = SeededGenerator(seed: 11)
    print("seed 11")
    for count in [0, 1, 2, 40, expected / 20, expected / 2, expected, expected * 3 / 2] {
      let trace = "\(count) of \(expected) expected, even: \(isEven)"
      let hashes = hashes(count, isEven: isEven, &generator)
      var index = HashIndex()
      let empty = index
      check(index.reserve(expected), trace)
      for (row, hash) in hashes.enumerated() { check(index.insert(hash, row: UInt64(row + 1)), trace) }
      index.mergeLeaves()
      index._checkInvariants()
      check(index.count == count && empty.count == 0, trace)
      for (row, hash) in hashes.enumerated() {
        check(index.row(of: hash) == UInt64(row + 1) && empty.row(of: hash) == 0, trace)
      }
      if isEven, count >= 1_024 { check(index.byteCount < count * 26, "\(trace): \(index.byteCount) bytes") }
      let full = index
      for hash in hashes.dropFirst(count / 3) { check(index.remove(hash), trace) }
      index._checkInvariants()
      full._checkInvariants()
      for (row, hash) in hashes.enumerated() {
        check(index.row(of: hash) == (row < count / 3 ? UInt64(row + 1) : 0), trace)
        check(full.row(of: hash) == UInt64(row + 1), trace)
      }
    }
  }

  @Test func `many hashes at once are listed up to the first that is there twice`() {
    var generator = SeededGenerator(seed: 12)
    print("seed 12")
    var hashes = ContiguousArray(hashes(5_000, isEven: true, &generator))
    hashes[4_000] = hashes[17]
    var index = HashIndex()
    let added = index.insert(hashes, firstRow: 1)
    #expect(added == 4_000)
    index._checkInvariants()
    #expect(index.count == 4_000 && index.row(of: hashes[17]) == 18 && index.row(of: hashes[4_001]) == 0)
  }

  @Test func `an index with entries, or for few, is left as it is`() {
    var index = HashIndex()
    let isReservedForFew = index.reserve(1_023)
    index.insert(1 << 32, row: 1)
    let isReservedWithEntries = index.reserve(1_000_000)
    #expect(!isReservedForFew && !isReservedWithEntries)
    #expect(index.row(of: 1 << 32) == 1 && index.byteCount < 1_000)
  }

  @Test func `most leaves are filled where they were made`() {
    var generator = SeededGenerator(seed: 13)
    print("seed 13")
    let hashes = hashes(50_000, isEven: true, &generator)
    var index = HashIndex()
    let isReserved = index.reserve(hashes.count)
    let made = HashNodeView(index.root).leaves
    for (row, hash) in hashes.enumerated() { index.insert(hash, row: UInt64(row + 1)) }
    index.mergeLeaves()
    // Few leaves have more entries than expected by chance. Without room each would be enlarged several times.
    #expect(isReserved && made.count == 1_024)
    #expect(HashNodeView(index.root).leaves.intersection(made).count > 950)
  }
}

extension HashNodeView {
  /// The addresses of all leaves.
  fileprivate var leaves: Set<UnsafeMutableRawPointer> {
    var leaves: Set<UnsafeMutableRawPointer> = []
    forEachChild { child in
      let node = HashNodeView(child)
      if node.capacity > 0 { leaves.insert(child.toOpaque()) } else { leaves.formUnion(node.leaves) }
    }
    return leaves
  }
}

@Suite struct `Sequences that say how many objects they have` {
  private struct Item: Entity, Equatable {
    let id: Int
    var value: Int
    static let schema = Schema<Item> { \.value }
  }

  /// Objects of which a lower bound of the number is known.
  private struct Objects: Sequence, IteratorProtocol {
    var position = 0
    let count: Int
    let underestimatedCount: Int
    mutating func next() -> Item? {
      if position == count { return nil }
      defer { position += 1 }
      return Item(id: position, value: -position)
    }
  }

  @Test(
    arguments: [0, 10, 2_000, 5_000],
    Environment.sizes([8, 1_500, 5_000, 5_001], thorough: [20_000]))
  func `all objects are inserted, however many were announced`(announced: Int, count: Int) throws {
    let store = try Store(Item.self)
    try store.write { tx in
      try tx.insert(contentsOf: Objects(count: count, underestimatedCount: announced))
      #expect(tx[Item.self, count - 1]?.value == 1 - count && tx[Item.self, count] == nil)
      try tx.delete(Item.self, 7)
    }
    #expect(store.count(Item.all) == count - 1 && store[Item.self, 7] == nil)
    #expect(try store.snapshot().breachOfTables() == nil)
  }

  @Test func `a sequence that announces more than memory could hold is read object by object`() throws {
    let store = try Store(Item.self)
    let error = #expect(throws: StoreError.self) {
      try store.write { tx in
        try tx.insert(contentsOf: repeatElement(Item(id: 1, value: 2), count: .max))
      }
    }
    #expect(error?.code == StoreError.duplicateID)
    #expect(store.count(Item.all) == 0)
  }

  @Test func `objects most of which replace each other are all upserted`() throws {
    let store = try Store(Item.self)
    let count = Environment.size(5_000, thorough: 20_000)
    try store.write { tx in
      try tx.upsert(contentsOf: (0..<count).map { Item(id: $0 % 100, value: $0) })
    }
    #expect(store.fetch(Item.all).map(\.value) == Array(count - 100..<count))
    #expect(try store.snapshot().breachOfTables() == nil)
  }

  @Test func `a table is emptied and loaded in one transaction, which others hold the version before`() throws
  {
    let store = try Store(Item.self)
    let items = (0..<3_000).map { Item(id: $0, value: $0) }
    try store.write { tx in try tx.insert(contentsOf: items) }
    let before = store.snapshot()
    try store.write { tx in
      try tx.deleteAll()
      try tx.insert(contentsOf: items.dropFirst(1_000).map { Item(id: $0.id, value: -1) })
    }
    #expect(before[Item.self, 5]?.value == 5 && before[Item.self, 2_999]?.value == 2_999)
    #expect(store[Item.self, 5] == nil && store[Item.self, 2_999]?.value == -1)
    #expect(try store.snapshot().breachOfTables() == nil && before.breachOfTables() == nil)
  }

  @Test func `an unknown entity is refused with its first object`() throws {
    struct Other: Entity {
      let id: Int
      var value: Int
      static let schema = Schema<Other> { \.value }
    }
    let store = try Store(Item.self)
    try store.write { tx in try tx.insert(contentsOf: [Other]()) }
    let error = #expect(throws: StoreError.self) {
      try store.write { tx in try tx.insert(contentsOf: [Other(id: 1, value: 1)]) }
    }
    #expect(error?.code == StoreError.unknownEntity)
  }

  @Test func `a load that fails after thousands of objects leaves the table empty`() throws {
    let store = try Store(Item.self)
    let items = (0..<5_000).map { Item(id: $0, value: 0) }
    #expect(throws: StoreError.self) {
      try store.write { tx in try tx.insert(contentsOf: items + [Item(id: 9, value: 1)]) }
    }
    #expect(store.count(Item.all) == 0 && store[Item.self, 9] == nil)
    try store.write { tx in
      #expect(throws: StoreError.self) { try tx.insert(contentsOf: items + [Item(id: 9, value: 1)]) }
      #expect(tx[Item.self, 9] == nil)
      try tx.upsert(contentsOf: items + [Item(id: 9, value: 1)])
    }
    #expect(store.count(Item.all) == 5_000 && store[Item.self, 9]?.value == 1)
    #expect(try store.snapshot().breachOfTables() == nil)
  }
}
