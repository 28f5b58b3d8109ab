import TestSupport
import Testing

import LiveStore

extension Tree {
  /// Adds values named after their numbers under consecutive numbers, as a load does.
  fileprivate mutating func load(_ first: Int, count: Int, stamp: UInt64 = 0, _ live: LiveCount) {
    let values = ContiguousArray(
      (first..<(first + count)).map { Tracked(name: "loaded \($0)", probe: LiveCount.Probe(live)) })
    append(UInt64(first), stamp: stamp, values, count: count)
  }

  /// Adds the same values one by one, which makes no runs.
  fileprivate mutating func fill(_ first: Int, count: Int, stamp: UInt64 = 0) {
    for row in first..<(first + count) {
      insert(TreeKey(UInt64(row), stamp)) {
        $0.initializeMemory(as: Tracked.self, to: Tracked(name: "loaded \(row)", probe: nil))
      }
    }
  }

  fileprivate func name(_ row: Int) -> String? { payload(first: UInt64(row))?.load(as: Tracked.self).name }
}

/// Checks a tree against one of the same entries in plain leaves.
private func compare(_ tree: Tree, _ plain: Tree, rows: Range<Int>, _ trace: String) {
  tree._checkInvariants()
  check(tree.names == plain.names, trace)
  for row in rows {
    check(tree.name(row) == plain.name(row), "\(trace), row \(row)")
    check(tree.floor(UInt64(row))?.key == plain.floor(UInt64(row))?.key, "\(trace), floor of \(row)")
    let key = TreeKey(UInt64(row), 0)
    check(tree.rank(of: key) == plain.rank(of: key), "\(trace), rank of \(row)")
  }
  for rank in 0..<plain.count {
    check(tree.entry(at: rank).key == plain.entry(at: rank).key, "\(trace), rank \(rank)")
  }
  var keys: [TreeKey] = []
  let middle = plain.count / 3..<plain.count * 2 / 3
  tree.forEachLeaf(in: middle) { leaf, _, count in
    for index in 0..<count { keys.append(leaf[index]) }
    return true
  }
  check(keys == Array(plain.keys[middle]), "\(trace), scan of \(middle)")
  var (cursor, back) = (TreeCursor(tree), TreeCursor(tree, at: tree.count))
  keys = []
  while let entry = cursor.next() { keys.append(entry.key) }
  check(keys == plain.keys, "\(trace), forward")
  keys = []
  while let entry = back.previous() { keys.append(entry.key) }
  check(keys == plain.keys.reversed(), "\(trace), back")
  let all = 0..<plain.count
  check(Tree.difference(from: tree, in: all, to: plain, in: all).isEmpty, "\(trace), difference")
  check(Tree.difference(from: plain, in: all, to: tree, in: all).isEmpty, "\(trace), difference back")
}

@Suite struct `Runs of rows` {
  private static let capacities = smallCapacities + [(32, 16)]

  /// Of many rows, in the usual run: those at the borders of leaves, and some between.
  private static func some(_ rows: Range<Int>, first: Int, leaf: Int) -> [Int] {
    rows.filter { row in
      Environment.isThorough || rows.count < 34 || (row - first + leaf + 1) % leaf < 3 || row % 17 == 0
    }
  }

