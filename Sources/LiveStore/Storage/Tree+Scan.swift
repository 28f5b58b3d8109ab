internal import CPrefetch

/// Scanning runs of entries.
extension Tree {
  /// How many leaves ahead a scan prefetches.
  fileprivate static let leavesAhead = 4

  /// Calls `body` with the entries at `ranks`, one leaf's entries at a time, until it returns false.
  ///
  /// Values are one after the other from `payloads` on. There may be one stamp for all keys (S7).
  /// - Complexity: O(log `count` + `ranks.count`).
  package func forEachLeaf(
    in ranks: Range<Int>,
    _ body: (_ keys: LeafKeys, _ payloads: UnsafeRawPointer, _ count: Int) -> Bool
  ) {
    precondition(ranks.lowerBound >= 0 && ranks.upperBound <= count, "\(ranks) is not within 0..<\(count)")
    guard let root, !ranks.isEmpty else { return }
    withExtendedLifetime(root) {
      _ = NodeView(root).forEachLeaf(in: ranks, before: nil, body)
    }
  }
}

extension Tree {
  /// Calls `body` with the entry that has this `first`, as if it were alone in a leaf; nil if there is none.
  ///
  /// - Complexity: O(log `count`).
  func withRun<Result>(of first: UInt64, _ body: (LeafKeys, UnsafeRawPointer) -> Result) -> Result? {
    guard let entry = floor(first), entry.key.first == first else { return nil }
    return entry.withRun(body)
  }
}

extension TreeEntry {
  /// Calls `body` with the entry as a run of one.
  func withRun<Result>(_ body: (LeafKeys, UnsafeRawPointer) -> Result) -> Result {
    withUnsafePointer(to: key) { body(LeafKeys(one: $0), payload) }
  }

  /// Reads the payload into the caches, without waiting for it.
  ///
  /// - Parameter byteCount: how many bytes of it are going to be read.
  func prefetch(_ byteCount: Int) { prefetch_memory(payload, byteCount) }
}

extension NodeView {
  /// Ranks are this subtree's own; returns true to continue.
  ///
  /// - Parameter next: the node to the right at the same height, if it is scanned, too.
  fileprivate func forEachLeaf(
    in ranks: Range<Int>, before next: NodeView?,
    _ body: (LeafKeys, UnsafeRawPointer, Int) -> Bool
  ) -> Bool {
    if height == 0 { return visit(ranks, layout, body) }
    var lower = ranks.lowerBound
    var slot = childAndOffset(ofEntry: &lower)
    var rest = ranks.count
    let layout = layout
    let isAboveLeaves = height == 1
    while rest > 0 {
      let length = min(rest, counts[slot] - lower)
      let range = lower..<(lower + length)
      let child = child(slot)
      if isAboveLeaves {
        // A range of few entries has no leaf to prefetch.
        if rest > length || next != nil { prefetchLeaf(slot &+ Tree.leavesAhead, before: next, layout) }
        guard child.visit(range, layout, body) else { return false }
      } else {
        let neighbour = rest > length || next != nil ? self.child(slot &+ 1, before: next) : nil
        guard child.forEachLeaf(in: range, before: neighbour, body) else { return false }
      }
      rest -= length
      lower = 0
      slot += 1
    }
    return true
  }

  /// Calls `body` with entries of this leaf.
  @inline(__always)
  private func visit(
    _ ranks: Range<Int>, _ layout: TreeLayout, _ body: (LeafKeys, UnsafeRawPointer, Int) -> Bool
  ) -> Bool {
    let start = ranks.lowerBound
    return body(LeafKeys(self, from: start), payload(start, stride: layout.stride), ranks.count)
  }

  /// A child of this node, or of the next one if `index` is beyond this one's last.
  private func child(_ index: Int, before next: NodeView?) -> NodeView? {
    if index < count { return child(index) }
    guard let next, index - count < next.count else { return nil }
    return next.child(index - count)
  }

  /// Prefetches the memory that a scan of a leaf below this node reads, without waiting for it.
  ///
  /// Where a leaf lies right behind the leaf before it, the processor itself prefetches all but its
  /// beginning, and more requests would slow it down.
  @inline(__always)
  private func prefetchLeaf(_ index: Int, before next: NodeView?, _ layout: TreeLayout) {
    guard let leaf = child(index, before: next), let previous = child(index &- 1, before: next)
    else { return }
    let start = UnsafeRawPointer(leaf.header)
    // In plain leaves of values the keys are behind the values, and not always read; a run has one key.
    let keys = layout.leafCapacity &* MemoryLayout<TreeKey>.stride
    let read =
      MemoryLayout<NodeHeader>.size
      &+ (layout.holdsObjects ? layout.valueBytes &+ MemoryLayout<TreeKey>.stride : keys)
    let isBehind = 0..<(2 &* (read &+ keys)) ~= start - UnsafeRawPointer(previous.header)
    // For large leaves, no more is prefetched than stays in the caches until it is read.
    prefetch_memory(start, isBehind ? 128 : min(read, 8192))
  }
}
