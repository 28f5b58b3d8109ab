/// Copies to put in place of a node. In `slot = slot.copy()` nothing refers to the old node after the call, and the
/// optimiser may free it as soon as a view of it is made; here it lives until the copy is complete.
extension Node {
  /// A copy that shares the children; of a leaf, a plain one.
  func copy() -> Node { withExtendedLifetime(self) { NodeView(self).copy() } }

  /// A plain leaf with the entries of this one, whose values are moved. There is no other reference to this one.
  func madePlain() -> Node { withExtendedLifetime(self) { NodeView(self).madePlain() } }
}

/// Moving slots within and between nodes. Callers hold the only reference to every node they edit (S5).
extension NodeView {
  fileprivate func copy() -> Node {
    if height == 0 { return plainLeaf(layout.copyPayloads) }
    let node = Node.make(layout: layout, height: height)
    let target = NodeView(node)
    target.keys.initialize(from: keys, count: count)
    target.counts.initialize(from: counts, count: count)
    touchChildren()
    // One by one, which counts references without the detour by a function for any type.
    for slot in 0..<count { (target.children + slot).initialize(to: children[slot]) }
    target.count = count
    target.total = total
    return node
  }

  fileprivate func madePlain() -> Node {
    let node = plainLeaf(layout.movePayloads)
    // The moved values are not destroyed with this leaf.
    count = 0
    return node
  }

  private func plainLeaf(_ transfer: TreeLayout.Transfer) -> Node {
    let node = Node.make(layout: layout, height: 0)
    let target = NodeView(node)
    let keys = target.keys
    if form == .run {
      let first = self.keys[0]
      for slot in 0..<count {
        (keys + slot).initialize(to: TreeKey(first.first &+ UInt64(truncatingIfNeeded: slot), first.second))
      }
    } else {
      keys.initialize(from: self.keys, count: count)
    }
    if form == .oneStamp {
      // A stamp is one word.
      target.payloads.initializeMemory(
        as: UInt64.self, repeating: payloads.load(as: UInt64.self), count: count)
    } else if stride > 0 {
      transfer(target.payloads, payloads, count)
    }
    target.count = count
    target.total = total
    return node
  }

  /// Moves slots to where `target` has room; neither node's `count` or `total` is adjusted.
  private func moveSlots(_ range: Range<Int>, to target: NodeView, at slot: Int) {
    let length = range.count
    guard length > 0 else { return }
    (target.keys + slot).moveInitialize(from: keys + range.lowerBound, count: length)
    if height > 0 {
      (target.counts + slot).moveInitialize(from: counts + range.lowerBound, count: length)
      (target.children + slot).moveInitialize(from: children + range.lowerBound, count: length)
    } else if stride > 0 {
      layout.movePayloads(target.payload(slot), payload(range.lowerBound), length)
    }
  }

  /// Appends the slots of this node from `slot` on to the empty or left-hand `target`.
  func giveTail(from slot: Int, to target: NodeView) {
    transfer(slot..<count, to: target, at: target.count)
  }

  /// Moves the boundary between two neighbours so that this one, the left, has `newCount` slots.
  func balance(with right: NodeView, leftCount newCount: Int) {
    let surplus = count - newCount
    if surplus > 0 {
      right.moveSlots(0..<right.count, to: right, at: surplus)
      transfer(newCount..<count, to: right, at: 0)
    } else if surplus < 0 {
      right.transfer(0..<(-surplus), to: self, at: count)
      // `transfer` has lowered the count already.
      right.moveSlots((-surplus)..<(right.count - surplus), to: right, at: 0)
      if height > 0 { right.clearSlots(right.count..<(right.count - surplus)) }
    }
  }

  private func transfer(_ range: Range<Int>, to target: NodeView, at slot: Int) {
    var moved = range.count
    if height > 0 {
      moved = range.reduce(into: 0) { $0 += counts[$1] }
    }
    moveSlots(range, to: target, at: slot)
    if height > 0 { clearSlots(range) }
    count -= range.count
    total -= moved
    target.count += range.count
    target.total += moved
  }

  /// Puts an entry into a leaf that has room.
  func insertEntry(_ key: TreeKey, at slot: Int, initialize: (UnsafeMutableRawPointer) -> Void) {
    moveSlots(slot..<count, to: self, at: slot + 1)
    (keys + slot).initialize(to: key)
    initialize(payload(slot))
    count += 1
    total += 1
  }

  /// Puts a child into an inner node that has room.
  func insertChild(_ child: Node, at slot: Int) {
    let view = NodeView(child)
    moveSlots(slot..<count, to: self, at: slot + 1)
    (keys + slot).initialize(to: view.separator)
    (counts + slot).initialize(to: view.total)
    total += view.total
    (children + slot).initialize(to: child)
    count += 1
  }

  /// Destroys one slot: an entry of a leaf, or a child with its subtree.
  func removeSlot(_ slot: Int) {
    if height > 0 {
      total -= counts[slot]
      (children + slot).deinitialize(count: 1)
    } else {
      total -= 1
      if stride > 0 { layout.destroyPayloads(payload(slot), 1) }
    }
    moveSlots((slot + 1)..<count, to: self, at: slot)
    count -= 1
    if height > 0 { clearSlots(count..<(count + 1)) }
  }

  /// Makes room for a slot at `slot` of a full node; returns where to put it, and the new right neighbour.
  ///
  /// At the right edge of the tree a slot at the end starts a new node and leaves this one full (S4).
  func split(at slot: Int, isRightEdge: Bool) -> (target: NodeView, slot: Int, right: Node) {
    let right = Node.make(layout: layout, height: height)
    let view = NodeView(right)
    if isRightEdge && slot == count { return (view, 0, right) }
    let leftCount = (count + 1) - (count + 1) / 2
    if slot < leftCount {
      giveTail(from: leftCount - 1, to: view)
      return (self, slot, right)
    }
    giveTail(from: leftCount, to: view)
    return (view, slot - leftCount, right)
  }
}
