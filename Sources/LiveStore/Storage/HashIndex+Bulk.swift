extension HashIndex {
  /// Adds hashes with consecutive rows, up to the first hash that is already in the index.
  ///
  /// Each insertion waits for memory, since the leaf of a hash is rarely in the caches. So the leaves of the next
  /// hashes are read before, side by side.
  /// - Returns: how many hashes were added.
  /// - Complexity: O(log `count`) for each hash.
  package mutating func insert(_ hashes: ContiguousArray<UInt64>, firstRow: UInt64) -> Int {
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

  /// Reads what an insertion reads of a leaf, without a branch that depends on it. The result is below 2^48.
  private func touch(_ hash: UInt64) -> UInt64 {
    inLeaf(of: hash) { leaf, capacity in
      leaf.entry(HashNodeView.bucket(hash, capacity)).row | UInt64(truncatingIfNeeded: leaf.count)
    }
  }
}
