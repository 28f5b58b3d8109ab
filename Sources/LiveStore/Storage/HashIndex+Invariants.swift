extension HashIndex {
  /// Checks everything that holds between edits (H1 to H3), for tests.
  ///
  /// - Complexity: O(`count`).
  package func _checkInvariants() {
    let root = HashNodeView(root)
    precondition(root.check(prefix: 0, depth: 0) == count, "the count is that of the entries")
  }

  /// Memory of the nodes as asked for from the allocator.
  ///
  /// - Complexity: O(`count`).
  package var byteCount: Int { HashNodeView(root).byteCount }
}

extension HashNodeView {
  /// Returns the number of entries below this inner node, to which the first `depth` bits of a hash led.
  fileprivate func check(prefix: UInt64, depth: Int) -> Int {
    var sum = 0
    precondition(1...HashNode.maxBits ~= bits, "an inner node has 2 to 64 slots")
    precondition(depth == 0 || slots[0].isInner || slots[0].bits > 0, "H3: a single leaf needs no node")
    forEachRun { start, length in
      let slot = slots[start]
      for index in start..<(start + length) {
        let same = slots[index]
        precondition(
          same.child?.toOpaque() == slot.child?.toOpaque() && same.bits == slot.bits
            && same.count == slot.count, "H2: the slots of a run are equal")
      }
      precondition(start % length == 0 && start + length <= 1 << bits, "H2: runs are halves of halves")
      precondition((slot.child == nil) == (slot.count == 0), "H2: a leaf without entries is nil")
      guard slot.count != 0 else { return }
      let child = child(start)
      precondition((child.capacity == 0) == slot.isInner, "H2: slots say what children are")
      let prefix = prefix | (UInt64(start) << UInt64(64 - bits)) >> UInt64(depth)
      if slot.isInner {
        precondition(bits == HashNode.maxBits, "H2: inner children are in nodes that cannot grow")
        precondition(child.bits == Int(slot.bits), "H2: slots say how many bits children have")
        sum += child.check(prefix: prefix, depth: depth + bits)
        return
      }
      let count = Int(slot.count)
      precondition(count <= min(HashNode.leafLimit, child.capacity), "a leaf has room for its entries")
      for place in 0..<child.capacity {
        let entry = child.entries[place]
        if place >= count {
          precondition(entry == HashNode.unused, "H1: slots beyond the count are unused")
          continue
        }
        let shared = UInt64(depth) + UInt64(slot.bits)
        precondition((entry.first ^ prefix) >> (64 - shared) == 0, "H1: a leaf's hashes share a prefix")
        precondition(place == 0 || child.entries[place - 1].first < entry.first, "H1: hashes ascend")
      }
      sum += count
    }
    forEachRun { start, length in
      let slot = slots[start]
      guard !slot.isInner, slot.bits > 0 else { return }
      let other = slots[start ^ length]
      precondition(
        other.isInner || other.bits != slot.bits || slot.count + other.count > HashNode.mergeLimit,
        "H3: two halves with few entries are one leaf")
    }
    return sum
  }

  fileprivate var byteCount: Int {
    var sum = reference._withUnsafeGuaranteedRef { $0.byteCount }
    forEachRun { start, _ in
      let slot = slots[start]
      guard slot.count != 0 else { return }
      let child = child(start)
      sum += slot.isInner ? child.byteCount : child.reference._withUnsafeGuaranteedRef { $0.byteCount }
    }
    return sum
  }
}
