/// Looking up entries by key and by rank.
extension Tree {
  /// The last entry whose `first` is at most `first`.
  ///
  /// The payload stays valid as long as this tree or a copy of it lives.
  /// - Complexity: O(log `count`), without a single reference counted.
  package func floor(_ first: UInt64) -> TreeEntry? {
    guard let root else { return nil }
    var node = NodeView(root)
    guard node.keys[0].first <= first else { return nil }
    // Separators are exact, so the first key of every visited node is at most `first`.
    var height = node.height
    while height > 0 {
      node = node.child(node.lastSlot(through: first, count: node.count, keyOffset: 0))
      height &-= 1
    }
    let slot = layout.order == .first ? node.uniqueSlot(through: first) : node.lastSlot(through: first)
    return TreeEntry(node.key(slot), node.payload(slot, stride: layout.stride))
  }

  /// The position of exactly this key. `tie` gets the `second` of an entry and returns the sign of comparing the
  /// probe with it, by real keys alone.
  ///
  /// - Complexity: O(log `count`).
  package func rank(of key: TreeKey, tie: (UInt64) -> Int = { _ in 0 }) -> Int? {
    guard let root else { return nil }
    var node = NodeView(root)
    var rank = 0
    while true {
      let (slot, isExact) = node.position(of: key, order: layout.order, tie: tie)
      if node.height == 0 { return isExact ? rank + slot : nil }
      guard isExact || slot > 0 else { return nil }
      let child = isExact ? slot : slot - 1
      rank += node.entries(beforeChild: child)
      node = node.child(child)
    }
  }

  /// The number of entries before `first`, or at it and before in the sense of `isBefore`, which must be monotone
  /// among them.
  ///
  /// - Complexity: O(log `count`).
  package func partitionPoint(first: UInt64, isBefore: (UInt64) -> Bool) -> Int {
    guard let root else { return 0 }
    var node = NodeView(root)
    var rank = 0
    while true {
      let slot = node.slotsBefore(first, isBefore)
      if node.height == 0 { return rank + slot }
      guard slot > 0 else { return rank }
      rank += node.entries(beforeChild: slot - 1)
      node = node.child(slot - 1)
    }
  }

  /// The entry at a position, which must be below `count`.
  ///
  /// - Complexity: O(log `count`).
  package func entry(at rank: Int) -> TreeEntry {
    guard let root, rank >= 0, rank < NodeView(root).total else {
      preconditionFailure("rank \(rank) is not in 0..<\(count)")
    }
    var node = NodeView(root)
    var rest = rank
    while node.height > 0 {
      node = node.child(node.childAndOffset(ofEntry: &rest))
    }
    return TreeEntry(node.key(rest), node.payload(rest))
  }

  /// Sets the path to `key`, or to where it would be inserted; returns whether it is present.
  func find(_ key: TreeKey, tie: (UInt64) -> Int, path: inout TreePath) -> Bool {
    guard let root else { return false }
    var node = NodeView(root)
    while true {
      let height = node.height
      let (slot, isExact) = node.position(of: key, order: layout.order, tie: tie)
      if height == 0 {
        path[0] = slot
        return isExact
      }
      let child = isExact ? slot : max(slot - 1, 0)
      path[height] = child
      node = node.child(child)
    }
  }
}

extension NodeView {
  /// The child that holds entry `rank` of this subtree; `rank` becomes the entry's rank in that child.
  func childAndOffset(ofEntry rank: inout Int) -> Int {
    let counts = counts
    var child = 0
    while rank >= counts[child] {
      rank -= counts[child]
      child += 1
    }
    return child
  }
}
