import TestSupport
import Testing

import LiveStore

@Suite struct `Tree difference` {
  /// What a difference must be, from the entries alone.
  static func expected(
    _ old: [TreeDifference.Entry], _ oldRanks: Range<Int>, _ new: [TreeDifference.Entry],
    _ newRanks: Range<Int>
  ) -> (removed: [TreeDifference.Entry], added: [TreeDifference.Entry]) {
    struct Value: Hashable {
      var key: TreeKey
      var stamp: UInt64
    }
    func values(_ entries: ArraySlice<TreeDifference.Entry>) -> Set<Value> {
      Set(entries.map { Value(key: $0.key, stamp: $0.stamp) })
    }
    let before = values(old[oldRanks])
    let after = values(new[newRanks])
    return (
      old[oldRanks].filter { !after.contains(Value(key: $0.key, stamp: $0.stamp)) },
      new[newRanks].filter { !before.contains(Value(key: $0.key, stamp: $0.stamp)) }
    )
  }

  static func entries(_ tree: Tree) -> [TreeDifference.Entry] {
    let stamps = tree.layout.isStamped ? tree.stamps : tree.keys.map(\.second)
    return tree.keys.enumerated().map { .init(rank: $0.offset, key: $0.element, stamp: stamps[$0.offset]) }
  }

  static func expectDifference(
    _ old: Tree, _ oldRanks: Range<Int>, _ new: Tree, _ newRanks: Range<Int>, _ trace: String,
    compareTies: (TreeKey, TreeKey) -> Int = { _, _ in 0 }
  ) {
    let difference = Tree.difference(
      from: old, in: oldRanks, to: new, in: newRanks, compareTies: compareTies)
    let expected = expected(entries(old), oldRanks, entries(new), newRanks)
    check(difference.removed == expected.removed, "\(trace): removed, \(oldRanks) to \(newRanks)")
    check(difference.added == expected.added, "\(trace): added, \(oldRanks) to \(newRanks)")
  }

  /// Trees that came from a common one by the edits named.
  static func family(leaf: Int, inner: Int) -> [(name: String, tree: Tree)] {
    let rows = (0..<9).map { $0 * 2 }
    let base = Tree.rows(rows, leaf: leaf, inner: inner)
    var family = [(name: "base", tree: base), (name: "empty", tree: Tree(base.layout))]
    func add(_ name: String, _ edit: (inout Tree) -> Void) {
      var tree = base
      edit(&tree)
      family.append((name, tree))
    }
    add("insert 7") { $0.insert(TreeKey(7, 0)) { _ in } }
    add("insert 0…") { tree in (0..<3).forEach { tree.insert(TreeKey($0 * 2 + 1, 0)) { _ in } } }
    add("remove 0") { $0.remove(TreeKey(0, 0)) }
    add("remove 16") { $0.remove(TreeKey(16, 0)) }
    add("remove middle") { tree in (2..<6).forEach { tree.remove(TreeKey($0 * 2, 0)) } }
    add("change 10") { $0.update(TreeKey(10, 0)) { _, stamp in stamp = 1 } }
    let rebuilt = Tree.rows(rows, leaf: leaf, inner: inner)
    family.append(("rebuilt", rebuilt))
    return family
  }

  /// In the usual run, of every seventh pair of windows: each window is in some of them.
  @Test(arguments: Environment.sizes([(2, 3)], thorough: [(3, 4)]))
  func `the difference of two small trees is that of their entries, in every pair of windows`(
    leaf: Int, inner: Int
  ) {
    let family = Self.family(leaf: leaf, inner: inner)
    let share = Environment.size(7, thorough: 1)
    var pair = 0
    for old in family {
      for new in family {
        let before = Self.entries(old.tree)
        let after = Self.entries(new.tree)
        // The rank of the same entry, with the same stamp, in the other tree.
        let inNew = before.map { entry in
          after.firstIndex { $0.key == entry.key && $0.stamp == entry.stamp } ?? -1
        }
        let inOld = after.map { entry in
          before.firstIndex { $0.key == entry.key && $0.stamp == entry.stamp } ?? -1
        }
        for oldRanks in windows(old.tree.count) {
          for newRanks in windows(new.tree.count) {
            pair += 1
            if pair % share != 0 { continue }
            let difference = Tree.difference(from: old.tree, in: oldRanks, to: new.tree, in: newRanks)
            let removed = oldRanks.filter { !newRanks.contains(inNew[$0]) }
            let added = newRanks.filter { !oldRanks.contains(inOld[$0]) }
            check(
              difference.removed == removed.map { before[$0] } && difference.added == added.map { after[$0] },
              "\(old.name) \(oldRanks) to \(new.name) \(newRanks)")
          }
        }
      }
    }
  }