  @Test(arguments: capacities)
  func `each edit of each row of loaded rows leaves what it leaves in plain leaves`(
    capacity: (leaf: Int, inner: Int)
  ) {
    let live = LiveCount()
    let layout = TreeLayout.values(
      of: Tracked.self, leafCapacity: capacity.leaf, innerCapacity: capacity.inner)
    for count in [1, capacity.leaf, capacity.leaf + 1, capacity.leaf * 4 + 1] {
      var (loaded, plain) = (Tree(layout), Tree(layout))
      loaded.load(5, count: count, stamp: 3, live)
      plain.fill(5, count: count, stamp: 3)
      let rows = 3..<(count + 8)
      check(loaded.leaves(.run) == loaded.statistics.leaves && plain.leaves(.run) == 0, "\(count) rows")
      compare(loaded, plain, rows: rows, "\(count) rows")
      check(live.value == count, "\(count) objects")
      let names = loaded.names
      for row in Self.some(rows, first: 5, leaf: capacity.leaf) {
        let key = TreeKey(UInt64(row), 9)
        let edits: [(String, (inout Tree) -> Bool)] = [
          ("insert", { $0.insert(row: row, Tracked(name: "new", probe: nil)) }),
          ("remove", { $0.remove(key) }),
          ("update", { $0.rename(row: row, "renamed") }),
          ("stamp", { $0.setStamp(9, at: key) }),
          (
            "remove two",
            { tree in
              let isRemoved = tree.remove(key)
              return tree.remove(TreeKey(key.first + 1, 0)) || isRemoved
            }
          ),
        ]
        for (name, edit) in edits {
          let trace = "\(count) rows, \(name) \(row)"
          var (edited, expected) = (loaded, plain)
          check(edit(&edited) == edit(&expected), trace)
          compare(edited, expected, rows: rows, trace)
          let (all, after) = (0..<count, 0..<edited.count)
          let difference = Tree.difference(from: loaded, in: all, to: edited, in: after)
          let other = Tree.difference(from: plain, in: all, to: expected, in: after)
          check(difference.removed == other.removed && difference.added == other.added, trace)
          // The same where nothing else refers to the nodes.
          var alone = Tree(layout)
          alone.load(5, count: count, stamp: 3, live)
          _ = edit(&alone)
          compare(alone, expected, rows: rows, "\(trace), alone")
        }
      }
      check(loaded.names == names, "\(count) rows, held")
    }
    #expect(live.value == 0)
  }

  @Test(arguments: capacities)
  func `a load continues a run of its stamp and no other`(capacity: (leaf: Int, inner: Int)) {
    let live = LiveCount()
    let layout = TreeLayout.values(
      of: Tracked.self, leafCapacity: capacity.leaf, innerCapacity: capacity.inner)
    for first in Self.some(1..<(capacity.leaf + 3), first: 0, leaf: capacity.leaf) {
      for (gap, stamp) in [(0, 7), (1, 7), (100, 7), (0, 8)] as [(Int, UInt64)] {
        for isHeld in [false, true] {
          let trace = "\(first) rows, gap \(gap), stamp \(stamp), held \(isHeld)"
          var (tree, plain) = (Tree(layout), Tree(layout))
          tree.load(1, count: first, stamp: 7, live)
          plain.fill(1, count: first, stamp: 7)
          let held = isHeld ? tree : Tree(layout)
          let names = held.names
          let next = first + 1 + gap
          tree.load(next, count: capacity.leaf + 1, stamp: stamp, live)
          plain.fill(next, count: capacity.leaf + 1, stamp: stamp)
          compare(tree, plain, rows: 0..<(next + capacity.leaf + 3), trace)
          check(held.names == names, "\(trace): the copy")
          // A leaf with room that another run would continue, or that a copy still has, becomes plain.
          let isMixed = first % capacity.leaf != 0 && (isHeld || gap > 0 || stamp != 7)
          check(tree.leaves(.plain) == (isMixed ? 1 : 0), trace)
        }
      }
    }
    #expect(live.value == 0)
  }

