/// A position between two entries of a tree, to move from in either direction.
///
/// - Complexity: a step is O(1), amortised over a leaf.
package struct TreeCursor {
  /// Retains the nodes, whose references `levels` does not count.
  private let tree: Tree
  /// The inner nodes above the leaf with the child chosen in each, the root first.
  private var levels: [(node: NodeView, slot: Int)] = []
  private var leaf: NodeView?
  /// The entry of `leaf` that `next` returns, from 0 through the leaf's count.
  private var slot = 0

  /// Positions the cursor before the entry at `rank`, which may be the tree's count.
  package init(_ tree: Tree, at rank: Int = 0) {
    precondition(rank >= 0 && rank <= tree.count, "rank \(rank) is not in 0...\(tree.count)")
    self.tree = tree
    guard let root = tree.root else { return }
    var rest = rank
    var node = NodeView(root)
    levels.reserveCapacity(node.height)
    while node.height > 0 {
      var slot = node.count - 1
      if rest < node.total {
        slot = node.childAndOffset(ofEntry: &rest)
      } else {
        // At the very end the position is behind the last entry of the last leaf.
        rest = node.counts[slot]
      }
      levels.append((node, slot))
      node = node.child(slot)
    }
    leaf = node
    slot = rest
  }

  /// Moves past the next entry and returns it; nil at the end.
  package mutating func next() -> TreeEntry? {
    // Nothing else here reads `tree`, which must outlive the views.
    defer { withExtendedLifetime(tree) {} }
    guard var node = leaf else { return nil }
    if slot == node.count {
      guard let level = levels.lastIndex(where: { $0.slot + 1 < $0.node.count }) else { return nil }
      node = moveToNeighbor(at: level, by: 1) { _ in 0 }
      slot = 0
    }
    defer { slot += 1 }
    return TreeEntry(node.key(slot), node.payload(slot))
  }

  /// Moves back over the previous entry and returns it; nil at the start.
  package mutating func previous() -> TreeEntry? {
    defer { withExtendedLifetime(tree) {} }
    guard var node = leaf else { return nil }
    if slot == 0 {
      guard let level = levels.lastIndex(where: { $0.slot > 0 }) else { return nil }
      node = moveToNeighbor(at: level, by: -1) { $0.count - 1 }
      slot = node.count
    }
    slot -= 1
    return TreeEntry(node.key(slot), node.payload(slot))
  }

  /// Steps sideways in one inner node and down the near edge to a leaf.
  private mutating func moveToNeighbor(at level: Int, by step: Int, edge: (NodeView) -> Int) -> NodeView {
    levels[level].slot += step
    var node = levels[level].node.child(levels[level].slot)
    for below in (level + 1)..<max(levels.count, level + 1) {
      levels[below] = (node, edge(node))
      node = node.child(levels[below].slot)
    }
    leaf = node
    return node
  }
}