  private func windows(_ count: Int) -> [Range<Int>] {
    (0...count).flatMap { lower in (lower...count).map { lower..<$0 } }
  }

  @Test(arguments: smallCapacities, Seeds.forSuite(1, thorough: 3, from: 21))
  func `the difference of any two versions of a random history is that of their entries`(
    capacity: (leaf: Int, inner: Int), seed: UInt64
  ) {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var tree = Tree.rows(0..<50, leaf: capacity.leaf, inner: capacity.inner)
    var versions = [tree]
    for step in 1...Environment.size(60, thorough: 120) {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let key = TreeKey(UInt64.random(in: 0..<100, using: &random), UInt64(step))
        switch Int.random(in: 0..<3, using: &random) {
        case 0: tree.insert(key) { _ in }
        case 1: tree.remove(key)
        default: tree.update(key) { _, stamp in stamp = UInt64(step) }
        }
      }
      versions.append(tree)
      let old = versions[Int.random(in: max(0, step - 5)...step, using: &random)]
      let trace = "seed \(seed), step \(step)"
      Self.expectDifference(old, 0..<old.count, tree, 0..<tree.count, trace)
      Self.expectDifference(tree, 0..<tree.count, old, 0..<old.count, trace)
      let oldRanks = window(of: old.count, using: &random)
      Self.expectDifference(old, oldRanks, tree, window(of: tree.count, using: &random), trace)
    }
  }

  private func window(of count: Int, using random: inout SeededGenerator) -> Range<Int> {
    let lower = Int.random(in: 0...count, using: &random)
    return lower..<Int.random(in: lower...count, using: &random)
  }

  @Test(arguments: smallCapacities, Seeds.forSuite(1, thorough: 3, from: 31))
  func `tied keys are distinguished by the rows of each version`(
    capacity: (leaf: Int, inner: Int), seed: UInt64
  ) {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var tree = Tree(.stamped(leafCapacity: capacity.leaf, innerCapacity: capacity.inner))
    var rows = TiedRows(values: (0..<40).map { _ in Int.random(in: 0..<30, using: &random) })
    var present: Set<Int> = []
    var versions: [(tree: Tree, rows: TiedRows)] = [(tree, rows)]
    for step in 1...Environment.size(75, thorough: 150) {
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let row = Int.random(in: 0..<40, using: &random)
        let isPresent = present.contains(row)
        if isPresent { tree.remove(rows.key(row), tie: rows.tie(rows.values[row])) }
        present.remove(row)
        if isPresent && Bool.random(using: &random) { continue }
        // Often a neighbouring value, of the same abbreviation.
        rows.values[row] = (rows.values[row] + Int.random(in: 0..<4, using: &random)) % 30
        tree.insert(rows.key(row), tie: rows.tie(rows.values[row])) {
          $0.storeBytes(of: UInt64(step), as: UInt64.self)
        }
        present.insert(row)
      }
      versions.append((tree, rows))
      let old = versions[Int.random(in: max(0, step - 6)...step, using: &random)]
      let trace = "seed \(seed), step \(step)"
      func compare(_ left: TreeKey, _ right: TreeKey) -> Int {
        (old.rows.values[Int(left.second)] - rows.values[Int(right.second)]).signum()
      }
      Self.expectDifference(
        old.tree, 0..<old.tree.count, tree, 0..<tree.count, trace, compareTies: compare)
      let oldRanks = window(of: old.tree.count, using: &random)
      let newRanks = window(of: tree.count, using: &random)
      Self.expectDifference(old.tree, oldRanks, tree, newRanks, trace, compareTies: compare)
    }
  }
}
