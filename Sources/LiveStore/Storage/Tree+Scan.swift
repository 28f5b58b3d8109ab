/// Scanning runs of entries.
extension Tree {
  /// Calls `body` with the entries at `ranks`, one contiguous run for each leaf, until it returns false.
  ///
  /// - Complexity: O(log `count` + `ranks.count`).
  package func forEachLeaf(
    in ranks: Range<Int>,
    _ body: (_ keys: UnsafePointer<TreeKey>, _ payloads: UnsafeRawPointer, _ count: Int) -> Bool
  ) {
    precondition(ranks.lowerBound >= 0 && ranks.upperBound <= count, "\(ranks) is not within 0..<\(count)")
    guard let root, !ranks.isEmpty else { return }
    withExtendedLifetime(root) {
      _ = NodeView(root).forEachLeaf(in: ranks, body)
    }
  }
}

extension Tree {
  /// Calls `body` with the entry that has this `first`, as a run of one entry; nil if there is none.
  ///
  /// - Complexity: O(log `count`).
  func withRun<Result>(of first: UInt64, _ body: (UnsafePointer<TreeKey>, UnsafeRawPointer) -> Result)
    -> Result?
  {
    guard let entry = floor(first), entry.key.first == first else { return nil }
    return withUnsafePointer(to: entry.key) { body($0, entry.payload) }
  }
}

extension NodeView {
  /// Ranks are this subtree's own; returns true to continue.
  fileprivate func forEachLeaf(
    in ranks: Range<Int>, _ body: (UnsafePointer<TreeKey>, UnsafeRawPointer, Int) -> Bool
  ) -> Bool {
    if height == 0 {
      return body(keys + ranks.lowerBound, payload(ranks.lowerBound), ranks.count)
    }
    var lower = ranks.lowerBound
    var slot = childAndOffset(ofEntry: &lower)
    var rest = ranks.count
    while rest > 0 {
      if height == 1, slot + 1 < count { child(slot + 1).touch(counts[slot + 1]) }
      let length = min(rest, counts[slot] - lower)
      guard child(slot).forEachLeaf(in: lower..<(lower + length), body) else { return false }
      rest -= length
      lower = 0
      slot += 1
    }
    return true
  }

  /// Prefetches a leaf: the loads of its lines depend on nothing and run while the leaf before it is processed. Worth
  /// a third of a scan that exceeds the caches.
  @inline(__always)
  private func touch(_ count: Int) {
    var line = UnsafeRawPointer(payloads)
    let end = line + count * stride
    var seen: UInt8 = 0
    while line < end {
      seen &+= line.load(as: UInt8.self)
      line += 64
    }
    // Never true; keeps the compiler from removing the loads.
    if seen == 0xA5 && height == .max { preconditionFailure("a node is of impossible height") }
  }
}
