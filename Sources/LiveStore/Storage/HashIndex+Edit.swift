extension HashIndex {
  /// Adds a hash; false, and nothing changed, when it is there.
  ///
  /// - Complexity: O(log `count`); copies at most one path.
  @discardableResult
  package mutating func insert(_ hash: UInt64, row: UInt64) -> Bool {
    if self.row(of: hash) != 0 { return false }
    while !HashIndex.uniqueInner(&root).insert(TreeKey(hash, row), depth: 0) {
      root = HashNodeView(root).doubled()
    }
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
  /// The slot of a hash, of which `depth` bits led to this inner node.
  private func index(_ hash: UInt64, _ depth: Int) -> Int {
    Int(truncatingIfNeeded: (hash << UInt64(depth)) >> UInt64(64 - bits))
  }

  /// As `HashIndex.uniqueInner`, for the inner child in a slot.
  private func uniqueInner(_ index: Int) -> HashNodeView {
    if !isUniqueChild(index) { replaceInner(index, by: child(index).copyInner()) }
    return child(index)
  }

  private func replaceInner(_ index: Int, by node: HashNode) {
    let old = slots[index].child
    setInner(index, node)
    old?.release()
  }

  /// Adds an entry whose hash is not there below this inner node, to which one reference exists; false, and
  /// nothing of note changed, when this node has to be doubled first.
  fileprivate func insert(_ entry: TreeKey, depth: Int) -> Bool {
    let index = index(entry.first, depth)
    let slot = slots[index]
    if slot.isInner {
      while !uniqueInner(index).insert(entry, depth: depth + bits) {
        replaceInner(index, by: child(index).doubled())
      }
      return true
    }
    let count = Int(slot.count)
    if count == HashNode.leafLimit {
      // Hashes differ, so at the latest their last bit divides them.
      let run = run(index)
      if run.count > 1 {
        divide(run, depth)
      } else if bits < HashNode.maxBits {
        return false
      } else {
        let inner = HashNode.makeInner(bits: 1)
        // It takes over this slot's reference to the leaf.
        HashNodeView(inner).setLeaf(0..<2, slot.child, count: count)
        setInner(index, inner)
      }
      return insert(entry, depth: depth)
    }
    let leaf = leafWithRoom(index, count)
    let place = leaf.slot(of: entry.first, count)
    (leaf.entries + place + 1).update(from: leaf.entries + place, count: count - place)
    leaf.entries[place] = entry
    setLeaf(run(index), slots[index].child, count: count + 1)
    return true
  }

  /// Leaf `index` of `count` entries with room for one more, to which one reference exists.
  private func leafWithRoom(_ index: Int, _ count: Int) -> HashNodeView {
    let run = run(index)
    if count == 0 {
      replaceLeaf(run, by: HashNode.makeLeaf(room: 1), count: 0)
    } else if child(index).capacity == count || !isUniqueChild(run.lowerBound) {
      replaceLeaf(run, by: child(index).copyLeaf(count, room: count + 1), count: count)
    }
    return child(index)
  }

  /// Gives each half of a run, of two slots or more, a leaf of its own.
  private func divide(_ run: Range<Int>, _ depth: Int) {
    let slot = slots[run.lowerBound]
    let leaf = child(run.lowerBound)
    let count = Int(slot.count)
    // The first hash of the upper half: the bits that all share, and after them a one.
    let bit = UInt64(1) << UInt64(63 - depth - Int(slot.bits))
    let middle = leaf.slot(of: (leaf.entries[0].first | bit) & ~(bit - 1), count)
    let half = run.count / 2
    let (low, high) = (run.lowerBound..<(run.lowerBound + half), (run.lowerBound + half)..<run.upperBound)
    func part(_ range: Range<Int>) -> Unmanaged<HashNode>? {
      range.isEmpty ? nil : .passRetained(leaf.copyLeaf(range, room: range.count + 1))
    }
    setLeaf(low, part(0..<middle), count: middle)
    setLeaf(high, part(middle..<count), count: count - middle)
    slot.child?.release()
  }

  /// Removes a hash that is there below this inner node, to which one reference exists.
  fileprivate func remove(_ hash: UInt64, depth: Int) {
    let index = index(hash, depth)
    let slot = slots[index]
    if slot.isInner {
      let child = uniqueInner(index)
      child.remove(hash, depth: depth + bits)
      let rest = child.slots[0]
      if rest.isInner || rest.bits > 0 { return }
      // One leaf is all that is left: it takes the node's place.
      _ = rest.child?.retain()
      setLeaf(index..<(index + 1), rest.child, count: Int(rest.count))
      child.reference.release()
    } else {
      let run = run(index)
      let count = Int(slot.count) - 1
      if count == 0 {
        replaceLeaf(run, by: nil, count: 0)
      } else {
        if !isUniqueChild(run.lowerBound) || child(index).capacity > count + HashNode.window {
          replaceLeaf(run, by: child(index).copyLeaf(count + 1, room: count + 1), count: count)
        }
        let leaf = child(index)
        let place = leaf.slot(of: hash, count + 1)
        (leaf.entries + place).update(from: leaf.entries + place + 1, count: count - place)
        leaf.entries[count] = HashNode.unused
        setLeaf(run, slots[index].child, count: count)
      }
    }
    merge(index)
  }

  /// Makes the leaf in a slot one with its other half, again and again, as long as one leaf can hold both.
  private func merge(_ index: Int) {
    while slots[index].bits > 0 {
      let run = run(index)
      let other = self.run(run.lowerBound ^ run.count)
      let count = Int(slots[index].count + slots[other.lowerBound].count)
      guard other.count == run.count, !slots[other.lowerBound].isInner, count <= HashNode.mergeLimit else {
        return
      }
      let (low, high) = run.lowerBound < other.lowerBound ? (run, other) : (other, run)
      let node = count == 0 ? nil : HashNode.makeLeaf(room: count)
      var target = node.map { HashNodeView($0).entries }
      for half in [low, high] {
        let slot = slots[half.lowerBound]
        guard let old = slot.child else { continue }
        target?.update(from: HashNodeView(old).entries, count: Int(slot.count))
        target? += Int(slot.count)
        old.release()
      }
      setLeaf(low.lowerBound..<high.upperBound, node.map { .passRetained($0) }, count: count)
    }
  }
}