  @Test(arguments: smallCapacities, Seeds.forSuite(2, thorough: 20))
  func `random loads and edits leave what they leave in plain leaves`(
    capacity: (leaf: Int, inner: Int), seed: UInt64
  ) {
    print("seed \(seed)")
    let live = LiveCount()
    do {
      var random = SeededGenerator(seed: seed)
      let layout = TreeLayout.values(
        of: Tracked.self, leafCapacity: capacity.leaf, innerCapacity: capacity.inner)
      var (tree, plain) = (Tree(layout), Tree(layout))
      var held: [(tree: Tree, names: [String])] = []
      var next = 1
      for step in 0..<Environment.size(60, thorough: 150) {
        let trace = "seed \(seed), step \(step)"
        let row = Int.random(in: 1...next, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2:
          next += Int.random(in: 0..<3, using: &random) / 2
          let (count, stamp) = (Int.random(in: 1...12, using: &random), UInt64(step / 8))
          tree.load(next, count: count, stamp: stamp, live)
          plain.fill(next, count: count, stamp: stamp)
          next += count
        case 3...6:
          check(tree.remove(TreeKey(UInt64(row), 0)) == plain.remove(TreeKey(UInt64(row), 0)), trace)
        case 7: check(tree.rename(row: row, "\(step)") == plain.rename(row: row, "\(step)"), trace)
        case 8:
          let (key, stamp) = (TreeKey(UInt64(row), 0), UInt64(step + 1_000))
          check(tree.setStamp(stamp, at: key) == plain.setStamp(stamp, at: key), trace)
        case 9:
          let value = Tracked(name: "back \(step)", probe: nil)
          check(tree.insert(row: row, value) == plain.insert(row: row, value), trace)
          next = max(next, row + 1)
        case 10: held.append((tree, tree.names))
        default: held = held.suffix(1)
        }
        tree._checkInvariants()
        check(tree.names == plain.names, trace)
        if step % 10 == 0 { compare(tree, plain, rows: 0..<(next + 3), trace) }
        for (index, version) in held.enumerated() {
          check(version.tree.names == version.names, "\(trace), copy \(index)")
        }
        if let old = held.first?.tree {
          let ranks = (0..<old.count, 0..<tree.count)
          let difference = Tree.difference(from: old, in: ranks.0, to: tree, in: ranks.1)
          let other = Tree.difference(from: old, in: ranks.0, to: plain, in: ranks.1)
          check(difference.removed == other.removed && difference.added == other.added, trace)
        }
      }
    }
    #expect(live.value == 0)
  }

  @Test func `a run may have as many rows as a map`() {
    let live = LiveCount()
    for count in [63, 64, 65, 200] {
      let layout = TreeLayout.values(of: Tracked.self, leafCapacity: 64, innerCapacity: 3)
      var (loaded, plain) = (Tree(layout), Tree(layout))
      loaded.load(5, count: count, stamp: 3, live)
      plain.fill(5, count: count, stamp: 3)
      check(loaded.leaves(.run) == loaded.statistics.leaves, "\(count) rows")
      compare(loaded, plain, rows: 0..<(count + 70), "\(count) rows")
    }
    #expect(live.value == 0)
  }

  @Test func `runs have no more rows than their builder wants in a leaf`() {
    let layout = TreeLayout.values(of: UInt64.self, leafCapacity: 16, innerCapacity: 16)
    var builder = TreeBuilder(layout, leavingRoom: true)
    for start in [0, 14, 20] as [UInt64] {
      // 14 rows, 6, and 40.
      builder.append(start, stamp: 1, count: start == 0 ? 14 : start == 14 ? 6 : 40) { payloads, positions in
        // Without progress, the loop in the builder would not end.
        precondition(!positions.isEmpty, "a leaf is opened for rows")
        payloads.initializeMemory(
          as: UInt64.self, from: positions.map { start + UInt64($0) }, count: positions.count)
      }
    }
    let tree = builder.finish()
    tree._checkInvariants()
    #expect(tree.count == 60 && tree.leaves(.run) == 5 && tree.statistics.leaves == 5)
    for row in 0..<60 as Range<UInt64> {
      check(tree.payload(first: row)?.load(as: UInt64.self) == row, "row \(row)")
    }
  }

  @Test func `values that need wide alignment have it in a run, and when it becomes plain`() {
    typealias Wide = SIMD8<Double>
    let layout = TreeLayout.values(of: Wide.self, leafCapacity: 3, innerCapacity: 3)
    func isRight(_ tree: Tree, _ row: Int) -> Bool {
      tree.payload(first: UInt64(row))?.load(as: Wide.self) == Wide(repeating: Double(row))
    }
    for count in 1...20 {
      var tree = Tree(layout)
      tree.append(
        1, stamp: 1, ContiguousArray((1...count).map { Wide(repeating: Double($0)) }), count: count)
      tree._checkInvariants()
      let held = tree
      for row in 1...count {
        check(isRight(tree, row), "\(count) rows, row \(row)")
        tree.setStamp(2, at: TreeKey(UInt64(row), 0))
        tree._checkInvariants()
      }
      for row in 1...count { check(isRight(tree, row) && isRight(held, row), "\(count) rows, row \(row)") }
    }
  }
}
