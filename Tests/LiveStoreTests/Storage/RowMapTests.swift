import TestSupport
import Testing

import LiveStore

extension Tree {
  fileprivate mutating func put(_ row: UInt64) -> Bool {
    insert(TreeKey(row, row &* 3)) { $0.storeBytes(of: row, as: UInt64.self) }
  }

  fileprivate func found(_ row: UInt64) -> UInt64? { payload(first: row)?.load(as: UInt64.self) }
}

@Suite struct `Row maps` {
  private static let capacities = smallCapacities + [(20, 8), (32, 16), (64, 64)]

  /// One of the rows; not `randomElement`, since the order of a set differs from run to run.
  private func pick(_ rows: Set<UInt64>, below end: UInt64, _ generator: inout SeededGenerator) -> UInt64? {
    if rows.isEmpty { return nil }
    var row = UInt64.random(in: 1..<end, using: &generator)
    while !rows.contains(row) { row = row + 1 < end ? row + 1 : 1 }
    return row
  }

  @Test(arguments: capacities, Seeds.forSuite(1, thorough: 2))
  func `random edits keep every map and every held copy right`(
    capacity: (leaf: Int, inner: Int), seed: UInt64
  ) {
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let layout = TreeLayout.values(
      of: UInt64.self, leafCapacity: capacity.leaf, innerCapacity: capacity.inner)
    var tree = Tree(layout)
    var model: Set<UInt64> = []
    var next: UInt64 = 1
    var held: [(tree: Tree, rows: Set<UInt64>)] = []
    let steps = Environment.size(800, thorough: 2000)
    for step in 0..<steps {
      let trace = "seed \(seed), step \(step)"
      // Growing, then shrinking to little, then growing again.
      let isGrowing = Int.random(in: 0..<100, using: &generator) < [85, 70, 15, 80][step * 4 / steps]
      if isGrowing || model.isEmpty {
        // Most are appended; some leave a gap, also one that a map does not span; some come back.
        let row: UInt64
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: row = next + .random(in: 1...200, using: &generator)
        case 1...4: row = .random(in: 1...next, using: &generator)
        default: row = next
        }
        check(tree.put(row) == model.insert(row).inserted, trace)
        next = max(next, row + 1)
        check(tree.found(row) == row, trace)
      } else {
        // The least of all, the first of its leaf, or any.
        var row =
          Int.random(in: 0..<4, using: &generator) == 0
          ? model.min()! : pick(model, below: next, &generator)!
        if step % 3 == 0, let root = tree.root, NodeView(root).height > 0 {
          let view = NodeView(root)
          row = view.keys[Int.random(in: 0..<view.count, using: &generator)].first
        }
        check(tree.remove(TreeKey(row, 0)) && model.remove(row) != nil, trace)
        check(tree.found(row) == nil, trace)
        if let other = pick(model, below: next, &generator) {
          check(tree.update(TreeKey(other, 0)) { _, stamp in stamp += 1 }, trace)
        }
      }
      if step % 50 == 0 { tree._checkInvariants() }
      if step % 300 == 0 { held.append((tree, model)) }
    }
    held.append((tree, model))
    for (tree, rows) in held {
      tree._checkInvariants()
      for row in 0..<(next + 2) {
        check(
          tree.found(row) == (rows.contains(row) ? row : nil), "seed \(seed), \(rows.count) held, row \(row)")
      }
    }
  }

  /// Trees of standard nodes, high enough for every branch of a guess that memory for tests allows.
  @Test(
    arguments: [(1, 0), (40, 1), (600, 0), (600, 1_000_000), (8_300, 1)]
      + (Environment.isThorough ? [(135_000, 1)] : []) as [(Int, UInt64)])
  func `standard trees are searched right, whatever is missing`(size: Int, before: UInt64) {
    print("seed 1")
    var generator = SeededGenerator(seed: 1)
    let rows = (before + 1)...(before + UInt64(size))
    var tree = Tree(TreeLayout.values(of: UInt64.self))
    for row in rows { _ = tree.put(row) }
    func compare(_ tree: Tree, _ trace: String, _ has: (UInt64) -> Bool) {
      tree._checkInvariants()
      for row in before..<(rows.upperBound + 70) {
        check(tree.found(row) == (rows.contains(row) && has(row) ? row : nil), "\(trace), row \(row)")
      }
    }
    compare(tree, "all") { _ in true }
    var churned = tree
    var gone: Set<UInt64> = []
    for row in rows where UInt64.random(in: 0..<10, using: &generator) == 0 {
      churned.remove(TreeKey(row, 0))
      gone.insert(row)
    }
    compare(churned, "a tenth gone") { !gone.contains($0) }
    var queue = tree
    for row in rows.prefix(size * 2 / 5) { queue.remove(TreeKey(row, 0)) }
    compare(queue, "the oldest gone") { $0 >= rows.lowerBound + UInt64(size * 2 / 5) }
    var sparse = tree
    for row in rows where row % 7 != 0 { sparse.remove(TreeKey(row, 0)) }
    compare(sparse, "one in seven left") { $0 % 7 == 0 }
    var middle = queue
    for row in rows.prefix(size / 5) { _ = middle.put(row) }
    compare(middle, "the oldest back") {
      $0 < rows.lowerBound + UInt64(size / 5) || $0 >= rows.lowerBound + UInt64(size * 2 / 5)
    }
    compare(tree, "held") { _ in true }
  }

  @Test func `a builder makes the maps that appending makes, and an emptied tree starts again`() {
    var tree = Tree(TreeLayout.values(of: UInt64.self))
    var builder = TreeBuilder(tree.layout)
    for row in (1...5_000 as ClosedRange<UInt64>).filter({ $0 % 90 != 5 }) {
      _ = tree.put(row)
      builder.append(TreeKey(row, 0)) { $0.storeBytes(of: row, as: UInt64.self) }
    }
    let built = builder.finish()
    built._checkInvariants()
    for row in 0...5_100 as ClosedRange<UInt64> { check(built.found(row) == tree.found(row), "row \(row)") }
    for row in 1...5_000 as ClosedRange<UInt64> { tree.remove(TreeKey(row, 0)) }
    #expect(tree.isEmpty)
    for row in 7_777...9_000 as ClosedRange<UInt64> { check(tree.put(row), "row \(row)") }
    tree._checkInvariants()
    for row in 7_700...9_100 as ClosedRange<UInt64> {
      check(tree.found(row) == (7_777...9_000 ~= row ? row : nil), "row \(row)")
    }
  }

  @Test(arguments: Environment.sizes([1, 32, 33, 512, 513, 8_192, 8_193], thorough: [131_072, 131_073]))
  func `guesses find every row of a loaded tree, also when the oldest were removed`(size: Int) {
    let rows = 5..<(5 + UInt64(size))
    var builder = TreeBuilder(TreeLayout.values(of: UInt64.self))
    for row in rows { builder.append(TreeKey(row, 0)) { $0.storeBytes(of: row, as: UInt64.self) } }
    var tree = builder.finish()
    func isGuessed(_ row: UInt64) -> Bool { tree.guessed(row)?.load(as: UInt64.self) == row }
    // Every row of a small tree, and of a large one each that begins or ends a leaf.
    let places = rows.filter { size < 10_000 || ($0 - 5) % 32 == 0 || ($0 - 5) % 32 == 31 }
    // A tree of one leaf has no inner node to guess from.
    for row in places { check(isGuessed(row) == (size > 32), "row \(row) of \(size)") }
    check(tree.guessed(4) == nil && tree.guessed(rows.upperBound) == nil, "\(size): beyond the ends")
    if size <= 512 { return }
    // Of the root's first child, only rows that lie beyond the removed ones in another child are still guessed.
    let oldest = rows.prefix(40)
    for row in oldest { tree.remove(TreeKey(row, 0)) }
    let first = 5 + UInt64(1) << (4 * UInt64(tree.height - 1) + 1)
    for row in places where row >= first { check(isGuessed(row), "row \(row) of \(size), 40 removed") }
    for row in oldest { check(tree.guessed(row) == nil, "row \(row) of \(size), removed") }
  }

  /// More than two million rows, of which a guess takes one step more.
  @Test(.enabled(if: Environment.isThorough, "LIVESTORE_THOROUGH is not set"))
  func `a tree of six levels is searched right`() {
    let layout = TreeLayout.values(of: UInt64.self)
    let chunk: UInt64 = 1 << 15
    let count: UInt64 = 32 * 16 * 16 * 16 * 16 + chunk
    var builder = TreeBuilder(layout)
    builder.append(1, stamp: 0, count: Int(count)) { payloads, positions in
      payloads.initializeMemory(
        as: UInt64.self, from: positions.map { UInt64($0 + 1) }, count: positions.count)
    }
    var tree = builder.finish()
    #expect(tree.height == 6 && tree.count == Int(count))
    var places: [UInt64] = []
    for row in stride(from: 1 as UInt64, through: count, by: 32 * 16 * 4) {
      places += [row - 1, row, row + 33]
    }
    for row in places { check(tree.found(row) == (row == 0 ? nil : row), "row \(row)") }
    check(tree.found(count) == count && tree.found(count + 1) == nil, "the end")
    for row in 1...(chunk as UInt64) { tree.remove(TreeKey(row, 0)) }
    for row in places { check(tree.found(row) == (row <= chunk ? nil : row), "row \(row), the oldest gone") }
  }
}
