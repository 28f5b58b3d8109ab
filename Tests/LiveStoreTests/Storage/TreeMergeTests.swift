import TestSupport
import Testing

import LiveStore

@Suite struct `Inserting many keys` {
  @Test(arguments: smallCapacities)
  func `any number of sorted keys is inserted between any number of others`(
    capacity: (leaf: Int, inner: Int)
  ) {
    var random = SeededGenerator(seed: 21)
    for count in 0...40 {
      for added in [0, 1, 2, 3, 5, 17, 60] {
        let all = (0..<UInt64(count + added)).map { TreeKey($0 / 3, $0) }.shuffled(using: &random)
        var tree = Tree(.keys(order: .both, leafCapacity: capacity.leaf, innerCapacity: capacity.inner))
        for key in all[added...] { tree.insert(key) }
        let before = (tree, tree.keys)
        tree.insert(sorted: ContiguousArray(all[..<added].sorted { $0.second < $1.second }))
        tree._checkInvariants()
        let trace = "\(added) beside \(count)"
        check(tree.keys == all.sorted { $0.second < $1.second }, trace)
        check(before.0.keys == before.1, "\(trace): a held copy")
      }
    }
  }

  @Test(arguments: smallCapacities, [31, 32] as [UInt64])
  func `real keys decide where many keys are inserted among equal abbreviations`(
    capacity: (leaf: Int, inner: Int), seed: UInt64
  ) {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for added in [1, 4, 20, 60] {
      let rows = TiedRows(values: (0..<120).map { _ in Int.random(in: 0..<40, using: &random) })
      var tree = Tree(.keys(order: .both, leafCapacity: capacity.leaf, innerCapacity: capacity.inner))
      for row in 60..<120 { tree.insert(rows.key(row), tie: rows.tie(rows.values[row])) { _ in } }
      var buffer = KeyBuffer()
      buffer.keys = ContiguousArray((60 - added..<60).map(rows.key))
      buffer.sortByWords()
      func compare(_ left: UInt64, _ right: UInt64) -> Int {
        rows.values[Int(left)] - rows.values[Int(right)]
      }
      check(added < 20 || !buffer.areTiesInOrder(compare), "seed \(seed)")
      buffer.sortTies(compare)
      check(buffer.areTiesInOrder(compare), "seed \(seed)")
      tree.insert(sorted: buffer.keys, compare: compare)
      tree._checkInvariants(compareTies: rows.compare)
      check(tree.keys == rows.sorted(60 - added..<120), "seed \(seed), \(added) rows")
    }
  }

  @Test func `a few keys change the nodes beside them alone, and many leave an eighth of all nodes free`() {
    let layout = TreeLayout.keys(order: .both)
    // As many as make all nodes of three levels full.
    let count = UInt64(layout.leafCapacity * layout.innerCapacity * layout.innerCapacity)
    var builder = TreeBuilder(layout)
    for key in 0..<count { builder.append(TreeKey(key * 10, key)) }
    let old = builder.finish()
    var few = old
    few.insert(sorted: ContiguousArray((1...10).map { TreeKey(40_005, 50_000 + $0) }))
    #expect(old.height == 3 && few.count == Int(count) + 10)
    // All nodes were full: two halves at each level, and a new root.
    #expect(few.nodesNotShared(with: old) == 2 * old.height + 1)
    var many = old
    many.insert(sorted: ContiguousArray((0..<count).map { TreeKey($0 * 10 + 5, 50_000 + $0) }))
    #expect(many.count == Int(count) * 2)
    // Leaves have 28 of their 32 slots in use.
    #expect(many.statistics.leaves == (Int(count) * 2 + 27) / 28)
    var edited = many
    edited.insert(sorted: [TreeKey(40_003, 90_000)])
    #expect(edited.nodesNotShared(with: many) == many.height)
  }
}

@Suite struct `Sorting keys` {
  /// The same as sorting by both words.
  private func expectSorted(_ words: [UInt64], _ buffer: inout KeyBuffer, _ trace: String) {
    buffer.keys = ContiguousArray(words.enumerated().map { TreeKey($1, UInt64($0)) })
    let expected = buffer.keys.sorted { ($0.first, $0.second) < ($1.first, $1.second) }
    buffer.sortByWords()
    check(buffer.keys.elementsEqual(expected), trace)
  }

  @Test func `any words are sorted, and equal words by row, by a buffer that serves again`() {
    var buffer = KeyBuffer()
    for count in [1000, 0, 1, 2, 129, 127, 128, 2000] {
      var random = SeededGenerator(seed: UInt64(count))
      let scattered = (0..<count).map { _ in UInt64.random(in: 0 ... .max, using: &random) }
      expectSorted(scattered, &buffer, "\(count) scattered")
      expectSorted(scattered.sorted(), &buffer, "\(count) ascending")
      expectSorted(scattered.sorted(by: >), &buffer, "\(count) descending")
      expectSorted(scattered.map { _ in 7 }, &buffer, "\(count) equal")
      expectSorted(scattered.map { $0 % 5 }, &buffer, "\(count) of few values")
      expectSorted(scattered.map { $0 & 1 << 63 }, &buffer, "\(count) by the highest bit")
      // Bytes that all words have in common between others.
      let partly = scattered.map { $0 & 0xff00_0000_00ff_0000 | 0x0000_1234_0000_0056 }
      expectSorted(partly, &buffer, "\(count) by two bytes")
    }
  }

  @Test func `repetitions are removed where they follow each other`() {
    var buffer = KeyBuffer()
    buffer.keys = [TreeKey(1, 1), TreeKey(1, 1), TreeKey(1, 2), TreeKey(2, 2), TreeKey(2, 2)]
    buffer.removeRepetitions()
    #expect(buffer.keys == [TreeKey(1, 1), TreeKey(1, 2), TreeKey(2, 2)])
  }
}
