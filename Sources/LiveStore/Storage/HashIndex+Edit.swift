extension HashIndex {
  /// Adds a hash; false, and nothing changed, when it is there.
  ///
  /// - Complexity: O(log `count`); copies at most one path.
  @discardableResult
  package mutating func insert(_ hash: UInt64, row: UInt64) -> Bool {
    if self.row(of: hash) != 0 { return false }
    HashIndex.uniqueInner(&root).insert(TreeKey(hash, row), depth: 0)
    count += 1
    return true
  }

  /// Removes a hash; false, and nothing changed, when it is not there.
  ///
  /// - Complexity: O(log `count`); copies at most one path.
  @discardableResult
  package mutating func remove(_ hash: UInt64) -> Bool {
    if row(of: hash) == 0 { return false }
    HashIndex.uniqueInner(&root).remove(hash, depth: 0)
    count -= 1
    return true
  }

  package mutating func removeAll() { self = HashIndex() }

  /// The inner node in `slot`, replaced by a copy first when anything else refers to it.
  static func uniqueInner(_ slot: inout HashNode) -> HashNodeView {
    if !isKnownUniquelyReferenced(&slot) { slot = HashNodeView(slot).copyInner() }
    return HashNodeView(slot)
  }
}

extension HashNodeView {
  /// The child that the bits of a hash at a depth name.
  private func index(_ hash: UInt64, _ depth: UInt64) -> Int {
    let rest = hash << (depth * HashNode.fanOutBits)
    return Int(truncatingIfNeeded: rest >> (64 - HashNode.fanOutBits))
  }

  /// As `HashIndex.uniqueInner`, for child `index`.
  private func uniqueInner(_ index: Int) -> HashNodeView {
    HashIndex.uniqueInner(&children[index]!)
  }

  /// Adds an entry whose hash is not there below this inner node, to which one reference exists.
  fileprivate func insert(_ entry: TreeKey, depth: UInt64) {
    let index = index(entry.first, depth)
    let kind = kind(index)
    if kind == HashNode.innerKind {
      uniqueInner(index).insert(entry, depth: depth + 1)
      return
    }
    if kind == HashNode.leafLimit {
      // Hashes differ, so at the latest their last bit divides them.
      setChild(index, child(index).divided(kind, depth: depth + 1), kind: HashNode.innerKind)
      child(index).insert(entry, depth: depth + 1)
      return
    }
    let leaf = leafWithRoom(index, kind)
    let slot = leaf.slot(of: entry.first, kind)
    (leaf.entries + slot + 1).update(from: leaf.entries + slot, count: kind - slot)
    leaf.entries[slot] = entry
    setKind(index, kind + 1)
  }

  /// Leaf `index` of `count` entries with room for one more, to which one reference exists.
  private func leafWithRoom(_ index: Int, _ count: Int) -> HashNodeView {
    if count == 0 {
      children[index] = HashNode.makeLeaf(room: 1)
    } else if child(index).capacity == count || !isKnownUniquelyReferenced(&children[index]) {
      children[index] = child(index).copyLeaf(count, room: count + 1)
    }
    return child(index)
  }

  /// Of a leaf: an inner node with the same entries.
  private func divided(_ count: Int, depth: UInt64) -> HashNode {
    let node = HashNode.makeInner()
    let view = HashNodeView(node)
    var start = 0
    while start < count {
      let index = index(entries[start].first, depth)
      var end = start + 1
      while end < count, self.index(entries[end].first, depth) == index { end += 1 }
      let leaf = HashNode.makeLeaf(room: end - start)
      HashNodeView(leaf).entries.update(from: entries + start, count: end - start)
      view.setChild(index, leaf, kind: end - start)
      start = end
    }
    return node
  }

  /// Removes a hash that is there below this inner node, to which one reference exists.
  fileprivate func remove(_ hash: UInt64, depth: UInt64) {
    let index = index(hash, depth)
    let kind = kind(index)
    if kind == HashNode.innerKind {
      let child = uniqueInner(index)
      child.remove(hash, depth: depth + 1)
      if let count = child.mergeableCount { setChild(index, child.merged(count), kind: count) }
      return
    }
    if kind == 1 {
      setChild(index, nil, kind: 0)
      return
    }
    if !isKnownUniquelyReferenced(&children[index]) || child(index).capacity >= kind + 8 {
      children[index] = child(index).copyLeaf(kind, room: kind)
    }
    let leaf = child(index)
    let slot = leaf.slot(of: hash, kind)
    (leaf.entries + slot).update(from: leaf.entries + slot + 1, count: kind - slot - 1)
    leaf.entries[kind - 1] = HashNode.unused
    setKind(index, kind - 1)
  }

  /// The number of entries below this inner node if one leaf is to hold them.
  private var mergeableCount: Int? {
    var sum = 0
    for index in 0..<HashNode.fanOut { sum += kind(index) }
    // An inner child alone exceeds the limit.
    return sum <= HashNode.mergeLimit ? sum : nil
  }

  /// Of an inner node: a leaf with the entries of its leaves.
  private func merged(_ count: Int) -> HashNode {
    let node = HashNode.makeLeaf(room: count)
    var target = HashNodeView(node).entries
    for index in 0..<HashNode.fanOut where kind(index) > 0 {
      target.update(from: child(index).entries, count: kind(index))
      target += kind(index)
    }
    return node
  }
}
