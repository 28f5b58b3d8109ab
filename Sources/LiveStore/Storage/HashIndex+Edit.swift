extension HashIndex {
  /// Adds a hash; returns false, and changes nothing, when it is already in the index.
  ///
  /// - Parameter row: from 1, below 2^48.
  /// - Complexity: O(log `count`); copies at most one path.
  @discardableResult
  package mutating func insert(_ hash: UInt64, row: UInt64) -> Bool {
    if self.row(of: hash) != 0 { return false }
    while !HashIndex.uniqueInner(&root).insert(HashEntry(hash, row: row), depth: 0) {
      root = root.copyInner(doubled: true)
    }
    count += 1
    return true
  }

  /// Removes a hash; returns false, and changes nothing, when it is not in the index.
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

  /// The inner node in `slot`, replaced by a copy first if anything else refers to it.
  static func uniqueInner(_ slot: inout HashNode) -> HashNodeView {
    if !isKnownUniquelyReferenced(&slot) { slot = slot.copyInner() }
    return HashNodeView(slot)
  }
}

extension HashNodeView {
  /// The slot of a hash whose first `depth` bits led to this inner node.
  private func index(_ hash: UInt64, _ depth: Int) -> Int {
    Int(truncatingIfNeeded: (hash << UInt64(depth)) >> UInt64(64 - bits))
  }

  /// As `HashIndex.uniqueInner`, for the inner child in a slot.
  func uniqueInner(_ index: Int) -> HashNodeView {
    if !isUniqueChild(index) { replace(index..<(index + 1), by: child(index).copyInner()) }
    return child(index)
  }

  /// Adds an entry with a new hash below this inner node, to which one reference exists. Returns false, without an
  /// effect on the contents, when this node must be doubled first.
  fileprivate func insert(_ entry: HashEntry, depth: Int) -> Bool {
    let index = index(entry.hash, depth)
    let slot = slots[index]
    if slot.isInner {
      while !uniqueInner(index).insert(entry, depth: depth + bits) {
        replace(index..<(index + 1), by: child(index).copyInner(doubled: true))
      }
      return true
    }
    if slot.isEmpty {
      replace(run(index), by: HashNode.makeLeaf(room: 1))
    } else {
      let leaf = child(index)
      if leaf.count == HashNode.limit(leaf.capacity) {
        if leaf.capacity == HashNode.maxCapacity {
          guard makeRoom(index, depth) else { return false }
          return insert(entry, depth: depth)
        }
        replace(run(index), by: leaf.resized(leaf.capacity + HashNode.step))
      } else if !isUniqueChild(index) {
        replace(run(index), by: leaf.copyLeaf())
      }
    }
    child(index).insertEntry(entry)
    return true
  }

  /// Divides a full leaf; returns false when its run has one slot and this node must be doubled first.
  private func makeRoom(_ index: Int, _ depth: Int) -> Bool {
    let run = run(index)
    if run.count > 1 {
      divide(run, depth)
      return true
    }
    if bits < HashNode.maxBits { return false }
    // Hashes differ, so their last bit divides them at the latest.
    let inner = HashNode.makeInner(bits: 1)
    HashNodeView(inner).replace(0..<2, by: child(index).reference.takeUnretainedValue())
    replace(run, by: inner)
    return true
  }

  /// Gives each half of a run of two or more slots a leaf of its own.
  private func divide(_ run: Range<Int>, _ depth: Int) {
    let leaf = child(run.lowerBound)
    let bit = UInt64(1) << UInt64(63 - depth - (bits - run.count.trailingZeroBitCount))
    var upper = 0
    leaf.forEachEntry { if $0.hash & bit != 0 { upper += 1 } }
    let lower = leaf.count - upper
    func half(_ count: Int) -> HashNode? {
      count == 0 ? nil : .makeLeaf(room: min(count + 1, HashNode.limit(HashNode.maxCapacity)))
    }
    let (low, high) = (half(lower), half(upper))
    leaf.forEachEntry { entry in
      if let half = entry.hash & bit == 0 ? low : high { HashNodeView(half).insertEntry(entry) }
    }
    let middle = run.lowerBound + run.count / 2
    let old = leaf.reference
    (slots + run.lowerBound).update(repeating: .empty, count: run.count)
    replace(run.lowerBound..<middle, by: low)
    replace(middle..<run.upperBound, by: high)
    old.release()
  }

  /// Removes a hash that exists below this inner node, to which one reference exists.
  fileprivate func remove(_ hash: UInt64, depth: Int) {
    let index = index(hash, depth)
    let slot = slots[index]
    if slot.isInner {
      let inner = uniqueInner(index)
      inner.remove(hash, depth: depth + bits)
      guard removeNeedlessInner(index) else { return }
    } else {
      let leaf = child(index)
      if leaf.count == 1 {
        replace(run(index), by: nil)
      } else {
        // Shrinks later and less than it could, since the leaf may grow again.
        let capacity = HashNode.capacity(for: leaf.count) + HashNode.step
        if leaf.capacity > capacity {
          replace(run(index), by: leaf.resized(capacity))
        } else if !isUniqueChild(index) {
          replace(run(index), by: leaf.copyLeaf())
        }
        child(index).take(hash)
      }
    }
    merge(index)
  }

  /// Replaces the inner child in a slot by its only leaf, or by none; returns false if it has more.
  @discardableResult
  func removeNeedlessInner(_ index: Int) -> Bool {
    let inner = child(index)
    guard !inner.slots[0].isInner, inner.run(0).count == 1 << inner.bits else { return false }
    replace(index..<(index + 1), by: inner.slots[0].child?.takeUnretainedValue())
    return true
  }

  /// Merges the leaf in a slot with its other half, repeatedly, as long as one leaf can hold both.
  func merge(_ index: Int) {
    // Most leaves are too full to merge, so their neighbours are not read.
    while count(ofLeaf: index) <= HashNode.mergeLimit {
      let run = run(index)
      if run.count == 1 << bits { return }
      let other = half(beside: run)
      guard self.run(other.lowerBound) == other, !slots[other.lowerBound].isInner else { return }
      let count = count(ofLeaf: run.lowerBound) + count(ofLeaf: other.lowerBound)
      guard count <= HashNode.mergeLimit else { return }
      let node = HashNode.makeLeaf(room: count)
      for half in [run, other] {
        if let leaf = slots[half.lowerBound].child {
          HashNodeView(leaf).forEachEntry { HashNodeView(node).insertEntry($0) }
        }
        replace(half, by: nil)
      }
      let start = min(run.lowerBound, other.lowerBound)
      replace(start..<(start + run.count * 2), by: node)
    }
  }

  /// Entries of the leaf in a slot, which may be empty.
  func count(ofLeaf index: Int) -> Int { slots[index].child.map { HashNodeView($0).count } ?? 0 }
}
