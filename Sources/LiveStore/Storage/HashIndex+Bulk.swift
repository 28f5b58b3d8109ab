extension HashIndex {
  /// Adds hashes with consecutive rows, up to the first hash that is already in the index.
  ///
  /// Each insertion waits for memory, since the leaf of a hash is rarely in the caches. So the leaves of the
  /// next hashes are read beforehand, side by side. In an empty index, leaves for all hashes are made first.
  /// - Returns: how many hashes were added.
  /// - Complexity: O(log `count`) for each hash.
  package mutating func insert(_ hashes: ContiguousArray<UInt64>, firstRow: UInt64) -> Int {
    let isReserved = reserve(hashes.count)
    defer { if isReserved { mergeLeaves() } }
    return insertEach(hashes, firstRow: firstRow)
  }

  private mutating func insertEach(_ hashes: ContiguousArray<UInt64>, firstRow: UInt64) -> Int {
    var next = 0
    while next < hashes.count {
      let group = next..<min(next + 16, hashes.count)
      var seen: UInt64 = 0
      for index in group { seen |= touch(hashes[index]) }
      precondition(seen >> 48 == 0, "row numbers are below 2^48")
      while next < group.upperBound {
        guard insert(hashes[next], row: firstRow + UInt64(next)) else { return next }
        next += 1
      }
    }
    return next
  }

  /// Reads the parts of a leaf that an insertion reads, without a branch on them. The result is below 2^48.
  private func touch(_ hash: UInt64) -> UInt64 {
    inLeaf(of: hash) { leaf, capacity in
      leaf.entry(HashNodeView.bucket(hash, capacity)).row | UInt64(truncatingIfNeeded: leaf.count)
    }
  }
}

// Leaves for future entries. A leaf that grows with its entries is moved five times, and leaves behind freed
// memory of as many sizes, over which the leaves of tables that are loaded with it are then scattered. Leaves
// that are made at once, for the expected number of entries, are not moved.
extension HashIndex {
  /// Makes the leaves of an empty index for as many entries as are expected; does nothing for few.
  ///
  /// `mergeLeaves()` must follow their insertion: until then leaves may be emptier than H3 allows.
  /// - Parameter expected: the number of entries; for more than a million, only leaves for the first million
  ///   are made, which takes 21 MB.
  /// - Returns: whether leaves were made.
  package mutating func reserve(_ expected: Int) -> Bool {
    guard count == 0, expected >= 1024 else { return false }
    let expected = min(expected, 1 << 20)
    var bits = 0
    while expected >> bits > 64 { bits += 1 }
    // Leaves differ by chance. Of a hundred leaves, some two have more entries than this, and are enlarged.
    let mean = Double(expected >> bits)
    let room = min(Int(mean + 2 * mean.squareRoot()), HashNode.limit(HashNode.maxCapacity))
    root = HashNode.makeTree(bits: bits, room: room)
    return true
  }

  /// Merges leaves that have few entries (H3), and shrinks leaves that are much too large.
  ///
  /// - Complexity: O(`count`), without reading entries of leaves that stay.
  package mutating func mergeLeaves() { HashIndex.uniqueInner(&root).mergeLeaves() }
}

extension HashNode {
  /// A node with empty leaves below it, one for each value of `bits` bits.
  fileprivate static func makeTree(bits: Int, room: Int) -> HashNode {
    if bits == 0 { return makeLeaf(room: room) }
    let own = min(bits, maxBits)
    let node = makeInner(bits: own)
    for index in 0..<(1 << own) {
      HashNodeView(node).replace(index..<(index + 1), by: makeTree(bits: bits - own, room: room))
    }
    return node
  }
}

extension HashNodeView {
  /// Merges leaves below this inner node, to which one reference exists, and shrinks leaves that are much too
  /// large.
  fileprivate func mergeLeaves() {
    for index in 0..<(1 << bits) where !slots[index].isEmpty {
      if slots[index].isInner {
        uniqueInner(index).mergeLeaves()
        removeNeedlessInner(index)
        continue
      }
      let leaf = child(index)
      let capacity = HashNode.capacity(for: leaf.count)
      if leaf.count == 0 {
        replace(run(index), by: nil)
      } else if leaf.capacity > capacity + 2 * HashNode.step {
        replace(run(index), by: leaf.resized(capacity))
      }
    }
    var index = 0
    while index < 1 << bits {
      if !slots[index].isInner { merge(index) }
      index = run(index).upperBound
    }
  }
}
