// The difference of two trees.
//
// Two walks go through both trees in key order. Each is either before a node that it has not entered, or at
// an entry of a leaf. The next keys decide:
//
// - **D1** Both are before the same node, and it ends within both windows: both skip it. A walk enters a
//   node as late as possible, so this happens at the greatest height at which the node is shared.
// - **D2** One key is smaller: that entry is in one tree alone. Its walk goes down to it and past it. No
//   shared node starts with this entry, so going down loses nothing.
// - **D3** Equal keys: the higher of two unentered nodes is entered, or both if they are equally high. So
//   two nodes that start at this entry meet at every height that they both have.
// - **D4** A walk before a node reads nothing of it: key, count and height come from its parent.
// - **D5** An entry in both trees with different stamps is listed in both `removed` and `added`. Its real
//   key behind an equal abbreviation may have changed, too. If both walks are before it, nothing lies
//   between its positions, so the tie closure is not called.
// - **D6** Without stamps, an entry in both trees must have the same real key in both.
// - **D7** Where the second word is an occurrence (O1), equal keys are one entry only if their labels are
//   equal, too: a freed occurrence is reused for an entry in another position. So the tie closure is called
//   there as well.
//
// Splits, merges and borrowed slots shift nodes against each other but do not change the order of the nodes
// that they leave alone. The walks are in step at the next entry that both trees have, and at the start of
// every node that both have; from there they climb again as they step sideways. For each differing entry, the
// walks enter one path on either side and step over at most `capacity` neighbours at each level: O(d · (log n
// + capacity)). One edit among a million entries visits fewer than 400 nodes and keys, wherever it is and
// whatever it splits. Ends of windows that are shifted against each other count as differences. Tests assert
// these counts.

/// The difference of two trees, computed without reading shared nodes.
///
/// Two walks go through both trees in key order. Each is either before a node that it has not entered or at an entry
/// of a leaf.
///
/// - Both at unentered nodes: an identical node holds the same entries in the same order, so both walks skip it (D1).
///   A walk enters a node as late as possible, so this happens at the greatest height at which the node is shared and
///   wholly within both windows.
/// - The smaller of the two next keys is in one tree alone: that walk goes down to it and past it. No node that
///   starts with this entry is shared, so nothing is lost by going down (D2).
/// - Equal keys: unentered nodes are entered, the higher first, so that two nodes that start at this entry meet at
///   every height that they both have (D3). Two entries are the same one, changed if their stamps
///   differ (D5).
///
/// Splits, merges and borrowed slots shift nodes against each other, but never change the order of the leaves and
/// nodes that they leave alone. The walks are in step again at the next entry that both trees have, and at the start
/// of every node that both trees have.
package struct TreeDifference: Sendable {
  package struct Entry: Hashable, Sendable {
    /// The position in the whole tree.
    package var rank: Int
    package var key: TreeKey
    /// The version that last changed the entry; 0 if the layout has no stamp.
    package var stamp: UInt64

    package init(rank: Int, key: TreeKey, stamp: UInt64) {
      self.rank = rank
      self.key = key
      self.stamp = stamp
    }
  }

  /// Entries of the old tree that the new one does not have, or has with another stamp, ascending.
  package var removed: [Entry] = []
  /// Entries of the new tree that the old one does not have, or has with another stamp, ascending.
  package var added: [Entry] = []
  /// Nodes entered or skipped, for tests of the cost.
  package var nodesVisited = 0
  /// Pairs of keys compared, for tests of the cost.
  package var entriesCompared = 0

  package var isEmpty: Bool { removed.isEmpty && added.isEmpty }

  init() {}
}

