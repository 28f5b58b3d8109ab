import TestSupport
import Testing

import LiveStore

@Suite struct `Appending many entries` {
  @Test(arguments: smallCapacities)
  func `any number of objects behind any number of others is as if they were inserted in turn`(
    capacity: (leaf: Int, inner: Int)
  ) {
    let live = LiveCount()
    do {
      let layout = TreeLayout.values(
        of: Tracked.self, leafCapacity: capacity.leaf, innerCapacity: capacity.inner)
      for count in 0...40 {
        for added in [1, 2, 3, 5, 17, 60] {
          let trace = "\(added) behind \(count)"
          let objects = ContiguousArray(
            (0..<added).map { Tracked(name: "new \($0)", probe: LiveCount.Probe(live)) })
          var tree = Tree(layout)
          for row in 0..<count { tree.insert(row: row + 1, Tracked(name: "\(row)", probe: nil)) }
          // Holes before and after, which maps of rows have to know, and a tree that no longer has its first row.
          if count > 7 { for row in [1, count - 2] { tree.remove(TreeKey(UInt64(row), 0)) } }
          var expected = tree
          let held = (tree, tree.names)
          for (number, object) in objects.enumerated() { expected.insert(row: count + 3 + number, object) }
          tree.append(UInt64(count + 3), stamp: 0, objects, count: added)
          tree._checkInvariants()
          check(tree.names == expected.names, trace)
          check(tree.statistics.nodes == expected.statistics.nodes && tree.origin == expected.origin, trace)
          // Rows that are appended together are runs.
          check(tree.statistics.bytes <= expected.statistics.bytes, trace)
          check(held.0.names == held.1, "\(trace): a held copy")
          for row in 0...(count + added + 4) {
            let key = UInt64(row)
            check((tree.payload(first: key) == nil) == (expected.payload(first: key) == nil), trace)
          }
        }
      }
    }
    #expect(live.value == 0)
  }

  @Test func `an append copies the nodes at the right edge alone`() {
    let old = Tree.rows(0..<50_000, leaf: 32, inner: 32)
    var builder = TreeBuilder(.values(of: Int.self))
    builder.append(1, stamp: 0, count: 50_000) { payloads, positions in
      payloads.initializeMemory(as: Int.self, repeating: 0, count: positions.count)
    }
    let rows = builder.finish()
    var longer = rows
    longer.append(60_000, stamp: 0, [1, 2, 3, 4] as ContiguousArray, count: 3)
    #expect(longer.nodesNotShared(with: rows) <= old.height)
    #expect(longer.count == 50_003 && rows.count == 50_000)
  }
}

@Suite struct `Hash index, many hashes at once` {
  @Test(arguments: [1, 15, 16, 17, 500])
  func `many hashes are added until one is present`(count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    let hashes = ContiguousArray((0..<count).map { _ in UInt64.random(in: 0 ... .max, using: &random) })
    var index = HashIndex()
    for number in 0..<100 as Range<UInt64> { index.insert(number << 40, row: number + 1) }
    let held = index
    #expect(index.insert(hashes, firstRow: 1_000) == count)
    for (number, hash) in hashes.enumerated() { #expect(index.row(of: hash) == UInt64(1_000 + number)) }
    index._checkInvariants()
    #expect(index.count == 100 + count && held.count == 100 && held.row(of: hashes[0]) == 0)
    // The first is present, or the last, or a later one is equal to an earlier one.
    #expect(index.insert(hashes, firstRow: 5_000) == 0)
    let others = ContiguousArray(hashes.map { $0 ^ 1 << 63 ^ 1 << 20 })
    #expect(index.insert(others + [hashes[0]], firstRow: 6_000) == count)
    let more = ContiguousArray(hashes.map { $0 ^ 1 << 62 ^ 1 << 21 })
    #expect(index.insert(more + more, firstRow: 7_000) == count)
    index._checkInvariants()
  }
}
