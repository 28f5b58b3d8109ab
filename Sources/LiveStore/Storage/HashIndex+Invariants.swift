extension HashIndex {
  /// Checks the invariants H1 to H3, for tests.
  ///
  /// - Complexity: O(`count`).
  package func _checkInvariants() {
    let root = HashNodeView(root)
    precondition(root.check(prefix: 0, depth: 0) == count, "the count is that of the entries")
  }

  /// The allocated memory of the nodes.
  ///
  /// - Complexity: O(`count`).
  package var byteCount: Int { HashNodeView(root).byteCount }
}

extension HashNodeView {
  /// The number of entries below this inner node, to which the first `depth` bits of a hash led.
  fileprivate func check(prefix: UInt64, depth: Int) -> Int {
    var sum = 0
    precondition(1...HashNode.maxBits ~= bits, "an inner node has 2 to 64 slots")
    precondition(
      depth == 0 || slots[0].isInner || run(0).count < 1 << bits, "H3: a single leaf needs no node")
    var index = 0
    while index < 1 << bits {
      let slot = slots[index]
      let run = run(index)
      precondition(run.lowerBound == index, "H2: runs are halves of halves")
      index = run.upperBound
      guard let child = slot.child.map({ HashNodeView($0) }) else { continue }
      precondition(slot == HashSlot(child.reference), "H2: slots say what children are")
      precondition(
        index == 1 << bits || slots[index].child?.toOpaque() != child.reference.toOpaque(),
        "H2: a child has one run")
      let prefix = prefix | (UInt64(run.lowerBound) << UInt64(64 - bits)) >> UInt64(depth)
      if slot.isInner {
        precondition(bits == HashNode.maxBits, "H2: inner children are in nodes that cannot grow")
        precondition(run.count == 1, "H2: an inner child has a single slot")
        sum += child.check(prefix: prefix, depth: depth + bits)
        continue
      }
      child.checkLeaf(prefix: prefix, depth + bits - run.count.trailingZeroBitCount)
      sum += child.count
      if run.count == 1 << bits { continue }
      let other = half(beside: run)
      precondition(
        slots[other.lowerBound].isInner || self.run(other.lowerBound) != other
          || child.count + count(ofLeaf: other.lowerBound) > HashNode.mergeLimit,
        "H3: two halves with few entries are one leaf")
    }
    return sum
  }

  private func checkLeaf(prefix: UInt64, _ shared: Int) {
    var sum = 0
    precondition(1...HashNode.limit(capacity) ~= count, "H1: a leaf has entries and free buckets")
    forEachEntry { entry in
      precondition((entry.hash ^ prefix) >> UInt64(64 - shared) == 0, "H1: a leaf's hashes share a prefix")
      precondition(row(of: entry.hash, capacity) == entry.row, "H1: each entry is found")
      sum += 1
    }
    precondition(sum == count, "H1: the count is that of the entries")
    for bucket in 0..<capacity {
      let entry = entry(bucket)
      precondition(entry.row != 0 || entry.hash == 0, "H1: free buckets are 0")
    }
  }

  fileprivate var byteCount: Int {
    var sum = reference._withUnsafeGuaranteedRef { $0.byteCount }
    if capacity == 0 { forEachChild { sum += HashNodeView($0).byteCount } }
    return sum
  }
}