extension Tree {
  /// The difference of two windows onto two trees of one layout.
  ///
  /// `compareTies` orders two entries with equal `first` by their real keys alone, like the tie closure of an
  /// insertion. It is not called for entries with equal `second`, except occurrences of a list's rows, which may have
  /// been given to another entry (D7). Without stamps, an entry in both trees must have the same real key in
  /// both (D6).
  /// - Complexity: O(d · (log `count` + leaf capacity)) for d differences, including the windows' ends.
  package static func difference(
    from old: Tree, in oldRanks: Range<Int>, to new: Tree, in newRanks: Range<Int>,
    compareTies: (_ old: TreeKey, _ new: TreeKey) -> Int = { _, _ in 0 }
  ) -> TreeDifference {
    precondition(
      oldRanks.lowerBound >= 0 && oldRanks.upperBound <= old.count, "\(oldRanks) is not within the tree")
    precondition(
      newRanks.lowerBound >= 0 && newRanks.upperBound <= new.count, "\(newRanks) is not within the tree")
    if old.isIdentical(to: new) && oldRanks == newRanks { return TreeDifference() }
    // An empty tree uses the other's root: an empty window of any tree will do.
    guard let oldRoot = old.root ?? new.root, let newRoot = new.root ?? old.root else {
      return TreeDifference()
    }
    return withExtendedLifetime((oldRoot, newRoot)) {
      var merge = TreeMerge(
        old: TreeWalk(oldRoot, in: oldRanks), new: TreeWalk(newRoot, in: newRanks), layout: new.layout)
      merge.run(compareTies)
      return merge.result
    }
  }
}

/// The merge of two walks.
private struct TreeMerge {
  var old: TreeWalk
  var new: TreeWalk
  let layout: TreeLayout
  var result = TreeDifference()

  mutating func run(_ compareTies: (TreeKey, TreeKey) -> Int) {
    while !old.isAtEnd && !new.isAtEnd {
      if old.isBefore && new.isBefore && old.node == new.node && old.nodeFits && new.nodeFits {
        old.skip()
        new.skip()
        continue
      }
      let sign = compare(compareTies)
      if sign < 0 {
        takeOld()
      } else if sign > 0 {
        takeNew()
      } else if old.isBefore || new.isBefore {
        enter()
      } else {
        if old.stamp(layout) != new.stamp(layout) {
          result.removed.append(old.entry(layout))
          result.added.append(new.entry(layout))
        }
        old.step()
        new.step()
      }
    }
    while !old.isAtEnd { takeOld() }
    while !new.isAtEnd { takeNew() }
    result.nodesVisited = old.nodesVisited + new.nodesVisited
  }

  private mutating func takeOld() {
    old.enterLeaf()
    result.removed.append(old.entry(layout))
    old.step()
  }

  private mutating func takeNew() {
    new.enterLeaf()
    result.added.append(new.entry(layout))
    new.step()
  }

  private mutating func enter() {
    guard old.isBefore && new.isBefore else {
      // One walk is already inside its leaf, so no unentered node of the other can be shared here.
      old.enterLeaf()
      new.enterLeaf()
      return
    }
    let oldHeight = old.height
    let newHeight = new.height
    if oldHeight >= newHeight { old.enter() }
    if newHeight >= oldHeight { new.enter() }
  }

  /// Compares the entries at the positions of the walks.
  ///
  /// Most keys differ in their first words. Only other pairs reach the closure: copying what it captures takes longer
  /// than comparing.
  @inline(__always)
  private mutating func compare(_ compareTies: (TreeKey, TreeKey) -> Int) -> Int {
    result.entriesCompared += 1
    let oldKey = old.key
    let newKey = new.key
    if oldKey.first != newKey.first { return oldKey.first < newKey.first ? -1 : 1 }
    let isSame = oldKey.second == newKey.second
    if layout.order == .first || (isSame && !layout.areOccurrences) { return 0 }
    return compare(oldKey, newKey, compareTies)
  }

  /// Compares keys with equal first words.
  ///
  /// A row with another stamp may have another real key behind an equal abbreviation. But when both walks are before
  /// it, nothing is between its positions, and it may be taken from both at once.
  private func compare(
    _ oldKey: TreeKey, _ newKey: TreeKey, _ compareTies: (TreeKey, TreeKey) -> Int
  ) -> Int {
    let sign = compareTies(oldKey, newKey)
    if sign != 0 || oldKey.second == newKey.second { return sign }
    return oldKey.second < newKey.second ? -1 : 1
  }
}
