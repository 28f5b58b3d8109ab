extension HashIndex {
  /// Checks everything that holds between edits (H1 to H3), for tests.
  ///
  /// - Complexity: O(`count`).
  package func _checkInvariants() {
    precondition(HashNodeView(root).check(prefix: 0, depth: 1) == count, "the count is that of the entries")
  }

  /// Memory of the nodes as asked for from the allocator.
  ///
  /// - Complexity: O(`count`).
  package var byteCount: Int { HashNodeView(root).byteCount }
}

extension HashNodeView {
  /// Returns the number of entries below this inner node, whose children's hashes start with `depth` digits
  /// of which the last is the child's.
  fileprivate func check(prefix: UInt64, depth: UInt64) -> Int {
    var sum = 0
    var hasInner = false
    let bits = depth * HashNode.fanOutBits
    for index in 0..<HashNode.fanOut {
      let prefix = prefix << HashNode.fanOutBits | UInt64(index)
      let kind = kind(index)
      precondition((kind == 0) == (children[index] == nil), "H2: kinds say which children there are")
      if kind == 0 { continue }
      let child = child(index)
      precondition((child.capacity == 0) == (kind == HashNode.innerKind), "H2: kinds say what children are")
      if kind == HashNode.innerKind {
        let count = child.check(prefix: prefix, depth: depth + 1)
        precondition(count > 0, "H3: no empty nodes")
        sum += count
        hasInner = true
        continue
      }
      precondition(kind <= min(HashNode.leafLimit, child.capacity), "a leaf has room for its entries")
      for slot in 0..<child.capacity {
        let entry = child.entries[slot]
        if slot >= kind {
          precondition(entry == HashNode.unused, "H1: slots beyond the count are unused")
          continue
        }
        precondition(bits > 64 || entry.first >> (64 - bits) == prefix, "H1: a leaf's hashes share a prefix")
        precondition(slot == 0 || child.entries[slot - 1].first < entry.first, "H1: hashes ascend")
      }
      sum += kind
    }
    precondition(depth == 1 || hasInner || sum > HashNode.mergeLimit, "H3: few entries are one leaf")
    return sum
  }

  fileprivate var byteCount: Int {
    var sum = 0
    for index in 0..<HashNode.fanOut where kind(index) > 0 {
      sum += kind(index) == HashNode.innerKind ? child(index).byteCount : children[index]!.byteCount
    }
    return sum + 32 + HashNode.fanOut * 8
  }
}
