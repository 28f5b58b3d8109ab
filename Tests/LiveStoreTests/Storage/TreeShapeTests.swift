import TestSupport
import Testing

import LiveStore

@Suite struct `Tree shape` {
  @Test(arguments: smallCapacities)
  func `every size is built as it would be by appending, with full nodes`(leaf: Int, inner: Int) {
    let layout = TreeLayout.keys(order: .first, leafCapacity: leaf, innerCapacity: inner)
    var appended = Tree(layout)
    for size in 0..<150 {
      let built = Tree.rows(0..<size, leaf: leaf, inner: inner)
      built._checkInvariants()
      appended._checkInvariants()
      check(built.keys == appended.keys, "size \(size)")
      check(built.statistics == appended.statistics, "size \(size)")
      check(built.statistics.leaves == (size + leaf - 1) / leaf, "size \(size)")
      appended.insert(TreeKey(UInt64(size), 0)) { _ in }
    }
  }

  @Test(arguments: smallCapacities + [(32, 32)], ["ascending", "descending", "shuffled", "inside out"])
  func `a tree emptied to one percent in any order keeps neither nodes nor height`(
    capacity: (leaf: Int, inner: Int), order: String
  ) {
    let size = Environment.size(1_000, thorough: 4_000)
    var tree = Tree.rows(0..<size, leaf: capacity.leaf, inner: capacity.inner)
    var random = SeededGenerator(seed: 5)
    let rows: [Int] =
      switch order {
      case "ascending": Array(0..<size)
      case "descending": (0..<size).reversed()
      case "shuffled": (0..<size).shuffled(using: &random)
      default: (0..<size).sorted { abs($0 - size / 2) < abs($1 - size / 2) }
      }
    for (step, row) in rows.enumerated() {
      if tree.count == size / 100 { break }
      check(tree.remove(TreeKey(UInt64(row), 0)), "\(row)")
      if step % 97 == 0 { tree._checkInvariants() }
    }
    tree._checkInvariants()
    let least = Tree.rows(0..<tree.count, leaf: capacity.leaf, inner: capacity.inner)
    // Nodes are half full at least but for one at each height.
    #expect(tree.statistics.leaves <= tree.count / ((capacity.leaf + 1) / 2) + 1)
    #expect(tree.statistics.nodes <= 2 * tree.statistics.leaves + tree.height)
    #expect(tree.height <= 2 * least.height)
    for row in rows.suffix(tree.count) { check(tree.remove(TreeKey(UInt64(row), 0)), "\(row)") }
    #expect(tree.isEmpty && tree.root == nil)
  }

  @Test func `one edit copies one path`() {
    let old = Tree.rows((0..<32_768).map { $0 * 2 }, leaf: 32, inner: 32)
    #expect(old.height == 3)
    var updated = old
    updated.update(TreeKey(30_000, 0)) { _, stamp in stamp = 1 }
    #expect(updated.nodesNotShared(with: old) == 3)
    var removed = old
    removed.remove(TreeKey(30_000, 0))
    #expect(removed.nodesNotShared(with: old) == 3)
    // Every node is full: each level splits, and there is a new root.
    var inserted = old
    inserted.insert(TreeKey(30_001, 0)) { _ in }
    #expect(inserted.nodesNotShared(with: old) == 7)
    inserted._checkInvariants()
    // Only this tree refers to the path now, so nothing is copied.
    let root = inserted.root
    let rootIdentity = root.map(ObjectIdentifier.init)
    _ = consume root
    inserted.insert(TreeKey(30_003, 0)) { _ in }
    #expect(inserted.root.map(ObjectIdentifier.init) == rootIdentity)
  }

  @Test func `an edit that finds nothing to do copies nothing`() {
    let old = Tree.rows(0..<1000, leaf: 4, inner: 4)
    var tree = old
    check(!tree.insert(TreeKey(7, 0)) { _ in }, "")
    check(!tree.remove(TreeKey(7000, 0)), "")
    check(!tree.update(TreeKey(7000, 0)) { _, _ in }, "")
    #expect(tree.isIdentical(to: old))
  }

  @Test func `stamps edited one after another leave the tree sound and held copies alone`() {
    var tree = Tree.rows(0..<100, leaf: 2, inner: 3)
    let held = tree
    for row in 0..<100 {
      check(tree.update(TreeKey(UInt64(row), 0)) { _, stamp in stamp = UInt64(row + 1) }, "")
      tree._checkInvariants()
    }
    let renewed: [TreeKey] = (0..<100).map { (first: UInt64) in TreeKey(first, first + 1) }
    #expect(tree.keys == renewed)
    #expect(held.keys.allSatisfy { $0.second == 0 })
  }
}
