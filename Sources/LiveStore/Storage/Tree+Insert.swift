extension Tree {
  /// Adds an entry; returns false, and changes nothing, when its key is present.
  ///
  /// `initialize` is called once, with the uninitialised payload, if and only if the result is true.
  /// - Complexity: O(log `count`); copies at most the nodes of one path.
  @discardableResult
  package mutating func insert(
    _ key: TreeKey, tie: (UInt64) -> Int = { _ in 0 },
    initialize: (UnsafeMutableRawPointer) -> Void
  ) -> Bool {
    guard root != nil else {
      let leaf = Node.make(layout: layout, height: 0)
      NodeView(leaf).insertEntry(key, at: 0, initialize: initialize)
      root = leaf
      origin = key.first
      return true
    }
    var path = TreePath()
    if find(key, tie: tie, path: &path) { return false }
    let view = Tree.uniqueView(of: &root!)
    guard let right = view.insert(key, path: path, isRightEdge: true, initialize: initialize) else {
      return true
    }
    let newRoot = Node.make(layout: layout, height: view.height + 1)
    NodeView(newRoot).insertChild(view.node, at: 0)
    NodeView(newRoot).insertChild(right, at: 1)
    root = newRoot
    return true
  }

  /// The node in `slot`, to be edited: replaced by a copy first if anything else refers to it, and made plain if it
  /// is a leaf of another form (S7).
  static func uniqueView(of slot: inout Node) -> NodeView {
    if !isKnownUniquelyReferenced(&slot) {
      slot = slot.copy()
    } else if NodeView(slot).form != .plain {
      slot = slot.madePlain()
    }
    return NodeView(slot)
  }
}

extension NodeView {
  /// Inserts below this node, to which one reference exists; returns the right neighbour it was split into.
  fileprivate func insert(
    _ key: TreeKey, path: TreePath, isRightEdge: Bool, initialize: (UnsafeMutableRawPointer) -> Void
  ) -> Node? {
    let slot = path[height]
    guard height > 0 else {
      guard isFull else {
        insertEntry(key, at: slot, initialize: initialize)
        return nil
      }
      let (target, targetSlot, right) = split(at: slot, isRightEdge: isRightEdge)
      target.insertEntry(key, at: targetSlot, initialize: initialize)
      return right
    }
    let child = Tree.uniqueView(of: &children[slot])
    let isLast = slot == count - 1
    let newChild = child.insert(
      key, path: path, isRightEdge: isRightEdge && isLast, initialize: initialize)
    total += child.total - counts[slot]
    counts[slot] = child.total
    guard let newChild else {
      noteInsertion(of: key.first, slot, child)
      return nil
    }
    keys[slot] = child.separator
    guard isFull else {
      insertChild(newChild, at: slot + 1)
      return nil
    }
    let (target, targetSlot, right) = split(at: slot + 1, isRightEdge: isRightEdge)
    target.insertChild(newChild, at: targetSlot)
    return right
  }
}
