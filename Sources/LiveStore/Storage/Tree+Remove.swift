extension Tree {
  /// Removes the entry with this key; returns false, and changes nothing, when there is none.
  ///
  /// - Complexity: O(log `count`); copies at most one path and one neighbour at each level.
  @discardableResult
  package mutating func remove(_ key: TreeKey, tie: (UInt64) -> Int = { _ in 0 }) -> Bool {
    var path = TreePath()
    guard find(key, tie: tie, path: &path) else { return false }
    let view = Tree.uniqueView(of: &root!)
    view.remove(key.first, path: path, isRightEdge: true)
    if view.count == 0 { root = nil }
    // An inner root with a single child is a superfluous level. Its child has more children: only the last child of a
    // root with others may have a single one, and it is removed when it loses that.
    if let node = root, NodeView(node).height > 0, NodeView(node).count == 1 {
      root = withExtendedLifetime(node) { NodeView(node).children[0] }
    }
    return true
  }
}

extension NodeView {
  /// Removes below this node, to which one reference exists; may leave it one slot short.
  fileprivate func remove(_ first: UInt64, path: TreePath, isRightEdge: Bool) {
    let slot = path[height]
    guard height > 0 else {
      removeSlot(slot)
      return
    }
    let child = Tree.uniqueView(of: &children[slot])
    let childIsRightEdge = isRightEdge && slot == count - 1
    child.remove(first, path: path, isRightEdge: childIsRightEdge)
    total -= 1
    counts[slot] -= 1
    if child.count == 0 {
      removeSlot(slot)
      return
    }
    noteRemoval(of: first, slot, child)
    if child.count < child.minimum && !childIsRightEdge { refill(slot) }
  }

  private var minimum: Int { height > 0 ? layout.innerMinimum : layout.leafMinimum }

  /// Merges an underfull child with a neighbour, or balances the two when they do not fit into one.
  ///
  /// There is a neighbour: only the last child of a right-edge node may be alone, and it is never refilled.
  private func refill(_ slot: Int) {
    let leftSlot = max(slot - 1, 0)
    let left = Tree.uniqueView(of: &children[leftSlot])
    let right = Tree.uniqueView(of: &children[leftSlot + 1])
    let sum = left.count + right.count
    if sum <= left.capacity {
      right.giveTail(from: 0, to: left)
      refreshSlot(leftSlot, from: left)
      counts[leftSlot + 1] = 0
      removeSlot(leftSlot + 1)
      return
    }
    left.balance(with: right, leftCount: (sum + 1) / 2)
    refreshSlot(leftSlot, from: left)
    refreshSlot(leftSlot + 1, from: right)
  }
}
