import Testing

import LiveStore

/// Costs are counted in nodes and entries, never in time.
@Suite struct `Tree difference cost` {
  static let size = 1_000_000
  /// Even rows, all nodes full.
  static let million = Tree.rows((0..<size).lazy.map { $0 * 2 }, leaf: 32, inner: 32)

  private func cost(_ difference: TreeDifference) -> Int {
    difference.nodesVisited + difference.entriesCompared
  }

  private func whole(_ old: Tree, _ new: Tree) -> TreeDifference {
    Tree.difference(from: old, in: 0..<old.count, to: new, in: 0..<new.count)
  }

  static let places = [0, 1, 31, 32, 33, 1023, 1024, 32_767, 32_768, 500_000, 777_777, 999_967, 999_999]

  @Test(arguments: places)
  func `one edit among a million visits a few hundred`(place: Int) {
    let old = Self.million
    let row = UInt64(place * 2)

    var updated = old
    updated.update(TreeKey(row, 0)) { _, stamp in stamp = 1 }
    let change = whole(old, updated)
    #expect(change.removed.map(\.rank) == [place] && change.added.map(\.rank) == [place])
    #expect(cost(change) < 400)

    var removed = old
    removed.remove(TreeKey(row, 0))
    let removal = whole(old, removed)
    #expect(removal.removed.map(\.rank) == [place] && removal.added.isEmpty)
    #expect(cost(removal) < 400)
    #expect(cost(whole(removed, old)) < 400)

    // The leaf is full and splits, and so may all above it.
    var inserted = old
    inserted.insert(TreeKey(row + 1, 0)) { _ in }
    let insertion = whole(old, inserted)
    #expect(insertion.added.map(\.rank) == [place + 1] && insertion.removed.isEmpty)
    #expect(cost(insertion) < 400)
    #expect(cost(whole(inserted, old)) < 400)
  }

  @Test(arguments: [(1, 0, 0, 0), (0, 0, 0, 1), (0, 1, 1, 0), (40, 0, 41, 0), (0, 33, 0, 32)])
  func `windows shifted against each other cost their ends and no more`(
    oldStart: Int, oldEnd: Int, newStart: Int, newEnd: Int
  ) {
    let old = Self.million
    var new = old
    new.update(TreeKey(1_000_000, 0)) { _, stamp in stamp = 1 }
    let difference = Tree.difference(
      from: old, in: oldStart..<(old.count - oldEnd), to: new, in: newStart..<(new.count - newEnd))
    let ends = abs(oldStart - newStart) + abs(oldEnd - newEnd)
    #expect(difference.removed.count + difference.added.count == 2 + ends)
    #expect(cost(difference) < 900)
  }

  @Test(arguments: [0, 5000, 16_384, 30_000])
  func `a new level of height costs no more than a split`(place: Int) {
    let old = Tree.rows((0..<32_768).lazy.map { $0 * 2 }, leaf: 32, inner: 32)
    var new = old
    new.insert(TreeKey(UInt64(place * 2 + 1), 0)) { _ in }
    #expect(new.height == old.height + 1)
    #expect(cost(whole(old, new)) < 400)
    #expect(cost(whole(new, old)) < 400)
    // And back: the levels merge again, in other nodes than before.
    var again = new
    for row in 0..<40 { again.remove(TreeKey(UInt64((place + row) * 2), 0)) }
    #expect(cost(whole(new, again)) < 900)
    #expect(whole(new, again).removed.count == 40 - max(0, place + 40 - 32_768))
  }

  @Test func `the cost follows the number of differences`() {
    let old = Self.million
    var new = old
    for index in 0..<100 {
      let row = UInt64(index * 19_997)
      new.remove(TreeKey(row / 2 * 2, 0))
      new.insert(TreeKey(row / 2 * 2 + 1, 0)) { _ in }
    }
    let difference = whole(old, new)
    #expect(difference.removed.count == 100 && difference.added.count == 100)
    #expect(cost(difference) < 100 * 250)
  }

  @Test func `the same tree costs nothing, and a window of it only its ends`() {
    let tree = Self.million
    #expect(cost(whole(tree, tree)) == 0)
    let same = Tree.difference(from: tree, in: 5..<900_000, to: tree, in: 5..<900_000)
    #expect(same.isEmpty && cost(same) == 0)
    let shifted = Tree.difference(from: tree, in: 0..<900_000, to: tree, in: 0..<900_001)
    #expect(shifted.added.count == 1 && shifted.removed.isEmpty)
    #expect(cost(shifted) < 400)
  }
}
