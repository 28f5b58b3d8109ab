/// What leads from one tree to another, found without looking at what they share.
///
/// Two walks go through both trees in key order, each standing either at the start of a node it has not
/// entered or at an entry of a leaf.
///
/// - Both at unentered nodes: the same node holds the same entries in the same order, so both walks step
///   over it (D1). Since a walk enters a node no sooner than it must, this happens at the greatest height
///   at which the node is shared and wholly within both windows.
/// - The smaller of the two next keys is in one tree alone: that walk goes down to it and past it. No node
///   that starts with this entry is shared, so nothing is lost by going down (D2).
/// - Equal keys: unentered nodes are entered, the higher first, so that two nodes that start at this entry
///   meet at every height they both have (D3); two entries are the same one, changed if their stamps differ.
///
/// Splits, merges and borrowed slots shift nodes against each other, but never the order of the leaves and
/// nodes they leave alone. The walks are in step again at the next entry both trees have, and stand at the
/// start of a node in both trees as soon as it is one both trees have.
package struct TreeDifference: Sendable {
  package struct Entry: Hashable, Sendable {
    /// Position in the whole tree.
    package var rank: Int
    package var key: TreeKey
    /// When the entry last changed; 0 where the layout has no stamp.
    package var stamp: UInt64

    package init(rank: Int, key: TreeKey, stamp: UInt64) {
      self.rank = rank
      self.key = key
      self.stamp = stamp
    }
  }

  /// Entries of the old tree that the new one lacks or has with another stamp, ascending.
  package var removed: [Entry] = []
  /// Entries of the new tree that the old one lacks or has with another stamp, ascending.
  package var added: [Entry] = []
  /// Nodes entered or stepped over, for tests of the cost.
  package var nodesVisited = 0
  /// Pairs of keys compared, for tests of the cost.
  package var entriesCompared = 0

  package var isEmpty: Bool { removed.isEmpty && added.isEmpty }

  init() {}
}

extension Tree {
  /// The difference of two windows onto two trees of one layout.
  ///
  /// `compareTies` orders two entries with equal `first` by their real keys alone, as the tie closure of
  /// an insertion does. It is not asked about entries that agree in `second`, except where these are occurrences
  /// of a list's rows: an occurrence may have been given to another entry (D7). Without stamps, an entry in both
  /// trees must have the same real key in both.
  /// - Complexity: O(d · (log `count` + leaf capacity)) for d differences, windows' ends counted among them.
  package static func difference(
    from old: Tree, in oldRanks: Range<Int>, to new: Tree, in newRanks: Range<Int>,
    compareTies: (_ old: TreeKey, _ new: TreeKey) -> Int = { _, _ in 0 }
  ) -> TreeDifference {
    precondition(oldRanks.lowerBound >= 0 && oldRanks.upperBound <= old.count, "window beyond the tree")
    precondition(newRanks.lowerBound >= 0 && newRanks.upperBound <= new.count, "window beyond the tree")
    if old.isIdentical(to: new) && oldRanks == newRanks { return TreeDifference() }
    // An empty tree lends its window from the other: an empty window of any tree will do.
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
      // One walk is inside its leaf already, so no unentered node of the other can be shared here.
      old.enterLeaf()
      new.enterLeaf()
      return
    }
    let oldHeight = old.height
    let newHeight = new.height
    if oldHeight >= newHeight { old.enter() }
    if newHeight >= oldHeight { new.enter() }
  }

  /// Order of the entries the walks stand before.
  ///
  /// A row that has another stamp may have another real key behind an equal abbreviation, but when both
  /// walks stand before it there is nothing between its places, and it may be taken from both at once.
  private mutating func compare(_ compareTies: (TreeKey, TreeKey) -> Int) -> Int {
    result.entriesCompared += 1
    let oldKey = old.key
    let newKey = new.key
    if oldKey.first != newKey.first { return oldKey.first < newKey.first ? -1 : 1 }
    let isSame = oldKey.second == newKey.second
    if layout.order == .first || (isSame && !layout.areOccurrences) { return 0 }
    let sign = compareTies(oldKey, newKey)
    if sign != 0 || isSame { return sign }
    return oldKey.second < newKey.second ? -1 : 1
  }
}
