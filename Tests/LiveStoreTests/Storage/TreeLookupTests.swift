import Testing

import LiveStore

@Suite struct `Tree lookup` {
  @Test(arguments: smallCapacities)
  func `every size is found by key, by rank and in between`(leaf: Int, inner: Int) {
    for size in 0..<60 {
      // Odd numbers, so that there is a gap on both sides of each.
      let tree = Tree.rows((0..<size).map { $0 * 2 + 1 }, leaf: leaf, inner: inner)
      tree._checkInvariants()
      #expect(tree.count == size)
      #expect(tree.isEmpty == (size == 0))
      for probe in 0...(size * 2 + 1) {
        let below = probe / 2
        let trace = "size \(size), probe \(probe)"
        let first = UInt64(probe)
        let floorRank = (probe + 1) / 2 - 1
        let expected = floorRank < 0 ? nil : min(floorRank, size - 1) * 2 + 1
        check(tree.floor(first)?.key.first == expected.flatMap { $0 < 0 ? nil : UInt64($0) }, trace)
        check(tree.rank(of: TreeKey(first, 9)) == (probe % 2 == 1 && below < size ? below : nil), trace)
        check((tree.payload(first: first) != nil) == (probe % 2 == 1 && below < size), trace)
        check(tree.partitionPoint(first: first) { _ in false } == min(below, size), trace)
        check(tree.partitionPoint(first: first) { _ in true } == min((probe + 1) / 2, size), trace)
      }
      for rank in 0..<size {
        check(tree.entry(at: rank).key == TreeKey(UInt64(rank * 2 + 1), 0), "size \(size), rank \(rank)")
      }
    }
  }

  @Test func `floor finds keys at the ends of the number line and in full nodes of any size`() {
    for capacity in [2, 3, 16, 31, 32, 33, 63, 64] {
      var tree = Tree(.keys(order: .first, leafCapacity: capacity, innerCapacity: max(capacity, 3)))
      var keys: [UInt64] = [0, .max]
      for index in 0..<2000 { keys.append(UInt64(index) &* 0x9E37_79B9_7F4A_7C15) }
      for key in keys { tree.insert(TreeKey(key, 0)) { _ in } }
      tree._checkInvariants()
      let sorted = Set(keys).sorted()
      for (rank, key) in sorted.enumerated() {
        check(tree.floor(key)?.key.first == key, "\(key)")
        if key > 0 && sorted[rank - 1] < key - 1 {
          check(tree.floor(key - 1)?.key.first == sorted[rank - 1], "before \(key)")
        }
      }
    }
  }

  @Test func `floor gives the last of equal keys`() {
    var tree = Tree(.keys(order: .both, leafCapacity: 2, innerCapacity: 3))
    for second in 0..<20 {
      for first in [3, 5] as [UInt64] { tree.insert(TreeKey(first, UInt64(second))) { _ in } }
      #expect(tree.floor(4)?.key == TreeKey(3, UInt64(second)))
      #expect(tree.floor(5)?.key == TreeKey(5, UInt64(second)))
      #expect(tree.floor(2) == nil)
    }
  }

  @Test(arguments: smallCapacities)
  func `every window is scanned, and the scan stops when asked to`(leaf: Int, inner: Int) {
    let tree = Tree.rows(0..<40, leaf: leaf, inner: inner)
    for lower in 0...40 {
      for upper in lower...40 {
        var seen: [Int] = []
        tree.forEachLeaf(in: lower..<upper) { keys, _, count in
          for index in 0..<count { seen.append(Int(keys[index].first)) }
          return true
        }
        check(seen == Array(lower..<upper), "\(lower)..<\(upper)")
        var runs = 0
        tree.forEachLeaf(in: lower..<upper) { _, _, _ in
          runs += 1
          return false
        }
        check(runs == (lower < upper ? 1 : 0), "\(lower)..<\(upper)")
      }
    }
  }

  @Test(arguments: smallCapacities)
  func `a cursor walks both ways from every rank of every size`(leaf: Int, inner: Int) {
    for size in 0..<30 {
      let tree = Tree.rows(0..<size, leaf: leaf, inner: inner)
      for rank in 0...size {
        var forward = TreeCursor(tree, at: rank)
        for expected in rank..<max(size, rank) {
          check(forward.next()?.key.first == UInt64(expected), "size \(size) from \(rank)")
        }
        check(forward.next() == nil && forward.next() == nil, "size \(size) from \(rank)")
        var back = forward
        for expected in (0..<size).reversed() {
          check(back.previous()?.key.first == UInt64(expected), "size \(size) back from the end")
        }
        check(back.previous() == nil, "size \(size) back from the end")
        var here = TreeCursor(tree, at: rank)
        if rank > 0 {
          check(here.previous()?.key.first == UInt64(rank - 1), "size \(size) before \(rank)")
          check(here.next()?.key.first == UInt64(rank - 1), "size \(size) before \(rank)")
        }
        check(here.next()?.key.first == (rank < size ? UInt64(rank) : nil), "size \(size) at \(rank)")
      }
    }
  }
}
